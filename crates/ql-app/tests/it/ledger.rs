//! Giving entries their places in the signed tree: which server does it, and with which key.

use std::sync::Arc;
use std::time::Duration;

use ql_app::ledger::{KeyVault as _, Sequenced, Signing};
use ql_app::{App, AppConfig};
use ql_core::checkpoint::KeyChain;
use ql_core::id::IdGen as _;
use ql_core::tree::{verify_consistency, verify_inclusion};
use ql_store::tree::{self, Sequencer};
use ql_store::{StoreError, checkpoint};
use ql_testkit::{CountingIds, MemoryVault, TestApp};

/// Longer than a server that stopped holds the lease.
const LATER: Duration = Duration::from_secs(6);

/// The events of the ledger itself.
const SAID: &str = "SELECT kind, actor FROM ledger_entries WHERE kind LIKE 'ledger.%' ORDER BY id";

/// Pairs of one chain that stand in the tree the other way round.
const TURNED: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM ledger_leaves a JOIN ledger_leaves b \
    ON b.subject = a.subject AND b.seq > a.seq AND b.leaf_index < a.leaf_index";

/// Something that leaves one entry.
async fn work(test: &TestApp) {
    let agent = test.agent().await;
    test.begin_run(&agent).await;
}

#[tokio::test]
async fn every_entry_gets_its_place_and_what_was_signed_grows() {
    let test = TestApp::new().await;
    let first = test.sequence().await;
    work(&test).await;
    let second = test.sequence().await;
    assert_eq!(second.checkpoint.size, first.checkpoint.size + 1);

    let proven = test.app.store().read(move |tx| {
        let keys = checkpoint::key_chain(tx)?.expect("keys");
        for signed in [&first, &second] {
            assert_eq!(keys.open(&signed.note), Ok(signed.checkpoint));
        }
        let (old, new) = (first.checkpoint, second.checkpoint);
        let proof = tree::consistency_proof(tx, old.size, new.size)?;
        assert_eq!(
            verify_consistency((old.size, old.root), (new.size, new.root), &proof),
            Ok(())
        );
        let row = "SELECT subject, seq, leaf FROM ledger_entries ORDER BY subject, seq";
        let entries = tx.list(row, &[], |row| Ok((row.text()?, row.int()?, row.digest()?)))?;
        assert_eq!(entries.len() as u64, new.size);
        for (subject, seq, leaf) in entries {
            let index = tree::place(tx, &subject, seq)?.expect("a place");
            let path = tree::inclusion_proof(tx, index, new.size)?;
            assert_eq!(
                verify_inclusion(leaf, (index, new.size), &path, new.root),
                Ok(())
            );
        }
        Ok::<_, StoreError>(())
    });
    proven.await.expect("every proof holds");
    test.verify_ledger().await;
}

#[tokio::test]
async fn entries_of_one_chain_keep_their_order_in_the_tree() {
    let test = TestApp::with_a_story().await;
    let turned = test.app.store().read(|tx| tx.one(TURNED, &[])?.int());
    assert_eq!(turned.await.expect("a count"), 0);
}

/// However the entries are cut into batches, the proofs of the grown tree hold.
#[tokio::test]
async fn batches_of_any_size_give_a_sound_tree() {
    for limit in [1, 3, 17, 1000] {
        let test = TestApp::new().await;
        test.app.sequence().await.expect("a first key");
        let key = test.vault.key();
        for _ in 0..40 {
            work(&test).await;
        }
        loop {
            let (key, now) = (key.clone(), test.now());
            let round = test.app.store().write(move |tx| {
                let by = Sequencer {
                    key: &key,
                    holder: "a",
                    limit,
                };
                // The application's own lease has run out by then.
                tree::sequence(tx, by, now.plus(LATER))
            });
            match round.await.expect("a round") {
                Sequenced::Appended { entries, .. } => assert!(entries <= u64::from(limit)),
                Sequenced::Idle => break,
                other => panic!("{other:?}"),
            }
        }
        test.verify_ledger().await;
    }
}

#[tokio::test]
async fn a_second_server_waits_for_the_lease_and_then_goes_on() {
    let test = TestApp::new().await;
    test.sequence().await;
    let other = second_server(&test);
    let vault = MemoryVault::default();
    vault.copy_from(&test.vault);
    let other = other.with_vault(Arc::new(vault));
    work(&test).await;
    assert_eq!(other.sequence().await, Ok(Sequenced::Elsewhere));
    test.advance(LATER);
    let round = other.sequence().await.expect("a round");
    assert!(
        matches!(round, Sequenced::Appended { entries: 1, .. }),
        "{round:?}"
    );
    work(&test).await;
    assert_eq!(
        test.app.sequence().await,
        Ok(Sequenced::Elsewhere),
        "the lease moved"
    );
    test.verify_ledger().await;
}

