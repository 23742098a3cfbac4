//! `/connector/v1` on the wire: what a connector sends, and what it is told.

use axum::Router;
use axum::body::Body;
use insta::assert_snapshot;
use ql_api::connector;
use ql_api::mcp::{self, McpConfig};
use ql_app::agent::NewAgent;
use ql_app::connection::NewConnection;
use ql_core::actor::Harness;
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_testkit::TestApp;
use serde_json::{Value, json};

use crate::actor::{Actor, Reply};

/// A Hermes agent's connector, and the agent's own client.
struct Machine {
    test: TestApp,
    connector: Actor,
    client: Actor,
}

impl Machine {
    async fn new() -> Self {
        let test = TestApp::new().await;
        let operator = test.operator().await;
        let new = NewAgent {
            name: "Hermes".to_owned(),
            harness: Harness::Hermes,
            profile_id: Some("p1".to_owned()),
            profile_name: None,
        };
        let agent = test.app.create_agent(&operator, new).await;
        let agent = agent.expect("an agent").id;
        test.app
            .set_permissions(&operator, agent, ScopeSet::ALL)
            .await
            .expect("permissions");
        let new = NewConnection {
            agent,
            name: "desk".to_owned(),
            scopes: ScopeSet::ALL,
            expires_at: None,
        };
        let issued = test.app.create_connection(&operator, new).await;
        let secret = issued.expect("a connection").secret;
        let editor = test.member(Role::Editor).await;
        let begun = test.app.create_conversation(&editor, agent).await;
        test.say(begun.expect("a conversation").id, "Write.").await;
        let routers: [Router; 2] = [
            connector::router(test.app.clone(), McpConfig::default()),
            mcp::router(test.app.clone(), McpConfig::default()),
        ];
        let [connector, client] = routers.map(|r| Actor::on(r).token(secret.expose()));
        Self {
            test,
            connector,
            client,
        }
    }

    async fn send(&self, name: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json".to_owned())];
        let path = format!("/connector/v1/{name}");
        let body = Body::from(body.to_string());
        self.connector.send("POST", &path, &headers, body).await
    }

    async fn say(&self, name: &str, body: Value) -> Value {
        let reply = self.send(name, &body).await;
        assert_eq!(reply.status, 200, "{reply}");
        let mut answer = reply.json();
        if let Some(agent) = answer.get_mut("agent_id") {
            *agent = json!("agt");
        }
        answer
    }
}

fn report(profiles: &Value) -> Value {
    json!({"connector_id": "c-1", "host": "desk", "profiles": profiles})
}

