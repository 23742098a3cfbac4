//! The same key with the same arguments gives the first success again, whatever happened meanwhile.

use std::fmt::Debug;

use ql_app::draft::Drafted;
use ql_app::{IdempotencyKey, OpContext, Result};
use ql_core::edit::Change;
use ql_core::id::RunId;
use ql_core::page::PageRequest;
use ql_core::role::Role;
use ql_core::run::Outcome;
use ql_core::scope::{Scope, ScopeSet};
use ql_store::content::Filter;
use ql_testkit::{Draft, TestApp, article, setup};
use serde_json::{Value, json};

use crate::runs::{artifact, in_short};
use crate::say::{code, outcome};

fn key(tool: &'static str, text: &str, arguments: &Value) -> IdempotencyKey {
    IdempotencyKey::new(tool, text, arguments)
}

async fn draft(
    test: &TestApp,
    agent: &OpContext,
    run: RunId,
    (k, title): (&str, &str),
) -> Result<Drafted> {
    let key = key("create_draft", k, &json!({"title": title}));
    test.app
        .create_draft(agent, Some(run), setup::new_article(title), Some(key))
        .await
}

async fn titles(test: &TestApp, reader: &OpContext) -> Vec<String> {
    let page = PageRequest::new(Some(100), None);
    let items = test
        .app
        .list_content(reader, &Filter::default(), &page, false)
        .await;
    items
        .expect("a list")
        .items
        .into_iter()
        .map(|view| view.stored.item.title)
        .collect()
}

#[tokio::test]
async fn a_repeated_call_is_answered_as_the_first_was_even_after_the_state_moved_on() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let first = draft(&test, &agent, run, ("k", "One"))
        .await
        .expect("written");
    test.revise(&agent, run, Draft::from(first.clone()), "Two")
        .await;
    test.app
        .finish_run(&agent, (run, Outcome::Completed), in_short(), None)
        .await
        .expect("finished");

    let again = draft(&test, &agent, run, ("k", "One"))
        .await
        .expect("answered");

    assert_eq!(again, first);
    assert_eq!(
        titles(&test, &agent).await,
        ["Two"],
        "nothing was written again"
    );
}

#[tokio::test]
async fn every_tool_that_changes_something_takes_a_key() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let page = test.draft(&agent, run, "Page").await;
    let (app, agent, test) = (&test.app, &agent, &test);
    let k = |tool| Some(key(tool, "k", &json!({})));

    twice("begin_run", || {
        app.begin_run(agent, setup::run(&[]), k("begin_run"))
    })
    .await;
    twice("create_draft", || {
        app.create_draft(
            agent,
            Some(run),
            setup::revision(page, "Next"),
            k("create_draft"),
        )
    })
    .await;
    twice("record_artifact", || {
        app.record_artifact(agent, artifact(run, "a", "b"), k("record_artifact"))
    })
    .await;
    twice("record_claim", || {
        app.record_claim_evidence(agent, Some(run), test.claim(page), k("record_claim"))
    })
    .await;
    let propose = || {
        app.create_proposal(
            agent,
            setup::proposal(Some(run), setup::creation("New")),
            k("create_proposal"),
        )
    };
    twice("create_proposal", propose).await;
    twice("finish_run", || {
        app.finish_run(agent, (run, Outcome::Failed), in_short(), k("finish_run"))
    })
    .await;

    let record = app.get_run(agent, run).await.expect("the run");
    let events: Vec<&str> = record
        .events
        .iter()
        .map(|event| event.kind.as_str())
        .collect();
    insta::assert_snapshot!(events.join(" "), @"run.begun draft.created draft.created artifact.recorded claim.recorded proposal.created run.finished");
}

async fn twice<T, F>(what: &str, call: impl Fn() -> F)
where
    T: Debug + PartialEq,
    F: Future<Output = Result<T>>,
{
    let (first, second) = (call().await.expect(what), call().await.expect(what));
    assert_eq!(first, second, "{what}");
}

#[tokio::test]
async fn a_key_with_other_arguments_is_a_conflict_and_changes_nothing() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let first = draft(&test, &agent, run, ("k", "One"))
        .await
        .expect("written");

    assert_eq!(
        code(draft(&test, &agent, run, ("k", "Two")).await),
        "idempotency_conflict"
    );

    assert_eq!(draft(&test, &agent, run, ("k", "One")).await, Ok(first));
    assert_eq!(titles(&test, &agent).await, ["One"]);
}

