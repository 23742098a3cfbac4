//! The console over the real MCP endpoint: clients that keep their own sessions claim, plan and
//! complete, in both eras of the protocol.

use insta::assert_snapshot;
use ql_api::mcp::{McpConfig, router};
use ql_core::role::Role;
use ql_testkit::TestApp;
use serde_json::{Value, json};

use crate::actor::{Actor, BOTH};
use crate::world::{shown, text};

/// A client at the real endpoint of a whole application.
fn client(test: &TestApp) -> Actor {
    let unlimited = McpConfig {
        calls: None,
        ..McpConfig::default()
    };
    let secret = test.home.connection.secret.expose();
    Actor::on(router(test.app.clone(), unlimited)).token(secret)
}

/// An answer with every identifier named by its kind.
fn named(answer: &Value) -> String {
    let kinds = regex::Regex::new(r"\b(cnv|trn|lse|pln|stp)_[0-9a-z]{26}\b").expect("a pattern");
    kinds.replace_all(&shown(answer), "$1").into_owned()
}

/// How each program names its stored sessions.
const SESSIONS: [&str; 2] = [
    "019adf3c-52f1-7c3e-9c7a-2f6f1f9c0a11", // Codex: a thread's UUID
    "4b1f8a52-6d0e-4c0f-9a57-0f4a6c0b7e21", // Claude Code: a session's UUID
];

