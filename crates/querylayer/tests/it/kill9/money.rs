//! The server is killed while providers work for it, and every micro-dollar is accounted for.
//!
//! `QL_MONEY_KILLS` sets the number of kills (default 12), `QL_MONEY_SEED` the choice of moments.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, Router};
use ql_app::director::{Director, NewProduction, Nobody};
use ql_core::production::Cast;
use ql_pipeline::audit::Ground;
use ql_pipeline::envelope::mend;
use ql_pipeline::money::Micros;
use ql_testkit::TempDir;
use querylayer::cmd::director::{excerpt, people, story};
use querylayer::cmd::quickstart;
use querylayer::config::ServerArgs;
use querylayer::server::Running;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::{Chance, number};
use crate::director::agents::recorded_answer;
use crate::process::Server;
use crate::provider::media::silence;

/// What one answer costs, in micro-dollars: a thousand tokens read and five hundred written.
const PRICE: i64 = 2000;
/// What a production may cost: a handful of calls at the most that one could cost.
const BUDGET: i64 = 400_000;

/// After so long without a request nothing more comes.
const IDLE: Duration = Duration::from_secs(5);

/// A server that speaks OpenAI's dialect, takes its time, and writes a bill for every answer.
#[derive(Clone)]
pub(crate) struct Biller {
    /// How often each call was billed, by its idempotency key.
    bills: Arc<Mutex<BTreeMap<String, i64>>>,
    /// Told of every request, of every bill and of every answer.
    happens: Sender<()>,
    chance: Arc<Mutex<Chance>>,
}

impl Biller {
    /// Begins to answer; the receiver hears of whatever happens.
    pub(crate) async fn serve(seed: u64) -> (Self, SocketAddr, Receiver<()>) {
        let (happens, happening) = mpsc::channel();
        let biller = Self {
            bills: Arc::default(),
            happens,
            chance: Arc::new(Mutex::new(Chance(seed))),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .route("/v1/chat/completions", post(complete))
            .route("/v1/audio/speech", post(async || silence(1)))
            .with_state(biller.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (biller, address, happening)
    }

    async fn take_a_while(&self) {
        // Nobody listens any more at the very end.
        self.happens.send(()).ok();
        let wait = self.chance.lock().expect("no panic").below(60);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }

    fn bills(&self) -> BTreeMap<String, i64> {
        self.bills.lock().expect("no panic").clone()
    }
}

async fn complete(
    State(biller): State<Biller>,
    headers: HeaderMap,
    Json(asked): Json<Value>,
) -> Json<Value> {
    let key = headers["idempotency-key"]
        .to_str()
        .expect("text")
        .to_owned();
    biller.take_a_while().await;
    *biller
        .bills
        .lock()
        .expect("no panic")
        .entry(key)
        .or_default() += 1;
    biller.take_a_while().await;
    biller.happens.send(()).ok();
    let messages = asked["messages"].as_array().expect("messages");
    let words = messages.last().expect("one")["content"]
        .as_str()
        .expect("text");
    let envelope: Value = serde_json::from_str(mend::object(words)).expect("the task");
    let answer = recorded_answer(&envelope).await;
    Json(json!({
        "id": "c", "object": "chat.completion", "model": "billed",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500},
    }))
}

/// A data folder in which many productions wait for providers. Nothing of the server that makes it is
/// left when this ends.
fn furnish(folder: &Path, productions: u64) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(start_productions(folder, productions));
}

async fn start_productions(folder: &Path, productions: u64) {
    let args = ServerArgs {
        data: Some(folder.join("data")),
        listen: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
        ..ServerArgs::default()
    };
    let running = Running::start(&args).await.expect("a server");
    let fresh = quickstart::furnish(&running).await.expect("a site");
    let owner = people::owner(&running, &fresh).await.expect("an owner");
    let pack = Arc::new(story::shipped_pack().expect("a fit pack"));
    let library = Arc::new(excerpt::library(None).expect("the excerpt"));
    let ground = Arc::new(Ground::new(pack, library).expect("ready"));
    let director = Director::new(running.app.clone(), ground, Arc::new(Nobody));
    for role in &director.pack().roles {
        let cast = Cast::by_provider(&role.id, fresh.connection);
        director.cast(&owner, cast).await.expect("cast");
    }
    for number in 0..productions {
        let new = NewProduction {
            title: format!("The way {number}"),
            objective: "A talk on John 14:6.".into(),
            audience: "Everybody".into(),
            medium: "video".into(),
            template: "article".into(),
            fields: json!({}),
            budget: Micros::new(BUDGET).expect("in range"),
            task_budget: Micros::new(BUDGET).expect("in range"),
        };
        let id = director.start(&owner, new).await.expect("started");
        for stage in ["IDEA_PROPOSED", "TOPIC_APPROVED"] {
            let approved = director.approve_stage(&owner, id, stage).await;
            approved.expect("approved");
        }
    }
    running.stop().await.expect("stopped");
}