#[tokio::test]
async fn every_tool_sees_when_a_key_comes_with_other_arguments() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let page = test.draft(&agent, run, "Page").await;
    let app = &test.app;
    let mut codes = Vec::new();
    for arguments in [json!(1), json!(2)] {
        let k = |tool| Some(key(tool, "k", &arguments));
        let propose = setup::proposal(Some(run), setup::creation("New"));
        codes.extend([
            outcome(&app.begin_run(&agent, setup::run(&[]), k("begin_run")).await),
            outcome(
                &app.create_draft(
                    &agent,
                    Some(run),
                    setup::new_article("New"),
                    k("create_draft"),
                )
                .await,
            ),
            outcome(
                &app.record_artifact(&agent, artifact(run, "a", "b"), k("record_artifact"))
                    .await,
            ),
            outcome(
                &app.record_claim_evidence(&agent, Some(run), test.claim(page), k("record_claim"))
                    .await,
            ),
            outcome(
                &app.create_proposal(&agent, propose, k("create_proposal"))
                    .await,
            ),
            outcome(
                &app.finish_run(&agent, (run, Outcome::Failed), in_short(), k("finish_run"))
                    .await,
            ),
        ]);
    }
    assert_eq!(codes[..6], ["ok"; 6]);
    assert_eq!(codes[6..], ["idempotency_conflict"; 6]);
}

#[tokio::test]
async fn only_a_success_binds_a_key() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let mut bad = setup::new_article("One");
    bad.change = Change::Fields(json!({"title": "One"}));
    let refused = test
        .app
        .create_draft(
            &agent,
            Some(run),
            bad,
            Some(key("create_draft", "k", &json!("bad"))),
        )
        .await;
    assert_eq!(code(refused), "invalid_arguments");

    draft(&test, &agent, run, ("k", "One"))
        .await
        .expect("the corrected call may use the same key");
}

#[tokio::test]
async fn the_authorization_is_looked_at_before_the_key() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    draft(&test, &agent, run, ("k", "One"))
        .await
        .expect("written");
    let admin = test.member(Role::Admin).await;
    let fewer = ScopeSet::ALL.minus([Scope::ContentWrite].into_iter().collect());
    test.app
        .set_permissions(&admin, test.home.agent.id, fewer)
        .await
        .expect("set");

    let agent = test.agent().await;
    assert_eq!(
        code(draft(&test, &agent, run, ("k", "One")).await),
        "scope_denied"
    );
}

#[tokio::test]
async fn a_key_belongs_to_one_agent_one_site_and_one_tool() {
    let test = TestApp::new().await;
    let arguments = json!({});
    let mut runs = Vec::new();
    for place in [&test.home, &test.sibling, &test.foreign] {
        let agent = test.agent_of(place).await;
        let begun = test
            .app
            .begin_run(
                &agent,
                setup::run(&[]),
                Some(key("begin_run", "k", &arguments)),
            )
            .await;
        runs.push(begun.expect("a run of its own").run_id);
    }
    runs.dedup();
    assert_eq!(runs.len(), 3);
    let agent = test.agent().await;
    let note = artifact(runs[0], "a", "b");
    let other_tool = test
        .app
        .record_artifact(&agent, note, Some(key("record_artifact", "k", &arguments)))
        .await;
    other_tool.expect("another tool's key of the same text is another key");
}

/// inngest/inngest#875: three sends with one id ran three times.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_identical_calls_at_once_leave_one_row_and_one_answer() {
    let test = std::sync::Arc::new(TestApp::new().await);
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let mut calls = Vec::new();
    for _ in 0..64 {
        let (test, agent) = (test.clone(), agent.clone());
        calls.push(tokio::spawn(async move {
            draft(&test, &agent, run, ("k", "One")).await
        }));
    }
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.expect("no panic").expect("answered"));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(titles(&test, &agent).await, ["One"]);
    let written = test
        .app
        .get_content(&agent, answers[0].content_id, None)
        .await
        .expect("the item");
    assert_eq!(
        written.revision.map(|revision| revision.fields),
        Some(article("One"))
    );
}

/// The negative control: without a key the same calls are so many drafts.
#[tokio::test]
async fn without_a_key_each_call_is_carried_out() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    for _ in 0..3 {
        test.draft(&agent, run, "One").await;
    }
    assert_eq!(titles(&test, &agent).await.len(), 3);
}
