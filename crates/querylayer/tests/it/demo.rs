//! The demo talks to the real endpoints: a counting proxy sees its calls.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;

use crate::process::{Server, arg, binary, run};

#[test]
fn every_step_holds_on_a_server_of_its_own() {
    let output = run(&["demo", "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(output.status.success(), "{told}");
    let steps: Vec<&str> = told["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["step"].as_str())
        .collect();
    insta::assert_snapshot!(steps.join("\n"), @"
    The agent connects
    It begins a governed run
    It drafts an article
    It records a claim with its evidence
    It records an immutable artifact
    It asks for publication
    It finishes the run
    The draft isn't live
    A person approves the exact revision
    The approved revision is live
    It corrects one sentence in a second draft
    It finishes the run
    The second draft isn't live
    Approved, it is
    A person rolls it back in one step
    Revoked, the agent is locked out
    ");
}

#[test]
fn every_chapter_holds_too() {
    let output = run(&["demo", "--all", "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(output.status.success(), "{told}");
    let steps: Vec<&str> = told["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["step"].as_str())
        .skip_while(|step| *step != "A person rolls it back in one step")
        .collect();
    insta::assert_snapshot!(steps.join("\n"), @"
    A person rolls it back in one step
    A person imports a strategy, and the bad row is named
    The agent reads it as planning input with its rule
    A person takes the opportunity into the topical map
    That commissioned exactly one brief
    The agent's draft is an inert card
    Accepted, it is a draft in the agent's name
    It isn't live
    A second approval publishes it
    The brief's page is published
    It finishes the run
    The agent stages sources, and a checksum that lies is marked
    Accepted, a draft from them is the agent's and not live
    It finishes the run
    Evidence is looked at again, and the server isn't led into its own network
    A person says what to make of it
    Where the source says what it said, nobody is asked
    The source says something else now, and a person is asked
    A person says what to make of it
    It finishes the run
    A visitor's question is accepted
    A robot's is rejected, with its reasons
    What is in doubt waits, and a person lets it in
    The agent learns counts alone
    A person writes to the agent on the dashboard
    It claims the turn and makes a plan of three steps
    The first step fails, and is tried again
    A step that changes something waits for a person
    Approved, it succeeds and the next step is ready
    Every step has succeeded, and the plan with them
    Revoked, the agent is locked out
    ");
}

#[derive(Clone)]
struct Counting {
    upstream: String,
    seen: Arc<Mutex<Vec<String>>>,
}

async fn forward(State(counting): State<Counting>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts
        .uri
        .path_and_query()
        .map_or("/", axum::http::uri::PathAndQuery::as_str)
        .to_owned();
    counting.seen.lock().expect("no panic").push(format!(
        "{} {}",
        parts.method,
        path.split('?').next().unwrap_or_default()
    ));
    let bytes = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    let answer = crate::process::http()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client")
        .request(parts.method, format!("{}{path}", counting.upstream))
        .headers(parts.headers)
        .body(bytes)
        .send()
        .await
        .expect("an answer");
    let mut response = Response::builder().status(answer.status());
    for (name, value) in answer.headers() {
        if name != "transfer-encoding" {
            response = response.header(name, value);
        }
    }
    response
        .body(Body::from(answer.bytes().await.expect("a body")))
        .expect("a response")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_in_between_sees_its_calls() {
    let server = Server::start();
    let counting = Counting {
        upstream: server.url(),
        seen: Arc::default(),
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let app = Router::new().fallback(forward).with_state(counting.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });

    let data = server.data();
    let mut command = binary();
    command.args(["demo", "--url", &url, "--data", arg(&data)]);
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .expect("a thread")
        .expect("a process");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );

    let seen = counting.seen.lock().expect("no panic");
    let count = |wanted: &str| seen.iter().filter(|call| call.starts_with(wanted)).count();
    assert!(count("POST /mcp") >= 14, "{seen:?}");
    assert_eq!(count("POST /api/v1/proposals/"), 2, "{seen:?}");
    assert_eq!(count("GET /delivery/v1/"), 5, "{seen:?}");
}
