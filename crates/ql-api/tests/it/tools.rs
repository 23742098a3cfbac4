//! Calls of tools, and what comes back.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::actor::{Actor, BOTH, Speaks};

#[tokio::test]
async fn a_tool_that_the_scopes_do_not_allow_is_as_if_it_were_not_there() {
    for speaks in BOTH {
        let reader = Actor::reader().speaking(speaks);
        assert_eq!(reader.tool_names().await, ["querylayer_look"]);
        let hidden = reader.call("querylayer_write", json!({})).await;
        let absent = reader.call("querylayer_nowhere", json!({})).await;
        assert_eq!(
            hidden
                .body
                .replace("querylayer_write", "querylayer_nowhere"),
            absent.body
        );
        assert_eq!(hidden.status, absent.status);
        assert_eq!(
            Actor::writer().speaking(speaks).tool_names().await,
            ["querylayer_look", "querylayer_write"]
        );
    }
    assert_snapshot!(Actor::reader().call("querylayer_write", json!({})).await, @r#"
    200
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unknown tool: querylayer_write"}}
    "#);
}

/// Case 33. yamadashy/repomix#833, ArcadeAI/arcade-mcp#817: structured content on an error is checked
/// against the output schema, and then the client shows its own complaint. A fault here has text alone.
#[tokio::test]
async fn success_refusal_and_fault_each_have_their_shape() {
    let actor = Actor::writer();
    assert_snapshot!(actor.call("querylayer_look", json!({ "query": "a \"quoted\" é" })).await, @r#"
    200
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"ok\":true,\"limit\":25,\"query\":\"a \\\"quoted\\\" é\"}"}],"structuredContent":{"ok":true,"limit":25,"query":"a \"quoted\" é"},"isError":false}}
    "#);
    assert_snapshot!(actor.call("querylayer_look", json!({ "query": "refuse" })).await, @r#"
    200
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"code\":\"not_found\",\"message\":\"There is no such content on this site.\",\"remedy\":\"List the content.\",\"details\":{}}"}],"structuredContent":{"ok":false,"code":"not_found","message":"There is no such content on this site.","remedy":"List the content.","details":{}},"isError":false}}
    "#);
    let failed = actor
        .call("querylayer_look", json!({ "query": "fail" }))
        .await;
    assert_snapshot!(failed, @r#"
    200
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"ok\":false,\"code\":\"internal\",\"message\":\"The server failed to carry out the call.\",\"remedy\":\"Call again with the same arguments and the same idempotency_key. If it fails again, tell the operator of this QueryLayer server the time of the call.\",\"details\":{}}"}],"isError":true}}
    "#);
    let panicked = actor
        .call("querylayer_look", json!({ "query": "panic" }))
        .await;
    assert_eq!(panicked.to_string(), failed.to_string());
    let modern = actor
        .speaking(Speaks::Modern)
        .call("querylayer_look", json!({}))
        .await;
    assert_snapshot!(modern, @r#"
    200
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"ok\":true,\"limit\":25,\"query\":null}"}],"structuredContent":{"ok":true,"limit":25,"query":null},"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"querylayer","title":"QueryLayer","version":"0.1.0"}}}}
    "#);
}

