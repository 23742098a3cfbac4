//! Two servers of one database: whatever both do at once happens once, and what one takes away is
//! gone on the other.

use std::sync::Arc;

use ql_app::{App, Error, IdempotencyKey, Unauthenticated};
use ql_core::id::{JobId, ProposalId};
use ql_core::proposal::{ProposalState, Verdict};
use ql_core::role::Role;
use ql_core::run::Outcome;
use ql_core::time::{days, hours, minutes};
use ql_store::job::{self, NewJob};
use ql_testkit::{Draft, FixedClock, FreshDatabase, TestApp, setup};
use serde_json::json;
use tokio::task::JoinSet;

use crate::drafts::Writer;
use crate::runs::in_short;

/// A writer on one server and a second server; none without PostgreSQL.
async fn two_servers() -> Option<(Writer, App)> {
    let test = TestApp::over(FreshDatabase::postgres()?).await;
    let replica = test.replica().expect("a database with a server");
    Some((Writer::of(test).await, replica))
}

/// How often the site's live pointers moved.
async fn moves(test: &TestApp) -> i64 {
    let feed = test.app.changes(&test.home.site, 0, 100).await;
    feed.expect("the feed").next
}

async fn asked(writer: &Writer, title: &str) -> (Draft, ProposalId) {
    let draft = writer.draft(title).await;
    let payload = setup::publication(vec![draft.publish()]);
    (draft, writer.propose(payload).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_proposal_that_both_servers_approve_at_once_is_carried_out_once() {
    let Some((writer, replica)) = two_servers().await else {
        return;
    };
    for round in 0..5 {
        let (draft, id) = asked(&writer, &format!("Page {round}")).await;
        let digest = writer.look(id).await.digest;
        let mut presses = JoinSet::new();
        for press in 0..6 {
            let server = [&writer.test.app, &replica][press % 2].clone();
            let role = [Role::Editor, Role::Admin, Role::Owner][press / 2];
            let member = writer.test.member(role).await;
            let decision = setup::decision(id, Verdict::Approve, digest);
            presses.spawn(async move { server.decide(&member, decision).await });
        }
        let mut approved = 0;
        while let Some(answer) = presses.join_next().await {
            approved += usize::from(answer.expect("no panic").is_ok());
        }
        assert!(approved >= 1, "nobody's press counted");
        let state = writer.look(id).await.proposal.state;
        assert!(matches!(state, ProposalState::Executed { .. }), "{state:?}");
        assert_eq!(moves(&writer.test).await, round + 1, "it went live once");
        let live = writer.test.live(&writer.test.home).await;
        assert!(live.iter().any(|page| page.revision == draft.revision));
    }
    writer.test.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_both_servers_find_due_is_published_once() {
    let Some((writer, replica)) = two_servers().await else {
        return;
    };
    let due = writer.test.now().plus(hours(1));
    let editor = writer.test.member(Role::Editor).await;
    for title in ["One", "Two", "Three", "Four"] {
        let draft = writer.draft(title).await;
        let payload = setup::publication(vec![draft.publish_at(due, None)]);
        let id = writer.propose(payload).await;
        writer.test.approve(&editor, id).await.expect("approved");
    }
    writer.test.advance(hours(1));
    let mut rounds = JoinSet::new();
    for round in 0..8 {
        let server = [&writer.test.app, &replica][round % 2].clone();
        rounds.spawn(async move { server.run_due_work().await });
    }
    let mut done = 0;
    while let Some(round) = rounds.join_next().await {
        // A round that met the others too often says so and leaves the rest to the next one.
        done += round.expect("no panic").map_or(0, |round| round.jobs);
    }
    done += writer.test.run_due_work().await.jobs;
    assert_eq!((done, moves(&writer.test).await), (4, 4));
    writer.test.verify_ledger().await;
}

#[tokio::test]
async fn a_job_moves_when_its_server_dies_and_the_dead_one_changes_nothing_any_more() {
    let Some((writer, replica)) = two_servers().await else {
        return;
    };
    let (test, now) = (&writer.test, writer.test.now());
    let (id, site) = (JobId::mint(&**test.app.ids(), now), test.home.site.id);
    let insert = move |tx: &mut ql_store::Tx<'_>| {
        let new = NewJob {
            id,
            kind: "drill",
            subject: "nothing",
            site,
            due_at: now,
        };
        job::insert(tx, new, now)
    };
    test.app.store().write(insert).await.expect("a job");
    let claim = |store: &ql_store::Store| {
        let (store, now) = (store.clone(), test.now());
        async move { store.write(move |tx| job::claim(tx, now, minutes(1))).await }
    };
    let dead = claim(test.app.store()).await.expect("an answer");
    let dead = dead.expect("the job");
    assert_eq!(claim(replica.store()).await.expect("an answer"), None);
    test.advance(minutes(1));
    let taken = claim(replica.store()).await.expect("an answer");
    let taken = taken.expect("the lease ran out");
    assert_eq!((taken.attempts, taken.fence), (2, dead.fence + 1));
    let now = test.now();
    let finish = |store: &ql_store::Store, lease: job::Lease| {
        let store = store.clone();
        async move {
            store
                .write(move |tx| job::finish(tx, &lease, now, None))
                .await
        }
    };
    assert!(!finish(test.app.store(), dead).await.expect("an answer"));
    assert!(finish(replica.store(), taken).await.expect("an answer"));
    let stuck = test.app.store().read(move |tx| job::stuck(tx, now)).await;
    assert_eq!(stuck.expect("a number"), 0);
}

/// mlflow/mlflow#25199 and others: expiry judged by each server's own clock let one that ran ahead
/// take over what another was doing.
#[tokio::test]
async fn a_server_whose_clock_is_an_hour_ahead_takes_nothing_over() {
    let Some((writer, _)) = two_servers().await else {
        return;
    };
    let test = &writer.test;
    // The clock of the tests stands in the past or the future of the server's; what is due is due
    // by the server's alone.
    let ahead = Arc::new(FixedClock::default());
    ahead.advance(days(3650));
    let behind = Arc::new(FixedClock::default());
    let first = test.replica_with(ahead).expect("a server");
    let second = test.replica_with(behind).expect("a server");
    let (site, id) = (
        test.home.site.id,
        JobId::mint(&**test.app.ids(), test.now()),
    );
    let insert = move |tx: &mut ql_store::Tx<'_>| {
        let due_at = tx.lease_clock(ql_core::time::Timestamp::from_micros(0))?;
        let new = NewJob {
            id,
            kind: "drill",
            subject: "nothing",
            site,
            due_at,
        };
        job::insert(tx, new, due_at)
    };
    first.store().write(insert).await.expect("a job");
    let claim = |server: &App| {
        let (store, own) = (server.store().clone(), server.now());
        async move {
            let work = move |tx: &mut ql_store::Tx<'_>| {
                let now = tx.lease_clock(own)?;
                job::claim(tx, now, minutes(1))
            };
            store.write(work).await.expect("an answer")
        }
    };
    assert!(claim(&second).await.is_some(), "due by the server's clock");
    assert_eq!(claim(&first).await, None, "ten years ahead, and still held");
}

