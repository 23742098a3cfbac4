//! Tokens that are judged before anybody is asked; the server is looked at all the same.

use super::Tester;
use crate::process::{Server, arg, json};

/// Of the right form, and never issued.
const NEVER_ISSUED: &str = "qla_0000000000000000000000000000004BxdyD";

#[test]
fn no_token_and_what_isnt_one() {
    let server = Server::start();
    let url = server.text("mcp_url");
    let token = server.text("token");
    let (_, said) = Tester::new(url, "").without_variable().said();
    assert!(said.contains("server: QueryLayer answers"), "{said}");
    let broken = [&token[..39], "!"].concat();
    let wrong: Vec<String> = [
        Tester::new(url, "").without_variable(),
        Tester::new(url, " "),
        Tester::new(url, token).with(&["--token-env", "OTHER_TOKEN"]),
        Tester::new(url, "${QUERYLAYER_TOKEN}"),
        Tester::new(url, &format!("Bearer {token}")),
        Tester::new(url, &format!("\"{token}\"")),
        Tester::new(url, &format!("{token}\n")),
        Tester::new(url, &token[..20]),
        Tester::new(url, &broken),
        Tester::new(url, &NEVER_ISSUED.replace("qla_", "sk-")),
    ]
    .into_iter()
    .map(Tester::wrong)
    .collect();
    insta::assert_snapshot!(wrong.join("\n"), @r"
    NOT token: the variable QUERYLAYER_TOKEN isn't set, so a client that reads it sends no token. Set it in the environment that starts the client: export QUERYLAYER_TOKEN=qla_…; or name another variable with --token-env
    NOT token: the variable QUERYLAYER_TOKEN is empty, so a client that reads it sends no token. Set it in the environment that starts the client: export QUERYLAYER_TOKEN=qla_…; or name another variable with --token-env
    NOT token: the variable OTHER_TOKEN isn't set, so a client that reads it sends no token. Set it in the environment that starts the client: export OTHER_TOKEN=qla_…; or name another variable with --token-env
    NOT token: what QUERYLAYER_TOKEN holds is the name of a variable that nothing filled in. Copy the token again, or rotate the connection: a secret is shown once and can't be looked up
    NOT token: what QUERYLAYER_TOKEN holds begins with `Bearer`, which the client adds by itself. Copy the token again, or rotate the connection: a secret is shown once and can't be looked up
    NOT token: what QUERYLAYER_TOKEN holds has quotes around it. Copy the token again, or rotate the connection: a secret is shown once and can't be looked up
    NOT token: what QUERYLAYER_TOKEN holds has a space or a line break around it. Copy the token again, or rotate the connection: a secret is shown once and can't be looked up
    NOT token: what QUERYLAYER_TOKEN holds is cut off: a token has 40 characters. Copy the token again, or rotate the connection: a secret is shown once and can't be looked up
    NOT token: what QUERYLAYER_TOKEN holds isn't a token that was ever issued: its checksum doesn't fit, so a character was changed. Copy the token again, or rotate the connection: a secret is shown once and can't be looked up
    NOT token: what QUERYLAYER_TOKEN holds isn't a token: one begins with qla_. Copy the token again, or rotate the connection: a secret is shown once and can't be looked up
    ");
}

#[test]
fn a_members_token_is_told_from_an_agents() {
    let server = Server::start();
    let personal = "qlp_000000000000000000000000000000";
    let personal = format!("{personal}{}", checksum(personal));
    insta::assert_snapshot!(Tester::new(server.text("mcp_url"), &personal).wrong(), @"NOT token: QUERYLAYER_TOKEN holds a member's personal token (qlp_…), which opens the HTTP API and not MCP. Issue a connection for the agent: querylayer connection create");
}

/// The last six characters of a token, as the documents describe them.
fn checksum(body: &str) -> String {
    let table = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut crc = !0u32;
    for byte in body.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    let mut value = !crc;
    let mut digits = [0; 6];
    for digit in digits.iter_mut().rev() {
        *digit = table[(value % 62) as usize];
        value /= 62;
    }
    String::from_utf8(digits.to_vec()).expect("text")
}

#[test]
fn an_outsider_hears_what_may_be() {
    let server = Server::start();
    insta::assert_snapshot!(Tester::new(server.text("mcp_url"), NEVER_ISSUED).wrong(), @"NOT credential: the server doesn't take the token qla_00000000…; to outsiders it doesn't say why. It was revoked, replaced or ran out, or it's another server's. Beside the data folder this test says which (--data), and the connection's page on the dashboard does too");
}

/// Beside the data folder it's told which: through the running server's socket.
#[test]
fn the_operator_hears_which() {
    let server = Server::start();
    let data = server.data();
    let beside = ["--data", arg(&data)];
    let url = server.text("mcp_url");
    let unknown = Tester::new(url, NEVER_ISSUED).with(&beside);
    assert_eq!(unknown.code(), "token_unknown");
    json(&[
        "connection",
        "revoke",
        server.text("connection"),
        "--data",
        arg(&data),
        "--json",
    ]);
    let (_, said) = Tester::of(&server).with(&beside).said();
    let at = said
        .split("replaced at ")
        .nth(1)
        .and_then(|rest| rest.get(..27));
    let parts = [(at.expect("an instant"), "[INSTANT]")];
    let wrong = Tester::of(&server).with(&beside).wrong();
    insta::assert_snapshot!(super::steady(&wrong, &parts), @"NOT credential: the connection quickstart was ended or replaced at [INSTANT]. Use the token that replaced it, or issue a new connection");
}

#[test]
fn a_connection_that_ran_out_is_told_from_one_that_was_ended() {
    let server = Server::start();
    let token = server.text("token").to_owned();
    let folder = server.stop();
    let file = folder.path().join("data/querylayer.db");
    let database = rusqlite::Connection::open(file).expect("a database");
    let changed = database
        .execute("UPDATE connections SET expires_at = created_at + 1", [])
        .expect("a change");
    assert_eq!(changed, 1);
    drop(database);
    let server = Server::start_on(folder);
    let data = server.data();
    let url = server.text("mcp_url");
    let code = Tester::new(url, &token).with(&["--data", arg(&data)]);
    assert_eq!(code.code(), "token_expired");
}

/// The folder is asked while its server runs, and opened when none does.
#[test]
fn a_token_of_another_server_is_known_by_its_own_folder() {
    let (mine, other) = (Server::start(), Server::start());
    let token = mine.text("token").to_owned();
    let code = |data: &std::path::Path| {
        let tester = Tester::new(other.text("mcp_url"), &token);
        tester.with(&["--data", arg(data)]).code()
    };
    assert_eq!(code(&mine.data()), "other_folder");
    let folder = mine.stop();
    assert_eq!(code(&folder.path().join("data")), "other_folder");
}
