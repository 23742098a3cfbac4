//! The endpoint as a process serves it: limits that the operator sets, and clients that hang up.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};

use ql_testkit::TempDir;
use reqwest::Response;
use serde_json::{Value, json};

use crate::process::Server;

async fn post(server: &Server, method: &str, params: Value) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    crate::process::http()
        .build()
        .expect("a client")
        .post(server.text("mcp_url"))
        .bearer_auth(server.text("token"))
        .json(&body)
        .send()
        .await
        .expect("an answer")
}

async fn call(server: &Server, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let answer: Value = post(server, "tools/call", params)
        .await
        .json()
        .await
        .expect("JSON");
    answer["result"]["structuredContent"].clone()
}

#[tokio::test]
async fn the_operator_limits_the_calls_of_a_connection() {
    let limit = [
        ("QUERYLAYER_CALLS_PER_MINUTE", "1"),
        ("QUERYLAYER_CALL_BURST", "2"),
    ];
    let server = Server::start_with(TempDir::new(), &limit);
    let context = call(&server, "querylayer_site_context", json!({})).await;
    let limits = &context["limits"];
    assert_eq!(
        (&limits["calls_per_minute"], &limits["burst_of_calls"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(post(&server, "ping", json!({})).await.status(), 200);
    let refused = post(&server, "tools/list", json!({})).await;
    assert_eq!(refused.status(), 429);
    let wait = refused.headers()["retry-after"]
        .to_str()
        .expect("text")
        .parse::<u64>();
    assert!((1..=60).contains(&wait.expect("seconds")));
    let refused: Value = refused.json().await.expect("JSON");
    assert_eq!(refused["error"]["data"]["code"], "rate_limited");
    let refused = call(&server, "querylayer_site_context", json!({})).await;
    assert_eq!(refused["code"], "rate_limited", "{refused}");
}

#[tokio::test]
async fn the_operator_can_take_the_limit_away() {
    let server = Server::start_with(TempDir::new(), &[("QUERYLAYER_CALLS_PER_MINUTE", "0")]);
    let context = call(&server, "querylayer_site_context", json!({})).await;
    assert_eq!(context["limits"]["calls_per_minute"], Value::Null);
    for _ in 0..320 {
        assert_eq!(post(&server, "ping", json!({})).await.status(), 200);
    }
}

fn begin(key: &str) -> Value {
    json!({
        "run_type": "hang-up", "input": {}, "required_outputs": [], "completion_conditions": [], "idempotency_key": key
    })
}

/// Sends a call on a plain socket, whole or in part, and is gone without having read anything.
fn hang_up(server: &Server, key: &str, whole: bool) {
    let address = server.url().trim_start_matches("http://").to_owned();
    let params = json!({ "name": "querylayer_begin_run", "arguments": begin(key) });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    let sent = if whole {
        &body
    } else {
        &body[..body.len() / 2]
    };
    let mut stream = TcpStream::connect(&address).expect("a connection");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{sent}",
        server.text("token"),
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.shutdown(Shutdown::Both).expect("an end");
}

async fn open_runs(server: &Server) -> u64 {
    let client = crate::process::http().build().expect("a client");
    let metrics = client.get(format!("{}/metrics", server.url())).send().await;
    let text = metrics.expect("an answer").text().await.expect("text");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("querylayer_open_runs "));
    line.expect("a metric").parse().expect("a number")
}

/// Each of these calls was carried out whole or not at all: repeated with its key it gives one run,
/// and there are exactly as many runs as keys.
#[tokio::test]
async fn clients_that_hang_up_leave_nothing_half_done() {
    let server = Server::start();
    let before = open_runs(&server).await;
    for number in 0..40 {
        hang_up(&server, &format!("key {number}"), number % 4 != 0);
    }
    let mut runs = std::collections::BTreeSet::new();
    for number in 0..40 {
        let begun = call(
            &server,
            "querylayer_begin_run",
            begin(&format!("key {number}")),
        )
        .await;
        runs.insert(begun["run_id"].as_str().expect("a run").to_owned());
    }
    assert_eq!(runs.len(), 40);
    assert_eq!(open_runs(&server).await - before, 40);
}
