//! `querylayer connection test`: the real command against real servers, and against small ones that
//! misbehave.

mod answers;
mod certificates;
pub(crate) mod foreign;
mod refusals;
mod tokens;

use std::process::Command;

use ql_testkit::TempDir;
use serde_json::Value;

use crate::process::{Server, binary};

/// One test from a machine that has no data folder, unless it's given one.
pub(crate) struct Tester {
    command: Command,
    elsewhere: TempDir,
    token: String,
}

impl Tester {
    /// Tests `url` with `token` in the usual variable.
    pub(crate) fn new(url: &str, token: &str) -> Self {
        let elsewhere = TempDir::new();
        let mut command = binary();
        command
            .args(["connection", "test", "--url", url])
            .env("QUERYLAYER_TOKEN", token)
            .env("QUERYLAYER_DATA", elsewhere.path().join("none"));
        Self {
            command,
            elsewhere,
            token: token.to_owned(),
        }
    }

    /// Tests a quickstart server with its own token.
    pub(crate) fn of(server: &Server) -> Self {
        Self::new(server.text("mcp_url"), server.text("token"))
    }

    pub(crate) fn with(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_variable(mut self) -> Self {
        self.command.env_remove("QUERYLAYER_TOKEN");
        self
    }

    /// What it prints, and whether it says that all is well. The token is never in it, and nothing
    /// goes to standard error.
    pub(crate) fn said(mut self) -> (bool, String) {
        let output = self.command.output().expect("the program starts");
        let text = String::from_utf8(output.stdout).expect("text");
        let errors = String::from_utf8(output.stderr).expect("text");
        assert_eq!(errors, "");
        assert!(
            self.token.len() < 20 || !text.contains(&self.token),
            "{text}"
        );
        assert!(matches!(output.status.code(), Some(0 | 1)), "{text}");
        drop(self.elsewhere);
        (output.status.success(), text)
    }

    /// The lines that say what is wrong; there must be some, and the exit code must say so too.
    pub(crate) fn wrong(self) -> String {
        let (well, text) = self.said();
        assert!(!well, "{text}");
        let wrong: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("NOT "))
            .collect();
        assert!(!wrong.is_empty(), "{text}");
        wrong.join("\n")
    }

    /// The code of the one thing that is wrong.
    pub(crate) fn code(self) -> String {
        let (well, text) = self.with(&["--json"]).said();
        let report: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(report["ok"], well);
        let codes: Vec<&str> = report["checks"]
            .as_array()
            .expect("checks")
            .iter()
            .filter_map(|check| check["code"].as_str())
            .collect();
        assert_eq!((codes.len(), well), (1, false), "{text}");
        codes[0].to_owned()
    }
}

/// What is printed with the parts that differ from run to run replaced by their names.
pub(crate) fn steady(text: &str, parts: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (part, name) in parts {
        text = text.replace(part, name);
    }
    text
}

/// The address of a server without its scheme.
pub(crate) fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

#[test]
fn all_is_well() {
    let server = Server::start();
    let (well, text) = Tester::of(&server).said();
    assert!(well, "{text}");
    let token = &server.text("token")[..12];
    let until = text
        .split("until ")
        .nth(1)
        .and_then(|rest| rest.split(';').next());
    let parts = [
        (authority(server.text("mcp_url")), "[AT]"),
        (token, "[PREFIX]"),
        (until.expect("an instant"), "[INSTANT]"),
        (env!("CARGO_PKG_VERSION"), "[VERSION]"),
    ];
    insta::assert_snapshot!(steady(&text, &parts), @"
    ok  address: http://[AT]/mcp
    ok  token: QUERYLAYER_TOKEN holds a token, [PREFIX]…
    ok  reach: [AT] answers
    ok  server: QueryLayer [VERSION] answers
    ok  oauth: no OAuth server is offered, so clients use the token
    ok  credential: the server takes the token
    ok  tools: Sample agent works on Elmsea Botanic Garden by the connection quickstart until [INSTANT]; all 25 tools are there
    ");
}

#[test]
fn programs_get_codes() {
    let server = Server::start();
    let (well, text) = Tester::of(&server)
        .with(&["--json", "--tool", "querylayer_publish"])
        .said();
    assert!(!well);
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["ok"], false);
    let last = report["checks"].as_array().and_then(|checks| checks.last());
    insta::assert_snapshot!(last.expect("a check"), @r#"{"check":"tools","code":"tool_unknown","ok":false,"remedy":"querylayer schema tools prints them","says":"there is no tool `querylayer_publish`"}"#);
}

#[test]
fn wrong_usage_is_told_from_what_is_found() {
    let output = binary()
        .args(["connection", "test", "--timeout", "0"])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
}