#[tokio::test]
async fn what_one_server_revokes_is_shut_on_the_other_at_its_next_call() {
    let Some((writer, replica)) = two_servers().await else {
        return;
    };
    let test = &writer.test;
    let secret = test.home.connection.secret.expose();
    replica.authenticate_connection(secret).await.expect("open");
    let admin = test.member(Role::Admin).await;
    let connection = test.home.connection.connection.id;
    test.app
        .revoke_connection(&admin, connection)
        .await
        .expect("revoked");
    let shut = replica.authenticate_connection(secret).await;
    assert_eq!(shut.map(drop), Err(Unauthenticated::Refused));
}

/// Serializable transactions that look for what isn't there meet wherever they would write it, and
/// on a small table that is everywhere. What a unique key finds anyway is guessed instead.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn those_who_write_different_pages_hardly_meet() {
    let Some(database) = FreshDatabase::postgres() else {
        return;
    };
    let test = Arc::new(TestApp::over(database).await);
    for round in ["first", "second"] {
        let before = test.app.store().reruns();
        let mut writers = JoinSet::new();
        for writer in 0..12 {
            writers.spawn(write_ten_pages(
                Arc::clone(&test),
                format!("{round} {writer}"),
            ));
        }
        while let Some(writer) = writers.join_next().await {
            writer.expect("no panic");
        }
        let reruns = test.app.store().reruns() - before;
        assert!(
            reruns < 60,
            "120 drafts of the {round} round took {reruns} further runs"
        );
        // A server that has counted its rows would rather read a small table whole.
        test.count_rows();
    }
}

async fn write_ten_pages(test: Arc<TestApp>, writer: String) {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    for number in 0..10 {
        let name = format!("{writer} {number}");
        let key = IdempotencyKey::new("create_draft", &name, &json!({}));
        let new = setup::new_article(&name);
        let drafted = test
            .app
            .create_draft(&agent, Some(run), new, Some(key))
            .await;
        drafted.expect("nobody is in the way");
    }
}

/// A guess must not change what a repeated key answers: the first success, whatever happened since.
#[tokio::test]
async fn a_repeated_key_answers_as_before_although_the_engine_guesses() {
    let Some((writer, replica)) = two_servers().await else {
        return;
    };
    let (new, nothing) = (setup::new_article("Page"), json!({}));
    let key = || IdempotencyKey::new("create_draft", "once", &nothing);
    let draft = |server: &App| {
        let (server, agent, run, new) = (
            server.clone(),
            writer.agent.clone(),
            writer.run,
            new.clone(),
        );
        let key = key();
        async move { server.create_draft(&agent, Some(run), new, Some(key)).await }
    };
    let first = draft(&writer.test.app).await.expect("written");
    assert_eq!(draft(&replica).await.as_ref(), Ok(&first));
    writer
        .test
        .app
        .finish_run(
            &writer.agent,
            (writer.run, Outcome::Completed),
            in_short(),
            None,
        )
        .await
        .expect("finished");
    assert_eq!(
        draft(&replica).await.as_ref(),
        Ok(&first),
        "a run that is over since refuses new work and not what was done"
    );
    let other = IdempotencyKey::new("create_draft", "once", &json!({"other": true}));
    let refused = replica.create_draft(&writer.agent, Some(writer.run), new, Some(other));
    assert_eq!(refused.await, Err(Error::IdempotencyConflict));
}
