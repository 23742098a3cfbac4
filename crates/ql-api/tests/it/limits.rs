use std::sync::Arc;

use insta::assert_snapshot;
use ql_api::edge::rate::Rate;
use ql_api::mcp::McpConfig;
use serde_json::json;

use crate::actor::{Actor, BOTH, Speaks};
use crate::fixture::{HandClock, READER, app};

fn two_calls(clock: &Arc<HandClock>) -> Actor {
    let config = McpConfig {
        calls: Some(Rate {
            per_minute: 60,
            burst: 2,
        }),
        ..McpConfig::default()
    };
    Actor::on(app(config, Arc::clone(clock)))
}

#[tokio::test]
async fn a_call_above_the_limit_is_a_refusal_that_names_the_wait() {
    for speaks in BOTH {
        let clock = Arc::new(HandClock::default());
        let actor = two_calls(&clock).speaking(speaks);
        for _ in 0..2 {
            assert_eq!(
                actor.call("querylayer_look", json!({})).await.answer()["ok"],
                true
            );
        }
        let refused = actor.call("querylayer_look", json!({})).await;
        assert_eq!(refused.json()["result"]["isError"], false);
        let named = refused.body.contains("io.modelcontextprotocol/serverInfo");
        assert_eq!(named, speaks == Speaks::Modern);
        assert_eq!(
            refused.answer(),
            json!({
                "ok": false,
                "code": "rate_limited",
                "message": "This connection's calls come too fast.",
                "remedy": "Wait 1 s, then call again with the same arguments.",
                "details": { "retry_after_seconds": 1 }
            })
        );
        let other = actor.clone().token(READER);
        assert_eq!(
            other.call("querylayer_look", json!({})).await.answer()["ok"],
            true
        );
        clock.advance_seconds(1);
        assert_eq!(
            actor.call("querylayer_look", json!({})).await.answer()["ok"],
            true
        );
    }
}

#[tokio::test]
async fn anything_else_above_the_limit_is_429() {
    let actor = two_calls(&Arc::new(HandClock::default()));
    for _ in 0..2 {
        assert_eq!(actor.request("ping", json!({})).await.status, 200);
    }
    assert_snapshot!(actor.request("tools/list", json!({})).await, @r#"
    429
    retry-after: 1
    content-type: application/json
    {"jsonrpc":"2.0","id":7,"error":{"code":42900,"message":"this connection's calls come too fast; wait 1 s and try again","data":{"code":"rate_limited","retry_after_seconds":1}}}
    "#);
}
