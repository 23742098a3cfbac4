//! The machine's clock is set: an hour forward, an hour back. Nothing happens twice, nothing happens
//! before it's due, and a lease that a jump ended keeps nothing. The random sequences set the clock
//! back too, and know when runs, sessions and proposals run out by it.

use ql_core::time::{hours, minutes};
use ql_store::StoreError;
use ql_store::job::{self, Lease};
use ql_testkit::TestApp;

use crate::drafts::Writer;
use crate::schedule::{moves, scheduled};

#[tokio::test]
async fn a_publication_goes_live_once_however_the_clock_jumps() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    scheduled(&writer, draft).await;
    let test = &writer.test;
    // It is due an hour from noon. These are jumps in minutes, with how often it is live after each.
    let jumps = [
        (-60, 0),
        (59, 0),
        (60, 0),
        (1, 1),
        (-60, 1),
        (60, 1),
        (-120, 1),
        (180, 1),
    ];
    for (jump, live) in jumps {
        let span = minutes(i64::unsigned_abs(jump));
        if jump < 0 {
            test.clock.set_back(span);
        } else {
            test.advance(span);
        }
        test.run_due_work().await;
        assert_eq!(moves(test).await, live, "after {jump} minutes");
    }
    test.verify_ledger().await;
}

#[tokio::test]
async fn a_lease_that_a_jump_forward_ended_keeps_nothing() {
    let ends = two_workers(TestApp::new().await).await;
    assert_eq!(ends, [false, true], "of the late and of the second worker");
}

/// The control: where the fence doesn't move with each claim, the late worker is let through.
#[tokio::test]
async fn without_the_fence_a_lease_that_a_jump_ended_would_count() {
    let test = TestApp::embedded().await;
    let fence_stands = "CREATE TRIGGER fence AFTER UPDATE OF fence ON jobs WHEN NEW.fence > 1 BEGIN
        UPDATE jobs SET fence = 1 WHERE id = NEW.id; END";
    let write = |tx: &mut ql_store::Tx<'_>| tx.execute(fence_stands, &[]).map(drop);
    let spoiled: Result<(), StoreError> = test.app.store().write(write).await;
    spoiled.expect("a statement");
    assert_eq!(two_workers(test).await, [true, false]);
}

/// A worker takes a job, the clock jumps an hour forward, another worker takes it, and the first
/// comes back before the second has done it: whose end is kept?
async fn two_workers(test: TestApp) -> [bool; 2] {
    let writer = Writer::of(test).await;
    let draft = writer.draft("Page").await;
    scheduled(&writer, draft).await;
    let test = &writer.test;
    test.advance(hours(1));
    let late = claim(test).await.expect("a job that is due");
    test.advance(hours(1));
    let second = claim(test).await.expect("a lease that ended");
    [finish(test, late).await, finish(test, second).await]
}

#[tokio::test]
async fn a_lease_outlasts_a_jump_back_and_ends_when_its_time_has_come() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    scheduled(&writer, draft).await;
    let test = &writer.test;
    test.advance(hours(1));
    let held = claim(test).await.expect("a job that is due");
    test.clock.set_back(hours(1));
    assert_eq!(claim(test).await, None, "no early takeover");
    assert_eq!(test.run_due_work().await.jobs, 0);
    // The worker that holds it is gone; as soon as its lease has ended by the clock, another does it.
    test.advance(hours(1) + minutes(1));
    assert_eq!(test.run_due_work().await.jobs, 1);
    assert_eq!(moves(test).await, 1);
    assert!(!finish(test, held).await, "the late worker's end was kept");
}

async fn claim(test: &TestApp) -> Option<Lease> {
    let now = test.now();
    let claim = move |tx: &mut ql_store::Tx<'_>| job::claim(tx, now, minutes(1));
    let claimed: Result<_, StoreError> = test.app.store().write(claim).await;
    claimed.expect("an answer")
}

async fn finish(test: &TestApp, lease: Lease) -> bool {
    let now = test.now();
    let finish = move |tx: &mut ql_store::Tx<'_>| job::finish(tx, &lease, now, None);
    let finished: Result<_, StoreError> = test.app.store().write(finish).await;
    finished.expect("an answer")
}
