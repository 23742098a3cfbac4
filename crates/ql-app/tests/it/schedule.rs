//! Publications that are meant for an instant: once, at it, or not at all.

use ql_core::id::{JobId, ProposalId};
use ql_core::policy::Policy;
use ql_core::proposal::{ProposalState, PublishItem};
use ql_core::role::Role;
use ql_core::time::{TimeZone, Timestamp, hours, minutes};
use ql_store::job::{self, NewJob};
use ql_testkit::{Draft, TestApp, setup};

use crate::drafts::Writer;
use crate::say::{code, outcome, problems};

/// A draft whose publication in an hour was approved.
pub(crate) async fn scheduled(writer: &Writer, draft: Draft) -> ProposalId {
    let due = writer.test.now().plus(hours(1));
    let id = writer
        .propose(setup::publication(vec![draft.publish_at(due, None)]))
        .await;
    let editor = writer.test.member(Role::Editor).await;
    let view = writer.test.approve(&editor, id).await.expect("approved");
    assert_eq!(view.proposal.state, ProposalState::Approved { due_at: due });
    id
}

/// How often the site's live pointers moved.
pub(crate) async fn moves(test: &TestApp) -> i64 {
    test.app
        .changes(&test.home.site, 0, 100)
        .await
        .expect("the feed")
        .next
}

#[tokio::test]
async fn it_goes_live_once_and_not_a_moment_too_early() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = scheduled(&writer, draft).await;
    let test = &writer.test;
    test.advance(std::time::Duration::from_micros(3_599_999_999));
    assert_eq!(test.run_due_work().await.jobs, 0);
    assert_eq!(test.live(&test.home).await, []);

    test.advance(std::time::Duration::from_micros(1));
    assert_eq!(test.run_due_work().await.jobs, 1);

    assert_eq!(test.live(&test.home).await[0].revision, draft.revision);
    assert_eq!(
        writer.look(id).await.proposal.state,
        ProposalState::Executed { at: test.now() }
    );
    test.advance(hours(1));
    assert_eq!(test.run_due_work().await.jobs, 0);
    assert_eq!(moves(test).await, 1);
    test.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn it_goes_live_once_with_any_number_of_workers() {
    let writer = std::sync::Arc::new(Writer::new().await);
    let draft = writer.draft("Page").await;
    scheduled(&writer, draft).await;
    writer.test.advance(hours(1));
    let workers: Vec<_> = (0..8)
        .map(|_| {
            let writer = writer.clone();
            tokio::spawn(async move { writer.test.run_due_work().await.jobs })
        })
        .collect();
    let mut done = 0;
    for worker in workers {
        done += worker.await.expect("no panic");
    }
    assert_eq!((done, moves(&writer.test).await), (1, 1));
}

#[tokio::test]
async fn an_approval_after_the_instant_publishes_at_once() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let due = writer.test.now().plus(hours(1));
    let id = writer
        .propose(setup::publication(vec![draft.publish_at(due, None)]))
        .await;
    writer.test.advance(hours(2));
    let editor = writer.test.member(Role::Editor).await;
    let view = writer.test.approve(&editor, id).await.expect("approved");
    assert_eq!(
        view.proposal.state,
        ProposalState::Executed {
            at: writer.test.now()
        }
    );
}

#[tokio::test]
async fn a_cancelled_one_does_not_go_live() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = scheduled(&writer, draft).await;
    let test = &writer.test;
    let admin = test.member(Role::Admin).await;
    let view = test
        .app
        .cancel_proposal(&admin, id)
        .await
        .expect("cancelled");
    assert_eq!(
        view.proposal.state,
        ProposalState::Cancelled { at: test.now() }
    );
    test.advance(hours(2));
    assert_eq!(test.run_due_work().await.jobs, 0);
    assert_eq!(test.live(&test.home).await, []);
    assert_eq!(
        code(test.app.cancel_proposal(&admin, id).await),
        "invalid_transition"
    );
}

/// nextlyhq/nextly, pull request 1323: a release that was postponed between planning and doing was
/// published at its old time, since only its state was looked at and not its instant.
#[tokio::test]
async fn one_that_was_postponed_does_not_go_live_at_its_old_time() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = scheduled(&writer, draft).await;
    let test = &writer.test;
    let editor = test.member(Role::Editor).await;
    test.app
        .cancel_proposal(&editor, id)
        .await
        .expect("cancelled");
    let later = test.now().plus(hours(3));
    let postponed = writer
        .propose(setup::publication(vec![draft.publish_at(later, None)]))
        .await;
    test.approve(&editor, postponed).await.expect("approved");

    test.advance(hours(2));
    test.run_due_work().await;
    assert_eq!(test.live(&test.home).await, []);
    test.advance(hours(1));
    test.run_due_work().await;
    assert_eq!(test.live(&test.home).await.len(), 1);
}

