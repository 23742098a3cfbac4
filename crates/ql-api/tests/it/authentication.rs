//! Who is let in, and what is said to everybody else.

use std::sync::Arc;

use axum::body::Body;
use insta::assert_snapshot;
use ql_api::edge::rate::Rate;
use ql_api::mcp::McpConfig;
use serde_json::json;

use crate::actor::{Actor, BOTH};
use crate::fixture::{BROKEN, HandClock, READER, app};

#[tokio::test]
async fn every_bad_token_gets_the_same_answer() {
    let actor = Actor::writer();
    let first = actor
        .clone()
        .token("qla_unknown")
        .request("tools/list", json!({}))
        .await;
    assert_snapshot!(first, @r#"
    401
    www-authenticate: Bearer realm="querylayer", error="invalid_token"
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":40100,"message":"the token isn't valid: an administrator can issue a new connection on the dashboard","data":{"code":"unauthenticated"}}}
    "#);
    let long = "x".repeat(4000);
    for token in [
        "",
        "qla_",
        "qlp_personal",
        long.as_str(),
        "${QUERYLAYER_TOKEN}",
        "a b c",
    ] {
        if token.is_empty() {
            continue;
        }
        let other = actor
            .clone()
            .token(token)
            .request("tools/list", json!({}))
            .await;
        assert_eq!(other.to_string(), first.to_string(), "{token}");
        assert_eq!(other.headers, first.headers, "{token}");
    }
}

/// Case 7. openai/codex#30125: a variable that wasn't set sent no credential, and the client still
/// said that one was configured. The answer tells that none came.
#[tokio::test]
async fn no_token_reads_differently_and_carries_no_error() {
    let actor = Actor::writer().without_token();
    let nothing = actor.request("tools/list", json!({})).await;
    assert_snapshot!(nothing, @r#"
    401
    www-authenticate: Bearer realm="querylayer"
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":40100,"message":"no bearer token was sent: put the connection's token into the Authorization header as `Bearer qla_…`; if a variable should have filled it in, that variable was empty","data":{"code":"unauthenticated"}}}
    "#);
    for header in ["Bearer", "Bearer ", "Basic dXNlcjpwYXNz"] {
        let reply = actor
            .clone()
            .header("authorization", header)
            .request("tools/list", json!({}))
            .await;
        assert_eq!(reply.to_string(), nothing.to_string(), "{header}");
    }
}

/// Cases 4, 5 and 6. zernio-dev/zernio-python#22, punkpeye/mcp-proxy#41, czlonkowski/n8n-mcp#604: a
/// 401 without a Bearer challenge sent clients looking for OAuth.
/// modelcontextprotocol/typescript-sdk#1946: another scheme beside it confused them.
#[tokio::test]
async fn every_refused_credential_is_challenged_once_for_bearer() {
    for speaks in BOTH {
        for actor in [
            Actor::writer().without_token(),
            Actor::writer().token("qla_unknown"),
        ] {
            let reply = actor
                .speaking(speaks)
                .request("tools/list", json!({}))
                .await;
            let challenges: Vec<_> = reply.headers.get_all("www-authenticate").iter().collect();
            let [challenge] = challenges.as_slice() else {
                panic!("not one challenge: {reply}");
            };
            let challenge = challenge.to_str().expect("text");
            assert!(challenge.starts_with("Bearer realm="), "{challenge}");
            for word in ["resource_metadata", "scope", "authorization_uri", "Basic"] {
                assert!(!challenge.contains(word), "{challenge}");
            }
        }
    }
}

#[tokio::test]
async fn a_token_in_the_query_string_is_no_credential() {
    let actor = Actor::writer().without_token();
    let body = Body::from(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let json = [("content-type", "application/json".to_owned())];
    let reply = actor
        .send(
            "POST",
            "/mcp?access_token=qla_writer&token=qla_writer",
            &json,
            body,
        )
        .await;
    assert_eq!(reply.status, 401);
}

#[tokio::test]
async fn authentication_comes_before_anything_is_read() {
    let actor = Actor::writer().token("qla_unknown");
    for body in ["", "[", r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#] {
        assert_eq!(actor.post(body).await.status, 401, "{body}");
    }
}

#[tokio::test]
async fn a_failing_lookup_is_a_fault_and_no_verdict() {
    let reply = Actor::writer()
        .token(BROKEN)
        .request("tools/list", json!({}))
        .await;
    assert_snapshot!(reply, @r#"
    503
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":-32603,"message":"the server can't check credentials at the moment; try again"}}
    "#);
}

#[tokio::test]
async fn failures_of_a_peer_are_limited_and_valid_tokens_there_are_not() {
    let clock = Arc::new(HandClock::default());
    let failed_authentications = Some(Rate {
        per_minute: 60,
        burst: 3,
    });
    let config = McpConfig {
        failed_authentications,
        ..McpConfig::default()
    };
    let actor = Actor::on(app(config, Arc::clone(&clock)));
    let good = actor.clone();
    assert_eq!(good.request("tools/list", json!({})).await.status, 200);
    let bad = actor.clone().token("qla_unknown");
    for _ in 0..3 {
        assert_eq!(bad.request("tools/list", json!({})).await.status, 401);
    }
    assert_snapshot!(bad.request("tools/list", json!({})).await, @r#"
    429
    retry-after: 1
    content-type: application/json
    {"jsonrpc":"2.0","error":{"code":42900,"message":"too many failed authentications from this address; wait 1 s and try again","data":{"code":"rate_limited","retry_after_seconds":1}}}
    "#);
    assert_eq!(
        good.request("tools/list", json!({})).await.status,
        200,
        "was valid before"
    );
    let newcomer = actor.token(READER);
    assert_eq!(newcomer.request("tools/list", json!({})).await.status, 429);
    clock.advance_seconds(1);
    assert_eq!(newcomer.request("tools/list", json!({})).await.status, 200);
    assert_eq!(bad.request("tools/list", json!({})).await.status, 401);
    assert_eq!(bad.request("tools/list", json!({})).await.status, 429);
}
