//! A whole production, with faults that are found, shown and mended.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use ql_app::OpContext;
use ql_app::decision::NewDecision;
use ql_app::director::{Director, NewProduction, ProductionView, StageView};
use ql_core::id::ProductionId;
use ql_core::production::StageState;
use ql_core::proposal::Verdict as Decided;
use ql_pipeline::audit::Ground;
use ql_pipeline::finding::Code;
use ql_pipeline::money::Micros;
use ql_pipeline::pack::{Actor, Pack, load};
use serde_json::json;

use super::recorded::Faults;
use super::{excerpt, people, recorded};
use crate::admin::said;
use crate::cmd::demo::scratch_folder;
use crate::cmd::quickstart;
use crate::cmd::told::Told;
use crate::config::ServerArgs;
use crate::server::Running;

macro_rules! shipped {
    ($($file:literal),* $(,)?) => {
        vec![$((
            $file.to_owned(),
            include_bytes!(concat!("../../../../../packs/biblical-teaching/", $file)).to_vec(),
        )),*]
    };
}

/// The pack that comes with the program.
///
/// # Errors
/// It isn't fit for use, which its own tests rule out.
pub fn shipped_pack() -> Result<Pack> {
    let files = shipped![
        "constitution.md",
        "disputed.toml",
        "doctrines.toml",
        "pack.toml",
        "roles.toml",
        "rules.toml",
        "stages.toml",
        "translations.toml",
    ];
    load(files).map_err(|unfit| anyhow!("the shipped pack: {unfit}"))
}

/// Tells the story.
pub(super) async fn tell(editions: Option<&Path>, json: bool) -> Result<ExitCode> {
    let folder = scratch_folder()?;
    let args = ServerArgs {
        data: Some(folder.clone()),
        listen: Some(std::net::SocketAddr::from(([127, 0, 0, 1], 0))),
        ..ServerArgs::default()
    };
    let running = Running::start(&args).await?;
    let mut told = Told::new(json);
    let outcome = play(&running, editions, &mut told).await;
    running.stop().await?;
    std::fs::remove_dir_all(&folder)
        .with_context(|| format!("{} can't be removed", folder.display()))?;
    outcome?;
    told.finish(
        &json!({}),
        "Every planted fault was found, mended and gone.",
    )
}

async fn play(running: &Running, editions: Option<&Path>, told: &mut Told) -> Result<()> {
    let fresh = quickstart::furnish(running).await?;
    let pack = Arc::new(shipped_pack()?);
    let ground = Ground::new(pack, Arc::new(excerpt::library(editions)?))?;
    let provider = Arc::new(recorded::answers(Faults::Planted));
    let director = Director::new(running.app.clone(), Arc::new(ground), provider);
    let owner = people::owner(running, &fresh).await?;
    let cast = people::cast(running, &director, (&owner, fresh.site)).await?;
    let said_of = format!(
        "{} · policy {}",
        director.pack().name,
        director.pack().sha256.short()
    );
    told.step(
        "A policy pack and an agent for each role",
        cast == 12,
        said_of,
    )?;
    let mut scene = Scene {
        running,
        director,
        owner,
        id: None,
    };
    scene.begin(told).await?;
    scene.research(told).await?;
    scene.write(told).await?;
    scene.release(told).await
}

/// Where the story stands.
struct Scene<'r> {
    running: &'r Running,
    director: Director,
    owner: OpContext,
    id: Option<ProductionId>,
}