fn write_settings(folder: &Path, address: SocketAddr) {
    let tiers: String = ["reasoning", "writing"]
        .map(|tier| {
            format!("[{tier}]\nprovider = \"openai\"\nbase_url = \"http://{address}/v1\"\nmodel = \"billed\"\nmax_output_tokens = 2000\n\n")
        })
        .concat();
    let prices = "as_of = \"2026-12-01\"\nsource = \"a test\"\n\n[[price]]\nprovider = \"openai\"\nmodel = \"billed\"\ninput = 1_000_000\noutput = 2_000_000\n";
    std::fs::write(folder.join("tiers.toml"), tiers).expect("written");
    std::fs::write(folder.join("prices.toml"), prices).expect("written");
}

/// What the books say of one call.
struct Line {
    key: String,
    production: String,
    amount: i64,
    state: String,
    charged: Option<i64>,
}

fn books(folder: &Path) -> (Vec<Line>, BTreeMap<String, (i64, i64)>) {
    let path = folder.join("data/querylayer.db");
    let database =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the database");
    let mut lines = database
        .prepare("SELECT r.task_id || ':' || r.number, t.production_id, r.amount, r.state, r.charged FROM reservations r JOIN stage_tasks t ON t.id = r.task_id")
        .expect("a statement");
    let lines = lines
        .query_map([], |row| {
            Ok(Line {
                key: row.get(0)?,
                production: row.get(1)?,
                amount: row.get(2)?,
                state: row.get(3)?,
                charged: row.get(4)?,
            })
        })
        .expect("rows")
        .collect::<Result<Vec<_>, _>>()
        .expect("lines");
    let mut budgets = database
        .prepare("SELECT production_id, budget, committed FROM production_budgets")
        .expect("a statement");
    let budgets = budgets
        .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))
        .expect("rows")
        .collect::<Result<BTreeMap<_, _>, _>>()
        .expect("budgets");
    (lines, budgets)
}

/// Nothing is overspent, paid for twice or left out; `ended` once no call is under way.
fn check(folder: &Path, bills: &BTreeMap<String, i64>, ended: bool) -> Vec<String> {
    let (lines, budgets) = books(folder);
    let mut wrong = Vec::new();
    let (mut committed, mut billed) = (BTreeMap::<&str, i64>::new(), BTreeMap::<&str, i64>::new());
    let mut known = BTreeSet::new();
    for line in &lines {
        let counts = match (line.state.as_str(), line.charged) {
            ("settled", Some(charged)) => charged,
            ("released", None) => 0,
            ("held" | "uncertain", None) => line.amount,
            other => panic!("a line in no state: {other:?}"),
        };
        let times = bills.get(&line.key).copied().unwrap_or_default();
        *committed.entry(&line.production).or_default() += counts;
        *billed.entry(&line.production).or_default() += times * PRICE;
        known.insert(line.key.as_str());
        match line.state.as_str() {
            "settled" if counts != PRICE || times != 1 => {
                wrong.push(format!(
                    "{} is settled at {counts} and was billed {times} times",
                    line.key
                ));
            }
            "released" if times > 0 => wrong.push(format!("{} was billed and let go", line.key)),
            "held" if ended => wrong.push(format!("{} is held by nobody", line.key)),
            _ if times > 1 => wrong.push(format!("{} was billed {times} times", line.key)),
            _ => {}
        }
    }
    for (production, (budget, says)) in &budgets {
        let sum = committed
            .get(production.as_str())
            .copied()
            .unwrap_or_default();
        let paid = billed.get(production.as_str()).copied().unwrap_or_default();
        if *says != sum || sum > *budget || paid > sum {
            wrong.push(format!(
                "{production}: {paid} billed, {sum} in lines, {says} of {budget} committed"
            ));
        }
    }
    let unknown = bills.keys().filter(|key| !known.contains(key.as_str()));
    wrong.extend(unknown.map(|key| format!("{key} was billed and nobody knows of it")));
    wrong
}

