//! Evidence that is looked at again: when, by whom, what is kept, and what waits for a person.

use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

use ql_app::OpContext;
use ql_app::fetch::{FetchFailure, Fetcher, Fetching};
use ql_app::reverification::{Filter, NewResolution};
use ql_core::address::{NotPublic, Refused};
use ql_core::id::EvidenceId;
use ql_core::page::PageRequest;
use ql_core::reverification::{Resolution, Review, Target, TargetState};
use ql_core::role::Role;
use ql_core::time::{days, minutes};
use ql_store::{job, reverification};
use ql_testkit::{ScriptedFetcher, TestApp};

use crate::drafts::Writer;
use crate::say::{code, problems};

/// A reviewer who watches one piece of evidence of the home site, whose excerpt is `It is so.`
struct Watcher {
    test: TestApp,
    reviewer: OpContext,
    evidence: EvidenceId,
    fetcher: ScriptedFetcher,
}

impl Watcher {
    async fn new() -> Self {
        let writer = Writer::new().await;
        let draft = writer.draft("Page").await;
        let evidence = writer.test.evidence_of(draft).await;
        let reviewer = writer.test.member(Role::Reviewer).await;
        Self {
            test: writer.test,
            reviewer,
            evidence,
            fetcher: ScriptedFetcher::default(),
        }
    }

    async fn watching() -> Self {
        let watcher = Self::new().await;
        let app = &watcher.test.app;
        app.set_reverification(&watcher.reviewer, watcher.evidence, 30)
            .await
            .expect("a target");
        watcher
    }

    /// Looks where it is time to; answers how often.
    async fn look(&self) -> usize {
        let mut looks = 0;
        while self
            .test
            .app
            .run_due_fetch(&self.fetcher)
            .await
            .expect("a look")
        {
            looks += 1;
        }
        looks
    }

    async fn look_now(&self) -> Target {
        self.test.advance(Duration::from_secs(1));
        let asked = (self.test.app).run_reverification_now(&self.reviewer, self.evidence);
        asked.await.expect("asked for");
        assert_eq!(self.look().await, 1);
        self.target().await
    }

    async fn target(&self) -> Target {
        let all = self.list(Filter::default()).await;
        all.into_iter().next().expect("a target")
    }

    async fn list(&self, filter: Filter) -> Vec<Target> {
        let page = PageRequest::default();
        let list = self
            .test
            .app
            .list_reverification(&self.reviewer, filter, &page);
        list.await.expect("a list").items
    }

    async fn reviews(&self, open: Option<bool>) -> Vec<Review> {
        let page = PageRequest::default();
        let list = self
            .test
            .app
            .list_evidence_reviews(&self.reviewer, open, &page);
        list.await.expect("a list").items
    }
}

fn in_words(target: &Target, test: &TestApp) -> String {
    let due = target
        .job
        .map(|job| job.due_at.since(test.now()).as_secs() / 60);
    let attempt = target.attempt.as_ref().map(|attempt| {
        let reason = attempt.reason.as_deref().unwrap_or("-");
        format!("{} ({reason})", attempt.outcome.as_str())
    });
    let review = target.review.map(|review| review.outcome.as_str());
    let state = target.state.as_str();
    format!("{state}, due in {due:?} minutes, last {attempt:?}, review {review:?}")
}

