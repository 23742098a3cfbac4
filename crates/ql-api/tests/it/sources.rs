//! Source packages: staged, read and written from over MCP, and that staging makes nothing else.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use ql_api::mcp::{McpConfig, router};
use ql_core::hash::Digest;
use ql_testkit::TestApp;
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::world::{World, shown, text};

fn record(key: &str, body: &str) -> Value {
    json!({
        "key": key, "media_type": "text/markdown", "body": body,
        "sha256": Digest::of(body.as_bytes()).to_string(),
    })
}

fn package(run: &str, records: &Value) -> Value {
    json!({ "run_id": run, "name": "Notes", "origin": "A call with the curator.", "records": records })
}

#[tokio::test]
async fn records_are_staged_checked_and_read() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let mut lie = record("lie", "Not what it says.");
    lie["sha256"] = json!("0".repeat(64));
    let records = json!([
        record("hours", "Nine to five."),
        lie,
        record("page", "\n<script>x()</script>")
    ]);
    let staged = actor
        .done(
            "querylayer_stage_content_source_package",
            package(&run, &records),
        )
        .await;
    assert_snapshot!(shown(&staged), @r#"
    counts: {"invalid":1,"valid":1,"warning":1}
    ok: true
    package_id: "src_01m8p570g0e00800000000000m"
    records: [{"findings":[],"key":"hours","sha256":"[sha256]","verdict":"valid"},{"findings":[{"code":"checksum_mismatch","message":"The body doesn't have the SHA-256 that was named for it."}],"key":"lie","sha256":"[sha256]","verdict":"invalid"},{"findings":[{"code":"active_markup","line":2,"message":"The body has markup that would run or load something."}],"key":"page","sha256":"[sha256]","verdict":"warning"}]
    "#);
    let listed = actor
        .done(
            "querylayer_list_content_source_packages",
            json!({ "state": "pending" }),
        )
        .await;
    assert_snapshot!(shown(&listed), @r#"
    ok: true
    packages: [{"author":{"agent":"agt_1","connection":"con_1","harness":"codex","type":"agent"},"bytes":51,"counts":{"invalid":1,"valid":1,"warning":1},"created_at":"2026-11-30T12:00:00.000000Z","name":"Notes","origin":"A call with the curator.","package_id":"src_01m8p570g0e00800000000000m","run_id":"run_1","state":"pending"}]
    "#);
    let id = text(&staged["package_id"]);
    let bad = json!({ "package_id": id, "verdict": "invalid", "include_body": true });
    let bad = actor
        .done("querylayer_list_content_source_records", bad)
        .await;
    assert_snapshot!(shown(&bad), @r#"
    ok: true
    records: [{"body":"Not what it says.","bytes":17,"declared_sha256":"[sha256]","disposition":"pending","disposition_reason":null,"findings":[{"code":"checksum_mismatch","message":"The body doesn't have the SHA-256 that was named for it."}],"key":"lie","media_type":"text/markdown","sha256":"[sha256]","verdict":"invalid"}]
    "#);
    let plain = json!({ "package_id": id });
    let plain = actor
        .done("querylayer_list_content_source_records", plain)
        .await;
    let has_body = |record: &Value| record.get("body").is_some();
    let records = plain["records"].as_array().expect("records");
    assert!(records.len() == 3 && !records.iter().any(has_body));
}

#[tokio::test]
async fn a_draft_is_proposed_from_what_can_be_used() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let records = json!([record("hours", "Nine to five."), record("empty", "")]);
    let staged = actor
        .done(
            "querylayer_stage_content_source_package",
            package(&run, &records),
        )
        .await;
    let id = text(&staged["package_id"]);
    let draft = json!({
        "run_id": run, "package_id": id, "record_keys": ["hours"], "template": "article",
        "fields": { "title": "Opening hours", "body": "Nine to five." }, "slug": "hours"
    });
    let card = actor
        .done("querylayer_propose_content_source_draft", draft)
        .await;
    assert_snapshot!(shown(&card), @r#"
    dashboard_url: "https://cms.example/proposals/prop_1"
    digest: "[sha256]"
    expires_at: "2026-12-14T12:00:00.000000Z"
    joined: false
    kind: "content_source_draft"
    ok: true
    proposal_id: "prop_1"
    risk: "low"
    superseded: []
    who_may_approve: "one owner or admin or editor of the site"
    "#);
    let unusable = json!({
        "run_id": run, "package_id": id, "record_keys": ["empty"], "template": "article",
        "fields": { "title": "Nothing", "body": "" }
    });
    let refused = actor
        .refused("querylayer_propose_content_source_draft", unusable)
        .await;
    assert_snapshot!(refused, @"invalid_arguments");
}

/// A megabyte is marked, not refused, and what lies beside it is kept.
#[tokio::test]
async fn a_record_of_a_megabyte_is_marked_and_the_others_are_kept() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let records = json!([record("long", &"a".repeat(1_000_000)), record("short", "b")]);
    let staged = actor
        .done(
            "querylayer_stage_content_source_package",
            package(&run, &records),
        )
        .await;
    assert_eq!(
        staged["counts"],
        json!({ "valid": 1, "warning": 0, "invalid": 1 })
    );
    assert_eq!(staged["records"][0]["findings"][0]["code"], "oversized");
    let arguments = json!({ "package_id": staged["package_id"], "include_body": true });
    let kept = actor
        .done("querylayer_list_content_source_records", arguments)
        .await;
    let bytes = text(&kept["records"][0]["body"]).len();
    assert_eq!(
        (bytes, kept["records"].as_array().map(Vec::len)),
        (1_000_000, Some(1))
    );
    assert!(kept["next_cursor"].is_string());
}

#[tokio::test]
async fn the_same_key_stages_once() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let mut arguments = package(&run, &json!([record("a", "A.")]));
    arguments["idempotency_key"] = json!("once");
    let stage = "querylayer_stage_content_source_package";
    let first = actor.done(stage, arguments.clone()).await;
    assert_eq!(actor.done(stage, arguments.clone()).await, first);
    arguments["name"] = json!("Other");
    let refused = actor.refused(stage, arguments).await;
    assert!(refused.contains("idempotency_conflict"), "{refused}");
    let listed = actor
        .done("querylayer_list_content_source_packages", json!({}))
        .await;
    assert_eq!(listed["packages"].as_array().map(Vec::len), Some(1));
}

