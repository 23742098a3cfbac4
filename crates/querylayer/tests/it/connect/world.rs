//! A server with a person who writes turns, and a Hermes agent that they're for.

use std::process::{Child, Command, Stdio};

use reqwest::Method;
use serde_json::{Value, json};

use super::hermes::{Gateway, Machine};
use super::person::{Person, ask, call};
use crate::process::{Server, arg, binary, json as printed};

/// Everybody who takes part.
pub(super) struct World {
    pub(super) server: Server,
    pub(super) machine: Machine,
    pub(super) token: String,
    agent: String,
    person: Person,
    conversation: String,
}

impl World {
    /// A Hermes agent bound to the profile `writer`, and a conversation with it.
    pub(super) fn new() -> Self {
        let machine = Machine::new();
        let profile = machine.enrolled("writer");
        Self::with(machine, &["--harness", "hermes", "--profile-id", &profile])
    }

    /// Another agent, and a conversation with it.
    pub(super) fn with(machine: Machine, harness: &[&str]) -> Self {
        let server = Server::start();
        let data = server.data();
        let data = ["--json", "--data", arg(&data)];
        let run = |command: &[&str]| printed(&[command, &data].concat());
        let made = run(&[&["agent", "create", "Iris"], harness].concat());
        let agent = made["id"].as_str().expect("an id").to_owned();
        run(&[
            "agent", "permit", &agent, "--site", "elmsea", "--scopes", "all",
        ]);
        let issued = run(&[
            "connection",
            "create",
            "desk",
            "--agent",
            &agent,
            "--site",
            "elmsea",
        ]);
        let token = issued["token"].as_str().expect("a token").to_owned();
        let mut world = Self {
            person: Person::sign_in(&server),
            server,
            machine,
            token,
            agent,
            conversation: String::new(),
        };
        let begin = json!({"agent": world.agent, "site": world.server.text("site")});
        let begun = world.post("/console/conversations", &begin);
        let id = begun["id"].as_str().expect("an id");
        id.clone_into(&mut world.conversation);
        world
    }

    /// A world whose conversation was worked on in the session `s1`, and has another turn waiting.
    pub(super) fn at_work() -> (Self, Gateway) {
        let world = Self::new();
        let gateway = Gateway::run(&world.machine, "writer");
        gateway.has("s1");
        world.bind("s1");
        world.say("Go on.");
        (world, gateway)
    }

    /// The agent claims a first turn in a session by itself, which binds the conversation to it.
    fn bind(&self, session: &str) {
        self.say("Begin.");
        let profile = self.machine.enroll("writer", &[])["profile_id"].clone();
        let seen = json!([{"session_id": session, "found": true}]);
        let profiles = json!([{"profile_id": profile, "profile_name": "writer", "sessions": seen}]);
        let report = json!({"connector_id": "by hand", "host": "here", "profiles": profiles});
        self.connector("report", &report);
        let claimed = self.call(
            "querylayer_claim_console_task",
            &json!({"session_id": session}),
        );
        assert_eq!(claimed["ok"], true, "{claimed}");
        let done = json!({
            "turn_id": claimed["turn_id"], "lease_token": claimed["lease_token"],
            "outcome": "completed", "message": "Begun.",
        });
        self.call("querylayer_complete_console_task", &done);
        // Nobody is there under that name any more.
        let gone = json!({"connector_id": "by hand", "host": "here", "profiles": []});
        self.connector("report", &gone);
    }

    /// Says something over `/connector/v1`.
    pub(super) fn connector(&self, name: &str, body: &Value) -> Value {
        let bearer = format!("Bearer {}", self.token);
        let url = format!("{}/connector/v1/{name}", self.server.url());
        let headers = [("authorization", bearer.as_str())];
        ask(Method::POST, &url, &headers, body)
    }

    /// Calls a tool as the agent.
    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Value {
        call(&self.server.url(), &self.token, tool, arguments)
    }

    /// The person writes a turn, whose id is the answer.
    pub(super) fn say(&self, message: &str) -> String {
        let path = format!("/console/conversations/{}/turns", self.conversation);
        let turn = self.post(&path, &json!({"message": message}));
        turn["id"].as_str().expect("an id").to_owned()
    }

    /// The person does something.
    pub(super) fn post(&self, path: &str, body: &Value) -> Value {
        self.person
            .ask(Method::POST, &format!("/api/v1{path}"), body)
    }

