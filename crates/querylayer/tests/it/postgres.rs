//! The whole product on a database server, started as its users start it.

use std::process::Output;

use ql_testkit::{PrivateServer, TempDir};
use serde_json::Value;

use crate::process::{Server, arg, binary};

/// A server of the database with the sample site.
fn serve(database: &PrivateServer) -> Server {
    let (url, owner) = (database.url(), database.owner_url());
    let settings = [
        ("QUERYLAYER_DATABASE", url.as_str()),
        ("QUERYLAYER_DATABASE_OWNER", &owner),
    ];
    Server::start_with(TempDir::new(), &settings)
}

fn run(url: &str, arguments: &[&str]) -> Output {
    binary()
        .env("QUERYLAYER_DATABASE", url)
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// What a command says on standard output, whether or not it is content.
fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// What the doctor finds wrong, by the name of the check.
fn diagnosis(url: &str, data: &str) -> Vec<(String, String)> {
    let output = run(url, &["doctor", "--json", "--data", data]);
    let found: Value = serde_json::from_str(&said(&output)).expect("JSON");
    let checks = found["checks"].as_array().expect("checks");
    let wrong = checks.iter().filter(|check| check["ok"] == false);
    wrong
        .map(|check| {
            let text = |key: &str| check[key].as_str().expect("a text").to_owned();
            (text("check"), text("wrong"))
        })
        .collect()
}

#[test]
fn the_whole_story_is_told_on_a_database_server() {
    let Some(database) = PrivateServer::start() else {
        return;
    };
    let server = serve(&database);
    let data = server.data();
    let told = run(
        &database.url(),
        &["demo", "--url", &server.url(), "--data", arg(&data)],
    );
    assert!(told.status.success(), "{told:?}");
    assert!(!data.join("querylayer.db").exists(), "nothing is embedded");
    let folder = server.stop();
    let data = folder.path().join("data");
    for command in [["ledger", "verify"], ["site", "list"]] {
        let output = run(
            &database.url(),
            &[command[0], command[1], "--data", arg(&data)],
        );
        assert!(output.status.success(), "{output:?}");
    }
    let copied = run(
        &database.url(),
        &["backup", "no-such-folder", "--data", arg(&data)],
    );
    let refusal = String::from_utf8(copied.stderr).expect("text");
    assert!(refusal.contains("pg_dump"), "{refusal}");
}

#[test]
fn the_doctor_proves_the_grants_by_trying() {
    let Some(database) = PrivateServer::start() else {
        return;
    };
    let folder = serve(&database).stop();
    let data = folder.path().join("data");
    // The server of the tests doesn't wait for its disk, which is all that is wrong.
    let durability = "the database server can lose what it acknowledged; set fsync to on";
    let expected = [("privileges".to_owned(), durability.to_owned())];
    assert_eq!(diagnosis(&database.url(), arg(&data)), expected);

    database.administer(&["GRANT DELETE ON decisions TO ql_test_worker"]);
    let found = diagnosis(&database.url(), arg(&data)).remove(0).1;
    assert!(
        found.contains("ql_test_worker holds rights to change decisions"),
        "{found}"
    );
    let found = diagnosis(&database.owner_url(), arg(&data)).remove(0).1;
    assert!(
        found.contains("ql_test_owner holds rights to change artifacts"),
        "{found}"
    );
    // The next start of a server that knows the owner takes the right away again.
    drop(serve(&database));
    assert_eq!(diagnosis(&database.url(), arg(&data)), expected);
}

#[test]
fn two_servers_need_two_folders() {
    let Some(database) = PrivateServer::start() else {
        return;
    };
    let server = serve(&database);
    let data = server.data();
    let second = run(
        &database.url(),
        &["serve", "--listen", "127.0.0.1:0", "--data", arg(&data)],
    );
    assert_eq!(second.status.code(), Some(1));
    let refusal = String::from_utf8(second.stderr).expect("text");
    assert!(
        refusal.contains("another server works on the data folder"),
        "{refusal}"
    );
}
