//! Clients that go away in the middle, and servers that come back.

use std::task::Poll;

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt as _, Full};
use ql_api::mcp::{McpConfig, router};
use ql_store::{Store, StoreError};
use serde_json::{Value, json};

use crate::actor::{Actor, BOTH, Reply, Speaks};
use crate::world::World;

/// A body whose end takes a while to arrive.
fn slowly(text: &str) -> Body {
    let end = async {
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        None
    };
    Body::new(Full::new(Bytes::copy_from_slice(text.as_bytes())).with_trailers(end))
}

/// Polls a call so many times, then goes away. The writer is busy meanwhile, so the call waits for it.
async fn abandoned(store: &Store, call: impl Future<Output = Reply>, polls: usize) {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let busy = store.clone();
    let busy = tokio::spawn(async move {
        busy.write(move |_| {
            held.recv()
                .map_err(|_| StoreError::Bug("no release".into()))
        })
        .await
    });
    tokio::task::yield_now().await;
    let mut call = Box::pin(call);
    for _ in 0..polls {
        let once = std::future::poll_fn(|context| Poll::Ready(call.as_mut().poll(context)));
        assert!(once.await.is_pending(), "the writer is busy");
        tokio::task::yield_now().await;
    }
    drop(call);
    release.send(()).expect("the writer waits");
    busy.await.expect("no panic").expect("released");
}

/// How many articles with that title there are, once the writer has done what it was given.
async fn written(actor: &Actor, title: &str) -> usize {
    // What is committed after it was queued after everything before.
    actor.run().await;
    let found = json!({ "query": title });
    let found = actor.done("querylayer_list_content", found).await;
    found["items"].as_array().expect("items").len()
}

/// Wherever a client hangs up, its call is carried out whole or not at all, and the repeated call
/// with the same idempotency key ends in the same state.
#[tokio::test]
async fn a_call_whose_client_goes_away_is_done_whole_or_not_at_all() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (mut undone, mut done) = (0, 0);
    for polls in 0..16 {
        let title = format!("Words number {polls:03}");
        let arguments = json!({
            "run_id": run, "template": "article", "fields": { "title": title, "body": "First." }, "idempotency_key": title
        });
        let params = json!({ "name": "querylayer_create_draft", "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let call = actor.post(slowly(&body.to_string()));
        abandoned(world.app.store(), call, polls).await;
        match written(&actor, &title).await {
            0 => undone += 1,
            1 => done += 1,
            many => panic!("{many} after {polls} polls"),
        }
        let again = actor.done("querylayer_create_draft", arguments).await;
        assert_eq!(again["number"], 1, "after {polls} polls");
        assert_eq!(written(&actor, &title).await, 1, "after {polls} polls");
    }
    // How many steps a call takes, and so which of the two is met, is the embedded engine's.
    let embedded = std::env::var_os("QL_TEST_ENGINE").is_none();
    assert!(
        !embedded || undone > 3 && done > 3,
        "both were met: {undone} {done}"
    );
    assert_eq!(world.app.store().waiting(), 0, "nothing is left behind");
}

/// Case 14. modelcontextprotocol/python-sdk#3556, anthropics/claude-code#55970,
/// punkpeye/mcp-remote#106: a session that was lost by a restart was never begun again. Here there
/// is none to lose: what one process began another goes on with.
#[tokio::test]
async fn a_restart_between_two_requests_is_not_noticed() {
    let world = World::new().await;
    for speaks in BOTH {
        let before = world.agent().await.speaking(speaks);
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
        let greeted = match speaks {
            Speaks::Legacy => before.request("initialize", hello).await,
            Speaks::Modern => before.request("server/discover", json!({})).await,
        };
        assert!(greeted.json()["result"].is_object(), "{greeted}");
        let run = before.run().await;
        let after = before
            .clone()
            .on_router(router(world.app.clone(), McpConfig::default()))
            .header("mcp-session-id", "of-the-process-before");
        assert_eq!(after.tool_names().await, before.tool_names().await);
        let finish = json!({ "run_id": run, "outcome": "completed", "summary": "s" });
        let finished = after.done("querylayer_finish_run", finish).await;
        assert_ne!(finished["outcome"], Value::Null);
    }
}
