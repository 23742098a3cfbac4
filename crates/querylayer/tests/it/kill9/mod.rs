//! The server is killed in the middle of its work, again and again, and nothing that it answered
//! for may be missing afterwards.
//!
//! `QL_KILL9_CYCLES` sets the number of kills (default 20), `QL_KILL9_SEED` the choice of moments.

pub(crate) mod client;
pub(crate) mod money;
mod replicas;
pub(crate) mod writer;

use std::collections::BTreeMap;
use std::env;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use client::Agent;
use ql_testkit::TempDir;
use serde_json::json;
use writer::{Draft, Outcome, Writer};

use crate::process::{Server, arg, said};

const WRITERS: u64 = 8;
const MOST_DRAFTS_BEFORE_A_KILL: u64 = 150;
const READY_WITHIN: Duration = Duration::from_secs(2);

#[test]
fn what_was_acknowledged_survives_every_kill() {
    let cycles = number("QL_KILL9_CYCLES", 20);
    let seed = number("QL_KILL9_SEED", 1);
    println!("{cycles} cycles, seed {seed}");
    let mut world = World::create(Chance(seed));
    for cycle in 0..cycles {
        let folder = world.write_until_killed(cycle);
        world.start_again(folder);
        world.repeat_unanswered();
        world.check(cycle);
    }
    println!(
        "{} drafts acknowledged, {} kept although unanswered, slowest start {:?}",
        world.drafts.len(),
        world.kept_unanswered,
        world.slowest_start
    );
    assert!(
        world.drafts.len() as u64 > cycles,
        "hardly anything was written"
    );
}

pub(crate) fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().expect("a whole number"))
}

/// The server, and what it must remember.
struct World {
    /// None only between a kill and the next start.
    server: Option<Server>,
    token: String,
    chance: Chance,
    /// Acknowledged drafts: content id → revision id.
    drafts: BTreeMap<String, String>,
    unanswered: Vec<Draft>,
    kept_unanswered: usize,
    slowest_start: Duration,
}

impl World {
    fn create(chance: Chance) -> Self {
        let server = start(TempDir::new());
        Self {
            token: server.text("token").to_owned(),
            server: Some(server),
            chance,
            drafts: BTreeMap::new(),
            unanswered: Vec::new(),
            kept_unanswered: 0,
            slowest_start: Duration::ZERO,
        }
    }

    fn agent(&self) -> Agent {
        Agent::connect(self.server().text("mcp_url"), &self.token).expect("the server listens")
    }

    fn server(&self) -> &Server {
        self.server
            .as_ref()
            .expect("nobody asks between a kill and a start")
    }

    /// Eight writers draft until the server is killed under them.
    fn write_until_killed(&mut self, cycle: u64) -> TempDir {
        let (tell, told) = mpsc::channel();
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| self.start_writer(format!("{cycle}-{number}"), tell.clone()))
            .collect();
        drop(tell);
        let mut outcomes = self.wait_for_the_moment(&told);
        let folder = self.server.take().expect("it runs").kill();
        for writer in writers {
            writer.join().expect("a writer panicked");
        }
        outcomes.extend(told);
        for outcome in outcomes {
            match outcome {
                Outcome::Acknowledged(content, revision) => self.remember(content, revision),
                Outcome::Unanswered(draft) => self.unanswered.push(draft),
            }
        }
        folder
    }

    fn start_writer(&self, name: String, tell: Sender<Outcome>) -> thread::JoinHandle<()> {
        let mut agent = self.agent();
        let run = agent.begin_run();
        let writer = Writer { name, run };
        thread::spawn(move || writer.write(agent, &tell))
    }

    /// Some acknowledged drafts later, plus up to five milliseconds.
    fn wait_for_the_moment(&mut self, told: &Receiver<Outcome>) -> Vec<Outcome> {
        let count = 1 + self.chance.below(MOST_DRAFTS_BEFORE_A_KILL);
        let mut outcomes: Vec<_> = told
            .iter()
            .take(usize::try_from(count).expect("a small count"))
            .collect();
        let rest = Duration::from_micros(self.chance.below(5000));
        let (_open, never) = mpsc::channel::<()>();
        assert!(never.recv_timeout(rest).is_err(), "only time passes here");
        outcomes.extend(told.try_iter());
        outcomes
    }

    fn remember(&mut self, content: String, revision: String) {
        let before = self.drafts.insert(content, revision);
        assert_eq!(before, None, "two drafts under one content id");
    }

    /// Starts over what the kill left, and measures until a tool is answered.
    fn start_again(&mut self, folder: TempDir) {
        let begun = Instant::now();
        self.server = Some(start(folder));
        let ping = json!({"limit": 1});
        let answer = self.agent().call("querylayer_list_content", &ping);
        answer.expect("the server stays");
        let took = begun.elapsed();
        self.slowest_start = self.slowest_start.max(took);
        assert!(took <= READY_WITHIN, "ready after {took:?}");
    }

    /// Sends what got no answer once more, under its old key.
    fn repeat_unanswered(&mut self) {
        let mut agent = self.agent();
        let before = agent.list_drafts();
        for draft in std::mem::take(&mut self.unanswered) {
            let (content, revision) = agent.draft(&draft).expect("the server stays").accepted();
            self.kept_unanswered += usize::from(before.contains_key(&content));
            self.remember(content, revision);
        }
    }

    /// Everything acknowledged is there once, nothing else is, and the ledger verifies.
    fn check(&self, cycle: u64) {
        let listed = self.agent().list_drafts();
        let differences = differences(&self.drafts, &listed);
        assert!(
            differences.is_empty(),
            "after kill {cycle}: {differences:#?}"
        );
        said(&["ledger", "verify", "--data", arg(&self.server().data())]);
    }
}

/// A server without limits on calls, which eight writers would meet in a second.
pub(crate) fn start(folder: TempDir) -> Server {
    Server::start_with(folder, &[("QUERYLAYER_CALLS_PER_MINUTE", "0")])
}

/// What is lost, changed or doubled.
pub(crate) fn differences(
    acknowledged: &BTreeMap<String, String>,
    listed: &BTreeMap<String, String>,
) -> Vec<String> {
    let lost = acknowledged
        .iter()
        .filter(|(content, revision)| listed.get(*content) != Some(revision))
        .map(|(content, revision)| format!("{content} isn't at its acknowledged {revision}"));
    let extra = listed
        .keys()
        .filter(|content| !acknowledged.contains_key(*content))
        .map(|content| format!("{content} was made by a repeated key or by nobody"));
    lost.chain(extra).collect()
}

#[test]
fn a_lost_and_a_doubled_draft_are_noticed() {
    let map = |pairs: &[(&str, &str)]| -> BTreeMap<_, _> {
        let owned =
            |(content, revision): &(&str, &str)| (content.to_string(), revision.to_string());
        pairs.iter().map(owned).collect()
    };
    let acknowledged = map(&[("a", "1"), ("b", "2"), ("c", "3")]);
    assert!(differences(&acknowledged, &acknowledged).is_empty());
    let listed = map(&[("a", "1"), ("b", "other"), ("d", "4")]);
    insta::assert_snapshot!(differences(&acknowledged, &listed).join("\n"), @r"
    b isn't at its acknowledged 2
    c isn't at its acknowledged 3
    d was made by a repeated key or by nobody
    ");
}

/// Choices that a seed repeats (`SplitMix64`).
#[derive(Debug)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}
