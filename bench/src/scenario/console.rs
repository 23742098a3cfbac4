//! The agent console: steps claimed and completed, claims among many ready steps, how soon a turn
//! reaches who waits, and what waiting costs.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use ql_app::turn::ClaimTurn;
use ql_app::{App, OpContext};
use ql_core::id::ConversationId;
use ql_core::step::Operation;
use ql_core::turn::Reply;
use ql_testkit::console::{claim, completion, plan, step};
use serde_json::{Value, json};

use super::{Bench, footprint, in_process};
use crate::agent::Agent;
use crate::load::{percentiles, rate};
use crate::report::{Row, grouped, milliseconds};
use crate::wire::Wire;

const CONNECTIONS: usize = 64;
/// Turns that wait for each connection; at more than this they run out and the rate is too low.
const TURNS: usize = 600;
const STEPS_PER_SECOND: f64 = 1500.0;
/// Ready steps that must not slow a claim down, a hundred to a plan.
const READY: usize = 100_000;
const STEPS_OF_A_PLAN: usize = 100;
const ALLOWED: f64 = 1.3;
const CLAIMS: usize = 500;
const DELIVERIES: usize = 200;
const WITHIN: Duration = Duration::from_millis(50);
const WAITING: usize = 10_000;
const WATCHED: Duration = Duration::from_secs(5);
/// The longest until all who wait have looked for themselves.
const SETTLES: Duration = Duration::from_secs(25);
/// The longest that one claim may wait.
const PATIENCE: Duration = Duration::from_secs(45);
/// Processor time that all who wait may take of one second.
const IDLE_COST: Duration = Duration::from_millis(20);
/// Linux reports processor times in hundredths of a second on every architecture.
const TICK: Duration = Duration::from_millis(10);

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (scratch, server) = bench.fresh("console")?;
    let info = server.info.clone();
    drop(server);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let desk = runtime.block_on(Desk::open(&scratch.data(), &info))?;
    runtime.block_on(desk.fill())?;
    desk.app.store().close();
    drop(desk);

    let token = text(&info, "token")?;
    let (server, _) = footprint::start(bench, (&scratch.data(), &[]), token)?;
    let agent = Agent {
        address: server.address,
        token: token.to_owned(),
    };
    let steps = runtime.block_on(complete_over_http(&agent, bench.duration))?;
    drop(server);
    bench.rows.push(Row::goal(
        "claim and complete a turn over MCP, 64 connections",
        format!("{}/s", grouped(steps)),
        "≥ 1,500/s",
        steps >= STEPS_PER_SECOND,
    ));

    let (scratch, server) = bench.fresh("console-in-process")?;
    let info = server.info.clone();
    drop(server);
    let desk = runtime.block_on(Desk::open(&scratch.data(), &info))?;
    runtime.block_on(desk.measure(bench))?;
    desk.app.store().close();
    Ok(())
}

fn text<'v>(info: &'v Value, key: &str) -> Result<&'v str> {
    info[key]
        .as_str()
        .with_context(|| format!("no {key} was printed"))
}

/// A member who writes and an agent who works, in process.
struct Desk {
    app: App,
    agent: OpContext,
    member: OpContext,
}

impl Desk {
    async fn open(data: &Path, info: &Value) -> Result<Self> {
        let app = in_process::open(data)?;
        let agent = app.authenticate_connection(text(info, "token")?).await?;
        let (link, site) = (text(info, "sign_in_url")?, text(info, "site")?);
        let member = in_process::sign_in(&app, link, site).await?;
        Ok(Self { app, agent, member })
    }

    async fn conversation(&self) -> Result<ConversationId> {
        let agent = self.agent.agent()?.agent;
        Ok(self.app.create_conversation(&self.member, agent).await?.id)
    }

    async fn ask(&self, conversation: ConversationId) -> Result<()> {
        let message = "Please look at the next page.".to_owned();
        self.app
            .add_turn(&self.member, conversation, message)
            .await?;
        Ok(())
    }

    /// As many turns as the connections may use up, in a conversation for each.
    async fn fill(&self) -> Result<()> {
        let mut tasks = Vec::new();
        for _ in 0..CONNECTIONS {
            let desk = Self {
                app: self.app.clone(),
                agent: self.agent.clone(),
                member: self.member.clone(),
            };
            tasks.push(tokio::spawn(async move {
                let conversation = desk.conversation().await?;
                for _ in 0..TURNS {
                    desk.ask(conversation).await?;
                }
                anyhow::Ok(())
            }));
        }
        for task in tasks {
            task.await??;
        }
        Ok(())
    }

    async fn measure(&self, bench: &mut Bench) -> Result<()> {
        let few = self.claims("few").await?;
        self.make_ready().await?;
        let many = self.claims("many").await?;
        let slower = many.as_secs_f64() / few.as_secs_f64();
        bench.rows.push(Row::goal(
            "a claim with 100,000 ready steps, in process",
            format!(
                "p50 {} → {}, × {slower:.2}",
                milliseconds(few),
                milliseconds(many)
            ),
            "≤ × 1.3",
            slower <= ALLOWED,
        ));
        let (p50, p99) = self.deliveries().await?;
        bench.rows.push(Row::goal(
            "from a turn that a member writes to the claim that waits",
            format!("p50 {}, p99 {}", milliseconds(p50), milliseconds(p99)),
            "p99 ≤ 50 ms",
            p99 <= WITHIN,
        ));
        let cost = self.idle().await?;
        bench.rows.push(Row::goal(
            "10,000 waiting claims, processor time of a second",
            milliseconds(cost),
            "≤ 20 ms",
            cost <= IDLE_COST,
        ));
        Ok(())
    }