impl Scene<'_> {
    fn id(&self) -> Result<ProductionId> {
        self.id.context("a production")
    }

    async fn look(&self) -> Result<ProductionView> {
        said(self.director.get_production(&self.owner, self.id()?).await)
    }

    /// Lets agents and the server work until nothing is due.
    async fn work(&self) -> Result<ProductionView> {
        said(self.director.run_due_stages().await)?;
        self.look().await
    }

    async fn approve(&self, stage: &str) -> Result<()> {
        said(
            self.director
                .approve_stage(&self.owner, self.id()?, stage)
                .await,
        )
    }

    async fn again(&self, stage: &str) -> Result<ProductionView> {
        said(
            self.director
                .reopen_stage(&self.owner, self.id()?, stage)
                .await,
        )?;
        self.work().await
    }

    async fn begin(&mut self, told: &mut Told) -> Result<()> {
        let new = NewProduction {
            title: "Why did Jesus say “I am the way”?".to_owned(),
            objective: "Draft the script for a short talk on John 14:6.".to_owned(),
            audience: "People who ask whether there is one way.".to_owned(),
            medium: "video".to_owned(),
            template: "article".to_owned(),
            fields: json!({"author": "ana-duarte", "date": "2026-12-01"}),
            budget: Micros::new(6_000_000).unwrap_or_default(),
            task_budget: Micros::new(600_000).unwrap_or_default(),
        };
        self.id = Some(said(self.director.start(&self.owner, new).await)?);
        for (origin, body) in [recorded::SOURCE, recorded::CLEAN_SOURCE] {
            let page = (origin, "text/html", body.as_bytes());
            said(
                self.director
                    .add_source(&self.owner, self.id()?, page)
                    .await,
            )?;
        }
        self.approve("IDEA_PROPOSED").await?;
        self.approve("TOPIC_APPROVED").await?;
        let view = self.look().await?;
        let ready = names(&view, |stage| stage.stage.state == StageState::Ready);
        let held = ready == "RESEARCH_COMPLETED, BIBLICAL_RESEARCH_COMPLETED";
        told.step(
            "A person approves the topic; two stages begin at once",
            held,
            ready,
        )
    }

    async fn research(&self, told: &mut Told) -> Result<()> {
        let view = self.work().await?;
        let research = stage(&view, "RESEARCH_COMPLETED")?;
        let held = has(research, Code::HistoricalClaimUnverified);
        told.step("A claim without a source is found", held, told_of(research))?;
        let held = has(research, Code::InjectionSuspected);
        let said_of =
            "an instruction in a comment of a page; the agent didn't follow it".to_owned();
        told.step("An instruction hidden in a source is found", held, said_of)?;
        let dossier = stage(&view, "BIBLICAL_RESEARCH_COMPLETED")?;
        let held = has(dossier, Code::AttestationUnauthorized)
            && dossier.stage.verdict.as_deref() == Some("NEEDS_REVIEW");
        told.step(
            "An agent that claims more than it earned is lowered",
            held,
            told_of(dossier),
        )?;

        let (origin, _) = recorded::SOURCE;
        said(
            self.director
                .exclude_source(&self.owner, self.id()?, origin)
                .await,
        )?;
        self.again("RESEARCH_COMPLETED").await?;
        let view = self.again("BIBLICAL_RESEARCH_COMPLETED").await?;
        let passed = [
            "RESEARCH_COMPLETED",
            "BIBLICAL_RESEARCH_COMPLETED",
            "HERMENEUTICS_COMPLETED",
        ];
        let held = all_passed(&view, &passed);
        let said_of = "the page was taken out, both agents mended their work".to_owned();
        told.step(
            "Corrected, both pass, and the passages are read and attested",
            held,
            said_of,
        )
    }

    async fn write(&self, told: &mut Told) -> Result<()> {
        let view = self.look().await?;
        let script = stage(&view, "SCRIPT_GENERATED")?;
        let held =
            has(script, Code::ScriptureQuoteMismatch) && has(script, Code::AgentSelfVerified);
        told.step(
            "One word of a quotation isn't the edition's",
            held,
            told_of(script),
        )?;
        let refused = self
            .director
            .approve_stage(&self.owner, self.id()?, "SCRIPT_APPROVED")
            .await;
        let said_of = refused
            .as_ref()
            .map_or_else(ToString::to_string, |()| String::new());
        told.step(
            "Nobody can approve the script as it is",
            refused.is_err(),
            said_of,
        )?;
        let view = self.again("SCRIPT_GENERATED").await?;
        let held = all_passed(&view, &["SCRIPT_GENERATED", "SCRIPT_AUDITED"]);
        told.step(
            "Corrected, the quotation is the edition's",
            held,
            told_of(stage(&view, "SCRIPT_AUDITED")?),
        )?;
        self.approve("SCRIPT_APPROVED").await?;
        let view = self.work().await?;
        let made = [
            "PRODUCTION_PLANNED",
            "VOICE_GENERATED",
            "THUMBNAIL_GENERATED",
            "SEO_GENERATED",
            "SHORTS_GENERATED",
        ];
        told.step(
            "Five agents work from the approved script",
            all_passed(&view, &made),
            made.join(", "),
        )
    }

    async fn release(&self, told: &mut Told) -> Result<()> {
        let view = self.look().await?;
        let sealing = "The gate seals every document and the page";
        let Some(release) = &view.release else {
            return told.step(sealing, false, held_up(&view));
        };
        told.step(
            sealing,
            true,
            format!("manifest {}", release.manifest_sha256),
        )?;
        let app = &self.running.app;
        let proposal = said(app.get_proposal(&self.owner, release.proposal).await)?;
        let decision = NewDecision {
            proposal: release.proposal,
            verdict: Decided::Approve,
            digest: proposal.digest,
            comment: String::new(),
        };
        let decided = said(app.decide(&self.owner, decision).await)?;
        let state = decided.proposal.state.as_str();
        told.step(
            "A person approves exactly that",
            state == "executed",
            format!("the proposal is {state}"),
        )?;
        self.approve("PUBLISH_APPROVED").await?;
        let view = self.work().await?;
        let done = view
            .stages
            .iter()
            .filter(|of| !self.is_side(of))
            .all(is_passed);
        told.step(
            "It is live, as it was sealed",
            done,
            names(&view, is_passed),
        )
    }

    fn is_side(&self, of: &StageView) -> bool {
        let stage = self.director.pack().stage(&of.stage.stage);
        stage.is_some_and(|stage| stage.side && stage.by == Actor::Human)
    }
}