    /// Reads until when the newest turn is held.
    pub(super) fn lease(&self) -> impl Fn() -> String + Send + Sync + 'static {
        let path = format!("/api/v1/console/conversations/{}", self.conversation);
        let person = self.person.clone();
        move || {
            let record = person.ask(Method::GET, &path, &Value::Null);
            let turns = record["turns"].as_array().expect("turns");
            let held = turns
                .iter()
                .find_map(|turn| turn["lease_expires_at"].as_str());
            held.expect("a turn is held").to_owned()
        }
    }

    /// Stops a turn.
    pub(super) fn cancelling(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let person = self.person.clone();
        move |turn| {
            let path = format!("/api/v1/console/turns/{turn}/cancel");
            let stopped = person.ask(Method::POST, &path, &json!({}));
            assert_eq!(stopped["state"], "cancelled", "{stopped}");
        }
    }

    /// The conversation, as the person's program reads it.
    pub(super) fn read(&self) -> Value {
        let path = format!("/api/v1/console/conversations/{}", self.conversation);
        self.person.ask(Method::GET, &path, &Value::Null)
    }

    /// Where the newest turn stands: its state, what was answered, and why it came back.
    pub(super) fn newest(&self) -> String {
        let record = self.read();
        let turns = record["turns"].as_array().expect("turns");
        let newest = turns.iter().max_by_key(|turn| turn["number"].as_i64());
        let turn = newest.expect("a turn");
        let text = |key: &str| turn[key].as_str().unwrap_or("–").to_owned();
        format!(
            "{} | {} | {}",
            text("state"),
            text("reply"),
            text("returned_with")
        )
    }

    /// What the person is shown of the runtime: the command that resumes the session, or why not.
    pub(super) fn shown(&self) -> String {
        let runtime = &self.read()["runtime"];
        let text = |key: &str| runtime[key].as_str().map(str::to_owned);
        text("command")
            .or_else(|| text("reason"))
            .expect("one of them")
    }

    /// The page of the conversation on the dashboard.
    pub(super) fn page(&self) -> String {
        let path = format!("/sites/elmsea/console/{}", self.conversation);
        let page = self.person.ask(Method::GET, &path, &Value::Null);
        page.as_str().expect("a page").to_owned()
    }

    /// The connector's command on a machine.
    pub(super) fn command_on(&self, machine: &Machine) -> Command {
        self.command((machine, &self.server.url()))
    }

    fn command(&self, (machine, url): (&Machine, &str)) -> Command {
        let mut command = binary();
        command
            .args(["connect", "hermes", "--json", "--url", url])
            .args(["--home", arg(&machine.home())])
            .env("QUERYLAYER_TOKEN", &self.token);
        command
    }

    /// One round of the connector: each event with its reason, and whether it says that all is well.
    /// No secret is in what it prints, nor in its fullest log.
    pub(super) fn round(&self) -> String {
        self.round_on(&self.machine)
    }

    /// One round on another machine than the conversation's.
    pub(super) fn round_on(&self, machine: &Machine) -> String {
        self.played(self.command_on(machine))
    }

    /// One round with a server at another address.
    pub(super) fn round_by(&self, url: &str) -> String {
        self.played(self.command((&self.machine, url)))
    }

    fn played(&self, mut command: Command) -> String {
        let output = command.arg("--once").env("RUST_LOG", "trace").output();
        let output = output.expect("the program starts");
        let said = String::from_utf8(output.stdout).expect("text");
        let errors = String::from_utf8(output.stderr).expect("text");
        for secret in [self.token.as_str(), "lse_", "key-of-", "Go on."] {
            assert!(
                !said.contains(secret) && !errors.contains(secret),
                "{said}{errors}"
            );
        }
        let mut lines: Vec<String> = said.lines().map(event).collect();
        lines.push(
            if output.status.success() {
                "well"
            } else {
                "NOT well"
            }
            .to_owned(),
        );
        lines.join("\n")
    }

    /// A connector that goes on until it's stopped.
    pub(super) fn start(&self) -> Child {
        let started = self.command_on(&self.machine).stdout(Stdio::null()).spawn();
        started.expect("the program starts")
    }
}

/// An event in one line.
pub(super) fn event(line: &str) -> String {
    let event: Value = serde_json::from_str(line).expect("JSON");
    let text = |key: &str| event[key].as_str();
    let parts = ["event", "profile", "session_id", "reason"];
    let parts: Vec<&str> = parts.into_iter().filter_map(text).collect();
    parts.join(" ")
}
