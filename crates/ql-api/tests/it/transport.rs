//! Methods, headers and addresses.

use std::sync::Arc;

use axum::body::Body;
use insta::assert_snapshot;
use ql_api::edge::origin::OriginPolicy;
use ql_api::mcp::McpConfig;
use serde_json::json;

use crate::actor::{Actor, BOTH, Speaks};
use crate::fixture::{HandClock, WRITER, app};

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[tokio::test]
async fn an_evil_origin_is_refused_even_without_a_token() {
    let evil = Actor::writer()
        .without_token()
        .header("origin", "https://evil.example");
    assert_snapshot!(evil.post(LIST).await, @r#"
    403
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":40300,"message":"this server isn't configured to be called by pages of this Origin"}}
    "#);
    assert_eq!(evil.token(WRITER).post(LIST).await.status, 403);
    let reply = Actor::writer().header("origin", "null").post(LIST).await;
    assert_eq!(reply.status, 403);
}

#[tokio::test]
async fn a_foreign_host_is_refused() {
    let reply = Actor::writer()
        .header("host", "rebound.example")
        .post(LIST)
        .await;
    assert_snapshot!(reply, @r#"
    403
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":40300,"message":"this server isn't configured to be reached under this Host name; its operator sets the address with --public-url"}}
    "#);
}

#[tokio::test]
async fn a_served_page_may_ask_and_read() {
    let page = Actor::writer().header("origin", "http://localhost:6274");
    let asked = page
        .clone()
        .without_token()
        .send("OPTIONS", "/mcp", &[], Body::empty())
        .await;
    assert_eq!(asked.status, 204);
    assert_eq!(
        asked.header("access-control-allow-origin"),
        "http://localhost:6274"
    );
    assert_eq!(asked.header("access-control-allow-methods"), "POST");
    assert!(
        asked
            .header("access-control-allow-headers")
            .contains("authorization")
    );
    let read = page.post(LIST).await;
    assert_eq!(read.status, 200);
    assert_eq!(
        read.header("access-control-allow-origin"),
        "http://localhost:6274"
    );
    assert_eq!(read.header("vary"), "origin");
    let evil = Actor::writer().header("origin", "https://evil.example");
    let asked = evil.send("OPTIONS", "/mcp", &[], Body::empty()).await;
    assert_eq!(
        (
            asked.status.as_u16(),
            asked.header("access-control-allow-origin")
        ),
        (403, "")
    );
}

/// Cases 12 and 13. punkpeye/mcp-proxy#62: a GET that was answered 400 made Cursor reconnect without
/// end. modelcontextprotocol/python-sdk#3492: one that was held open hung clients. cap-js/mcp#36:
/// 404 on GET was read as a broken server. Here the answer is 405 at once, with or without a token.
#[tokio::test]
async fn only_post_is_served() {
    for method in ["GET", "HEAD", "DELETE", "PUT", "PATCH"] {
        for path in ["/mcp", "/mcp/"] {
            let stream = Actor::writer().header("accept", "text/event-stream");
            let bare = Actor::writer().without_token();
            for actor in [stream, bare] {
                let reply = actor.send(method, path, &[], Body::empty()).await;
                assert_eq!(reply.status, 405, "{method} {path}");
            }
            let reply = Actor::writer().send(method, path, &[], Body::empty()).await;
            assert_eq!(
                (reply.status.as_u16(), reply.header("allow")),
                (405, "POST"),
                "{method} {path}"
            );
        }
    }
    let reply = Actor::writer()
        .send("DELETE", "/mcp", &[], Body::empty())
        .await;
    assert_snapshot!(reply, @r#"
    405
    allow: POST
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"only POST is served here: there are no sessions to end and no streams to open"}}
    "#);
}

/// Case 17. BerriAI/litellm#34845, zoho/analytics-mcp-server#22: a redirect between the two
/// spellings lost the credential.
#[tokio::test]
async fn the_trailing_slash_is_served_without_a_redirect() {
    let json = [("content-type", "application/json".to_owned())];
    for path in ["/mcp", "/mcp/"] {
        let reply = Actor::writer()
            .send("POST", path, &json, Body::from(LIST))
            .await;
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.json()["result"]["tools"][0].is_object(), "{path}");
    }
}

/// Case 18. genomoncology/biomcp#240, haymon-ai/dbmcp#132, xberg-io/xberg#1306: behind a proxy the
/// public name was refused, since the library's default serves loopback names alone.
#[tokio::test]
async fn the_configured_public_name_is_served_behind_a_proxy() {
    let origins = OriginPolicy::new(["agents.example", "localhost"], ["https://agents.example"]);
    let config = McpConfig {
        origins: origins.expect("rules"),
        ..McpConfig::default()
    };
    let actor = Actor::on(app(config, Arc::new(HandClock::default())));
    for (host, status) in [
        ("agents.example", 200),
        ("agents.example:443", 200),
        ("localhost:8080", 200),
        ("127.0.0.1:8080", 403),
        ("agents.example.evil.test", 403),
    ] {
        let through = actor
            .clone()
            .header("host", host)
            .header("x-forwarded-host", "agents.example")
            .header("x-forwarded-proto", "https");
        assert_eq!(through.post(LIST).await.status, status, "{host}");
    }
}