fn stage<'v>(view: &'v ProductionView, id: &str) -> Result<&'v StageView> {
    view.stages
        .iter()
        .find(|of| of.stage.stage == id)
        .with_context(|| format!("no stage {id}"))
}

fn is_passed(of: &StageView) -> bool {
    of.stage.state == StageState::Passed
}

fn all_passed(view: &ProductionView, ids: &[&str]) -> bool {
    ids.iter().all(|id| stage(view, id).is_ok_and(is_passed))
}

fn names(view: &ProductionView, chosen: impl Fn(&StageView) -> bool) -> String {
    let chosen = view.stages.iter().filter(|of| chosen(of));
    let names: Vec<&str> = chosen.map(|of| of.stage.stage.as_str()).collect();
    names.join(", ")
}

fn has(of: &StageView, code: Code) -> bool {
    of.findings.iter().any(|finding| finding.code == code)
}

/// What holds a production up, in a few lines.
fn held_up(view: &ProductionView) -> String {
    let mut lines = Vec::new();
    for of in &view.stages {
        if let StageState::NeedsReview { reason } = &of.stage.state {
            lines.push(format!("{}: {reason}", of.stage.stage));
        }
        if !of.findings.is_empty() {
            lines.push(format!("{} {}", of.stage.stage, told_of(of)));
        }
    }
    lines.join("\n      ")
}

/// The verdict and what was found, in a few lines.
fn told_of(of: &StageView) -> String {
    let mut lines = vec![of.stage.verdict.clone().unwrap_or_default()];
    for finding in &of.findings {
        lines.push(format!(
            "{} {}: {}",
            finding.code.as_str(),
            finding.pointer,
            finding.message
        ));
    }
    lines.join("\n      ")
}