/// Another server over the same database.
fn second_server(test: &TestApp) -> App {
    let config = AppConfig {
        public_url: "https://ql.example".into(),
        preview_key: [7; 32],
    };
    let ids = CountingIds::default();
    // The two must not mint the same identifiers.
    for _ in 0..10_000 {
        ids.next(test.now());
    }
    App::new(
        test.app.store().clone(),
        test.clock.clone(),
        Arc::new(ids),
        config,
    )
}

#[tokio::test]
async fn a_server_without_the_current_key_signs_nothing_and_says_so() {
    let test = TestApp::new().await;
    let without = second_server(&test);
    assert_eq!(without.sequence().await, Ok(Sequenced::OtherKey));
    assert_eq!(without.signing(), Signing::NoVault);

    test.sequence().await;
    work(&test).await;
    let stranger = second_server(&test).with_vault(Arc::new(MemoryVault::default()));
    assert_eq!(stranger.sequence().await, Ok(Sequenced::OtherKey));
    assert_eq!(stranger.signing(), Signing::OtherKey);
    assert!(
        stranger.rotate_ledger_key(0).await.is_err(),
        "it can't name a new one either"
    );

    // One that had the key until another server rotated it.
    let vault = MemoryVault::default();
    vault.copy_from(&test.vault);
    let vault = Arc::new(vault);
    let other = second_server(&test).with_vault(vault.clone());
    test.advance(LATER);
    assert!(matches!(
        other.sequence().await,
        Ok(Sequenced::Appended { .. })
    ));
    test.advance(LATER);
    test.app.rotate_ledger_key(0).await.expect("rotated");
    work(&test).await;
    test.advance(LATER);
    assert_eq!(other.sequence().await, Ok(Sequenced::OtherKey));
    assert_eq!(other.sequence().await, Ok(Sequenced::OtherKey));
    assert_eq!(other.signing(), Signing::OtherKey);
    // The operator copies the key, and it goes on.
    vault.copy_from(&test.vault);
    assert!(matches!(
        other.sequence().await,
        Ok(Sequenced::Appended { entries: 1, .. })
    ));
    assert_eq!(other.signing(), Signing::Signs);
    test.verify_ledger().await;
}

#[tokio::test]
async fn each_key_names_the_next_and_still_signs_the_entry_that_says_so() {
    let test = TestApp::new().await;
    test.sequence().await;
    let before = test.vault.key();
    let last = test.app.rotate_ledger_key(1000).await.expect("rotated");
    assert_eq!(test.vault.key().public(), last);
    let by_old = test
        .app
        .latest_checkpoint()
        .await
        .expect("readable")
        .expect("signed");
    let old = KeyChain::new(before.public());
    assert_eq!(
        old.open(&by_old.note),
        Ok(by_old.checkpoint),
        "the old key signed its own end"
    );

    work(&test).await;
    let by_new = test.sequence().await;
    assert!(old.open(&by_new.note).is_err());
    let keys = test
        .app
        .ledger_keys()
        .await
        .expect("readable")
        .expect("keys");
    assert_eq!(keys.current(), (last, by_old.checkpoint.size));
    assert_eq!(keys.open(&by_new.note), Ok(by_new.checkpoint));
    let said = test.app.store().read(|tx| {
        tx.list(SAID, &[], |row| {
            Ok(format!("{} by {}", row.text()?, row.text()?))
        })
    });
    // The history of each of the two organizations has both.
    insta::assert_snapshot!(said.await.expect("events").join("\n"), @"
    ledger.key_registered by system
    ledger.key_registered by system
    ledger.key_rotated by operator:1000
    ledger.key_rotated by operator:1000
    ");
    test.verify_ledger().await;
}

/// A server that was killed after the new key was registered and before it took its place.
#[tokio::test]
async fn a_key_that_was_registered_and_not_promoted_is_found_again() {
    let test = TestApp::new().await;
    test.sequence().await;
    test.app.rotate_ledger_key(0).await.expect("rotated");
    let staged = test.vault.current().expect("a vault").expect("a key");
    test.vault.lose();
    test.vault.stage(&staged).expect("as it was left");
    work(&test).await;
    let again = second_server(&test).with_vault(test.vault.clone());
    test.advance(LATER);
    assert!(matches!(
        again.sequence().await,
        Ok(Sequenced::Appended { .. })
    ));
    assert_eq!(test.vault.current().expect("a vault"), Some(staged));
    assert_eq!(test.vault.staged().expect("a vault"), None);
}