/// The instant is the fence: a job for another instant than the one that was approved does nothing.
#[tokio::test]
async fn a_job_for_another_instant_publishes_nothing() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = scheduled(&writer, draft).await;
    let test = &writer.test;
    let (job, site, now) = (
        JobId::mint(&**test.app.ids(), test.now()),
        test.home.site.id,
        test.now(),
    );
    let stray = move |tx: &mut ql_store::Tx<'_>| {
        let subject = id.to_string();
        let new = NewJob {
            id: job,
            kind: "publish",
            subject: &subject,
            site,
            due_at: now,
        };
        job::insert(tx, new, now)
    };
    test.app.store().write(stray).await.expect("a stray job");

    assert_eq!(test.run_due_work().await.jobs, 1, "it runs and ends");
    assert_eq!(test.live(&test.home).await, []);
    test.advance(hours(1));
    assert_eq!(test.run_due_work().await.jobs, 1);
    assert_eq!(moves(test).await, 1);
}

#[tokio::test]
async fn a_newer_draft_does_not_stop_what_was_approved() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    scheduled(&writer, draft).await;
    writer.revise(draft, "Newer").await;
    writer.test.advance(hours(1));
    writer.test.run_due_work().await;
    assert_eq!(
        writer.test.live(&writer.test.home).await[0].revision,
        draft.revision
    );
}

/// Lets the instant pass and says why nothing went live at it.
async fn reason_at_the_instant(writer: &Writer, id: ProposalId) -> String {
    let before = moves(&writer.test).await;
    writer.test.advance(hours(1));
    writer.test.run_due_work().await;
    assert_eq!(moves(&writer.test).await, before);
    let state = writer.look(id).await.proposal.state;
    state
        .reason()
        .unwrap_or_else(|| panic!("{state:?}"))
        .to_owned()
}

#[tokio::test]
async fn what_is_live_archived_or_addressed_otherwise_by_then_is_left_alone() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let [a, b, c, d] = [
        writer.draft("A").await,
        writer.draft("B").await,
        writer.draft("C").await,
        writer.draft("D").await,
    ];
    let mut reasons = Vec::new();

    let id = scheduled(&writer, a).await;
    let next = writer.revise(a, "A, newer").await;
    test.publish(&test.home, next).await;
    reasons.push(reason_at_the_instant(&writer, id).await);

    let id = scheduled(&writer, b).await;
    test.carry_out(&test.home, setup::archive(b.content)).await;
    reasons.push(reason_at_the_instant(&writer, id).await);

    let id = scheduled(&writer, c).await;
    let mut moved = setup::revision(c, "C, moved");
    moved.slug = Some("elsewhere".into());
    writer.write(moved).await.expect("written");
    writer.draft("C").await;
    reasons.push(reason_at_the_instant(&writer, id).await);

    let id = scheduled(&writer, d).await;
    let editor = test.member(Role::Editor).await;
    test.app
        .save_template(&editor, crate::templates::with_summary())
        .await
        .expect("saved");
    reasons.push(reason_at_the_instant(&writer, id).await);

    assert_eq!(
        reasons,
        ["live_moved", "archived", "slug_taken", "template_mismatch"]
    );
}

#[tokio::test]
async fn the_draft_must_be_the_newest_when_it_is_approved() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let due = writer.test.now().plus(hours(1));
    let id = writer
        .propose(setup::publication(vec![draft.publish_at(due, None)]))
        .await;
    writer.revise(draft, "Newer").await;
    let editor = writer.test.member(Role::Editor).await;
    let view = writer.test.approve(&editor, id).await.expect("decided");
    assert_eq!(view.proposal.state.reason(), Some("draft_moved"));
    writer.test.advance(hours(1));
    assert_eq!(writer.test.run_due_work().await.jobs, 0);
}

/// A publication that fails for a reason of the server's own is tried three times, each under a lease
/// of its own, and then it is said to have failed.
#[tokio::test]
async fn a_publication_that_keeps_failing_ends_as_failed_and_is_not_tried_for_ever() {
    let writer = Writer::new().await;
    let draft = writer.draft("Page").await;
    let id = scheduled(&writer, draft).await;
    let test = &writer.test;
    // The template's newest version is gone, which no use case can bring about.
    let sabotage =
        |tx: &mut ql_store::Tx<'_>| tx.execute("UPDATE templates SET latest_version = 99", &[]);
    test.app.store().write(sabotage).await.expect("damaged");
    test.advance(hours(1));
    for _ in 0..3 {
        assert_eq!(test.run_due_work().await.jobs, 1);
        assert_eq!(
            test.run_due_work().await.jobs,
            0,
            "not again before the lease runs out"
        );
        test.advance(minutes(1));
    }
    assert_eq!(test.run_due_work().await.jobs, 0);
    let admin = test.member(Role::Admin).await;
    let state = test
        .app
        .get_proposal(&admin, id)
        .await
        .expect("it")
        .proposal
        .state;
    assert_eq!(state.as_str(), "execution_failed");
    assert_eq!(test.live(&test.home).await, []);
}