    /// The median time of a claim in a conversation of its own.
    async fn claims(&self, name: &str) -> Result<Duration> {
        let conversation = self.conversation().await?;
        for _ in 0..CLAIMS {
            self.ask(conversation).await?;
        }
        let mut times = Vec::new();
        for _ in 0..CLAIMS {
            let begun = Instant::now();
            let held = self.app.claim_turn(&self.agent, claim(name), None).await?;
            times.push(begun.elapsed());
            let done = completion(&held, Reply::Completed);
            self.app.complete_turn(&self.agent, done, None).await?;
        }
        Ok(percentiles(times).0)
    }

    /// Plans whose steps are ready all at once.
    async fn make_ready(&self) -> Result<()> {
        for number in 0..READY / STEPS_OF_A_PLAN {
            let conversation = self.conversation().await?;
            self.ask(conversation).await?;
            let session = format!("plan-{number}");
            let held = self
                .app
                .claim_turn(&self.agent, claim(&session), None)
                .await?;
            let steps =
                (0..STEPS_OF_A_PLAN).map(|n| step(&format!("s{n}"), Operation::Research, &[]));
            let new = plan(&held, steps.collect());
            self.app.create_task_plan(&self.agent, new, None).await?;
            let done = completion(&held, Reply::Completed);
            self.app.complete_turn(&self.agent, done, None).await?;
        }
        Ok(())
    }

    async fn deliveries(&self) -> Result<(Duration, Duration)> {
        let conversation = self.conversation().await?;
        let mut times = Vec::new();
        for _ in 0..DELIVERIES {
            let waits = self.wait("delivery");
            self.until_waiting(1).await?;
            let begun = Instant::now();
            self.ask(conversation).await?;
            let held = waits.await??;
            times.push(begun.elapsed());
            let done = completion(&held, Reply::Completed);
            self.app.complete_turn(&self.agent, done, None).await?;
        }
        Ok(percentiles(times))
    }

    /// A claim that waits.
    fn wait(
        &self,
        session: &str,
    ) -> tokio::task::JoinHandle<ql_app::Result<ql_app::turn::ClaimedTurn>> {
        let (app, agent) = (self.app.clone(), self.agent.clone());
        let waits = ClaimTurn {
            wait: PATIENCE,
            ..claim(session)
        };
        tokio::spawn(async move { app.claim_turn(&agent, waits, None).await })
    }

    async fn until_waiting(&self, count: usize) -> Result<()> {
        let patient = Instant::now() + PATIENCE;
        while self.app.waiting_claims() < count {
            ensure!(Instant::now() < patient, "the claims don't wait");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    /// Processor time of this process while all wait, as a share of one second.
    async fn idle(&self) -> Result<Duration> {
        let waits: Vec<_> = (0..WAITING)
            .map(|number| self.wait(&format!("idle-{number}")))
            .collect();
        self.until_waiting(WAITING).await?;
        // Each looks once when it comes, which on a busy machine takes some seconds.
        let patient = Instant::now() + SETTLES;
        while spent_in(Duration::from_secs(1)).await? > IDLE_COST && Instant::now() < patient {}
        let spent = spent_in(WATCHED).await?;
        ensure!(self.app.waiting_claims() == WAITING, "some gave up");
        self.app.end_waiting();
        for wait in waits {
            drop(wait.await?);
        }
        Ok(spent.div_f64(WATCHED.as_secs_f64()))
    }
}

/// Steps per second of connections that claim and complete, each in a session of its own.
async fn complete_over_http(agent: &Agent, duration: Duration) -> Result<f64> {
    let begin = Instant::now() + duration / 5;
    let mut tasks = Vec::new();
    for number in 0..CONNECTIONS {
        let (agent, session) = (agent.clone(), format!("connection-{number}"));
        tasks.push(tokio::spawn(async move {
            let mut wire = Wire::connect(agent.address).await?;
            let mut done = 0;
            while Instant::now() < begin + duration {
                let claim = json!({"session_id": session});
                let held = ask(&mut wire, &agent, ("querylayer_claim_console_task", &claim)).await?;
                let said = json!({
                    "turn_id": held["turn_id"], "lease_token": held["lease_token"], "outcome": "completed",
                    "message": "It is fine as it is.",
                });
                ask(&mut wire, &agent, ("querylayer_complete_console_task", &said)).await?;
                done += usize::from(Instant::now() >= begin);
            }
            anyhow::Ok(done)
        }));
    }
    let mut done = 0;
    for task in tasks {
        done += task.await??;
    }
    rate(done, duration)
}

async fn ask(wire: &mut Wire, agent: &Agent, (tool, said): (&str, &Value)) -> Result<Value> {
    let answer = wire.exchange(&agent.call(tool, said)).await?;
    let body: Value = serde_json::from_str(answer.body)?;
    let text = body["result"]["content"][0]["text"].as_str();
    let said: Value = serde_json::from_str(text.unwrap_or("null"))?;
    if said["ok"] != true {
        bail!("{tool} was refused: {body}");
    }
    Ok(said)
}

/// Processor time of this process in a span.
async fn spent_in(span: Duration) -> Result<Duration> {
    let before = processor_time()?;
    tokio::time::sleep(span).await;
    Ok(processor_time()?.saturating_sub(before))
}

fn processor_time() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().context("no process status")?;
    let mut times = fields.split(' ').skip(11).take(2);
    let mut ticks = 0;
    for _ in 0..2 {
        let field = times.next().context("no processor time")?;
        ticks += field.parse::<u32>()?;
    }
    Ok(TICK * ticks)
}
