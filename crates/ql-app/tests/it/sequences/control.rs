//! The comparison compares: a model with a rule that is wrong, and a database that drops a fence,
//! are found.

use ql_testkit::FreshDatabase;

use super::model::Mistake;
use super::play::{Cast, Difference, Sequence, play, shrink};
use super::sequence;
use super::source::Source;

/// Within how many sequences a fault must show.
const WITHIN: u64 = 120;

/// The first difference that a cast shows, and in which sequence.
fn found(cast: &Cast) -> Option<(Sequence, Difference)> {
    (1..=WITHIN).find_map(|seed| {
        let steps = sequence(seed);
        let difference = play(cast, &steps).err()?;
        Some((steps, difference))
    })
}

fn mistaken(mistake: Mistake) -> Cast {
    Cast {
        engines: vec![Source::new("embedded", FreshDatabase::embedded)],
        mistake: Some(mistake),
    }
}

#[test]
fn a_wrong_rule_of_the_model_is_found() {
    for mistake in Mistake::ALL {
        let found = found(&mistaken(mistake));
        let (_, difference) = found.unwrap_or_else(|| panic!("{mistake:?} wasn't noticed"));
        assert!(
            difference.what.starts_with("embedded differs"),
            "{difference:?}"
        );
    }
}

#[test]
fn what_goes_wrong_is_shown_by_a_few_steps() {
    let cast = mistaken(Mistake::OldDigestsAreGood);
    let (steps, first) = found(&cast).expect("noticed");
    let (before, shortest) = (first.steps.len(), shrink(&cast, &steps, first));
    // A run, a draft, a proposal, another policy, a decision.
    assert_eq!(
        shortest.steps.len(),
        5,
        "of {before}: {:#?}",
        shortest.steps
    );
}

/// What is done to a database so that it drops a fence, each with the name of the fence.
const SPOILED: [(&str, &[&str]); 9] = [
    (
        "pages stay live although they were taken off",
        &["CREATE TRIGGER stay AFTER UPDATE OF live_id ON content_items WHEN NEW.live_id IS NULL BEGIN
            UPDATE content_items SET live_id = OLD.live_id, live_slug = OLD.live_slug WHERE id = NEW.id; END"],
    ),
    (
        "addresses are held by nobody",
        &["CREATE TRIGGER free AFTER INSERT ON content_slugs BEGIN
            DELETE FROM content_slugs WHERE slug = NEW.slug; END"],
    ),
    (
        "revoked connections live on",
        &["CREATE TRIGGER alive AFTER UPDATE OF revoked_at ON connections BEGIN
            UPDATE connections SET revoked_at = NULL WHERE id = NEW.id; END"],
    ),
    (
        "keys are forgotten",
        &[
            "DROP TRIGGER idempotency_keys_no_delete",
            "CREATE TRIGGER forget AFTER INSERT ON idempotency_keys BEGIN
                DELETE FROM idempotency_keys WHERE key = NEW.key; END",
        ],
    ),
    (
        "jobs are due when they are made",
        &["CREATE TRIGGER early AFTER INSERT ON jobs BEGIN
            UPDATE jobs SET due_at = NEW.created_at WHERE id = NEW.id; END"],
    ),
    (
        "jobs are lost",
        &["CREATE TRIGGER lost AFTER INSERT ON jobs BEGIN DELETE FROM jobs WHERE id = NEW.id; END"],
    ),
    (
        "leases outlast their time",
        &["CREATE TRIGGER last AFTER UPDATE OF lease_token ON turns WHEN NEW.lease_token IS NOT OLD.lease_token BEGIN
            UPDATE turns SET lease_until = NEW.lease_until + 3600000000 WHERE id = NEW.id; END"],
    ),
    (
        "attempts aren't counted",
        &["CREATE TRIGGER uncounted AFTER UPDATE OF attempts ON turns WHEN NEW.attempts > 1 BEGIN
            UPDATE turns SET attempts = 1 WHERE id = NEW.id; END"],
    ),
    (
        "the ledger's bytes are touched",
        &[
            "DROP TRIGGER ledger_entries_no_update",
            "CREATE TRIGGER touch AFTER INSERT ON ledger_entries WHEN NEW.kind = 'artifact.recorded' BEGIN
                UPDATE ledger_entries SET canon = canon || ' ' WHERE subject = NEW.subject AND seq = NEW.seq; END",
        ],
    ),
];

#[test]
fn a_database_that_drops_a_fence_is_found() {
    for (fence, statements) in SPOILED {
        let source = Source::new("spoiled", FreshDatabase::embedded).spoiled_by(statements);
        let cast = Cast {
            engines: vec![source],
            mistake: None,
        };
        let (_, difference) = found(&cast).unwrap_or_else(|| panic!("unnoticed: {fence}"));
        assert!(
            difference.what.starts_with("spoiled differs"),
            "{fence}: {difference:?}"
        );
    }
}

#[test]
fn engines_that_answer_other_bytes_are_told_apart() {
    // The model says nothing of a proposal's reason; only the other engine's answer does.
    let other = Source::new("other", FreshDatabase::embedded)
        .spoiled_by(&["CREATE TRIGGER other AFTER INSERT ON proposals BEGIN
            UPDATE proposals SET rationale = 'Another reason.' WHERE id = NEW.id; END"]);
    let cast = Cast {
        engines: vec![Source::new("embedded", FreshDatabase::embedded), other],
        mistake: None,
    };
    let (_, difference) = found(&cast).expect("the answers differ");
    assert!(
        difference.what.starts_with("other answers other bytes"),
        "{}",
        difference.what
    );
}
