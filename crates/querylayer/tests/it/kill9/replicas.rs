//! Two servers of one database, while servers are killed, connections are ended and the database
//! server crashes: whatever was answered for is there once.
//!
//! `QL_CHAOS_ROUNDS` sets the number of faults (default 6), `QL_CHAOS_SEED` which and when.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ql_testkit::{END_CONNECTIONS, PrivateServer, TempDir};
use serde_json::json;

use super::client::Agent;
use super::writer::{Draft, Outcome, Writer};
use super::{Chance, differences, number};
use crate::process::{Server, arg, binary};

const WRITERS: u64 = 3;
/// How long a writer waits before it repeats a call that the database didn't answer.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long the database may be away before the test says that it stays away.
const AWAY: Duration = Duration::from_secs(30);

#[test]
fn whatever_two_servers_answered_for_survives_every_fault_once() {
    let Some(database) = PrivateServer::start() else {
        return;
    };
    let (rounds, seed) = (number("QL_CHAOS_ROUNDS", 6), number("QL_CHAOS_SEED", 1));
    println!("{rounds} faults, seed {seed}");
    let mut world = World::create(database, Chance(seed));
    for round in 0..rounds {
        world.round(round);
    }
    println!(
        "{} drafts acknowledged, {} repeated after no answer, {} calls answered `unavailable`; {:?}",
        world.drafts.len(),
        world.repeated,
        world.unavailable,
        world.faults
    );
    assert!(
        world.drafts.len() as u64 > rounds,
        "hardly anything was written"
    );
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    ServerKilled,
    ConnectionsEnded,
    DatabaseCrashed,
}

struct World {
    database: PrivateServer,
    servers: [Option<Server>; 2],
    token: String,
    chance: Chance,
    drafts: BTreeMap<String, String>,
    faults: BTreeMap<Fault, u64>,
    repeated: usize,
    unavailable: u64,
}

/// What a writer says: what became of a draft, or that the database didn't answer just now.
enum Said {
    Of(Outcome),
    Unavailable,
}

impl World {
    fn create(database: PrivateServer, chance: Chance) -> Self {
        let first = serve(&database, TempDir::new());
        let folder = TempDir::new();
        // Both servers have the same keys.
        let (from, to) = (first.data().join("keys"), folder.path().join("data/keys"));
        std::fs::create_dir_all(&to).expect("a folder");
        for key in std::fs::read_dir(from).expect("keys").flatten() {
            std::fs::copy(key.path(), to.join(key.file_name())).expect("a copy");
        }
        let second = serve(&database, folder);
        Self {
            token: first.text("token").to_owned(),
            servers: [Some(first), Some(second)],
            database,
            chance,
            drafts: BTreeMap::new(),
            faults: BTreeMap::new(),
            repeated: 0,
            unavailable: 0,
        }
    }

    fn agent(&self, server: usize) -> Agent {
        let server = self.servers[server].as_ref().expect("it runs");
        Agent::connect(server.text("mcp_url"), &self.token).expect("the server listens")
    }

    /// Writers on both servers, a fault under them, and a look at what is there afterwards.
    fn round(&mut self, round: u64) {
        let (tell, told) = mpsc::channel();
        let (stop, writers) = self.start_writers(round, &tell);
        drop(tell);
        let mut said = Vec::new();
        let before = 5 + self.chance.below(40);
        wait_for(&told, before, &mut said);
        let fault = self.strike();
        *self.faults.entry(fault).or_default() += 1;
        wait_for(&told, 20, &mut said);
        drop(stop);
        for writer in writers {
            writer.join().expect("a writer panicked");
        }
        said.extend(told);
        let mut unanswered = Vec::new();
        for outcome in said {
            match outcome {
                Said::Of(Outcome::Acknowledged(content, revision)) => {
                    self.remember(content, revision);
                }
                Said::Of(Outcome::Unanswered(draft)) => unanswered.push(draft),
                Said::Unavailable => self.unavailable += 1,
            }
        }
        self.repeat(unanswered);
        self.check(round, fault);
    }

    fn start_writers(
        &self,
        round: u64,
        tell: &Sender<Said>,
    ) -> (Vec<Sender<()>>, Vec<JoinHandle<()>>) {
        let mut started = (Vec::new(), Vec::new());
        for number in 0..2 * WRITERS {
            let mut agent = self.agent(usize::try_from(number % 2).expect("0 or 1"));
            let (run, name) = (agent.begin_run(), format!("{round}-{number}"));
            let (tell, (stop, stopped)) = (tell.clone(), mpsc::channel());
            let writer = Writer { name, run };
            started.0.push(stop);
            started.1.push(std::thread::spawn(move || {
                write(&writer, agent, &tell, &stopped);
            }));
        }
        started
    }

