//! Agents that play a role themselves: they claim tasks over MCP and submit results.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt as _;
use insta::assert_snapshot;
use ql_api::mcp::{McpConfig, router};
use ql_app::connection::{IssuedConnection, NewConnection};
use ql_app::director::{Ask, Provider as _};
use ql_core::production::Cast;
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_core::time::minutes;
use ql_pipeline::tier::Tier;
use querylayer::cmd::director::recorded::{self, Faults};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::world::{World, find, told};

const STAGE: &str = "HERMENEUTICS_COMPLETED";
const CLAIM: &str = "querylayer_claim_stage_task";
const SUBMIT: &str = "querylayer_submit_stage_result";

/// A site whose hermeneutics is an agent's own work.
struct Studio {
    world: World,
    router: Router,
    agent: IssuedConnection,
}

impl Studio {
    async fn new() -> Self {
        let world = World::new().await;
        let agent = connect(&world, "the interpreter").await;
        let editor = world.app.member(Role::Editor).await;
        let cast = Cast::by_agent("hermeneutics", agent.connection.id);
        world.director.cast(&editor, cast).await.expect("cast");
        let config = McpConfig {
            director: Some(world.director.clone()),
            ..McpConfig::default()
        };
        Self {
            router: router(world.app.app.clone(), config),
            agent,
            world,
        }
    }

    /// The production has come to the agent's stage.
    async fn at_its_stage() -> Self {
        let studio = Self::new().await;
        studio.world.begin().await;
        for stage in ["RESEARCH_COMPLETED", "BIBLICAL_RESEARCH_COMPLETED"] {
            studio.world.reopen(stage).await.expect("reopened");
        }
        studio.world.work().await;
        studio
    }

    async fn request(&self, token: &str, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = Request::post("/mcp")
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .body(Body::from(body.to_string()))
            .expect("a request");
        let answer = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("answered");
        let bytes = answer.into_body().collect().await.expect("a body");
        serde_json::from_slice(&bytes.to_bytes()).expect("JSON")
    }

    /// What a tool answers; the protocol's error code where there is no such tool.
    async fn call_as(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.request(token, "tools/call", params).await;
        match answer.get("error") {
            Some(error) => error["code"].clone(),
            None => answer["result"]["structuredContent"].clone(),
        }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_as(self.agent.secret.expose(), tool, arguments)
            .await
    }

    async fn claim(&self) -> Value {
        self.call(CLAIM, json!({})).await["task"].clone()
    }

    async fn submit(&self, task: &Value, result: &Value) -> Value {
        let arguments =
            json!({"task_id": task["task_id"], "fence": task["fence"], "result": result});
        self.call(SUBMIT, arguments).await
    }

    async fn stands(&self) -> String {
        told(&self.world.view().await, STAGE)
    }
}

/// Another connection of the home site's agent, with every scope.
async fn connect(world: &World, name: &str) -> IssuedConnection {
    let operator = world.app.operator().await;
    let new = NewConnection {
        agent: world.app.home.agent.id,
        name: name.to_owned(),
        scopes: ScopeSet::ALL,
        expires_at: None,
    };
    let issued = world.app.app.create_connection(&operator, new).await;
    issued.expect("a connection")
}

/// What a capable agent answers to a claimed task.
async fn answer(task: &Value) -> Value {
    serde_json::from_str(&recorded_answer(&task["envelope"]).await).expect("JSON")
}

/// What a capable agent answers to an envelope.
pub(crate) async fn recorded_answer(envelope: &Value) -> String {
    let stage = envelope["stage"].as_str().expect("a stage");
    let envelope = envelope.to_string();
    let ask = Ask {
        stage,
        tier: Tier::Reasoning,
        attempt: 1,
        key: "",
        envelope: &envelope,
        policy: &[],
        repair: None,
    };
    let answered = recorded::answers(Faults::None).ask(ask).await;
    answered.expect("recorded").text
}

