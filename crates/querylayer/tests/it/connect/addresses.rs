//! Where the connector goes with a token, and where it doesn't.

use super::hermes::Machine;
use super::world::World;
use crate::process::{arg, binary};

fn refusal(url: &str, token: Option<&str>) -> String {
    let machine = Machine::new();
    machine.create("writer");
    let mut command = binary();
    command
        .args([
            "connect",
            "hermes",
            "--once",
            "--url",
            url,
            "--home",
            arg(&machine.home()),
        ])
        .env_remove("QUERYLAYER_TOKEN");
    if let Some(token) = token {
        command.env("QUERYLAYER_TOKEN", token);
    }
    let output = command.output().expect("the program starts");
    assert!(!output.status.success());
    let said = [output.stdout, output.stderr].concat();
    String::from_utf8(said).expect("text").trim().to_owned()
}

/// Of the right form, and never issued.
const TOKEN: &str = "qla_0000000000000000000000000000004BxdyD";

#[test]
fn a_token_goes_nowhere_in_the_clear() {
    let refused = [
        refusal("http://cms.example.com", Some(TOKEN)),
        refusal("https://me:secret@cms.example.com", Some(TOKEN)),
        refusal("cms.example.com", Some(TOKEN)),
        refusal("http://127.0.0.1:9", None),
        refusal("http://127.0.0.1:9", Some("sk-123")),
    ];
    insta::assert_snapshot!(refused.join("\n"), @"
    querylayer: over http anybody on the way to cms.example.com could read the token; use https
    querylayer: [an address with a secret in it] isn't an address such as https://cms.example.com
    querylayer: `cms.example.com` isn't an address such as https://cms.example.com
    querylayer: set QUERYLAYER_TOKEN to the agent's token, or name a file that holds it with --token-file
    querylayer: QUERYLAYER_TOKEN holds no token of an agent, which begins with qla_; `querylayer connection test` says more
    ");
}

#[test]
fn a_token_that_the_server_does_not_take_ends_the_connector() {
    let world = World::new();
    let refused = refusal(&world.server.url(), Some(TOKEN));
    insta::assert_snapshot!(refused, @"querylayer: the server doesn't take the agent's token; an administrator can issue a new one");
}

#[test]
fn the_token_may_stand_in_a_file() {
    let world = World::new();
    let file = world.machine.home().join("token");
    std::fs::write(&file, format!("{}\n", world.token)).expect("written");
    let mut command = world.command_on(&world.machine);
    command.env_remove("QUERYLAYER_TOKEN");
    let output = command
        .args(["--once", "--token-file", arg(&file)])
        .output();
    assert!(output.expect("the program starts").status.success());
}
