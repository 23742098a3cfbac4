//! An agent learns where it is, and works in governed runs.

use insta::assert_snapshot;
use ql_core::scope::Scope;
use serde_json::json;

use crate::world::{World, shown, text};

#[tokio::test]
async fn an_agent_learns_where_it_is() {
    let world = World::new().await;
    let scopes = [Scope::SiteRead, Scope::ContentRead];
    let actor = world.connect("reader", &scopes).await.actor;
    let context = actor.done("querylayer_site_context", json!({})).await;
    assert_snapshot!(shown(&context), @r#"
    agent: {"agent_id":"agt_1","harness":"codex","name":"Writer"}
    approval_policy: ["create_content (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_revision (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","publish_lifecycle (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_lifecycle (low, medium, high risk): 1 approval by owner or admin, within 336 hours.","topical_map_change (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","internal_link (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","topical_strategy (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_brief_draft (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_source_draft (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","Publishing 10 or more pages at once is high risk; archiving and restoring always are, and need a re-authentication in the last five minutes.","Nobody approves their own proposal, unless nobody else on the site could.","Nothing is published without a member's approval; no agent can approve."]
    connection: {"connection_id":"con_1","effective_scopes":["site:read","content:read"],"expires_at":"2027-02-28T12:00:00.000000Z","name":"reader","prefix":"qla_[prefix]"}
    contract_version: "2026-09-01"
    limits: {"body_bytes":1048576,"burst_of_calls":null,"calls_per_minute":null,"list_items":100,"proposal_items":100,"run_bytes":16777216,"run_events":10000,"run_idle_hours":24}
    ok: true
    organization: {"name":"Acme","organization_id":"org_1"}
    site: {"base_url":"https://home.example","locale":"en","name":"Home","site_id":"site_1","slug":"home","time_zone":"Europe/Amsterdam"}
    templates: [{"description":"A page of prose.","key":"article","schema":{"additionalProperties":false,"properties":{"body":{"type":"string"},"title":{"minLength":1,"type":"string"}},"required":["title","body"],"type":"object"},"title":"Article","version":1}]
    "#);
}

#[tokio::test]
async fn a_run_is_begun_fed_and_finished() {
    let world = World::new().await;
    let actor = world.agent().await;
    let arguments = json!({
        "run_type": "refresh-article",
        "input": { "topic": "words", "deep": { "null": null } },
        "required_outputs": ["summary"],
        "completion_conditions": ["A reviewer can see what changed."]
    });
    let begun = actor.done("querylayer_begin_run", arguments).await;
    assert_snapshot!(shown(&begun), @r#"
    begun_at: "2026-11-30T12:00:00.000000Z"
    ok: true
    run_id: "run_1"
    "#);
    let run = text(&begun["run_id"]);
    let artifact =
        json!({ "run_id": run, "key": "summary", "media_type": "text/markdown", "body": "# Done" });
    let recorded = actor
        .done("querylayer_record_artifact", artifact.clone())
        .await;
    assert_snapshot!(shown(&recorded), @r#"
    artifact_id: "art_1"
    key: "summary"
    ok: true
    sha256: "[sha256]"
    unchanged: false
    version: 1
    "#);
    let again = actor.done("querylayer_record_artifact", artifact).await;
    assert_eq!(
        (&again["version"], &again["unchanged"]),
        (&json!(1), &json!(true))
    );
    let other = json!({ "run_id": run, "key": "summary", "media_type": "text/markdown", "body": "# Done!" });
    assert_eq!(
        actor.done("querylayer_record_artifact", other).await["version"],
        2
    );
    let finish = json!({ "run_id": run, "outcome": "completed", "summary": "Refreshed." });
    let finished = actor.done("querylayer_finish_run", finish.clone()).await;
    assert_snapshot!(shown(&finished), @r#"
    ok: true
    outcome: "completed"
    reasons: []
    requested_outcome: "completed"
    run_id: "run_1"
    "#);
    assert_eq!(
        actor.refused("querylayer_finish_run", finish).await,
        "run_closed"
    );
}

#[tokio::test]
async fn completion_without_a_required_output_is_stored_as_blocked() {
    let world = World::new().await;
    let actor = world.agent().await;
    let arguments = json!({
        "run_type": "audit", "input": {}, "required_outputs": ["report", "sources"], "completion_conditions": []
    });
    let run = text(&actor.done("querylayer_begin_run", arguments).await["run_id"]);
    let artifact =
        json!({ "run_id": run, "key": "sources", "media_type": "application/json", "body": "[]" });
    actor.done("querylayer_record_artifact", artifact).await;
    let reasons = json!([{ "code": "short_of_time", "message": "The source was slow." }]);
    let finish = json!({ "run_id": run, "outcome": "completed", "summary": "All well.", "reasons": reasons });
    assert_snapshot!(shown(&actor.done("querylayer_finish_run", finish).await), @r#"
    ok: true
    outcome: "blocked"
    reasons: [{"code":"missing_required_outputs","missing":["report"]},{"code":"short_of_time","message":"The source was slow."}]
    requested_outcome: "completed"
    run_id: "run_1"
    "#);
}