#[tokio::test]
async fn an_agent_claims_the_task_of_its_role_and_its_result_moves_the_production() {
    let studio = Studio::at_its_stage().await;
    assert_eq!(
        studio.stands().await,
        "HERMENEUTICS_COMPLETED attempt 0 ready -"
    );
    let task = studio.claim().await;
    assert_eq!(
        studio.stands().await,
        "HERMENEUTICS_COMPLETED attempt 1 running -"
    );
    assert_eq!(task["envelope"]["agent_role"], "hermeneutics");
    let constitution = task["policy"]["constitution.md"]
        .as_str()
        .expect("its text");
    let hash = ql_core::hash::Digest::of(constitution.as_bytes()).to_string();
    assert_eq!(
        task["envelope"]["constitution_sha256"], hash,
        "the text proves what was seen"
    );
    assert_eq!(task["output_schema"]["title"], "hermeneutics memo");
    let mut done = studio.submit(&task, &answer(&task).await).await;
    done["task_id"] = json!("…");
    assert_snapshot!(done, @r#"{"findings":[{"code":"STATUS_DOWNGRADED","evidence":{"claimed":"THEOLOGY_VERIFIED","effective":"THEOLOGY_VERIFIED_WITH_QUALIFICATIONS"},"message":"THEOLOGY_VERIFIED was claimed; it's worth THEOLOGY_VERIFIED_WITH_QUALIFICATIONS","pointer":"/status"}],"is_replay":false,"ok":true,"stage_state":"passed","task_id":"…","verdict":"THEOLOGY_VERIFIED_WITH_QUALIFICATIONS"}"#);
    assert!(
        studio
            .stands()
            .await
            .starts_with("HERMENEUTICS_COMPLETED attempt 1 passed")
    );
    assert_eq!(studio.claim().await, Value::Null, "nothing else is its own");
    studio.world.app.verify_ledger().await;
}

#[tokio::test]
async fn the_tools_are_listed_for_agents_alone_that_play_a_role() {
    let studio = Studio::new().await;
    let mut lines = Vec::new();
    let other = connect(&studio.world, "another").await;
    for (who, secret) in [
        ("the player", &studio.agent.secret),
        ("another", &other.secret),
    ] {
        let list = studio
            .request(secret.expose(), "tools/list", json!({}))
            .await;
        let tools = list["result"]["tools"].as_array().expect("tools").clone();
        let named = |name: &str| tools.iter().any(|tool| tool["name"] == name);
        let called = studio.call_as(secret.expose(), CLAIM, json!({})).await;
        lines.push(format!(
            "{who}: {} tools, {} {}, {called}",
            tools.len(),
            named(CLAIM),
            named(SUBMIT)
        ));
    }
    let editor = studio.world.app.member(Role::Editor).await;
    let back = Cast::by_provider("hermeneutics", studio.agent.connection.id);
    studio
        .world
        .director
        .cast(&editor, back)
        .await
        .expect("cast");
    let called = studio.call(CLAIM, json!({})).await;
    lines.push(format!(
        "the player once a provider does the work: {called}"
    ));
    assert_snapshot!(lines.join("\n"), @r#"
    the player: 27 tools, true true, {"ok":true,"task":null}
    another: 25 tools, false false, -32602
    the player once a provider does the work: -32602
    "#);
}

/// Everybody who might try with a task's identifier, and what they are told.
#[tokio::test]
async fn a_task_is_its_players_alone() {
    let studio = Studio::at_its_stage().await;
    let task = studio.claim().await;
    let result = answer(&task).await;
    let arguments = json!({"task_id": task["task_id"], "fence": task["fence"], "result": result});
    let world = &studio.world;
    let other_role = connect(world, "the writer").await;
    let editor = world.app.member(Role::Editor).await;
    let cast = Cast::by_agent("scriptwriting", other_role.connection.id);
    world.director.cast(&editor, cast).await.expect("cast");
    let mut elsewhere = Vec::new();
    for place in [&world.app.sibling, &world.app.foreign] {
        let editor = world.app.member_of(place, Role::Owner).await;
        let cast = Cast::by_agent("hermeneutics", place.connection.connection.id);
        world.director.cast(&editor, cast).await.expect("cast");
        elsewhere.push(place.connection.secret.clone());
    }
    let unknown = json!({"task_id": "tsk_01hzy3v7k8e9f0g1h2j3k4m5n6", "fence": 1, "result": {}});
    let callers = [
        ("another role's player", other_role.secret.clone()),
        ("the role's player on another site", elsewhere[0].clone()),
        (
            "the role's player of another organization",
            elsewhere[1].clone(),
        ),
    ];
    let mut lines = Vec::new();
    for (who, secret) in &callers {
        let told = studio
            .call_as(secret.expose(), SUBMIT, arguments.clone())
            .await;
        let never_was = studio
            .call_as(secret.expose(), SUBMIT, unknown.clone())
            .await;
        assert_eq!(
            told, never_was,
            "{who} can't tell it from one that never was"
        );
        let claimed = studio.call_as(secret.expose(), CLAIM, json!({})).await;
        lines.push(format!(
            "{who}: {}; claims {}",
            told["code"], claimed["task"]
        ));
    }
    assert_snapshot!(lines.join("\n"), @r#"
    another role's player: "not_found"; claims null
    the role's player on another site: "not_found"; claims null
    the role's player of another organization: "not_found"; claims null
    "#);
    assert_eq!(
        studio.stands().await,
        "HERMENEUTICS_COMPLETED attempt 1 running -"
    );
    let done = studio.submit(&task, &result).await;
    assert_eq!(done["ok"], true, "its player can: {done}");
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_refused_once_and_then_given_to_a_person() {
    let studio = Studio::at_its_stage().await;
    let task = studio.claim().await;
    let mut unfit = answer(&task).await;
    unfit["output"]["readings"] = json!([]);
    let refused = studio.submit(&task, &unfit).await;
    assert_eq!(refused["code"], "invalid_arguments", "{refused}");
    assert_snapshot!(refused["details"], @r#"{"problems":[{"code":"schema","message":"[] has less than 1 item","pointer":"/output/readings"}]}"#);
    let again = studio.claim().await;
    assert_eq!(again["task_id"], task["task_id"]);
    assert_eq!(again["problems"].as_array().map(Vec::len), Some(1));
    let held = studio.submit(&again, &unfit).await;
    assert_eq!(held["stage_state"], "needs_review", "{held}");
    assert!(
        studio
            .stands()
            .await
            .starts_with("HERMENEUTICS_COMPLETED attempt 1 held: schema_violation")
    );
}

#[tokio::test]
async fn a_result_that_fits_after_a_refusal_counts() {
    let studio = Studio::at_its_stage().await;
    let task = studio.claim().await;
    studio.submit(&task, &json!({})).await;
    let done = studio.submit(&task, &answer(&task).await).await;
    assert_eq!(done["stage_state"], "passed", "{done}");
}

#[tokio::test]
async fn claiming_and_submitting_again_changes_nothing_and_another_result_is_a_conflict() {
    let studio = Studio::at_its_stage().await;
    let task = studio.claim().await;
    let again = studio.claim().await;
    assert_eq!(
        (&again["task_id"], &again["fence"]),
        (&task["task_id"], &task["fence"])
    );
    let result = answer(&task).await;
    let first = studio.submit(&task, &result).await;
    let second = studio.submit(&task, &result).await;
    assert_eq!(second["is_replay"], true);
    assert_eq!(
        (&second["verdict"], &second["findings"]),
        (&first["verdict"], &first["findings"])
    );
    let mut other = result;
    other["uncertainties"] = json!(["Another one."]);
    let refused = studio.submit(&task, &other).await;
    assert_eq!(refused["code"], "idempotency_conflict", "{refused}");
}

#[tokio::test]
async fn who_comes_too_late_changes_nothing() {
    let studio = Studio::at_its_stage().await;
    let task = studio.claim().await;
    studio.world.app.advance(minutes(31));
    let result = answer(&task).await;
    let late = studio.submit(&task, &result).await;
    assert_eq!(late["code"], "lease_lost", "{late}");
    studio.world.work().await;
    let again = studio.claim().await;
    assert_eq!(
        again["task_id"], task["task_id"],
        "nothing in it has changed"
    );
    assert_ne!(again["fence"], task["fence"]);
    let late = studio.submit(&task, &result).await;
    assert_eq!(late["code"], "lease_lost", "the old fence: {late}");
    let done = studio.submit(&again, &result).await;
    assert_eq!(done["stage_state"], "passed", "{done}");
}

#[tokio::test]
async fn an_agent_that_never_answers_is_waited_for_three_times() {
    let studio = Studio::at_its_stage().await;
    for _ in 0..3 {
        assert_ne!(studio.claim().await, Value::Null);
        studio.world.app.advance(minutes(31));
        studio.world.work().await;
    }
    assert_eq!(studio.claim().await, Value::Null);
    assert!(
        studio
            .stands()
            .await
            .starts_with("HERMENEUTICS_COMPLETED attempt 1 held: given_up")
    );
}

#[tokio::test]
async fn a_task_that_waits_goes_to_whoever_plays_the_role_now() {
    let studio = Studio::at_its_stage().await;
    let editor = studio.world.app.member(Role::Editor).await;
    let provider = Cast::by_provider("hermeneutics", studio.agent.connection.id);
    studio
        .world
        .director
        .cast(&editor, provider)
        .await
        .expect("cast");
    let view = studio.world.work().await;
    assert_eq!(find(&view, STAGE).stage.state.as_str(), "passed");
}

#[tokio::test]
async fn a_revoked_connection_neither_claims_nor_submits() {
    let studio = Studio::at_its_stage().await;
    let task = studio.claim().await;
    let operator = studio.world.app.operator().await;
    let id = studio.agent.connection.id;
    let revoked = studio.world.app.app.revoke_connection(&operator, id).await;
    revoked.expect("revoked");
    let before = studio.stands().await;
    let result = answer(&task).await;
    let refused = studio.submit(&task, &result).await;
    assert!(
        refused.as_i64().is_some(),
        "the one answer to every bad token: {refused}"
    );
    assert_eq!(studio.stands().await, before);
}
