//! Topical work over MCP: from an opportunity to a brief's draft, and what is refused on the way.

use ql_core::opportunity::Media;
use ql_core::role::Role;
use ql_testkit::TestApp;
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::world::{shown, text};

/// An agent with every scope, beside members who import and approve.
fn agent(test: &TestApp) -> Actor {
    let config = ql_api::mcp::McpConfig::default();
    let router = ql_api::mcp::router(test.app.clone(), config);
    Actor::on(router).token(test.home.connection.secret.expose())
}

async fn approve(test: &TestApp, answer: &Value) {
    let owner = test.member(Role::Owner).await;
    let id = text(&answer["proposal_id"]).parse().expect("an id");
    test.approve(&owner, id).await.expect("approved");
}

#[tokio::test]
async fn an_opportunity_becomes_a_brief_and_the_brief_a_draft() {
    let test = TestApp::new().await;
    let agent = agent(&test);
    let artifact = b"query,title,cluster,volume\nbrew sencha,How to brew sencha,Tea,120\n";
    test.imported(&test.home, Media::Csv, artifact).await;
    let run = agent.run().await;
    let listed = agent
        .done("querylayer_list_topical_strategy_opportunities", json!({}))
        .await;
    insta::assert_snapshot!(shown(&listed), @r#"
    ok: true
    opportunities: [{"cluster":"Tea","found":null,"intent":null,"opportunity_id":"opp_1","planning_input":{"volume":"120"},"proposal_id":null,"provenance":{"artifact_sha256":"[sha256]","exported_at":"2026-11-29T16:00:00.000000Z","import_id":"imp_1","line":2,"source":"Keyword plan","tool":"planner"},"query":"brew sencha","reconciliation":"new","rule":"nothing_matches","rule_in_words":"No node of the map and no page of the site has this query or address.","title":"How to brew sencha","url":null}]
    what_this_is: "Planning input that members imported; not measured performance of this site, and no instruction."
    "#);
    let propose = json!({
        "run_id": run, "opportunity_ids": [listed["opportunities"][0]["opportunity_id"]],
        "rationale": "Readers ask for it.", "idempotency_key": "k",
    });
    let tool = "querylayer_propose_topical_strategy_opportunities";
    let proposed = agent.done(tool, propose.clone()).await;
    insta::assert_snapshot!(shown(&proposed), @r#"
    dashboard_url: "https://ql.example/proposals/prop_1"
    digest: "[sha256]"
    expires_at: "2026-12-14T12:00:00.000000Z"
    joined: false
    kind: "topical_strategy"
    ok: true
    proposal_id: "prop_1"
    risk: "low"
    superseded: []
    who_may_approve: "one owner or admin or editor of the site"
    "#);
    assert_eq!(
        agent.done(tool, propose).await,
        proposed,
        "the key is repeated"
    );
    approve(&test, &proposed).await;
    let map = agent.done("querylayer_list_topical_map", json!({})).await;
    insta::assert_snapshot!(shown(&map), @r#"
    edges: [{"from_node_id":"node_1","kind":"parent","to_node_id":"node_2"}]
    map_version: 1
    nodes: [{"brief_id":null,"content_id":null,"intent":null,"key":"tea","kind":"pillar","node_id":"node_1","parent":null,"query":null,"status":"planned","template":null,"title":"Tea"},{"brief_id":"brf_1","content_id":null,"intent":null,"key":"how-to-brew-sencha","kind":"page","node_id":"node_2","parent":"tea","query":"brew sencha","status":"briefed","template":null,"title":"How to brew sencha"}]
    ok: true
    "#);
    let briefs = agent
        .done(
            "querylayer_list_content_briefs",
            json!({"status": "briefed"}),
        )
        .await;
    insta::assert_snapshot!(shown(&briefs), @r#"
    briefs: [{"above":[{"key":"tea","kind":"pillar","title":"Tea"}],"beside":[],"brief_id":"brf_1","commissioned_at":"2026-11-30T12:00:00.000000Z","commissioned_by":"prop_1","content_id":null,"intent":null,"map_version":1,"node_id":"node_1","node_key":"how-to-brew-sencha","query":"brew sencha","revision_id":null,"sha256":"[sha256]","status":"briefed","template":"article","title":"How to brew sencha"}]
    ok: true
    "#);
    answered(&test, (&agent, &run), &briefs["briefs"][0]["brief_id"]).await;
}

/// A card for a brief is inert until it is accepted, and then the brief takes no other.
async fn answered(test: &TestApp, (agent, run): (&Actor, &str), brief: &Value) {
    let fields = json!({"title": "How to brew sencha", "body": "Not too hot."});
    let card =
        json!({"run_id": run, "brief_id": brief, "fields": fields, "notes": "From the house."});
    let card = agent
        .done("querylayer_propose_content_brief_draft", card)
        .await;
    let items = agent.done("querylayer_list_content", json!({})).await;
    assert_eq!(items["items"], json!([]), "a card is inert");
    approve(test, &card).await;
    let found = agent
        .done("querylayer_list_content_briefs", json!({"brief_id": brief}))
        .await;
    assert_eq!(found["briefs"][0]["status"], "drafted");
    let again = json!({"run_id": run, "brief_id": brief, "fields": {"title": "x", "body": ""}});
    let refused = agent
        .call("querylayer_propose_content_brief_draft", again)
        .await
        .answer();
    assert_eq!(refused["details"]["problems"][0]["code"], "brief_answered");
}

#[tokio::test]
async fn a_change_of_the_map_and_links_are_typed_proposals() {
    let test = TestApp::new().await;
    let agent = agent(&test);
    let run = agent.run().await;
    let propose = |kind: &str, payload: Value| json!({"run_id": run, "kind": kind, "title": "t", "rationale": "r", "payload": payload});
    let add = json!({"op": "add_node", "key": "tea", "kind": "pillar", "title": "Tea"});
    let wrong = json!([
        {"op": "add_node", "key": "tea"},
        {"op": "retire_node", "key": "tea", "title": "x"},
    ]);
    let tool = "querylayer_create_proposal";
    let payload = json!({"base_map_version": 0, "operations": wrong, "fields": {}});
    let refused = agent
        .call(tool, propose("topical_map_change", payload))
        .await
        .answer();
    insta::assert_snapshot!(shown(&refused), @r#"
    code: "invalid_arguments"
    details: {"problems":[{"code":"combination","message":"has no meaning beside kind topical_map_change; leave it out","pointer":"/payload/fields"}]}
    message: "the input doesn't fit in 1 place(s): /payload/fields has no meaning beside kind topical_map_change; leave it out"
    ok: false
    remedy: "Correct every listed place and call again; nothing was written."
    "#);
    let payload = json!({"base_map_version": 0, "operations": [add]});
    let made = agent
        .done(tool, propose("topical_map_change", payload.clone()))
        .await;
    approve(&test, &made).await;
    let stale = agent
        .call(tool, propose("topical_map_change", payload))
        .await
        .answer();
    insta::assert_snapshot!(shown(&stale), @r#"
    code: "stale_map"
    details: {"current_map_version":1}
    message: "the topical map has changed; it is at version 1 now"
    ok: false
    remedy: "Read the map again, fit your operations to it, and call again with its version as the base."
    "#);

    let (content, revision) = agent.article(&run, "Tea").await;
    let (target, _) = agent.article(&run, "Coffee").await;
    let link = json!({
        "source_content_id": content, "source_revision_id": revision, "anchor": "words",
        "prefix": "First ", "suffix": ".", "target_content_id": target,
    });
    let made = agent
        .done(tool, propose("internal_link", json!({"links": [link]})))
        .await;
    approve(&test, &made).await;
    let read = json!({"content_id": content, "include_fields": true});
    let read = agent.done("querylayer_list_content", read).await;
    assert_eq!(
        read["items"][0]["fields"]["body"],
        "First [words](/coffee)."
    );
    assert_eq!(read["items"][0]["published_revision_id"], Value::Null);
}
