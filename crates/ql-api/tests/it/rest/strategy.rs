//! A strategy artifact comes in over the API, piece by piece.

use std::time::Duration;

use axum::body::Body;
use ql_api::edge::body::BodyLimit;
use ql_api::rest::RestConfig;
use ql_core::role::Role;

use super::person::{Api, outcome, problems, whole};

const PATH: &str =
    "/sites/site/strategy-imports?source=Plan&tool=planner&exported_at=2026-11-29T10:00:00Z";

#[tokio::test]
async fn a_csv_artifact_is_imported_and_its_rows_are_listed_with_their_rules() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let csv = editor
        .clone()
        .with("content-type", "text/csv; charset=utf-8");
    let reply = csv
        .send("POST", PATH, "keyword,volume\ntea,12\nragged\n")
        .await;
    let shown = whole(&reply);
    insta::assert_snapshot!(shown, @r#"
    201
    created_at: "2026-11-30T12:00:00.000000Z"
    exported_at: "2026-11-29T10:00:00.000000Z"
    id: "imp_01m8p570g0e00800000000001p"
    imported_by: "mem_01m8p570g0e008000000000009"
    map_version: 0
    media_type: "text/csv"
    notes:
    - {"cell":"","code":"ragged","kept":false,"line":3,"message":"the row has another number of cells than the header"}
    reason: null
    rows_kept: 1
    rows_marked: 0
    rows_read: 2
    rows_refused: 1
    sha256: "1fe5df28ea897e28d22d907f37b02ea9849f4aaecadae80c2de7e179ae0aea17"
    source: "Plan"
    state: "complete"
    tool: "planner"
    "#);
    let listed = editor
        .get("/sites/site/opportunities?reconciliation=new")
        .await;
    insta::assert_snapshot!(whole(&listed), @r#"
    200
    items:
    - {"artifact_sha256":"1fe5df28ea897e28d22d907f37b02ea9849f4aaecadae80c2de7e179ae0aea17","cluster":null,"exported_at":"2026-11-29T10:00:00.000000Z","found":null,"id":"opp_01m8p570g0e00800000000001q","import_id":"imp_01m8p570g0e00800000000001p","intent":null,"line":2,"planning_input":{"volume":"12"},"proposal_id":null,"query":"tea","reconciliation":"new","rule":"nothing_matches","rule_in_words":"No node of the map and no page of the site has this query or address.","source":"Plan","title":"tea","tool":"planner","url":null}
    "#);
    let again = csv
        .send("POST", PATH, "keyword,volume\ntea,12\nragged\n")
        .await;
    insta::assert_snapshot!(problems(&again), @"
    422 invalid_arguments
       already_imported: the site has imported exactly these bytes before
    ");
}

#[tokio::test]
async fn what_is_not_imported_is_refused_by_name_and_leaves_nothing() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let csv = editor.clone().with("content-type", "text/csv");
    let sheet = editor
        .clone()
        .with("content-type", "application/vnd.ms-excel");
    let viewer = api
        .member(Role::Viewer)
        .await
        .with("content-type", "text/csv");
    let unnamed = "/sites/site/strategy-imports?source=Plan&colour=red";
    let attempts = [
        outcome(&sheet.send("POST", PATH, "query\ntea\n").await),
        outcome(&viewer.send("POST", PATH, "query\ntea\n").await),
        problems(&csv.send("POST", unnamed, "query\ntea\n").await),
        problems(&csv.send("POST", PATH, "volume\n1\n").await),
    ];
    insta::assert_snapshot!(attempts.join("\n"), @"
    415 unsupported_media_type
    403 role_denied
    422 invalid_arguments
      /colour unknown_parameter: isn't a query parameter here; the parameters are exported_at, source, tool
      /exported_at required: is missing; expected a string
      /tool required: is missing; expected a string
    422 invalid_arguments
       no_query_column: no column is called query, keyword, topic or title; a CSV artifact is separated by commas
    ");
    let listed = editor.get("/sites/site/opportunities").await.json();
    assert_eq!(listed["items"], serde_json::json!([]));
}

/// Neither a body that is too large nor one that breaks off leaves rows to be seen.
#[tokio::test]
async fn an_artifact_that_does_not_end_well_fails_as_a_whole() {
    let config = RestConfig {
        upload: BodyLimit {
            bytes: 4_000,
            time: Duration::from_secs(30),
        },
        ..RestConfig::default()
    };
    let api = Api::with(config).await;
    let editor = api
        .member(Role::Editor)
        .await
        .with("content-type", "text/csv");
    let pieces = (0..100).map(|piece| {
        let rows: Vec<String> = (0..10).map(|row| format!("tea {piece} {row}\n")).collect();
        Ok::<_, std::io::Error>(rows.concat())
    });
    let begin = std::iter::once(Ok("query\n".to_owned()));
    let body = Body::from_stream(futures_util::stream::iter(begin.chain(pieces)));
    let large = editor.send("POST", PATH, body).await;
    let broken = [Ok("query\ntea\n"), Err(std::io::Error::other("gone"))];
    let broken = Body::from_stream(futures_util::stream::iter(broken));
    let broken = editor.send("POST", PATH, broken).await;
    assert_eq!(
        [outcome(&large), outcome(&broken)],
        ["413 body_too_large", "400 body_broken"]
    );
    let imports = editor.get("/sites/site/strategy-imports").await.json();
    let states: Vec<String> = imports["items"]
        .as_array()
        .expect("imports")
        .iter()
        .map(|import| format!("{} {}", import["state"], import["reason"]))
        .collect();
    assert_eq!(
        states,
        [r#""failed" "interrupted""#, r#""failed" "interrupted""#]
    );
    let listed = editor.get("/sites/site/opportunities").await.json();
    assert_eq!(listed["items"], serde_json::json!([]));
}