/// Cases 1, 2, 3 and 8. anthropics/claude-code#56357: `{}` at a well-known address was kept as an
/// authorization server. anthropics/claude-code#47424: a 404 that wasn't JSON was a parse error.
/// anthropics/claude-code#46879: mere presence of metadata meant "needs authentication".
/// openai/codex#5672: OAuth was tried against a server that has none.
#[tokio::test]
async fn there_is_no_oauth_server_and_it_says_so_in_json() {
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp",
        "/mcp/.well-known/openid-configuration",
        "/mcp/.well-known/oauth-authorization-server",
        "/register",
        "/authorize",
        "/token",
    ] {
        for method in ["GET", "POST"] {
            for actor in [Actor::writer().without_token(), Actor::writer()] {
                let reply = actor.send(method, path, &[], Body::empty()).await;
                assert_eq!(
                    (reply.status.as_u16(), reply.header("content-type")),
                    (404, "application/json"),
                    "{method} {path}"
                );
                assert_eq!(reply.json()["error"], "not_found", "{method} {path}");
            }
        }
    }
}

/// Case 16. anthropics/claude-code#45368, ComposioHQ/composio#2152, masumi-network/Citadel#45: an
/// `Accept` that lists one of the two types of the specification was answered 406.
#[tokio::test]
async fn a_narrow_accept_gets_json_and_an_impossible_one_is_told() {
    for accept in [
        "*/*",
        "application/json",
        "text/event-stream",
        "application/*",
        "application/json;q=0.9, text/html",
    ] {
        for speaks in BOTH {
            let actor = Actor::writer().speaking(speaks).header("accept", accept);
            let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
            let (method, params) = match speaks {
                Speaks::Legacy => ("initialize", hello),
                Speaks::Modern => ("server/discover", json!({})),
            };
            for reply in [
                actor.request("tools/list", json!({})).await,
                actor.call("querylayer_look", json!({})).await,
                actor.request(method, params).await,
            ] {
                assert_eq!(
                    (reply.status.as_u16(), reply.header("content-type")),
                    (200, "application/json"),
                    "{accept} {speaks:?}"
                );
            }
        }
    }
    let json = [("content-type", "application/json".to_owned())];
    assert_eq!(
        Actor::writer()
            .send("POST", "/mcp", &json, Body::from(LIST))
            .await
            .status,
        200
    );
    assert_snapshot!(Actor::writer().header("accept", "text/html").post(LIST).await, @r#"
    406
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"answers are application/json, which the Accept header rules out"}}
    "#);
}

#[tokio::test]
async fn another_content_type_is_415_in_json() {
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonl",
    ] {
        assert_eq!(
            Actor::writer()
                .header("content-type", kind)
                .post(LIST)
                .await
                .status,
            415,
            "{kind}"
        );
    }
    assert_snapshot!(Actor::writer().send("POST", "/mcp", &[], Body::from(LIST)).await, @r#"
    415
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":-32600,"message":"post application/json; the Content-Type header says something else or nothing"}}
    "#);
    let reply = Actor::writer()
        .header("content-type", "Application/JSON; charset=utf-8")
        .post(LIST)
        .await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn notifications_are_accepted_and_do_nothing() {
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"querylayer_look"}}"#,
    ] {
        let reply = Actor::writer().post(body).await;
        assert_eq!((reply.status.as_u16(), reply.body.as_str()), (202, ""));
    }
}

/// Case 15. openai/codex#46158: a session identifier of before the login was sent again.
#[tokio::test]
async fn an_unknown_session_id_is_ignored_and_none_is_given() {
    for speaks in BOTH {
        let actor = Actor::writer()
            .speaking(speaks)
            .header("mcp-session-id", "stale");
        let reply = actor.request("tools/list", json!({})).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("mcp-session-id")),
            (200, "")
        );
    }
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
    let reply = Actor::writer().request("initialize", hello).await;
    assert_eq!(reply.header("mcp-session-id"), "");
}

#[tokio::test]
async fn methods_that_are_not_offered_say_what_is() {
    let reply = Actor::writer().request("resources/list", json!({})).await;
    assert_snapshot!(reply, @r#"
    200
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"method `resources/list` isn't offered: this server has tools alone (tools/list, tools/call)"}}
    "#);
    let reply = Actor::writer()
        .speaking(Speaks::Modern)
        .request("ping", json!({}))
        .await;
    assert_snapshot!(reply, @r#"
    404
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"method `ping` isn't offered: this server has tools alone (tools/list, tools/call)"}}
    "#);
    for method in [
        "resources/templates/list",
        "prompts/list",
        "logging/setLevel",
        "tasks/get",
        "x",
    ] {
        let legacy = Actor::writer().request(method, json!({})).await;
        assert_eq!(
            (legacy.status.as_u16(), &legacy.json()["error"]["code"]),
            (200, &json!(-32601))
        );
        let modern = Actor::writer()
            .speaking(Speaks::Modern)
            .request(method, json!({}))
            .await;
        assert_eq!(
            (modern.status.as_u16(), &modern.json()["error"]["code"]),
            (404, &json!(-32601))
        );
    }
}
