//! What a run can hold, and that nothing is cut silently.

use ql_core::actor::Actor;
use ql_core::id::{EntryId, IdGen, RunId};
use ql_core::ledger::{Event, Subject};
use ql_core::proposal::Payload;
use ql_core::run::{MAX_EVENTS, Outcome};
use ql_store::ledger;
use ql_testkit::{TestApp, setup};
use serde_json::json;

use crate::runs::{artifact, finish};
use crate::say::{code, outcome};

#[tokio::test]
async fn a_run_holds_sixteen_megabytes_and_not_a_byte_is_cut_silently() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let large = "x".repeat(6 << 20);
    for key in ["one", "two"] {
        test.app
            .record_artifact(&agent, artifact(run, key, &large), None)
            .await
            .expect("recorded");
    }

    let refused = test
        .app
        .record_artifact(&agent, artifact(run, "three", &large), None)
        .await;

    assert_eq!(code(refused), "run_limit_exceeded");
    let record = test.app.get_run(&agent, run).await.expect("the run");
    assert_eq!(record.artifacts.len(), 2);
    assert!(
        record
            .artifacts
            .iter()
            .all(|artifact| artifact.body.len() == large.len())
    );
    test.app
        .record_artifact(&agent, artifact(run, "small", "Fits."), None)
        .await
        .expect("what fits is taken");
    finish(&test, &agent, run, Outcome::Completed)
        .await
        .expect("a full run can be finished");
}

#[tokio::test]
async fn what_is_proposed_in_a_run_counts_towards_its_size_too() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let mut answers = Vec::new();
    for number in 0..3 {
        let mut payload = setup::creation(&format!("Page {number}"));
        if let Payload::CreateContent(create) = &mut payload {
            create.fields["body"] = "x".repeat(6 << 20).into();
        }
        answers.push(outcome(&test.propose(&agent, Some(run), payload).await));
    }
    assert_eq!(answers, ["ok", "ok", "run_limit_exceeded"]);
}

#[tokio::test]
async fn a_run_has_ten_thousand_events_and_the_last_one_is_its_end() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    fill(&test, run, MAX_EVENTS - 3).await;
    test.app
        .record_artifact(&agent, artifact(run, "last", "Fits."), None)
        .await
        .expect("the last place but one");

    let refused = test
        .app
        .record_artifact(&agent, artifact(run, "more", "Doesn't."), None)
        .await;

    assert_eq!(code(refused), "run_limit_exceeded");
    finish(&test, &agent, run, Outcome::Completed)
        .await
        .expect("its end has a place");
    let events = test.app.get_run(&agent, run).await.expect("the run").events;
    assert_eq!(events.len(), usize::try_from(MAX_EVENTS).expect("fits"));
    assert_eq!(
        events.last().map(|event| event.kind.as_str()),
        Some("run.finished")
    );
    test.verify_ledger().await;
}

/// Writes that many entries into a run's chain, as so many calls would.
async fn fill(test: &TestApp, run: RunId, count: i64) {
    let (ids, now) = (test.app.ids().clone(), test.now());
    let site = test.home.site.place();
    let write = move |tx: &mut ql_store::Tx<'_>| {
        for _ in 0..count {
            let event = Event {
                id: EntryId::mint(&*ids as &dyn IdGen, now),
                organization: site.organization,
                site: Some(site.site),
                subject: Subject::Run(run),
                kind: "artifact.recorded",
                actor: Actor::System,
                at: now,
                detail: json!({}),
                bytes: 0,
            };
            ledger::append(tx, &event)?;
        }
        Ok::<_, ql_store::StoreError>(())
    };
    test.app.store().write(write).await.expect("filled");
}