#[tokio::test]
async fn it_is_looked_at_once_per_cadence_and_not_a_moment_too_early() {
    let watcher = Watcher::watching().await;
    let test = &watcher.test;
    test.advance(days(30).saturating_sub(Duration::from_micros(1)));
    assert_eq!(watcher.look().await, 0);
    test.advance(Duration::from_micros(1));
    assert_eq!(watcher.target().await.state, TargetState::Due);
    watcher.fetcher.says("They say: It is so.");
    assert_eq!(watcher.look().await, 1);
    let target = watcher.target().await;
    insta::assert_snapshot!(in_words(&target, test), @r#"scheduled, due in Some(43200) minutes, last Some("unchanged (-)"), review None"#);
    assert_eq!(watcher.reviews(None).await, [], "nobody has to look at it");
    assert_eq!(watcher.fetcher.asked(), ["https://source.example/page"]);
    test.verify_ledger().await;
}

#[tokio::test]
async fn what_was_retrieved_long_ago_is_due_at_once() {
    let watcher = Watcher::new().await;
    watcher.test.advance(days(31));
    let app = &watcher.test.app;
    let target = app.set_reverification(&watcher.reviewer, watcher.evidence, 30);
    assert_eq!(target.await.expect("a target").state, TargetState::Due);
    watcher.fetcher.says("It is so.");
    watcher.look().await;
    let again = app.set_reverification(&watcher.reviewer, watcher.evidence, 7);
    let again = again.await.expect("a target");
    assert_eq!(
        again.job.expect("a job").due_at,
        watcher.test.now().plus(days(7))
    );
}

#[tokio::test]
async fn each_outcome_but_unchanged_waits_for_a_person_once() {
    let watcher = Watcher::watching().await;
    let test = &watcher.test;
    let mut lines = Vec::new();
    let fetcher = &watcher.fetcher;
    fetcher.says("It is not so.");
    fetcher.says("Something else entirely.");
    fetcher.answers(404, "Not found.");
    fetcher.answers(403, "Forbidden.");
    fetcher.fails(FetchFailure::Refused(Refused::Address(NotPublic::Loopback)));
    fetcher.fails(FetchFailure::TooLarge);
    fetcher.says("It is so.");
    for _ in 0..7 {
        let target = watcher.look_now().await;
        lines.push(in_words(&target, test));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    needs_review, due in Some(43200) minutes, last Some("changed (-)"), review Some("changed")
    needs_review, due in Some(43200) minutes, last Some("excerpt_missing (-)"), review Some("excerpt_missing")
    needs_review, due in Some(43200) minutes, last Some("gone (-)"), review Some("gone")
    needs_review, due in Some(43200) minutes, last Some("blocked (refused_by_source)"), review Some("blocked")
    needs_review, due in Some(43200) minutes, last Some("blocked (address_not_public)"), review Some("blocked")
    needs_review, due in Some(43200) minutes, last Some("inconclusive (too_large)"), review Some("inconclusive")
    needs_review, due in Some(43200) minutes, last Some("unchanged (-)"), review Some("inconclusive")
    "#);
    let reviews = watcher.reviews(None).await;
    assert_eq!(reviews.len(), 1, "one review, about the newest look");
    let app = &test.app;
    let view = app.get_evidence_review(&watcher.reviewer, reviews[0].id);
    let view = view.await.expect("it");
    let expected = view.evidence().expect("its evidence").excerpt.clone();
    assert_eq!(
        (expected.as_str(), view.review.outcome.as_str()),
        ("It is so.", "inconclusive")
    );
    test.verify_ledger().await;
}

#[tokio::test]
async fn a_failure_that_may_pass_is_tried_again_later_and_later_and_then_at_its_cadence() {
    let watcher = Watcher::watching().await;
    let test = &watcher.test;
    let asked = (test.app).run_reverification_now(&watcher.reviewer, watcher.evidence);
    asked.await.expect("asked for");
    let mut lines = Vec::new();
    for _ in 0..5 {
        watcher.fetcher.fails(FetchFailure::TimedOut);
        let due_at = watcher.target().await.job.expect("a job").due_at;
        test.advance(due_at.since(test.now()));
        assert_eq!(watcher.look().await, 1);
        lines.push(in_words(&watcher.target().await, test));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
        needs_review, due in Some(5) minutes, last Some("unreachable (timed_out)"), review Some("unreachable")
        needs_review, due in Some(30) minutes, last Some("unreachable (timed_out)"), review Some("unreachable")
        needs_review, due in Some(180) minutes, last Some("unreachable (timed_out)"), review Some("unreachable")
        needs_review, due in Some(43200) minutes, last Some("unreachable (timed_out)"), review Some("unreachable")
        needs_review, due in Some(5) minutes, last Some("unreachable (timed_out)"), review Some("unreachable")
        "#);
    assert_eq!(watcher.reviews(Some(true)).await.len(), 1);
    watcher.fetcher.says("It is so.");
    watcher.look_now().await;
    let closed = watcher
        .reviews(None)
        .await
        .remove(0)
        .closed
        .expect("closed");
    assert_eq!(
        (closed.resolution, closed.member),
        (Resolution::Recovered, None)
    );
}

#[tokio::test]
async fn a_member_says_what_to_make_of_it_once() {
    let watcher = Watcher::watching().await;
    watcher.fetcher.says("It is not so.");
    let review = watcher.look_now().await.review.expect("a review").id;
    let app = &watcher.test.app;
    let resolve = async |by: &OpContext, resolution, note: &str| {
        let note = note.to_owned();
        let new = NewResolution {
            review,
            resolution,
            note,
        };
        app.resolve_evidence_review(by, new).await
    };
    let viewer = watcher.test.member(Role::Viewer).await;
    assert_eq!(
        code(resolve(&viewer, Resolution::Holds, "x").await),
        "role_denied"
    );
    let agent = watcher.test.agent().await;
    assert_eq!(
        code(resolve(&agent, Resolution::Holds, "x").await),
        "members_only"
    );
    let refused = resolve(&watcher.reviewer, Resolution::Recovered, " ").await;
    insta::assert_snapshot!(problems(refused), @"
    /note required: expected a text that isn't empty
    /resolution choice: expected holds, outdated or dismissed
    ");
    let view = resolve(&watcher.reviewer, Resolution::Outdated, "The price rose.").await;
    let closed = view.expect("closed").review.closed.expect("how");
    assert_eq!(
        (closed.resolution, closed.note.as_str()),
        (Resolution::Outdated, "The price rose.")
    );
    let again = resolve(&watcher.reviewer, Resolution::Holds, "No.").await;
    assert_eq!(problems(again), " closed: this review is closed already");
    assert_eq!(watcher.reviews(Some(true)).await, []);
    let state = watcher.target().await.state;
    assert_eq!(state, TargetState::Scheduled);
    watcher.fetcher.says("It is not so.");
    let next = watcher.look_now().await.review.expect("another review");
    assert_ne!(next.id, review);
}

#[tokio::test]
async fn what_is_stopped_is_looked_at_no_more_and_nothing_is_lost() {
    let watcher = Watcher::watching().await;
    watcher.fetcher.says("It is not so.");
    watcher.look_now().await;
    let app = &watcher.test.app;
    let stop = async || {
        app.stop_reverification(&watcher.reviewer, watcher.evidence)
            .await
    };
    let stopped = stop().await.expect("stopped");
    assert_eq!((stopped.state, stopped.job), (TargetState::Stopped, None));
    assert_eq!(code(stop().await), "not_found");
    let now = app.run_reverification_now(&watcher.reviewer, watcher.evidence);
    assert_eq!(code(now.await), "not_found");
    watcher.test.advance(days(60));
    assert_eq!(watcher.look().await, 0);
    let page = PageRequest::default();
    let attempts = app.list_reverification_attempts(&watcher.reviewer, watcher.evidence, &page);
    assert_eq!(attempts.await.expect("a list").items.len(), 1);
    assert_eq!(watcher.reviews(Some(true)).await.len(), 1);
    let again = app.set_reverification(&watcher.reviewer, watcher.evidence, 7);
    assert_eq!(
        again.await.expect("a target").state,
        TargetState::NeedsReview
    );
}

#[tokio::test]
async fn a_cadence_has_bounds() {
    let watcher = Watcher::new().await;
    for days in [0, -1, 366] {
        let refused =
            (watcher.test.app).set_reverification(&watcher.reviewer, watcher.evidence, days);
        assert_eq!(
            problems(refused.await),
            "/cadence_days range: expected 1 to 365 days"
        );
    }
}

type Happening<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A fetcher during whose first fetch something happens.
struct Meanwhile<'a>(&'a ScriptedFetcher, Mutex<Option<Happening<'a>>>);

impl<'a> Meanwhile<'a> {
    fn new(fetcher: &'a ScriptedFetcher, happening: impl Future<Output = ()> + Send + 'a) -> Self {
        Self(fetcher, Mutex::new(Some(Box::pin(happening))))
    }
}

impl Fetcher for Meanwhile<'_> {
    fn fetch<'f>(&'f self, url: &'f str) -> Fetching<'f> {
        let happening = self.1.lock().expect("no panic").take();
        Box::pin(async move {
            if let Some(happening) = happening {
                happening.await;
            }
            self.0.fetch(url).await
        })
    }
}

/// A worker that is killed, or that stalls past its lease: another one takes over, and what the first
/// one brings afterwards changes nothing.
#[tokio::test]
async fn a_worker_that_stalls_loses_its_job_to_another_and_keeps_nothing() {
    let watcher = Watcher::watching().await;
    let (test, app) = (&watcher.test, &watcher.test.app);
    let asked = app.run_reverification_now(&watcher.reviewer, watcher.evidence);
    asked.await.expect("asked for");
    let quick = ScriptedFetcher::default();
    quick.says("It is so.");
    let take_over = async {
        test.advance(minutes(2));
        assert!(app.run_due_fetch(&quick).await.expect("a look"));
    };
    watcher.fetcher.says("It is not so.");
    let stalled = Meanwhile::new(&watcher.fetcher, take_over);
    assert!(app.run_due_fetch(&stalled).await.expect("a claim"));
    let target = watcher.target().await;
    let attempt = target.attempt.expect("one look");
    assert_eq!((attempt.outcome.as_str(), attempt.number), ("unchanged", 2));
    let page = PageRequest::default();
    let kept = app.list_reverification_attempts(&watcher.reviewer, watcher.evidence, &page);
    assert_eq!(kept.await.expect("a list").items.len(), 1);
    assert_eq!(watcher.reviews(None).await, []);
    test.verify_ledger().await;
}

/// A look that ends its worker each time is given up and shown to a person.
#[tokio::test]
async fn a_look_that_nobody_survives_is_given_up() {
    let watcher = Watcher::watching().await;
    let (test, app) = (&watcher.test, &watcher.test.app);
    let asked = app.run_reverification_now(&watcher.reviewer, watcher.evidence);
    asked.await.expect("asked for");
    for _ in 0..3 {
        let now = test.now();
        let claimed = app.store().write(move |tx| {
            let now = tx.lease_clock(now)?;
            job::claim_in(tx, job::Lane::Fetch, now, minutes(1))
        });
        claimed
            .await
            .expect("asked")
            .expect("a lease, whose holder dies");
        test.advance(minutes(2));
    }
    assert_eq!(watcher.look().await, 1);
    let target = watcher.target().await;
    insta::assert_snapshot!(in_words(&target, test), @r#"needs_review, due in Some(43200) minutes, last Some("inconclusive (interrupted)"), review Some("inconclusive")"#);
    assert_eq!(
        watcher.fetcher.asked(),
        [""; 0],
        "nobody asked the source again"
    );
}

#[tokio::test]
async fn what_is_stopped_or_asked_for_anew_while_somebody_looks_is_left_alone() {
    let watcher = Watcher::watching().await;
    let app = &watcher.test.app;
    let asked = app.run_reverification_now(&watcher.reviewer, watcher.evidence);
    asked.await.expect("asked for");
    watcher.fetcher.says("It is not so.");
    let stop = async {
        let stopped = app.stop_reverification(&watcher.reviewer, watcher.evidence);
        stopped.await.expect("stopped");
    };
    let meanwhile = Meanwhile::new(&watcher.fetcher, stop);
    assert!(app.run_due_fetch(&meanwhile).await.expect("a claim"));
    let target = watcher.target().await;
    assert_eq!((target.state, target.attempt), (TargetState::Stopped, None));
}

#[tokio::test]
async fn a_fetch_that_takes_long_keeps_no_publication_waiting() {
    let watcher = Watcher::watching().await;
    let asked = (watcher.test.app).run_reverification_now(&watcher.reviewer, watcher.evidence);
    asked.await.expect("asked for");
    assert_eq!(
        watcher.test.run_due_work().await.jobs,
        0,
        "another lane's work"
    );
    assert_eq!(watcher.target().await.state, TargetState::Due);
}

#[tokio::test]
async fn targets_are_found_by_where_they_stand_and_when_they_are_due() {
    let watcher = Watcher::watching().await;
    let (test, now) = (&watcher.test, watcher.test.now());
    let by = async |state, due_before| {
        let filter = Filter {
            state,
            due_before,
            ..Filter::default()
        };
        watcher.list(filter).await.len()
    };
    assert_eq!(by(Some(TargetState::Scheduled), None).await, 1);
    assert_eq!(by(Some(TargetState::Due), None).await, 0);
    assert_eq!(
        by(None, Some(now.plus(days(30)))).await,
        0,
        "before, not at"
    );
    assert_eq!(by(None, Some(now.plus(days(31)))).await, 1);
    test.advance(days(31));
    assert_eq!(by(Some(TargetState::Due), None).await, 1);
    watcher.fetcher.answers(410, "Gone.");
    watcher.look().await;
    assert_eq!(by(Some(TargetState::NeedsReview), None).await, 1);
    let adrift = test.app.store().read(reverification::adrift).await;
    assert_eq!(
        adrift.expect("a number"),
        0,
        "whatever is to be looked at has a job that does"
    );
}