#[tokio::test]
async fn every_wrong_argument_is_named_at_once() {
    let arguments = json!({
        "run_id": "run-1",
        "fields": [],
        "site_id": "site_other",
        "urgent": "yes",
        "sources": [
            { "url": "", "stance": "neutral", "retrieved_at": "yesterday", "weight": 1 },
            { "stance": "supports" },
            7
        ]
    });
    let answer = Actor::writer()
        .call("querylayer_write", arguments)
        .await
        .answer();
    assert_snapshot!(lines_of(&answer["details"]["problems"]), @r#"
    {"code":"type","message":"is an array; expected an object","pointer":"/fields"}
    {"code":"value","message":"is `run-1`; expected a text that matches ^run_[0-9a-z]{2}$","pointer":"/run_id"}
    {"code":"unknown_field","message":"isn't a field here; the fields are fields, idempotency_key, main_source, run_id, sources, urgent","pointer":"/site_id"}
    {"code":"value","message":"is `yesterday`; expected an RFC 3339 instant such as 2026-11-30T12:00:00Z","pointer":"/sources/0/retrieved_at"}
    {"code":"value","message":"is `neutral`; expected one of supports, contradicts","pointer":"/sources/0/stance"}
    {"code":"value","message":"has 0 characters; expected 1 to 20","pointer":"/sources/0/url"}
    {"code":"unknown_field","message":"isn't a field here; the fields are retrieved_at, stance, url","pointer":"/sources/0/weight"}
    {"code":"required","message":"is missing; expected a string","pointer":"/sources/1/url"}
    {"code":"type","message":"is an integer; expected an object","pointer":"/sources/2"}
    {"code":"type","message":"is a string; expected a boolean","pointer":"/urgent"}
    "#);
}

#[tokio::test]
async fn an_authority_of_the_client_is_an_unknown_field() {
    for name in [
        "site_id",
        "agent_id",
        "connection_id",
        "organization_id",
        "profile_id",
    ] {
        let answer = Actor::writer()
            .call("querylayer_look", json!({ (name): Value::Null }))
            .await
            .answer();
        assert_eq!(answer["code"], "invalid_arguments");
        assert_eq!(
            answer["details"]["problems"][0]["pointer"],
            format!("/{name}")
        );
        assert_eq!(answer["details"]["problems"][0]["code"], "unknown_field");
    }
}

/// Case 36. openclaw/openclaw#96718, anthropics/claude-code#95239: clients send `null`, or the text
/// "null", for what they leave out. `null` is absent; the text is taken for what it says, and
/// refused by name where that isn't a value.
#[tokio::test]
async fn null_is_absent_except_in_free_form_objects() {
    let answer = Actor::writer()
        .call("querylayer_look", json!({ "limit": null, "query": null }))
        .await
        .answer();
    assert_eq!(answer, json!({ "ok": true, "limit": 25, "query": null }));
    let arguments = json!({ "run_id": "run_01", "fields": { "gone": null, "deep": { "x": null } }, "sources": null });
    let answer = Actor::writer()
        .call("querylayer_write", arguments)
        .await
        .answer();
    assert_eq!(
        answer["fields"],
        json!({ "gone": null, "deep": { "x": null } })
    );
    let answer = Actor::writer()
        .call("querylayer_write", json!({ "run_id": null, "fields": {} }))
        .await
        .answer();
    assert_eq!(answer["details"]["problems"][0]["code"], "required");
    let words = json!({ "run_id": "run_01", "fields": {}, "urgent": "null", "sources": "null" });
    let answer = Actor::writer()
        .call("querylayer_write", words)
        .await
        .answer();
    assert_snapshot!(lines_of(&answer["details"]["problems"]), @r#"
    {"code":"type","message":"is a string; expected an array","pointer":"/sources"}
    {"code":"type","message":"is a string; expected a boolean","pointer":"/urgent"}
    "#);
}

#[tokio::test]
async fn numbers_outside_the_range_and_floats_are_refused() {
    for limit in [
        json!(0),
        json!(101),
        json!(-1),
        json!(2.5),
        json!("10"),
        json!(true),
    ] {
        let answer = Actor::writer()
            .call("querylayer_look", json!({ "limit": limit }))
            .await
            .answer();
        assert_eq!(
            answer["details"]["problems"][0]["pointer"], "/limit",
            "{limit}"
        );
    }
    assert_eq!(
        Actor::writer()
            .call("querylayer_look", json!({ "limit": 100 }))
            .await
            .answer()["limit"],
        100
    );
}

#[tokio::test]
async fn calls_of_the_wrong_shape_are_protocol_errors() {
    for speaks in BOTH {
        let actor = Actor::writer().speaking(speaks);
        for (params, message) in [
            (json!({}), "`params.name`, the tool to call, is missing"),
            (
                json!({ "name": 5 }),
                "`params.name` must be a string, not an integer",
            ),
            (
                json!({ "name": "querylayer_look", "arguments": [] }),
                "`params.arguments` must be an object, not an array",
            ),
        ] {
            let reply = actor.request("tools/call", params.clone()).await;
            if speaks == Speaks::Legacy || params["name"].is_string() {
                assert_eq!(reply.json()["error"]["message"], message);
                assert_eq!(reply.status, 200);
            }
            assert_eq!(reply.json()["error"]["code"], -32602, "{reply}");
        }
    }
}

#[tokio::test]
async fn a_cursor_that_was_never_given_is_invalid() {
    for speaks in BOTH {
        let actor = Actor::writer().speaking(speaks);
        let reply = actor.request("tools/list", json!({ "cursor": "2" })).await;
        assert_eq!(reply.json()["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn an_idempotency_key_stands_for_the_other_arguments() {
    let arguments =
        json!({ "run_id": "run_01", "fields": {}, "urgent": null, "idempotency_key": "k" });
    let answer = Actor::writer()
        .call("querylayer_write", arguments)
        .await
        .answer();
    assert_eq!(
        answer["repeat"],
        json!(["k", { "run_id": "run_01", "fields": {} }])
    );
    for key in [json!(""), json!("k".repeat(129)), json!(1)] {
        let arguments = json!({ "run_id": "run_01", "fields": {}, "idempotency_key": key });
        let answer = Actor::writer()
            .call("querylayer_write", arguments)
            .await
            .answer();
        assert_eq!(
            answer["details"]["problems"][0]["pointer"],
            "/idempotency_key"
        );
    }
    let read = Actor::writer()
        .call("querylayer_look", json!({ "idempotency_key": "k" }))
        .await;
    assert_eq!(
        read.answer()["details"]["problems"][0]["code"],
        "unknown_field"
    );
}

/// One line for each element.
fn lines_of(array: &Value) -> String {
    let elements = array.as_array().expect("an array");
    let lines: Vec<String> = elements.iter().map(Value::to_string).collect();
    lines.join("\n")
}
