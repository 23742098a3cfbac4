//! Bodies: one JSON text, one message.

use axum::body::Body;
use insta::assert_snapshot;

use crate::actor::{Actor, Speaks};

#[tokio::test]
async fn what_is_not_json_is_a_parse_error_with_its_place() {
    let actor = Actor::writer();
    assert_snapshot!(actor.post(r#"{"jsonrpc":"2.0","id":1,"params":{"a":[1,}}"#).await, @r#"
    400
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"the body isn't valid JSON: expected value at line 1 column 42","data":{"pointer":"/params/a/1"}}}
    "#);
    assert_snapshot!(actor.post(r#"{"id":1,"a":"\ud800"}"#).await, @r#"
    400
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":-32700,"message":"the body isn't valid JSON: unexpected end of hex escape at line 1 column 20","data":{"pointer":"/a"}}}
    "#);
    for body in [
        "",
        "{",
        "nul",
        "{}}",
        "{\"a\":\"\u{1}\"}",
        "\u{feff}{}",
        "{'a':1}",
    ] {
        let reply = actor.post(body).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]["code"]),
            (400, &(-32700).into()),
            "{body}"
        );
    }
    let reply = actor.post(Body::from(&b"{\"a\":\"\xff\"}"[..])).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]["code"]),
        (400, &(-32700).into())
    );
}

#[tokio::test]
async fn batches_are_refused_on_every_version() {
    let batch = r#" [{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#;
    assert_snapshot!(Actor::writer().post(batch).await, @r#"
        400
        content-type: application/json
        {"jsonrpc":"2.0","error":{"code":-32600,"message":"JSON-RPC batches aren't accepted, on any protocol version: post one message per request"}}
        "#);
    let modern = Actor::writer().speaking(Speaks::Modern).post(batch).await;
    assert_eq!(modern.status, 400);
    let reply = Actor::writer()
        .header("mcp-protocol-version", "2025-03-26")
        .post("[]")
        .await;
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn what_json_leaves_to_chance_is_refused_all_at_once_with_the_id() {
    let body = r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"querylayer_write",
        "arguments":{"fields":{"a/b":1,"a/b":2,"n":9007199254740993,"z":"a\u0000b","f":1e300}}},"id":"x"}"#;
    assert_snapshot!(Actor::writer().post(body).await, @r#"
    400
    content-type: application/json
    {"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"the JSON is refused: /params/arguments/fields/a~1b: the name stands twice in this object; /params/arguments/fields/n: 9007199254740993 is beyond ±2^53 and isn't exact in JSON; send it as a string; /params/arguments/fields/z: the string holds NUL (\\u0000), which is refused; /params/arguments/fields/f: 1e+300 is beyond ±2^53 and isn't exact in JSON; send it as a string","data":{"problems":[{"code":"duplicate_key","message":"the name stands twice in this object","pointer":"/params/arguments/fields/a~1b"},{"code":"inexact_number","message":"9007199254740993 is beyond ±2^53 and isn't exact in JSON; send it as a string","pointer":"/params/arguments/fields/n"},{"code":"nul","message":"the string holds NUL (\\u0000), which is refused","pointer":"/params/arguments/fields/z"},{"code":"inexact_number","message":"1e+300 is beyond ±2^53 and isn't exact in JSON; send it as a string","pointer":"/params/arguments/fields/f"}]}}}
    "#);
}

#[tokio::test]
async fn exact_numbers_and_64_levels_pass() {
    let actor = Actor::writer();
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 3), "]".repeat(levels - 3));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"querylayer_look","arguments":{{"query":{open}{close}}}}}}}"#
        )
    };
    let deepest = actor.post(nested(64)).await;
    assert_eq!(
        deepest.answer()["code"],
        "invalid_arguments",
        "read, and then not a string"
    );
    let deeper = actor.post(nested(65)).await;
    assert_eq!(
        (deeper.status.as_u16(), &deeper.json()["error"]["code"]),
        (400, &(-32600).into())
    );
    assert_eq!(
        deeper.json()["error"]["data"]["problems"][0]["code"],
        "too_deep"
    );
    assert_eq!(actor.post(nested(200_000)).await.status, 400);
    let exact = r#"{"jsonrpc":"2.0","id":-9007199254740992,"method":"ping"}"#;
    assert_eq!(
        actor.post(exact).await.json()["id"],
        -9_007_199_254_740_992_i64
    );
}

#[tokio::test]
async fn messages_of_the_wrong_shape_say_what_is_expected() {
    let actor = Actor::writer();
    let mut answers = String::new();
    for body in [
        "7",
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":1}}"#,
    ] {
        let reply = actor.post(body).await;
        assert_eq!(reply.status, 400, "{body}");
        answers.push_str(&reply.body);
        answers.push('\n');
    }
    assert_snapshot!(answers, @r#"
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"a message is a JSON object"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`method` is missing"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"`id` must be a string or a whole number; a notification has none"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"`id` must be a string or a whole number; a notification has none"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`method` must be a string"}}
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"this server sends no requests, so it accepts no responses"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`params` of `tools/list` must be an object, not an array"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`params._meta` must be an object, not an integer"}}
    "#);
}

/// Case 35. KeeperHub/keeperhub#2108, justrach/codedb#10, chaitin/MonkeyCode#1268: `null` or missing
/// arguments and parameters were errors.
#[tokio::test]
async fn null_and_missing_parameters_are_none() {
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"querylayer_look","arguments":null}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"querylayer_look"}}"#,
    ] {
        let reply = Actor::writer().post(body).await;
        assert!(reply.json()["result"].is_object(), "{body}: {reply}");
    }
}

#[tokio::test]
async fn a_body_above_one_mebibyte_is_413_in_json() {
    let actor = Actor::writer();
    let body = |size: usize| {
        let frame = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":""}}"#;
        frame.replace(r#""""#, &format!("\"{}\"", "x".repeat(size - frame.len())))
    };
    assert_eq!(actor.post(body(1 << 20)).await.status, 200);
    assert_snapshot!(actor.post(body((1 << 20) + 1)).await, @r#"
    413
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"the body is larger than 1048576 bytes, the most that is accepted"}}
    "#);
    // Announced in advance, it isn't read at all, whoever asks.
    let announced = actor.without_token().header("content-length", "1048577");
    assert_eq!(announced.post("{}").await.status, 413);
}