/// How many rows each table has.
fn rows(test: &TestApp) -> BTreeMap<String, i64> {
    let file = rusqlite::Connection::open(test.database()).expect("the database");
    let mut tables = file
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .expect("the schema");
    let names = tables.query_map([], |row| row.get::<_, String>(0));
    let count = |name: String| {
        let counted = file.query_row(&format!("SELECT COUNT(*) FROM {name}"), [], |row| {
            row.get(0)
        });
        (name, counted.expect("a count"))
    };
    let names = names.expect("tables").map(|name| name.expect("a name"));
    names.map(count).collect()
}

#[tokio::test]
async fn staging_writes_the_package_and_its_entry_and_nothing_else() {
    let test = TestApp::embedded().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await.to_string();
    let config = McpConfig {
        calls: None,
        ..McpConfig::default()
    };
    let actor = Actor::on(router(test.app.clone(), config));
    let actor = actor.token(test.home.connection.secret.expose());
    let records = json!([record("a", "A."), record("b", "<script>"), record("c", "")]);
    let stage = "querylayer_stage_content_source_package";
    let before = rows(&test);
    actor.done(stage, package(&run, &records)).await;
    let after = rows(&test);
    let grown: Vec<String> = (after.iter())
        .filter(|(name, count)| before[*name] != **count)
        .map(|(name, count)| format!("{name} +{}", count - before[name]))
        .collect();
    assert_snapshot!(grown.join("\n"), @"
    ledger_entries +1
    ledger_pending +1
    source_packages +1
    source_records +3
    ");
}
