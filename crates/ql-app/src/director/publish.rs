//! The role that publishes: it compares every byte with what the gate sealed, and calls no model.

use ql_core::id::{ProposalId, SiteId};
use ql_core::problem::Problem;
use ql_core::proposal::ProposalState;
use ql_core::time::Timestamp;
use ql_pipeline::audit::Spent;
use ql_pipeline::envelope::output::{Label, ReleaseManifest};
use ql_pipeline::envelope::{Output, TaskResult};
use ql_pipeline::finding::{Code, Finding};
use ql_pipeline::money::Micros;
use ql_pipeline::pack::Role;
use ql_pipeline::release::{Manifest, SealedPage};
use ql_pipeline::verdict::Verdict;
use ql_store::stage_task::{self, Release};
use ql_store::{Tx, content, proposal};
use serde_json::json;

use super::Director;
use super::call::Issued;
use super::gate::sealed;
use super::made::stored;
use super::outlet::release_parcel;
use super::situation::{Board, Situation};
use super::worker::Work;
use crate::context::OpContext;
use crate::error::{Error, Result};

impl Director {
    /// Says what was published, if it is what was sealed.
    pub(super) async fn publish(
        &self,
        work: Work,
        role: &Role,
        (issued, player): (Issued, OpContext),
    ) -> Result<()> {
        let situation = work.situation.clone();
        let found = self
            .app
            .store()
            .read(move |tx| {
                let id = situation.production.id;
                let release =
                    stage_task::find_release(tx, id)?.ok_or(Error::NotFound("release"))?;
                Ok::<_, Error>((now(tx, &situation, &release)?, release))
            })
            .await?;
        let (now, release) = found;
        let manifest: Manifest = stored(release.manifest.clone())?;
        let open = changes(&manifest, &now);
        let mut destinations = vec![Label("site".to_owned())];
        // What isn't as it was sealed goes nowhere.
        if open.is_empty() {
            let stages = manifest.documents.iter().map(|document| &document.stage);
            let stages: Vec<&String> = stages.collect();
            let documents = work.situation.accepted();
            let documents = documents.filter(|made| stages.contains(&&made.task.stage));
            let parcel = release_parcel(work.id, &release, documents);
            match self.send(work.place, &parcel).await? {
                Ok(outlet) => destinations.extend(outlet.map(Label)),
                Err(why) => {
                    let why = vec![Problem::new("/output/destinations", "not_sent", why)];
                    return self
                        .hold_unfit(work, (issued, player), ("not_sent", why))
                        .await;
                }
            }
        }
        let output = ReleaseManifest {
            manifest_sha256: release.manifest_sha256.to_string(),
            destinations,
        };
        let result = TaskResult {
            task_id: issued.envelope.task_id.clone(),
            agent_role: role.id.clone(),
            status: Verdict::TheologyVerified,
            output: json!(output),
            scripture: Vec::new(),
            claims: Vec::new(),
            uncertainties: Vec::new(),
            interpretive_notes: Vec::new(),
            cited_doctrines: Vec::new(),
            constitution_sha256: issued.envelope.constitution_sha256.clone(),
            policy_pack_sha256: issued.envelope.policy_pack_sha256.clone(),
            provider: "none".to_owned(),
            model: "none".to_owned(),
            cost_usd: Micros::ZERO,
            latency_ms: 0,
        };
        let answer = (result, Output::ReleaseManifest(output));
        let known = (Spent::Known(Micros::ZERO), open);
        self.settle_with((work, role), (issued, player), answer, known)
            .await
    }
}

/// Everything that isn't as it was sealed.
fn changes(manifest: &Manifest, now: &Manifest) -> Vec<Finding> {
    let finding = |(what, sealed, found): (String, String, String)| {
        let or_nothing = |hash: &str| {
            if hash.is_empty() {
                "nothing".to_owned()
            } else {
                hash.to_owned()
            }
        };
        let (was, is) = (or_nothing(&sealed), or_nothing(&found));
        let message = format!("{what}: {was} was sealed, {is} is there");
        Finding::new(
            Code::ArtifactChangedAfterGate,
            "/output/manifest_sha256",
            message,
        )
        .with(json!({"what": what, "expected": sealed, "found": found}))
    };
    manifest.changes(now).into_iter().map(finding).collect()
}

/// What the manifest would say now, of what is live and of the documents that count.
fn now(tx: &mut Tx<'_>, situation: &Situation, release: &Release) -> Result<Manifest> {
    let sealed_manifest: Manifest = stored(release.manifest.clone())?;
    let stages: Vec<&str> = sealed_manifest
        .documents
        .iter()
        .map(|document| document.stage.as_str())
        .collect();
    let policy = &situation.production.policy;
    let site = situation.production.site;
    let live = content::find(tx, site, release.content)?.and_then(|item| item.item.published);
    let revision = match live {
        Some(id) => content::find_revision(tx, site, id)?,
        None => None,
    };
    Ok(Manifest {
        production: situation.production.id.to_string(),
        constitution_sha256: policy.constitution_sha256.to_string(),
        policy_pack_sha256: policy.sha256.to_string(),
        verdict: sealed_manifest.verdict,
        documents: situation
            .accepted()
            .filter(|made| stages.contains(&made.task.stage.as_str()))
            .map(sealed)
            .collect(),
        page: SealedPage {
            content: release.content.to_string(),
            revision: revision
                .as_ref()
                .map(|of| of.id.to_string())
                .unwrap_or_default(),
            sha256: revision.map(|of| of.sha256.to_string()).unwrap_or_default(),
        },
    })
}

/// Whether the proposal to publish what was sealed last was carried out.
pub(super) fn is_live(tx: &mut Tx<'_>, board: &Board) -> Result<bool> {
    let production = &board.production;
    let Some(release) = stage_task::find_release(tx, production.id)? else {
        return Ok(false);
    };
    Ok(executed_at(tx, production.site, release.proposal)?.is_some())
}

/// Whether what was sealed last has gone live since: the stage behind the seal follows by itself then.
pub(super) fn is_followed(tx: &mut Tx<'_>, board: &Board) -> Result<bool> {
    let production = &board.production;
    let Some(release) = stage_task::find_release(tx, production.id)? else {
        return Ok(false);
    };
    let at = executed_at(tx, production.site, release.proposal)?;
    Ok(at.is_some_and(|at| at >= release.at))
}

/// When a proposal was carried out, where it was.
pub(super) fn executed_at(
    tx: &mut Tx<'_>,
    site: SiteId,
    id: ProposalId,
) -> Result<Option<Timestamp>> {
    let found = proposal::find(tx, site, id)?;
    Ok(found.and_then(|found| match found.state {
        ProposalState::Executed { at } => Some(at),
        _ => None,
    }))
}
