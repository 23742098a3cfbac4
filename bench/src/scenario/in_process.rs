//! The governed transactions without HTTP: what the surface is measured against.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ql_app::decision::NewDecision;
use ql_app::draft::{DraftTarget, Drafted, NewDraft};
use ql_app::proposal::NewProposal;
use ql_app::run::BeginRun;
use ql_app::session::SiteRef;
use ql_app::{App, AppConfig, IdempotencyKey, OpContext};
use ql_core::edit::Change;
use ql_core::id::{RunId, SystemIdGen};
use ql_core::proposal::{Items, Payload, PublishItem, Verdict};
use ql_core::time::SystemClock;
use ql_store::{SqliteOptions, Store};
use serde_json::json;

use super::Bench;
use crate::agent::article;
use crate::load::{percentiles, rate};
use crate::report::{self, Row, milliseconds};

const APPROVALS: u64 = 500;

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (scratch, server) = bench.fresh("in-process")?;
    let info = server.info.clone();
    drop(server);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let text = |key: &str| {
        info[key]
            .as_str()
            .with_context(|| format!("no {key} was printed"))
    };
    let app = open(&scratch.data())?;
    let agent = runtime.block_on(app.authenticate_connection(text("token")?))?;
    for callers in [64, 8] {
        let drafted = runtime.block_on(draft(&app, &agent, callers, bench.duration))?;
        let what = format!("the same draft in process, without HTTP, {callers} callers");
        bench
            .rows
            .push(Row::reference(&what, report::rate(&drafted)));
        bench.in_process.insert(callers, drafted.rate);
    }
    let member = runtime.block_on(sign_in(&app, text("sign_in_url")?, text("site")?))?;
    let (p50, p99) = runtime.block_on(approve(&app, &agent, &member))?;
    app.store().close();
    bench.rows.push(Row::goal(
        "approve and publish one revision, in process",
        format!("p50 {}, p99 {}", milliseconds(p50), milliseconds(p99)),
        "p99 ≤ 10 ms",
        p99 <= Duration::from_millis(10),
    ));
    Ok(())
}

/// The use cases over a folder whose server was ended. They sign nothing.
pub(super) fn open(data: &Path) -> Result<App> {
    let store = Store::open(SqliteOptions::new(data.join("querylayer.db")))?;
    let config = AppConfig {
        public_url: "http://127.0.0.1".to_owned(),
        preview_key: [0; 32],
    };
    let ids = Arc::new(SystemIdGen::default());
    Ok(App::new(store, Arc::new(SystemClock), ids, config))
}

/// The owner, by the link that quickstart prints.
pub(super) async fn sign_in(app: &App, url: &str, site: &str) -> Result<OpContext> {
    let secret = url.rsplit(['/', '=']).next().unwrap_or(url);
    let session = app.sign_in_with_link(secret).await?;
    let signed_in = app.authenticate_session(&session.secret).await?;
    Ok(app
        .member_context(&signed_in, &SiteRef::parse(site))
        .await?
        .0)
}

/// Callers that draft one after another, each in a run of its own.
pub(super) async fn draft(
    app: &App,
    agent: &OpContext,
    callers: usize,
    duration: Duration,
) -> Result<crate::load::Measured> {
    let mut tasks = Vec::new();
    let begin = Instant::now() + duration / 5;
    for _ in 0..callers {
        let caller = Caller::begin(app, agent).await?;
        tasks.push(tokio::spawn(async move {
            let mut times = Vec::new();
            for number in 0.. {
                let sent = Instant::now();
                if sent >= begin + duration {
                    break;
                }
                caller.draft(number).await?;
                if sent >= begin {
                    times.push(sent.elapsed());
                }
            }
            anyhow::Ok(times)
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let rate = rate(times.len(), duration)?;
    let (p50, p99) = percentiles(times);
    Ok(crate::load::Measured {
        rate,
        p50,
        p99,
        errors: 0,
        unavailable: 0,
        answers: 0,
        cost: None,
    })
}

/// The time of a decision that carries out a publication, many times, each of a new page.
async fn approve(app: &App, agent: &OpContext, member: &OpContext) -> Result<(Duration, Duration)> {
    let caller = Caller::begin(app, agent).await?;
    let mut times = Vec::new();
    for number in 0..APPROVALS {
        let drafted = caller.draft(number).await?;
        let proposed = app
            .create_proposal(agent, caller.publication(&drafted), None)
            .await?;
        let decision = NewDecision {
            proposal: proposed.proposal_id,
            verdict: Verdict::Approve,
            digest: proposed.digest,
            comment: String::new(),
        };
        let begun = Instant::now();
        app.decide(member, decision).await?;
        times.push(begun.elapsed());
    }
    Ok(percentiles(times))
}

/// One who drafts within a run of its own.
pub(super) struct Caller {
    app: App,
    agent: OpContext,
    /// The run.
    pub(super) run: RunId,
}

impl Caller {
    /// Begins the run.
    pub(super) async fn begin(app: &App, agent: &OpContext) -> Result<Self> {
        let run = BeginRun {
            run_type: "bench".to_owned(),
            input: json!({}),
            required_outputs: Vec::new(),
            completion_conditions: vec!["The load has ended.".to_owned()],
        };
        Ok(Self {
            app: app.clone(),
            agent: agent.clone(),
            run: app.begin_run(agent, run, None).await?.run_id,
        })
    }

    /// A new article, which repeats with its number.
    pub(super) async fn draft(&self, number: u64) -> Result<Drafted> {
        let mark = format!("{}-{number}", self.run)
            .trim_start_matches("run_")
            .to_owned();
        let fields = article(&mark);
        let key = IdempotencyKey::new("querylayer_create_draft", mark.as_str(), &fields);
        let new = NewDraft {
            target: DraftTarget::New {
                template: "article".to_owned(),
                locale: Some("en".to_owned()),
                translation_group: None,
            },
            slug: Some(format!("note-{mark}").to_lowercase()),
            change: Change::Fields(fields),
            note: String::new(),
        };
        let run = Some(self.run);
        Ok(self
            .app
            .create_draft(&self.agent, run, new, Some(key))
            .await?)
    }

    fn publication(&self, drafted: &Drafted) -> NewProposal {
        let item = PublishItem::Publish {
            content_id: drafted.content_id,
            revision_id: drafted.revision_id,
            publish_at: None,
            time_zone: None,
        };
        NewProposal {
            run: Some(self.run),
            title: None,
            rationale: "It is ready.".to_owned(),
            payload: Payload::PublishLifecycle(Items { items: vec![item] }),
            pointer: "",
        }
    }
}