    fn strike(&mut self) -> Fault {
        match self.chance.below(4) {
            0 => {
                for _ in 0..3 {
                    self.database.administer(&[END_CONNECTIONS]);
                }
                Fault::ConnectionsEnded
            }
            1 => {
                self.database.crash();
                Fault::DatabaseCrashed
            }
            other => {
                let victim = usize::try_from(other % 2).expect("0 or 1");
                let folder = self.servers[victim].take().expect("it runs").kill();
                self.servers[victim] = Some(serve(&self.database, folder));
                Fault::ServerKilled
            }
        }
    }

    fn remember(&mut self, content: String, revision: String) {
        let before = self.drafts.insert(content, revision);
        assert_eq!(before, None, "two drafts under one content id");
    }

    /// Sends what got no answer once more, under its old key, to the other server.
    fn repeat(&mut self, unanswered: Vec<Draft>) {
        for (place, draft) in unanswered.into_iter().enumerate() {
            let mut agent = self.agent(place % 2);
            let (content, revision) = agent.draft(&draft).expect("it stays").accepted();
            self.repeated += 1;
            self.remember(content, revision);
        }
    }

    fn check(&self, round: u64, fault: Fault) {
        for server in 0..2 {
            let listed = self.agent(server).list_drafts();
            let differences = differences(&self.drafts, &listed);
            assert!(
                differences.is_empty(),
                "round {round}, {fault:?}, server {server}: {differences:#?}"
            );
        }
        let data = self.servers[0].as_ref().expect("it runs").data();
        let verified = binary()
            .env("QUERYLAYER_DATABASE", self.database.url())
            .args(["ledger", "verify", "--data", arg(&data)])
            .output()
            .expect("the program starts");
        assert!(verified.status.success(), "{verified:?}");
    }
}

/// A server of the database; the first start makes its tables and the sample site.
fn serve(database: &PrivateServer, folder: TempDir) -> Server {
    let (url, owner) = (database.url(), database.owner_url());
    let settings = [
        ("QUERYLAYER_CALLS_PER_MINUTE", "0"),
        ("QUERYLAYER_DATABASE", &url),
        ("QUERYLAYER_DATABASE_OWNER", &owner),
    ];
    Server::start_with(folder, &settings)
}

/// Waits for that many acknowledged drafts.
fn wait_for(told: &Receiver<Said>, count: u64, said: &mut Vec<Said>) {
    let (begun, mut acknowledged) = (Instant::now(), 0);
    while acknowledged < count {
        let Ok(next) = told.recv_timeout(AWAY) else {
            return;
        };
        acknowledged += u64::from(matches!(next, Said::Of(Outcome::Acknowledged(..))));
        said.push(next);
        assert!(begun.elapsed() < AWAY, "the database stays away");
    }
}

/// Drafts until it is told to stop or its server is gone; what the database didn't answer is sent
/// again under its key.
fn write(writer: &Writer, mut agent: Agent, tell: &Sender<Said>, stopped: &Receiver<()>) {
    for number in 0_u64.. {
        let draft = writer.draft(number);
        loop {
            let said = match agent.try_call("querylayer_create_draft", &draft.arguments) {
                Ok(Some(answer)) => {
                    let (content, revision) = answer.accepted();
                    Said::Of(Outcome::Acknowledged(content, revision))
                }
                Ok(None) => Said::Unavailable,
                Err(_) => {
                    return tell
                        .send(Said::Of(Outcome::Unanswered(draft)))
                        .unwrap_or_default();
                }
            };
            let answered = matches!(said, Said::Of(_));
            if tell.send(said).is_err() {
                return;
            }
            if answered {
                break;
            }
            // The wait ends early when the test is over; it asks once more all the same.
            if stopped.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Disconnected) {
                std::thread::yield_now();
            }
        }
        if stopped.try_recv() == Err(mpsc::TryRecvError::Disconnected) {
            return;
        }
    }
}

#[test]
fn a_call_that_the_database_did_not_answer_is_no_refusal() {
    let Some(database) = PrivateServer::start() else {
        return;
    };
    let server = serve(&database, TempDir::new());
    let token = server.text("token").to_owned();
    let mut agent = Agent::connect(server.text("mcp_url"), &token).expect("the server listens");
    let list = json!({"limit": 1});
    assert!(
        agent
            .try_call("querylayer_list_content", &list)
            .expect("it stays")
            .is_some()
    );
    drop(database);
    assert!(
        agent
            .try_call("querylayer_list_content", &list)
            .expect("it stays")
            .is_none()
    );
}