#[tokio::test]
async fn an_instant_that_passed_a_zone_that_is_none_and_a_mixed_schedule_are_refused() {
    let writer = Writer::new().await;
    let (a, b) = (writer.draft("A").await, writer.draft("B").await);
    let now = writer.test.now();
    let ask = |items: Vec<PublishItem>| {
        writer
            .test
            .propose(&writer.agent, Some(writer.run), setup::publication(items))
    };
    let bad = vec![a.publish_at(now, Some("UTC-05:30")), b.publish()];
    insta::assert_snapshot!(problems(ask(bad).await), @"
    /payload/items/0/publish_at range: expected an instant that is still to come
    /payload/items/0/time_zone format: expected an IANA time zone such as Europe/Amsterdam or Asia/Kathmandu
    /payload/items/1 mixed_schedule: the items of one proposal are done all or none, so all carry the same publish_at or none does
    ");
    let zone_alone = PublishItem::Publish {
        content_id: a.content,
        revision_id: a.revision,
        publish_at: None,
        time_zone: Some("Mars/Olympus_Mons".into()),
    };
    insta::assert_snapshot!(problems(ask(vec![zone_alone]).await), @"
    /payload/items/0/time_zone format: expected an IANA time zone such as Europe/Amsterdam or Asia/Kathmandu
    /payload/items/0/time_zone required: a time zone goes with a publish_at
    ");
}

/// Strapi #24727: a page went live at another hour than its zone meant. The instant is one in UTC;
/// the zone says how people read it, through the hours that don't exist and those that come twice.
#[test]
fn an_instant_is_one_in_every_zone() {
    let readings = [
        ("Europe/Amsterdam", "2026-12-01T11:00:00+01:00"),
        ("Europe/Amsterdam", "2027-03-28T00:59:00Z"),
        ("Europe/Amsterdam", "2027-03-28T01:00:00Z"),
        ("Europe/Amsterdam", "2027-10-31T00:30:00Z"),
        ("Europe/Amsterdam", "2027-10-31T01:30:00Z"),
        ("Asia/Kathmandu", "2026-12-01T09:00:00+05:45"),
        ("Australia/Lord_Howe", "2027-04-03T14:45:00Z"),
        ("Australia/Lord_Howe", "2027-04-03T15:15:00Z"),
        ("Pacific/Chatham", "2026-12-01T00:00:00+13:45"),
        ("America/St_Johns", "2026-12-01T00:00:00-03:30"),
    ];
    let lines: Vec<String> = readings
        .iter()
        .map(|(zone, text)| {
            let (zone, at): (TimeZone, Timestamp) = (
                zone.parse().expect("a zone"),
                text.parse().expect("an instant"),
            );
            format!("{at} = {} in {}", zone.local(at), zone.as_str())
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    2026-12-01T10:00:00.000000Z = 2026-12-01 11:00 CET in Europe/Amsterdam
    2027-03-28T00:59:00.000000Z = 2027-03-28 01:59 CET in Europe/Amsterdam
    2027-03-28T01:00:00.000000Z = 2027-03-28 03:00 CEST in Europe/Amsterdam
    2027-10-31T00:30:00.000000Z = 2027-10-31 02:30 CEST in Europe/Amsterdam
    2027-10-31T01:30:00.000000Z = 2027-10-31 02:30 CET in Europe/Amsterdam
    2026-12-01T03:15:00.000000Z = 2026-12-01 09:00 +0545 in Asia/Kathmandu
    2027-04-03T14:45:00.000000Z = 2027-04-04 01:45 +11 in Australia/Lord_Howe
    2027-04-03T15:15:00.000000Z = 2027-04-04 01:45 +1030 in Australia/Lord_Howe
    2026-11-30T10:15:00.000000Z = 2026-12-01 00:00 +1345 in Pacific/Chatham
    2026-12-01T03:30:00.000000Z = 2026-12-01 00:00 NST in America/St_Johns
    ");
}

/// A schedule is stopped by whom the policy lets start it.
#[tokio::test]
async fn a_reviewer_stops_a_schedule_only_where_the_policy_names_reviewers() {
    let test = TestApp::new().await;
    let (agent, reviewer) = (test.agent().await, test.member(Role::Reviewer).await);
    let mut answers = Vec::new();
    for named in [false, true] {
        let mut policy = Policy::default();
        for rule in policy.rules.iter_mut().take(3) {
            rule.roles.extend(named.then_some(Role::Reviewer));
        }
        let admin = test.member(Role::Admin).await;
        test.app.set_policy(&admin, policy).await.expect("set");
        let run = test.begin_run(&agent).await;
        let draft = test.draft(&agent, run, "Later").await;
        let due = test.now().plus(hours(1));
        let wish = setup::publication(vec![draft.publish_at(due, None)]);
        let proposed = test.propose(&agent, Some(run), wish).await;
        let id = proposed.expect("a proposal").proposal_id;
        test.approve(&admin, id).await.expect("scheduled");
        answers.push(outcome(&test.app.cancel_proposal(&reviewer, id).await));
    }
    assert_eq!(answers, ["policy_denied", "ok"]);
}
