//! Governed runs: begun, worked in by one connection, finished once with one explicit outcome.

use ql_app::OpContext;
use ql_app::Result;
use ql_app::connection::NewConnection;
use ql_app::run::{FinishedRun, RecordArtifact};
use ql_core::hash::Digest;
use ql_core::id::RunId;
use ql_core::role::Role;
use ql_core::run::{FinishRequest, Outcome, RunState};
use ql_core::scope::ScopeSet;
use ql_core::time::hours;
use ql_testkit::{TestApp, setup};
use serde_json::json;

use crate::say::{code, problems};

pub(crate) fn artifact(run: RunId, key: &str, body: &str) -> RecordArtifact {
    RecordArtifact {
        run,
        key: key.into(),
        media_type: "text/markdown".into(),
        body: body.into(),
        sha256: None,
        affected: Vec::new(),
    }
}

pub(crate) fn in_short() -> FinishRequest {
    FinishRequest {
        summary: "That was it.".into(),
        reasons: Vec::new(),
    }
}

pub(crate) async fn finish(
    test: &TestApp,
    agent: &OpContext,
    run: RunId,
    outcome: Outcome,
) -> Result<FinishedRun> {
    test.app
        .finish_run(agent, (run, outcome), in_short(), None)
        .await
}

async fn run_with_outputs(test: &TestApp, agent: &OpContext, outputs: &[&str]) -> RunId {
    test.app
        .begin_run(agent, setup::run(outputs), None)
        .await
        .expect("a run")
        .run_id
}

#[tokio::test]
async fn completion_without_a_required_output_is_stored_as_blocked() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = run_with_outputs(&test, &agent, &["brief", "article"]).await;
    let brief = artifact(run, "brief", "Write about tests.");
    test.app
        .record_artifact(&agent, brief, None)
        .await
        .expect("recorded");

    let finished = finish(&test, &agent, run, Outcome::Completed)
        .await
        .expect("carried out");

    assert_eq!(finished.requested_outcome, Outcome::Completed);
    assert_eq!(finished.outcome, Outcome::Blocked);
    assert_eq!(
        finished.reasons,
        [json!({"code": "missing_required_outputs", "missing": ["article"]})]
    );
    let record = test.app.get_run(&agent, run).await.expect("the run");
    assert_eq!(record.missing, ["article"]);
    let RunState::Finished(stored) = record.run.state else {
        panic!("finished")
    };
    assert_eq!(
        (stored.outcome, stored.requested),
        (Outcome::Blocked, Some(Outcome::Completed))
    );
}

#[tokio::test]
async fn completion_with_every_required_output_is_completion() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    for outcome in [Outcome::Completed, Outcome::CompletedWithWarnings] {
        let run = run_with_outputs(&test, &agent, &["article"]).await;
        let article = artifact(run, "article", "Here it is.");
        test.app
            .record_artifact(&agent, article, None)
            .await
            .expect("recorded");
        let finished = finish(&test, &agent, run, outcome)
            .await
            .expect("carried out");
        assert_eq!((finished.outcome, finished.reasons), (outcome, Vec::new()));
    }
}

#[tokio::test]
async fn every_outcome_that_claims_no_completion_is_stored_as_asked() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    for outcome in Outcome::ALL
        .into_iter()
        .filter(|outcome| !outcome.claims_completion())
    {
        let run = run_with_outputs(&test, &agent, &["article"]).await;
        let finished = finish(&test, &agent, run, outcome)
            .await
            .expect("carried out");
        assert_eq!(finished.outcome, outcome);
    }
}

/// What an agent can do in a run, each answered with a code.
async fn work_in(
    test: &TestApp,
    agent: &OpContext,
    run: RunId,
    draft: ql_testkit::Draft,
) -> Vec<&'static str> {
    let app = &test.app;
    vec![
        code(
            app.record_artifact(agent, artifact(run, "late", "Late."), None)
                .await,
        ),
        code(
            app.create_draft(agent, Some(run), setup::new_article("Late"), None)
                .await,
        ),
        code(
            app.record_claim_evidence(agent, Some(run), test.claim(draft), None)
                .await,
        ),
        code(
            test.propose(agent, Some(run), setup::creation("Late"))
                .await,
        ),
        code(
            test.propose(agent, Some(run), setup::publication(vec![draft.publish()]))
                .await,
        ),
        code(finish(test, agent, run, Outcome::Failed).await),
    ]
}

#[tokio::test]
async fn a_finished_run_accepts_nothing_more() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "In time").await;
    finish(&test, &agent, run, Outcome::Completed)
        .await
        .expect("finished");
    let before = test.app.get_run(&agent, run).await.expect("the run");

    assert_eq!(work_in(&test, &agent, run, draft).await, ["run_closed"; 6]);

    assert_eq!(
        test.app.get_run(&agent, run).await.expect("the run"),
        before
    );
}