#[tokio::test]
async fn a_connector_reports_peeks_verifies_and_claims() {
    let machine = Machine::new().await;
    let claim = json!({"session_id": "s1"});
    let early = machine
        .client
        .refused("querylayer_claim_console_task", claim.clone());
    assert_eq!(early.await, "runtime_unavailable");
    let profiles =
        json!([{"profile_id": "p1", "profile_name": "writer"}, {"profile_name": "other"}]);
    let reported = machine.say("report", report(&profiles)).await;
    assert_snapshot!(reported, @r#"{"agent_id":"agt","available":true,"fresh_seconds":120,"message":null,"profile_id":"p1","profile_name":"writer","reason":null,"remedy":null,"sessions":[]}"#);
    let waiting = machine.say("peek", json!({"wait_seconds": 5})).await;
    let turn = &waiting["turns"][0];
    assert_eq!(turn["session_id"], Value::Null);
    assert!(turn["turn_id"].is_string() && turn["conversation_id"].is_string());
    let verify = |found| json!({"connector_id": "c-1", "profile_id": "p1", "session_id": "s1", "found": found});
    let missing = machine.say("verify", verify(false)).await;
    assert_snapshot!(missing, @r#"{"available":false,"message":"the bound session doesn't exist under the agent's profile","reason":"session_missing","remedy":"Bring the session back under this profile, or begin a new conversation."}"#);
    let there = machine.say("verify", verify(true)).await;
    assert_eq!(there["available"], true);
    let claimed = machine
        .client
        .done("querylayer_claim_console_task", claim)
        .await;
    assert_eq!(claimed["turn_id"], turn["turn_id"]);
    let again = machine.say("report", report(&profiles)).await;
    assert_eq!(again["sessions"], json!(["s1"]));
    let doubled = json!([
        {"profile_id": "p1", "profile_name": "writer"}, {"profile_id": "p1", "profile_name": "copy"}
    ]);
    let ambiguous = machine.say("report", report(&doubled)).await;
    assert_eq!(ambiguous["reason"], "profile_ambiguous");
    machine.test.nothing_is_stuck().await;
}

#[tokio::test]
async fn a_connector_says_its_doubts_and_keeps_a_lease() {
    let machine = Machine::new().await;
    let seen = json!({"session_id": "s1", "found": false, "doubt": "gateway_foreign"});
    let profiles = json!([{"profile_id": "p1", "profile_name": "writer", "sessions": [seen]}]);
    machine.say("report", report(&profiles)).await;
    let claim = json!({"session_id": "s1"});
    let refused = machine
        .client
        .refused("querylayer_claim_console_task", claim.clone());
    assert_eq!(refused.await, "runtime_unavailable");
    let verify = |doubt: &str| json!({"connector_id": "c-1", "profile_id": "p1", "session_id": "s1", "found": true, "doubt": doubt});
    let unclear = machine.say("verify", verify("successor_unclear")).await;
    assert_snapshot!(unclear, @r#"{"available":false,"message":"the bound session was rotated, and not exactly one session goes on from it","reason":"successor_unclear","remedy":"Begin a new conversation: nothing tells which session goes on from the bound one."}"#);
    let strange = machine.send("verify", &verify("bad_weather")).await;
    assert_eq!(strange.status, 422, "{strange}");
    let sure =
        json!({"connector_id": "c-1", "profile_id": "p1", "session_id": "s1", "found": true});
    machine.say("verify", sure).await;
    let held = machine
        .client
        .done("querylayer_claim_console_task", claim)
        .await;
    let renew = |token: &Value| json!({"turn_id": held["turn_id"], "lease_token": token});
    let kept = machine.say("renew", renew(&held["lease_token"])).await;
    assert_eq!(
        kept["lease_expires_at"], held["lease_expires_at"],
        "the clock stands still"
    );
    let lost = machine.send("renew", &renew(&json!("lse_none"))).await;
    assert_eq!(
        (lost.status.as_u16(), &lost.json()["code"]),
        (409, &json!("lease_lost"))
    );
}

#[tokio::test]
async fn what_is_no_report_is_refused_with_its_places_and_strangers_learn_nothing() {
    let machine = Machine::new().await;
    let wrong =
        json!({"connector_id": "", "profiles": [{"profile_id": 1, "secret": "x"}], "site_id": "s"});
    let reply = machine.send("report", &wrong).await;
    let problems = reply.json()["problems"].as_array().cloned();
    let places: Vec<String> = problems
        .expect("problems")
        .iter()
        .map(|p| format!("{} {}", p["pointer"], p["code"]).replace('"', ""))
        .collect();
    assert_snapshot!(places.join("\n"), @"
    /connector_id value
    /profiles/0/profile_id type
    /profiles/0/secret unknown_field
    /profiles/0/profile_name required
    /site_id unknown_field
    /host required
    ");
    let unknown =
        json!({"connector_id": "c-2", "profile_id": "p1", "session_id": "s1", "found": true});
    assert_eq!(machine.send("verify", &unknown).await.status, 404);
    let stranger = Machine {
        connector: machine.connector.clone().token("qla_nobody"),
        ..machine
    };
    let body = report(&json!([]));
    let refused = stranger.send("report", &body).await;
    assert_eq!(refused.status, 401);
    let silent = Machine {
        connector: stranger.connector.clone().without_token(),
        ..stranger
    };
    let none = silent.send("report", &body).await;
    assert_eq!((none.status, none.body), (refused.status, refused.body));
}
