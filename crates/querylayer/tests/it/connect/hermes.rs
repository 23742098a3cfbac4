//! A machine with Hermes on it: folders of profiles, and gateways that answer as Hermes 0.19 does.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ql_testkit::TempDir;
use serde_json::{Value, json};

use crate::connection_test::foreign::{Foreign, answer, header};
use crate::process::{arg, json as printed};

/// A machine, with Hermes' folder on it.
pub(super) struct Machine(TempDir);

impl Machine {
    pub(super) fn new() -> Self {
        Self(TempDir::new())
    }

    /// Hermes' folder.
    pub(super) fn home(&self) -> PathBuf {
        self.0.path().join("hermes")
    }

    pub(super) fn folder(&self, profile: &str) -> PathBuf {
        self.home().join("profiles").join(profile)
    }

    /// A new profile, as `hermes profile create` makes it.
    pub(super) fn create(&self, profile: &str) {
        fs::create_dir_all(self.folder(profile)).expect("a folder");
    }

    /// A new profile with its identity, which is the answer.
    pub(super) fn enrolled(&self, profile: &str) -> String {
        self.create(profile);
        self.enroll(profile, &[])["profile_id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }

    pub(super) fn enroll(&self, profile: &str, more: &[&str]) -> Value {
        let home = self.home();
        let mut command = vec![
            "connect",
            "hermes",
            "enroll",
            "--json",
            "--profile",
            profile,
            "--home",
        ];
        command.push(arg(&home));
        command.extend(more);
        printed(&command)
    }

    /// `hermes profile rename`.
    pub(super) fn rename(&self, from: &str, to: &str) {
        fs::rename(self.folder(from), self.folder(to)).expect("renamed");
    }

    /// `hermes profile delete`.
    pub(super) fn delete(&self, profile: &str) {
        fs::remove_dir_all(self.folder(profile)).expect("deleted");
    }

    /// What `create --clone-all`, `import` of an export and `cp -r` leave: every file, without what
    /// belongs to the process that runs.
    pub(super) fn copy(&self, from: &str, to: &PathBuf) {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(self.folder(from)).expect("a folder") {
            let file = entry.expect("an entry");
            if file.file_name() != "gateway.pid" {
                fs::copy(file.path(), to.join(file.file_name())).expect("copied");
            }
        }
    }
}

/// A turn that a session was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chat {
    pub(super) session: String,
    pub(super) message: String,
    pub(super) system: String,
}

impl Chat {
    /// What the session is told under a name, such as the turn's id.
    pub(super) fn told(&self, name: &str) -> &str {
        let lines = self.system.lines();
        let mut told = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        told.next().expect("it is told")
    }
}

/// What an agent does with a turn: its last words, or the whole answer in their place.
pub(super) type Agent = dyn Fn(&Chat) -> Result<String, (&'static str, Value)> + Send + Sync;

/// What happens before a request is answered: a change behind everybody's back.
type Before = dyn Fn(&str) + Send + Sync;

struct State {
    key: String,
    pid: u64,
    sessions: Vec<Value>,
    asked: Vec<String>,
    chats: Vec<Chat>,
    agent: Arc<Agent>,
    before: Arc<Before>,
}

/// The gateway of one profile, until the value goes.
pub(super) struct Gateway {
    foreign: Foreign,
    state: Arc<Mutex<State>>,
}

impl Gateway {
    /// Runs for a profile: its `.env` and its `gateway.pid` say so.
    pub(super) fn run(machine: &Machine, profile: &str) -> Self {
        let state = Arc::new(Mutex::new(State {
            key: format!("key-of-{profile}"),
            pid: 4_000 + u64::from(profile.as_bytes()[0]),
            sessions: Vec::new(),
            asked: Vec::new(),
            chats: Vec::new(),
            agent: Arc::new(|chat: &Chat| Ok(format!("Done: {}", chat.message))),
            before: Arc::new(|_: &str| {}),
        }));
        let shared = Arc::clone(&state);
        let foreign = Foreign::new(move |request| serve(&shared, request).into_bytes());
        let gateway = Self { foreign, state };
        gateway.belongs_to(machine, profile);
        gateway
    }

    /// Writes what a gateway leaves in its profile's folder.
    pub(super) fn belongs_to(&self, machine: &Machine, profile: &str) {
        let folder = machine.folder(profile);
        let (port, state) = (self.foreign.address().port(), self.state());
        let env = format!("API_SERVER_KEY={}\nAPI_SERVER_PORT={port}\n", state.key);
        fs::write(folder.join(".env"), env).expect("written");
        let pid = json!({"pid": state.pid, "kind": "hermes-gateway"}).to_string();
        fs::write(folder.join("gateway.pid"), pid).expect("written");
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    /// A session that is there.
    pub(super) fn has(&self, session: &str) {
        self.state()
            .sessions
            .push(json!({"id": session, "source": "cli"}));
    }

    /// Hermes compresses a session: another one goes on from it.
    pub(super) fn compress(&self, session: &str, into: &str) {
        compress(&mut self.state().sessions, session, into);
    }

    /// Another session that hangs under one.
    pub(super) fn hangs_under(&self, parent: &str, session: &str, source: &str) {
        let row = json!({"id": session, "source": source, "parent_session_id": parent});
        self.state().sessions.push(row);
    }

    pub(super) fn forget(&self, session: &str) {
        self.state().sessions.retain(|known| known["id"] != session);
    }

    /// What its agent does from now on.
    pub(super) fn agent(
        &self,
        does: impl Fn(&Chat) -> Result<String, (&'static str, Value)> + Send + Sync + 'static,
    ) {
        self.state().agent = Arc::new(does);
    }

    /// What happens from now on before it answers a request, of which the first line is given.
    pub(super) fn before(&self, does: impl Fn(&str) + Send + Sync + 'static) {
        self.state().before = Arc::new(does);
    }

    /// The turns that its sessions were given.
    pub(super) fn chats(&self) -> Vec<Chat> {
        self.state().chats.clone()
    }

    /// The first line of each request so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    /// The sessions that are there.
    pub(super) fn sessions(&self) -> Vec<String> {
        let text = |row: &Value| row["id"].as_str().unwrap_or_default().to_owned();
        self.state().sessions.iter().map(text).collect()
    }
}

/// Hermes compresses a session: another one goes on from it.
pub(super) fn compress(sessions: &mut Vec<Value>, session: &str, into: &str) {
    let old = sessions.iter_mut().find(|known| known["id"] == session);
    old.expect("it is there")["end_reason"] = "compression".into();
    sessions.push(json!({"id": into, "source": "cli", "parent_session_id": session}));
}

fn serve(shared: &Mutex<State>, request: &str) -> String {
    let (head, body) = request.split_once("\r\n\r\n").unwrap_or((request, ""));
    let line = head.lines().next().unwrap_or_default().to_owned();
    let before = Arc::clone(&shared.lock().expect("no panic").before);
    before(&line);
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let mut state = shared.lock().expect("no panic");
    state.asked.push(format!("{method} {target}"));
    if header(head, "authorization") != Some(&format!("Bearer {}", state.key)) {
        return said(
            "401 Unauthorized",
            &json!({"error": {"code": "invalid_api_key"}}),
        );
    }
    let path = target.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match (method, parts.as_slice()) {
        ("GET", ["health", "detailed"]) => said("200 OK", &json!({"pid": state.pid})),
        ("GET", ["api", "sessions"]) => said(
            "200 OK",
            &json!({"data": state.sessions, "has_more": false}),
        ),
        ("POST", ["api", "sessions"]) => {
            let row = json!({"id": body["id"], "source": "api_server"});
            state.sessions.push(row.clone());
            said("201 Created", &json!({"session": row}))
        }
        ("GET", ["api", "sessions", id]) => match find(&state, id) {
            Some(session) => said("200 OK", &json!({"session": session})),
            None => missing(),
        },
        ("POST", ["api", "sessions", id, "chat"]) if find(&state, id).is_some() => {
            let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
            let chat = Chat {
                session: (*id).to_owned(),
                message: text("message"),
                system: text("system_message"),
            };
            state.chats.push(chat.clone());
            let agent = Arc::clone(&state.agent);
            drop(state);
            match agent(&chat) {
                Ok(words) => {
                    let message = json!({"role": "assistant", "content": words});
                    said(
                        "200 OK",
                        &json!({"session_id": chat.session, "message": message}),
                    )
                }
                Err((status, json)) => said(status, &json),
            }
        }
        _ => missing(),
    }
}

fn find(state: &State, id: &str) -> Option<Value> {
    state
        .sessions
        .iter()
        .find(|known| known["id"] == id)
        .cloned()
}

fn missing() -> String {
    said(
        "404 Not Found",
        &json!({"error": {"code": "session_not_found"}}),
    )
}

fn said(status: &str, json: &Value) -> String {
    answer(status, "application/json", &json.to_string())
}