#[tokio::test]
async fn a_run_of_another_connection_is_not_found_even_for_the_same_agent() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "Mine").await;
    let admin = test.member(Role::Admin).await;
    let new = NewConnection {
        agent: test.home.agent.id,
        name: "desktop".into(),
        scopes: ScopeSet::ALL,
        expires_at: None,
    };
    let issued = test
        .app
        .create_connection(&admin, new)
        .await
        .expect("a connection");
    let other = test
        .app
        .authenticate_connection(issued.secret.expose())
        .await
        .expect("in");

    assert_eq!(work_in(&test, &other, run, draft).await, ["not_found"; 6]);

    let never = RunId::mint(&**test.app.ids(), test.now());
    let theirs = test
        .app
        .record_artifact(&other, artifact(run, "a", "b"), None)
        .await;
    let nobodys = test
        .app
        .record_artifact(&other, artifact(never, "a", "b"), None)
        .await;
    assert_eq!(theirs, nobodys, "it looks as if it had never existed");
}

#[tokio::test]
async fn an_artifact_is_immutable_and_its_key_counts_versions() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let record = |body: &'static str| {
        test.app
            .record_artifact(&agent, artifact(run, "notes", body), None)
    };

    let first = record("One.").await.expect("recorded");
    let same = record("One.").await.expect("recorded");
    let second = record("Two.").await.expect("recorded");

    assert_eq!((first.version, first.unchanged), (1, false));
    assert_eq!(
        (same.artifact_id, same.version, same.unchanged),
        (first.artifact_id, 1, true)
    );
    assert_eq!((second.version, second.unchanged), (2, false));
    assert_eq!(second.sha256, Digest::of(b"Two."));
    let bodies: Vec<String> = test
        .app
        .get_run(&agent, run)
        .await
        .expect("the run")
        .artifacts
        .into_iter()
        .map(|artifact| artifact.body)
        .collect();
    assert_eq!(bodies, ["One.", "Two."]);
}

#[tokio::test]
async fn a_hash_that_does_not_match_the_body_is_refused() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let mut wrong = artifact(run, "Notes!", "One.");
    wrong.sha256 = Some(Digest::of(b"Two."));
    wrong.media_type = "markdown".into();
    let refused = test.app.record_artifact(&agent, wrong, None).await;
    insta::assert_snapshot!(problems(refused), @"
    /key format: expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters
    /media_type format: expected a media type such as text/markdown
    /sha256 hash_mismatch: the body's SHA-256 is 70277bfc409b502132d7a48b2a3b386294264b31f7bf024a5fb0cafabb8ac122
    ");
}

#[tokio::test]
async fn a_run_is_begun_with_sound_input_or_not_at_all() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let mut bad = setup::run(&["article", "article", "The Brief"]);
    bad.run_type = "Write an article".into();
    bad.input = json!(["not", "an", "object"]);
    bad.completion_conditions.push(" ".into());
    let refused = test.app.begin_run(&agent, bad, None).await;
    insta::assert_snapshot!(problems(refused), @"
    /run_type format: expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters
    /input type: expected an object
    /required_outputs/1 duplicate: `article` is listed twice
    /required_outputs/2 format: expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters
    /completion_conditions/1 required: expected a text that isn't empty
    ");
}

#[tokio::test]
async fn a_run_that_did_nothing_for_a_day_is_closed_as_blocked() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let (idle, busy) = (test.begin_run(&agent).await, test.begin_run(&agent).await);
    test.advance(hours(23));
    let note = artifact(busy, "notes", "Still here.");
    test.app
        .record_artifact(&agent, note, None)
        .await
        .expect("recorded");
    assert_eq!(test.run_due_work().await.runs_closed, 0);
    test.advance(hours(1));

    assert_eq!(test.run_due_work().await.runs_closed, 1);

    assert_eq!(
        closed(&test, &agent, idle).await,
        Some(json!([{"code": "idle"}]))
    );
    assert_eq!(closed(&test, &agent, busy).await, None);
    assert_eq!(
        code(finish(&test, &agent, idle, Outcome::Completed).await),
        "run_closed"
    );
    test.verify_ledger().await;
}

/// The reasons with which a run was closed as blocked by the server.
async fn closed(test: &TestApp, reader: &OpContext, run: RunId) -> Option<serde_json::Value> {
    match test
        .app
        .get_run(reader, run)
        .await
        .expect("the run")
        .run
        .state
    {
        RunState::Open => None,
        RunState::Finished(finish) => {
            assert_eq!((finish.outcome, finish.requested), (Outcome::Blocked, None));
            Some(json!(finish.reasons))
        }
    }
}

#[tokio::test]
async fn a_run_ends_with_its_connection() {
    let test = TestApp::new().await;
    let (admin, agent) = (test.member(Role::Admin).await, test.agent().await);
    let revoked = test.begin_run(&agent).await;
    let id = test.home.connection.connection.id;
    test.app
        .revoke_connection(&admin, id)
        .await
        .expect("revoked");
    assert_eq!(test.run_due_work().await.runs_closed, 1);
    assert_eq!(
        closed(&test, &admin, revoked).await,
        Some(json!([{"code": "connection_revoked"}]))
    );

    let neighbour = test.agent_of(&test.sibling).await;
    let expired = test.begin_run(&neighbour).await;
    test.advance(ql_core::connection::Connection::DEFAULT_LIFETIME);
    assert_eq!(test.run_due_work().await.runs_closed, 1);
    let owner = test.member_of(&test.sibling, Role::Owner).await;
    assert_eq!(
        closed(&test, &owner, expired).await,
        Some(json!([{"code": "connection_expired"}]))
    );
}
