//! Administration by the machine's operator, on a running server and on a stopped folder.

use std::os::unix::fs::PermissionsExt as _;

use crate::process::{Server, arg, json, refused, said};

#[tokio::test]
async fn the_same_commands_work_beside_a_running_server_and_on_its_folder_afterwards() {
    let server = Server::start();
    let data = server.data();
    let data = arg(&data);
    let agent = json(&[
        "agent",
        "create",
        "Codex one",
        "--harness",
        "codex",
        "--data",
        data,
        "--json",
    ]);
    let agent = agent["id"].as_str().expect("an id").to_owned();
    let too_much = refused(&[
        "connection",
        "create",
        "c",
        "--agent",
        &agent,
        "--site",
        "elmsea",
        "--scopes",
        "content:read",
        "--data",
        data,
    ]);
    assert_eq!(too_much.0, Some(1));
    assert!(
        too_much.1.contains("scope_exceeds_permission"),
        "{}",
        too_much.1
    );
    said(&[
        "agent",
        "permit",
        &agent,
        "--site",
        "elmsea",
        "--scopes",
        "site:read,content:read",
        "--data",
        data,
    ]);
    let issued = json(&[
        "connection",
        "create",
        "c",
        "--agent",
        &agent,
        "--site",
        "elmsea",
        "--json",
        "--data",
        data,
    ]);
    let (id, token) = (
        issued["id"].as_str().expect("an id"),
        issued["token"].as_str().expect("a token"),
    );

    let status = || ping(server.text("mcp_url"), token);
    assert_eq!(status().await, 200);
    said(&["connection", "revoke", id, "--data", data]);
    assert_eq!(status().await, 401);

    let folder = server.stop();
    let data = folder.path().join("data");
    let shown = json(&["connection", "show", id, "--json", "--data", arg(&data)]);
    assert_eq!(shown["state"], "revoked");
    let rotated = json(&["connection", "rotate", id, "--json", "--data", arg(&data)]);
    assert_ne!(rotated["token"], token);
}

async fn ping(url: &str, token: &str) -> u16 {
    let body = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let answer = crate::process::http()
        .build()
        .expect("a client")
        .post(url)
        .bearer_auth(token)
        .json(&body)
        .send()
        .await;
    answer.expect("an answer").status().as_u16()
}

#[test]
fn the_ledger_names_the_operator_and_the_socket_is_its_owners_alone() {
    let server = Server::start();
    let data = server.data();
    said(&["site", "rename", "elmsea", "Elmsea", "--data", arg(&data)]);
    let note = std::fs::read_to_string(data.join("socket")).expect("a note");
    let mode = std::fs::metadata(&note)
        .expect("a socket")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(note.len() < 108, "{note}");
    let folder = server.stop();
    assert!(
        !std::path::Path::new(&note).exists(),
        "the socket goes with the server"
    );
    // What was written last may still stand in the write-ahead log: a reader that outlives the
    // writer's connection keeps it from being moved into the file.
    let file = |name| std::fs::read(folder.path().join("data").join(name)).unwrap_or_default();
    let database = [file("querylayer.db"), file("querylayer.db-wal")].concat();
    let uid = format!("operator:{}", rustix::process::getuid().as_raw());
    assert!(
        database
            .windows(uid.len())
            .any(|window| window == uid.as_bytes())
    );
}

#[test]
fn secrets_are_shown_once_and_kept_nowhere() {
    let server = Server::start();
    let token = server.text("token").to_owned();
    let link = server
        .text("sign_in_url")
        .rsplit('/')
        .next()
        .expect("a secret")
        .to_owned();
    let data = server.data();
    let shown = said(&[
        "connection",
        "show",
        server.text("connection"),
        "--data",
        arg(&data),
    ]);
    assert!(!shown.contains(&token));
    let folder = server.stop();
    for entry in std::fs::read_dir(folder.path().join("data"))
        .expect("a folder")
        .flatten()
    {
        let Ok(bytes) = std::fs::read(entry.path()) else {
            continue;
        };
        for secret in [&token, &link] {
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "a secret stands in {}", entry.path().display());
        }
    }
}

#[test]
fn wrong_usage_exits_with_two_and_a_missing_folder_says_what_to_do() {
    assert_eq!(refused(&["connection", "revoke", "con_1"]).0, Some(2));
    assert_eq!(refused(&["nonsense"]).0, Some(2));
    let (code, said) = refused(&["org", "list", "--data", "no-such-folder"]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(said.trim(), @"querylayer: there is no QueryLayer data in no-such-folder; run `querylayer quickstart --data no-such-folder` to make it, or name the right folder with --data");
}

#[test]
fn a_folder_of_ones_own_begins_with_an_organization() {
    let folder = ql_testkit::TempDir::new();
    let data = folder.path().join("data");
    said(&["org", "create", "Acme", "--data", arg(&data)]);
    said(&[
        "site",
        "create",
        "Acme",
        "--slug",
        "acme",
        "--base-url",
        "https://acme.example",
        "--data",
        arg(&data),
    ]);
    said(&[
        "member",
        "create",
        "you@acme.example",
        "--name",
        "You",
        "--role",
        "owner",
        "--data",
        arg(&data),
    ]);
    let link = json(&[
        "member",
        "sign-in-link",
        "you@acme.example",
        "--json",
        "--data",
        arg(&data),
    ]);
    assert!(link["sign_in_url"].is_string(), "{link}");
    let mode = std::fs::metadata(&data)
        .expect("a folder")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn no_command_decides_a_proposal() {
    let help = said(&["--help"]);
    for word in ["approve", "decide", "publish"] {
        assert!(
            !help.lines().any(|line| line.trim_start().starts_with(word)),
            "{help}"
        );
    }
}

#[test]
fn a_second_server_on_the_same_folder_is_refused() {
    let server = Server::start();
    let data = server.data();
    let (code, said) = refused(&["serve", "--listen", "127.0.0.1:0", "--data", arg(&data)]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("another server works on this data folder"),
        "{said}"
    );
}
