//! A server, its writers and what it must remember.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;

use ql_testkit::TempDir;
use serde_json::json;

use crate::kill9::client::Agent;
use crate::kill9::writer::{Draft, Writer};
use crate::kill9::{differences, start};
use crate::process::{Server, arg, said};

const WRITERS: u64 = 3;

/// What became of the drafts of some writers.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) acknowledged: usize,
    /// The server said that its database doesn't answer.
    pub(super) unavailable: usize,
    /// The connection broke.
    pub(super) broken: usize,
}

pub(super) struct World {
    pub(super) server: Server,
    token: String,
    /// Acknowledged drafts: content id → revision id.
    drafts: BTreeMap<String, String>,
    /// Drafts that got no answer that says what became of them.
    open: Vec<Draft>,
    batch: u64,
    body: String,
}

impl World {
    pub(super) fn new() -> Self {
        Self::of(start(TempDir::new()))
    }

    /// A server that writes its log into a file beside its database.
    pub(super) fn with_a_log_on_its_disk() -> Self {
        let folder = TempDir::new();
        let log = std::fs::File::create(folder.path().join("log")).expect("a file");
        let settings = [("QUERYLAYER_CALLS_PER_MINUTE", "0"), ("RUST_LOG", "info")];
        Self::of(Server::start_logging(folder, &settings, log))
    }

    fn of(server: Server) -> Self {
        Self {
            token: server.text("token").to_owned(),
            server,
            drafts: BTreeMap::new(),
            open: Vec::new(),
            batch: 0,
            body: "The tide line moved a little in the night.".to_owned(),
        }
    }

    /// Makes every draft so long that the log soon needs a checkpoint.
    pub(super) fn write_much(&mut self) {
        self.body = "The tide line moved a little in the night. ".repeat(440);
    }

    pub(super) fn agent(&self) -> Agent {
        Agent::connect(self.server.text("mcp_url"), &self.token).expect("the server listens")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.server.data()
    }

    pub(super) fn log(&self) -> PathBuf {
        self.data().join("strace.log")
    }

    /// Lets writers begin their runs while nothing is wrong yet.
    pub(super) fn writers(&mut self) -> Vec<(Agent, Writer)> {
        self.batch += 1;
        let writer = |number| {
            let mut agent = self.agent();
            let run = agent.begin_run();
            let name = format!("{}-{number}", self.batch);
            (agent, Writer { name, run })
        };
        (0..WRITERS).map(writer).collect()
    }

    /// Each writer tries `count` drafts, one after the other, or fewer when the connection breaks.
    pub(super) fn write(&mut self, writers: Vec<(Agent, Writer)>, count: u64) -> Written {
        let body = &self.body;
        let threads = writers.into_iter();
        let results: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = threads
                .map(|(agent, writer)| scope.spawn(move || write(agent, &writer, body, count)))
                .collect();
            let joined = running.into_iter().map(ScopedJoinHandle::join);
            joined
                .flat_map(|tried| tried.expect("a writer panicked"))
                .collect()
        });
        let mut written = Written::default();
        for (draft, outcome) in results {
            match outcome {
                Outcome::Acknowledged(content, revision) => {
                    written.acknowledged += 1;
                    self.remember(content, revision);
                }
                Outcome::Unavailable => {
                    written.unavailable += 1;
                    self.open.push(draft);
                }
                Outcome::Broken => {
                    written.broken += 1;
                    self.open.push(draft);
                }
            }
        }
        written
    }

    fn remember(&mut self, content: String, revision: String) {
        let before = self.drafts.insert(content, revision);
        assert_eq!(before, None, "two drafts under one content id");
    }

    /// Starts again over what was left.
    pub(super) fn restart(self, end: impl FnOnce(Server) -> TempDir) -> Self {
        let folder = end(self.server);
        Self {
            server: start(folder),
            ..self
        }
    }

    /// Sends what is open once more under its old key; then everything acknowledged is there once,
    /// nothing else is, no job is stuck, the ledger verifies and the database file is sound.
    pub(super) fn settle(&mut self) {
        let mut agent = self.agent();
        for draft in std::mem::take(&mut self.open) {
            let (content, revision) = agent.draft(&draft).expect("the server stays").accepted();
            self.remember(content, revision);
        }
        let listed = agent.list_drafts();
        let differences = differences(&self.drafts, &listed);
        assert!(differences.is_empty(), "{differences:#?}");
        assert_eq!(ready(&self.server.url()), 200);
        said(&["ledger", "verify", "--data", arg(&self.data())]);
        assert_eq!(integrity(&self.data()), "ok");
    }

    pub(super) fn acknowledged(&self) -> usize {
        self.drafts.len()
    }

    /// How long the write-ahead log's file is.
    pub(super) fn log_length(&self) -> u64 {
        let wal = self.data().join("querylayer.db-wal");
        std::fs::metadata(wal).map_or(0, |file| file.len())
    }
}

#[derive(Debug)]
enum Outcome {
    Acknowledged(String, String),
    Unavailable,
    Broken,
}

fn write(mut agent: Agent, writer: &Writer, body: &str, count: u64) -> Vec<(Draft, Outcome)> {
    let mut tried = Vec::new();
    for number in 0..count {
        let mut draft = writer.draft(number);
        draft.arguments["fields"]["body"] = json!(body);
        let outcome = match agent.try_call("querylayer_create_draft", &draft.arguments) {
            Ok(Some(answer)) => {
                let (content, revision) = answer.accepted();
                Outcome::Acknowledged(content, revision)
            }
            Ok(None) => Outcome::Unavailable,
            Err(_) => Outcome::Broken,
        };
        let broken = matches!(outcome, Outcome::Broken);
        tried.push((draft, outcome));
        if broken {
            break;
        }
    }
    tried
}

/// The status of `/readyz`.
pub(super) fn ready(url: &str) -> u16 {
    let address = url.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).expect("the server listens");
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    std::io::Write::write_all(&mut stream, request.as_bytes()).expect("it listens");
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).expect("an answer");
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    status.unwrap_or_else(|| panic!("no status in {answer}"))
}

/// What SQLite says of the database file.
fn integrity(data: &Path) -> String {
    let database = data.join("querylayer.db");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(database, flags).expect("a database");
    let found = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0));
    found.expect("an answer")
}
