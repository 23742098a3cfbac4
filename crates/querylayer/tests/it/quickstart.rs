//! The main job in one command.

use serde_json::json;

use crate::process::{Server, arg, json};

#[tokio::test]
async fn the_first_line_says_everything_that_a_script_needs() {
    let server = Server::start();
    let keys: Vec<&str> = server
        .hello
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "agent",
            "api_url",
            "connection",
            "dashboard_url",
            "mcp_url",
            "sign_in_url",
            "site",
            "token"
        ]
    );
    assert!(server.text("api_url").ends_with("/api/v1"));
    assert!(server.text("token").starts_with("qla_"));

    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "querylayer_site_context", "arguments": {}}});
    let answer = crate::process::http()
        .build()
        .expect("a client")
        .post(server.text("mcp_url"))
        .bearer_auth(server.text("token"))
        .json(&call)
        .send()
        .await
        .expect("an answer");
    let answer: serde_json::Value = answer.json().await.expect("JSON");
    let scopes = answer["result"]["structuredContent"]["connection"]["effective_scopes"]
        .as_array()
        .map(Vec::len);
    assert_eq!(scopes, Some(8), "{answer}");
}

#[tokio::test]
async fn the_sample_pages_are_live_and_the_unpublished_one_is_not() {
    let server = Server::start();
    let items = format!(
        "{}/delivery/v1/sites/{}/items",
        server.url(),
        server.text("site")
    );
    let live: serde_json::Value = crate::process::http()
        .build()
        .expect("a client")
        .get(&items)
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("JSON");
    assert_eq!(live["items"].as_array().map(Vec::len), Some(8), "{live}");
    assert!(
        !live
            .to_string()
            .contains("what-the-walled-garden-needs-next")
    );
}

#[test]
fn started_again_it_serves_the_same_folder_without_new_secrets() {
    let first = Server::start();
    let (site, connection) = (
        first.text("site").to_owned(),
        first.text("connection").to_owned(),
    );
    let folder = first.stop();
    let second = Server::start_on(folder);
    assert_eq!(
        (second.text("site"), second.text("connection")),
        (site.as_str(), connection.as_str())
    );
    assert!(second.hello["token"].is_null() && second.hello["sign_in_url"].is_null());
    let connections = json(&[
        "connection",
        "list",
        "--site",
        "elmsea",
        "--json",
        "--data",
        arg(&second.data()),
    ]);
    assert_eq!(connections.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_sign_in_link_opens_one_session_once() {
    let server = Server::start();
    let client = crate::process::http()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let open = || client.get(server.text("sign_in_url")).send();
    let opens = |answer: &reqwest::Response| {
        let cookies = answer.headers().get_all("set-cookie");
        cookies
            .iter()
            .any(|cookie| cookie.as_bytes().starts_with(b"ql_session="))
    };
    let first = open().await.expect("an answer");
    assert!(opens(&first), "{first:?}");
    let again = open().await.expect("an answer");
    assert!(!opens(&again) && again.status() == 401, "{again:?}");
}
