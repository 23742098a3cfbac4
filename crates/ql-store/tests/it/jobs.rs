//! Leases: one holder at a time, fenced by a number, attempts counted when a job is claimed.

use std::time::Duration;

use ql_core::id::{JobId, SiteId};
use ql_core::time::Timestamp;
use ql_store::Store;
use ql_store::job::{self, Lease, NewJob};
use ql_testkit::{CountingIds, NOON};

use crate::notes::Notes;

const LEASE: Duration = ql_core::time::minutes(1);

/// A worker at some instant.
struct Worker<'a> {
    store: &'a Store,
    ids: CountingIds,
}

impl Worker<'_> {
    async fn add(&self, due_at: Timestamp) -> JobId {
        let (id, site) = (JobId::mint(&self.ids, NOON), site());
        self.store
            .write(move |tx| {
                let new = NewJob {
                    id,
                    kind: "publish",
                    subject: "prop_1",
                    site,
                    due_at,
                };
                job::insert(tx, new, NOON)
            })
            .await
            .expect("added");
        id
    }

    async fn claim(&self, now: Timestamp) -> Option<Lease> {
        self.store
            .write(move |tx| job::claim(tx, now, LEASE))
            .await
            .expect("asked")
    }

    async fn finish(&self, lease: &Lease, now: Timestamp) -> bool {
        let lease = lease.clone();
        let finish = move |tx: &mut ql_store::Tx<'_>| job::finish(tx, &lease, now, None);
        self.store.write(finish).await.expect("asked")
    }

    async fn stuck(&self, now: Timestamp) -> i64 {
        self.store
            .read(move |tx| job::stuck(tx, now))
            .await
            .expect("asked")
    }
}

fn site() -> SiteId {
    "site_00000000000000000000000001".parse().expect("an id")
}

fn after(seconds: u64) -> Timestamp {
    NOON.plus(Duration::from_secs(seconds))
}

macro_rules! worker {
    ($notes:ident, $worker:ident) => {
        let $notes = Notes::new().await;
        let $worker = Worker {
            store: &$notes.store,
            ids: CountingIds::default(),
        };
    };
}

#[tokio::test]
async fn a_job_is_claimed_when_it_is_due_and_by_one_alone() {
    worker!(notes, worker);
    let id = worker.add(after(10)).await;
    assert_eq!(worker.claim(after(9)).await, None);
    assert_eq!(worker.stuck(after(9)).await, 0);
    assert_eq!(worker.stuck(after(10)).await, 1);
    let lease = worker.claim(after(10)).await.expect("due");
    assert_eq!((lease.id, lease.attempts, lease.fence), (id, 1, 1));
    assert_eq!(worker.claim(after(11)).await, None);
    assert_eq!(worker.stuck(after(11)).await, 0);
    assert!(worker.finish(&lease, after(12)).await);
    assert_eq!(worker.claim(after(1000)).await, None, "it is done");
}

/// windmill-labs/windmill#9214: a slow worker's late completion spoiled what a second one had done.
#[tokio::test]
async fn a_late_completion_after_a_reclaim_changes_nothing() {
    worker!(notes, worker);
    worker.add(NOON).await;
    let slow = worker.claim(NOON).await.expect("due");
    let quick = worker.claim(after(60)).await.expect("the lease ran out");
    assert_eq!((quick.attempts, quick.fence), (2, 2));
    assert!(
        !worker.finish(&slow, after(61)).await,
        "the old fence is refused"
    );
    assert!(worker.finish(&quick, after(62)).await);
    assert!(!worker.finish(&slow, after(63)).await);
}

/// imtms/tagent-core#56: completions were accepted after the lease had run out.
#[tokio::test]
async fn an_expired_lease_completes_nothing_even_when_nobody_took_over() {
    worker!(notes, worker);
    worker.add(NOON).await;
    let lease = worker.claim(NOON).await.expect("due");
    assert!(!worker.finish(&lease, after(60)).await);
    assert_eq!(worker.stuck(after(60)).await, 1, "and it is seen as stuck");
}

/// vectorize-io/hindsight#2675: a crash didn't count as an attempt.
#[tokio::test]
async fn a_crash_counts_as_an_attempt() {
    worker!(notes, worker);
    worker.add(NOON).await;
    for attempt in 1..=3 {
        let lease = worker
            .claim(after(attempt * 100))
            .await
            .expect("free again");
        assert_eq!(lease.attempts, i64::try_from(attempt).expect("small"));
    }
}

#[tokio::test]
async fn a_cancelled_job_is_taken_from_who_holds_it() {
    worker!(notes, worker);
    worker.add(NOON).await;
    let lease = worker.claim(NOON).await.expect("due");
    let site = site();
    let cancel =
        move |tx: &mut ql_store::Tx<'_>| job::cancel(tx, "publish", "prop_1", site, after(1));
    assert_eq!(notes.store.write(cancel).await.expect("asked"), 1);
    assert!(!worker.finish(&lease, after(2)).await);
    assert_eq!(worker.claim(after(1000)).await, None);
}

#[tokio::test]
async fn the_longest_due_goes_first() {
    worker!(notes, worker);
    let late = worker.add(after(20)).await;
    let early = worker.add(after(10)).await;
    assert_eq!(worker.claim(after(30)).await.expect("due").id, early);
    assert_eq!(worker.claim(after(30)).await.expect("due").id, late);
}