#[test]
fn every_micro_dollar_survives_every_kill() {
    let kills = number("QL_MONEY_KILLS", 12);
    let seed = number("QL_MONEY_SEED", 1);
    println!("{kills} kills, seed {seed}");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let mut folder = TempDir::new();
    furnish(folder.path(), 4 + kills * 3);
    let (biller, address, happening) = runtime.block_on(Biller::serve(seed));
    write_settings(folder.path(), address);
    let mut chance = Chance(seed);
    for kill in 0..kills {
        let server = start(folder);
        for _ in 0..=chance.below(40) {
            let next = happening.recv_timeout(IDLE);
            next.expect("there are enough productions for every kill");
        }
        folder = server.kill();
        let wrong = check(folder.path(), &biller.bills(), false);
        assert!(
            wrong.is_empty(),
            "after kill {kill} of seed {seed}: {wrong:#?}"
        );
    }
    // Whoever comes last writes down what the dead had set aside, and goes on to the end.
    let server = start(folder);
    while happening.recv_timeout(IDLE).is_ok() {}
    folder = server.stop();
    let wrong = check(folder.path(), &biller.bills(), true);
    assert!(wrong.is_empty(), "at the end of seed {seed}: {wrong:#?}");
    let (lines, _) = books(folder.path());
    let of = |state: &str| lines.iter().filter(|line| line.state == state).count();
    println!(
        "{} calls billed, {} settled, {} uncertain, {} released",
        biller.bills().len(),
        of("settled"),
        of("uncertain"),
        of("released")
    );
    assert!(of("settled") > 20, "hardly anything was paid");
    assert!(of("uncertain") > 0, "no kill met a call");
}

fn start(folder: TempDir) -> Server {
    let within = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (tiers, prices) = (within("tiers.toml"), within("prices.toml"));
    let settings = [
        ("QUERYLAYER_POLICY", "biblical-teaching"),
        ("QUERYLAYER_TIERS", tiers.as_str()),
        ("QUERYLAYER_PRICES", prices.as_str()),
        ("RUST_LOG", "error"),
    ];
    Server::start_with(folder, &settings)
}

/// The control: books that lie are found out.
#[test]
fn books_that_lie_are_found_out() {
    let folder = TempDir::new();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    furnish(folder.path(), 2);
    let (biller, address, happening) = runtime.block_on(Biller::serve(1));
    write_settings(folder.path(), address);
    let server = start(folder);
    while biller.bills().len() < 4 {
        happening.recv_timeout(IDLE).expect("work goes on");
    }
    let folder = server.kill();
    let database = Connection::open(folder.path().join("data/querylayer.db")).expect("it");
    assert_eq!(check(folder.path(), &biller.bills(), false), [""; 0]);
    for (lie, undo) in [
        (
            "UPDATE reservations SET amount = amount - 1, charged = charged - 1",
            "UPDATE reservations SET amount = amount + 1, charged = charged + 1",
        ),
        (
            "UPDATE production_budgets SET committed = committed + 1",
            "UPDATE production_budgets SET committed = committed - 1",
        ),
        (
            "UPDATE production_budgets SET budget = budget - 399999",
            "UPDATE production_budgets SET budget = budget + 399999",
        ),
    ] {
        database.execute(lie, []).expect("told");
        assert_ne!(
            check(folder.path(), &biller.bills(), false),
            [""; 0],
            "{lie}"
        );
        database.execute(undo, []).expect("untold");
    }
    let mut twice = biller.bills();
    for times in twice.values_mut() {
        *times += 1;
    }
    assert_ne!(check(folder.path(), &twice, false), [""; 0]);
    twice.insert("tsk_nobody:1".to_owned(), 1);
    assert_ne!(check(folder.path(), &twice, false), [""; 0]);
}