#[tokio::test]
async fn clients_with_sessions_of_their_own_claim_and_complete_in_both_eras() {
    for (speaks, session) in BOTH.into_iter().zip(SESSIONS) {
        let test = TestApp::new().await;
        let client = client(&test).speaking(speaks);
        let nothing = client
            .call(
                "querylayer_claim_console_task",
                json!({"session_id": session}),
            )
            .await;
        assert_eq!(nothing.json()["result"]["isError"], json!(false));
        insta::allow_duplicates! {
            assert_snapshot!(named(&nothing.answer()), @r#"
            code: "no_task"
            details: {"waiting_for_other_sessions":false}
            message: "no turn waits for this agent in this session"
            ok: false
            remedy: "Call again, with wait_seconds up to 45 to be answered as soon as there is one."
        "#);
        }
        test.asked("Write about moss.").await;
        let claim = json!({"session_id": session, "wait_seconds": 5});
        let claimed = client.done("querylayer_claim_console_task", claim).await;
        assert_eq!(claimed["user_message"], "Write about moss.");
        assert_eq!(claimed["conversation"]["session_id"], session);
        let run = client.run().await;
        client.article(&run, "Moss").await;
        let complete = json!({
            "turn_id": claimed["turn_id"], "lease_token": claimed["lease_token"], "outcome": "completed",
            "message": "There is a draft.", "run_id": run, "session_id": session
        });
        let done = client
            .done("querylayer_complete_console_task", complete.clone())
            .await;
        insta::allow_duplicates! {
            assert_snapshot!(named(&done), @r#"
            conversation_id: "cnv"
            ok: true
            outcome: "completed"
            plan_step: null
            turn_id: "trn"
            turn_state: "completed"
        "#);
        }
        let late = client.refused("querylayer_complete_console_task", complete);
        assert_eq!(late.await, "lease_lost");
        test.nothing_is_stuck().await;
    }
}

#[tokio::test]
async fn a_plan_is_made_and_its_steps_come_as_the_next_turns() {
    let test = TestApp::new().await;
    let client = client(&test);
    test.asked("Make it better.").await;
    let claim = || json!({"session_id": SESSIONS[0]});
    let claimed = client.done("querylayer_claim_console_task", claim()).await;
    let steps = json!([
        {"key": "find", "operation": "research", "input": {"about": "moss"}},
        {"key": "write", "operation": "create_content", "depends_on": ["find"]}
    ]);
    let plan = json!({
        "turn_id": claimed["turn_id"], "lease_token": claimed["lease_token"], "goal": "A page about moss",
        "steps": steps
    });
    let made = client.done("querylayer_create_task_plan", plan).await;
    assert_snapshot!(named(&made), @r#"
    carried_over: []
    dashboard_url: "https://ql.example/console/cnv"
    ok: true
    plan_id: "pln"
    replaces_plan_id: null
    steps: [{"key":"find","needs_proposal":null,"operation":"research","risk":"low","state":"offered","step_id":"stp"},{"key":"write","needs_proposal":"create_content","operation":"create_content","risk":"low","state":"waiting","step_id":"stp"}]
    version: 1
    "#);
    let complete = |claimed: &Value| {
        json!({
            "turn_id": claimed["turn_id"], "lease_token": claimed["lease_token"], "outcome": "completed",
            "message": "Done."
        })
    };
    client
        .done("querylayer_complete_console_task", complete(&claimed))
        .await;
    let find = client.done("querylayer_claim_console_task", claim()).await;
    assert_snapshot!(named(&find["plan_step"]), @r#"
    answer: null
    depends_on: []
    goal: "A page about moss"
    input: {"about":"moss"}
    key: "find"
    needs_proposal: null
    operation: "research"
    plan_id: "pln"
    retry_count: 0
    risk: "low"
    step_id: "stp"
    title: ""
    "#);
    client
        .done("querylayer_complete_console_task", complete(&find))
        .await;
    let write = client.done("querylayer_claim_console_task", claim()).await;
    let without = client.refused("querylayer_complete_console_task", complete(&write));
    assert_eq!(without.await, "needs_proposal");
    let run = client.run().await;
    let proposal = json!({
        "run_id": run, "kind": "create_content", "title": "Moss", "rationale": "It is missing.",
        "payload": {"template": "article", "fields": {"title": "Moss", "body": "Soft."}}
    });
    let proposed = client.done("querylayer_create_proposal", proposal).await;
    let mut with = complete(&write);
    with["proposal_id"] = proposed["proposal_id"].clone();
    let done = client.done("querylayer_complete_console_task", with).await;
    assert_eq!(done["plan_step"]["state"], "awaiting_approval");
    let editor = test.member(Role::Editor).await;
    let id = text(&proposed["proposal_id"]).parse().expect("an id");
    test.approve(&editor, id).await.expect("carried out");
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_plan_or_a_claim_is_said_with_its_place() {
    let test = TestApp::new().await;
    let client = client(&test);
    test.asked("Make it better.").await;
    let problems = async |tool: &str, arguments: Value| {
        let answer = client.call(tool, arguments).await.answer();
        let problems = answer["details"]["problems"].as_array().cloned();
        let lines = problems.unwrap_or_default().into_iter();
        let lines = lines.map(|p| format!("{} {}", p["pointer"], p["code"]).replace('"', ""));
        lines.collect::<Vec<_>>().join("\n")
    };
    let claim = json!({"session_id": "", "wait_seconds": 46, "agent_id": "x"});
    assert_snapshot!(problems("querylayer_claim_console_task", claim).await, @"
    /agent_id unknown_field
    /session_id value
    /wait_seconds range
    ");
    let complete = json!({"turn_id": "trn_x", "outcome": "done", "message": ""});
    assert_snapshot!(problems("querylayer_complete_console_task", complete).await, @"
    /message value
    /outcome value
    /lease_token required
    ");
    let claimed = client
        .done("querylayer_claim_console_task", json!({"session_id": "s"}))
        .await;
    let plan = json!({
        "turn_id": claimed["turn_id"], "lease_token": claimed["lease_token"], "goal": "g", "steps": [
            {"key": "a", "operation": "research", "depends_on": ["b"]},
            {"key": "b", "operation": "research", "depends_on": ["a"]}
        ]
    });
    assert_snapshot!(problems("querylayer_create_task_plan", plan).await, @"
    /steps/0/depends_on cycle
    /steps/1/depends_on cycle
    ");
    let unreadable = json!({
        "turn_id": claimed["turn_id"], "lease_token": "no token", "outcome": "completed", "message": "m"
    });
    let refused = client.refused("querylayer_complete_console_task", unreadable);
    assert_eq!(refused.await, "lease_lost");
}

/// A client that hangs up while it waits leaves nothing behind on the server.
#[tokio::test]
async fn a_client_that_hangs_up_is_forgotten() {
    let test = TestApp::new().await;
    let caller = client(&test);
    let call = tokio::spawn(async move {
        let claim = json!({"session_id": "s", "wait_seconds": 45});
        caller.call("querylayer_claim_console_task", claim).await
    });
    while test.app.waiting_claims() == 0 {
        tokio::task::yield_now().await;
    }
    call.abort();
    while test.app.waiting_claims() > 0 {
        tokio::task::yield_now().await;
    }
}
