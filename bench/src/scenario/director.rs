//! Productions: how many stage runs a second are asked, answered, audited and kept, with agents that
//! answer at once, and what auditing costs alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use ql_app::director::{Ask, Asking, Director, Failure, NewProduction, Provider, Recorded};
use ql_app::{App, OpContext};
use ql_core::id::ProductionId;
use ql_core::production::Cast;
use ql_core::proposal::Verdict;
use ql_pipeline::audit::Ground;
use ql_pipeline::money::Micros;
use ql_testkit::setup;
use querylayer::cmd::director::recorded::{self, Faults};
use querylayer::cmd::director::{excerpt, story};
use serde_json::{Value, json};

use super::{Bench, in_process};
use crate::load::{percentiles, rate};
use crate::report::{Row, grouped, milliseconds};

/// Productions that go through every stage.
const PRODUCTIONS: usize = 1000;
/// Productions that are taken further by one worker alone.
const ALONE: usize = 100;
/// What a stage run may cost the server.
const OVERHEAD: Duration = Duration::from_millis(5);
/// Workers that take stages further side by side.
const WORKERS: usize = 64;
const STAGES_PER_SECOND: f64 = 300.0;
/// The stages that people complete, in order; between them agents and the server work.
const HUMAN: [&[&str]; 3] = [
    &["IDEA_PROPOSED", "TOPIC_APPROVED"],
    &["SCRIPT_APPROVED"],
    &["PUBLISH_APPROVED"],
];

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (scratch, server) = bench.fresh("director")?;
    let info = server.info.clone();
    drop(server);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let studio = runtime.block_on(Studio::open(&scratch.data(), &info))?;
    let (median, slowest) = runtime.block_on(studio.alone())?;
    let (stages, per_second) = runtime.block_on(studio.produce())?;
    studio.app.store().close();
    bench.rows.push(Row::goal(
        "a stage run, one at a time, the provider's time left out",
        format!(
            "{} median, {} p99",
            milliseconds(median),
            milliseconds(slowest)
        ),
        "≤ 5 ms median",
        median <= OVERHEAD,
    ));
    bench.rows.push(Row::goal(
        &format!("stage runs of {PRODUCTIONS} productions, {stages} in all, {WORKERS} workers"),
        format!("{}/s", grouped(per_second)),
        "≥ 300/s",
        per_second >= STAGES_PER_SECOND,
    ));
    Ok(())
}

/// The recorded agents, with a title of its own for each production, since pages have addresses of
/// their own.
struct Varied(Recorded);

impl Provider for Varied {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        self.0.most(ask)
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(async move {
            let mut answered = self.0.ask(ask).await?;
            let project = ask.envelope.split("\"project_id\":\"").nth(1);
            if let Some(project) = project.and_then(|rest| rest.get(..36)) {
                answered.text = answered.text.replace("Why did Jesus", project);
            }
            Ok(answered)
        })
    }
}

/// A site with a director and its owner.
struct Studio {
    app: App,
    director: Director,
    owner: OpContext,
}

impl Studio {
    async fn open(data: &std::path::Path, info: &Value) -> Result<Self> {
        let text = |key: &str| {
            info[key]
                .as_str()
                .with_context(|| format!("no {key} was printed"))
        };
        let app = in_process::open(data)?;
        let owner = in_process::sign_in(&app, text("sign_in_url")?, text("site")?).await?;
        let ground = Ground::new(
            Arc::new(story::shipped_pack()?),
            Arc::new(excerpt::library(None)?),
        )?;
        let provider = Arc::new(Varied(recorded::answers(Faults::None)));
        let director = Director::new(app.clone(), Arc::new(ground), provider);
        let connection = text("connection")?.parse()?;
        for role in &director.pack().roles {
            let cast = Cast::by_provider(&role.id, connection);
            director.cast(&owner, cast).await?;
        }
        Ok(Self {
            app,
            director,
            owner,
        })
    }

    /// How long one worker takes for a stage: the task, the answer's reading and audit, and everything
    /// that is kept of them, durable.
    async fn alone(&self) -> Result<(Duration, Duration)> {
        let mut times = Vec::new();
        for number in 0..ALONE {
            let new = production(PRODUCTIONS + number);
            let id = self.director.start(&self.owner, new).await?;
            for stage in HUMAN[0] {
                self.director.approve_stage(&self.owner, id, stage).await?;
            }
            loop {
                let begun = Instant::now();
                if !self.director.run_due_stage().await? {
                    break;
                }
                times.push(begun.elapsed());
            }
        }
        Ok(percentiles(times))
    }

    /// Takes every production from its idea to what was received of it.
    async fn produce(&self) -> Result<(usize, f64)> {
        let mut productions = Vec::with_capacity(PRODUCTIONS);
        for number in 0..PRODUCTIONS {
            productions.push(self.director.start(&self.owner, production(number)).await?);
        }
        let (mut stages, mut spent) = (0, Duration::ZERO);
        for (round, human) in HUMAN.iter().enumerate() {
            for id in &productions {
                if round == 2 {
                    self.approve_release(*id).await?;
                }
                for stage in *human {
                    self.director.approve_stage(&self.owner, *id, stage).await?;
                }
            }
            let begun = Instant::now();
            stages += self.work().await?;
            spent += begun.elapsed();
        }
        for id in &productions {
            let view = self.director.get_production(&self.owner, *id).await?;
            let open = view
                .stages
                .iter()
                .filter(|of| of.stage.state.as_str() != "passed")
                .count();
            ensure!(
                open == 2,
                "a production didn't come to its end; its ways out alone stay open"
            );
        }
        Ok((stages, rate(stages, spent)?))
    }

    async fn approve_release(&self, id: ProductionId) -> Result<()> {
        let view = self.director.get_production(&self.owner, id).await?;
        let proposal = view.release.context("a sealed release")?.proposal;
        let digest = self.app.get_proposal(&self.owner, proposal).await?.digest;
        let decision = setup::decision(proposal, Verdict::Approve, digest);
        self.app.decide(&self.owner, decision).await?;
        Ok(())
    }

    /// Workers side by side until nothing is due.
    async fn work(&self) -> Result<usize> {
        let done = Arc::new(AtomicUsize::new(0));
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..WORKERS {
            let (director, done) = (self.director.clone(), Arc::clone(&done));
            workers.spawn(async move {
                while director.run_due_stage().await? {
                    done.fetch_add(1, Ordering::Relaxed);
                }
                Ok::<_, ql_app::Error>(())
            });
        }
        while let Some(worker) = workers.join_next().await {
            worker??;
        }
        // A worker that found nothing may have looked while another freed something.
        let rest = self.director.run_due_stages().await?;
        Ok(done.load(Ordering::Relaxed) + rest)
    }
}

fn production(number: usize) -> NewProduction {
    NewProduction {
        title: format!("The way {number}"),
        objective: "A talk on John 14:6.".into(),
        audience: "Everybody".into(),
        medium: "video".into(),
        template: "article".into(),
        fields: json!({"author": "ana-duarte", "date": "2026-12-01"}),
        budget: Micros::new(6_000_000).unwrap_or_default(),
        task_budget: Micros::new(600_000).unwrap_or_default(),
    }
}
