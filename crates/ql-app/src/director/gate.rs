//! Gates: the server looks again at what was made, by the rules of the gate; the last one seals.

use ql_core::access::Principal;
use ql_core::edit::Change;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, ProposalId, RunId, TaskId};
use ql_core::proposal::{Items, Payload, PublishItem};
use ql_core::run::{FinishRequest, Outcome};
use ql_pipeline::audit::Audit;
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::Output;
use ql_pipeline::release::{Manifest, SealedDocument, SealedPage};
use ql_pipeline::verdict::Verdict;
use ql_store::stage_task::{self, Release};
use serde_json::{Value, json};

use super::Director;
use super::made::Made;
use super::settle::{Subject, record};
use super::worker::Work;
use crate::context::OpContext;
use crate::draft::{DraftTarget, Drafted, NewDraft};
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::proposal::NewProposal;
use crate::run::BeginRun;

/// The run in which the page is written.
const PAGE: &str = "release-page";
/// The run in which its publication is asked for.
const PUBLICATION: &str = "release-publication";

impl Director {
    /// Looks at every document that the gate is about.
    pub(super) async fn gate(&self, work: Work) -> Result<()> {
        let mut audits: Vec<(TaskId, Audit)> = Vec::new();
        for need in &work.stage.needs {
            let Some(made) = work.situation.made(need) else {
                continue;
            };
            let role = self
                .pack()
                .role(&made.envelope.agent_role)
                .ok_or(Error::NotFound("role"))?;
            let subject = Subject {
                role,
                result: &made.result,
                output: &made.output,
                issued: &made.envelope,
            };
            let known = (made.spent, Vec::new());
            audits.push((
                made.task.id,
                self.audit(&work.situation, &work.stage, &subject, known)?,
            ));
        }
        let verdict = audits.iter().map(|(_, audit)| audit.verdict).min();
        let verdict = verdict.unwrap_or(Verdict::NeedsReview);
        let passes = work.stage.gate.is_none_or(|least| verdict >= least);
        let release = if passes && self.pack().seals(&work.stage) {
            match self.seal(&work, verdict).await {
                Ok(release) => Some(release),
                Err(error @ (Error::NotFound(_) | Error::Invalid(_))) => {
                    tracing::warn!(?error, production = %work.id, "a release can't be sealed");
                    return self.hold(work, "not_sealed").await;
                }
                Err(other) => return Err(other),
            }
        } else {
            None
        };
        self.keep_gate(work, (audits, verdict), release).await
    }

    async fn keep_gate(
        &self,
        work: Work,
        (audits, verdict): (Vec<(TaskId, Audit)>, Verdict),
        release: Option<Release>,
    ) -> Result<()> {
        let scribe = Scribe::on_site(&self.app, Principal::System.actor(), work.place);
        let (jobs, server) = (self.job_ids(&scribe), Self::server(work.place)?);
        let director = self.clone();
        self.app
            .store()
            .write(move |tx| {
                for (task, audit) in &audits {
                    let record = record(&work.stage, audit, scribe.at)?;
                    stage_task::insert_audit(tx, &server, *task, &record)?;
                }
                let mut detail = json!({
                    "production": work.id, "stage": work.stage.id, "verdict": verdict.as_str(),
                });
                if let Some(release) = &release {
                    stage_task::seal(tx, &server, (work.id, &work.stage.id), release)?;
                    detail["manifest_sha256"] = json!(release.manifest_sha256);
                    detail["proposal"] = json!(release.proposal);
                }
                scribe.administration(tx, "production.gate_passed", detail)?;
                director.conclude(tx, (&work, work.standing()?), verdict, (&jobs, &scribe))
            })
            .await
    }

    /// Writes the page, asks for its publication, and seals both with every document.
    async fn seal(&self, work: &Work, verdict: Verdict) -> Result<Release> {
        let id = work.id;
        let before = self
            .app
            .store()
            .read(move |tx| Ok::<_, Error>(stage_task::find_release(tx, id)?))
            .await?;
        let sealing = Sealing {
            work,
            documents: work.situation.accepted().map(sealed).collect(),
            before,
        };
        let drafted = self.draft_page(&sealing).await?;
        let page = SealedPage {
            content: drafted.content_id.to_string(),
            revision: drafted.revision_id.to_string(),
            sha256: drafted.sha256.to_string(),
        };
        let policy = &work.situation.production.policy;
        let manifest = Manifest {
            production: work.id.to_string(),
            constitution_sha256: policy.constitution_sha256.to_string(),
            policy_pack_sha256: policy.sha256.to_string(),
            verdict,
            documents: sealing.documents.clone(),
            page,
        };
        let proposal = self
            .ask_to_publish(&sealing, &drafted, manifest.digest())
            .await?;
        Ok(Release {
            number: 0,
            content: drafted.content_id,
            revision: drafted.revision_id,
            proposal,
            manifest_sha256: manifest.digest(),
            manifest: json!(manifest),
            at: self.app.now(),
        })
    }

    /// The page that the script and its description become, in the name of the script's agent.
    async fn draft_page(&self, sealing: &Sealing<'_>) -> Result<Drafted> {
        let work = sealing.work;
        let is_script = |made: &&Made| made.envelope.doc_kind == DocKind::Script;
        let written = work.situation.accepted().find(is_script);
        let written = written.ok_or(Error::NotFound("script"))?;
        let author = self
            .player(work.place.site, &written.envelope.agent_role)
            .await?;
        let target = match &sealing.before {
            Some(release) => self.next_revision(&author, release.content).await?,
            None => DraftTarget::New {
                template: work.situation.production.template.clone(),
                locale: None,
                translation_group: None,
            },
        };
        let new = NewDraft {
            target,
            slug: None,
            change: Change::Fields(self.fields(work, &author).await?),
            note: format!("Production {}", work.id),
        };
        let run = self.begin(sealing, &author, PAGE).await?;
        let key = sealing.key("create_draft", PAGE);
        let drafted = self
            .app
            .create_draft(&author, Some(run), new, Some(key))
            .await?;
        self.end(sealing, &author, (run, PAGE)).await?;
        Ok(drafted)
    }

    /// The fields of the page: what was said at the start, with the texts that its template has
    /// fields for.
    async fn fields(&self, work: &Work, author: &OpContext) -> Result<Value> {
        let production = &work.situation.production;
        let templates = self.app.list_templates(author).await?;
        let template = templates
            .iter()
            .find(|template| template.key == production.template);
        let template = template.ok_or(Error::NotFound("template"))?;
        let mut fields = production.fields.clone();
        for (name, text) in texts(work) {
            if template.schema["properties"].get(name).is_some() {
                fields[name] = json!(text);
            }
        }
        Ok(fields)
    }

    async fn next_revision(&self, author: &OpContext, content: ContentId) -> Result<DraftTarget> {
        let record = self.app.get_content_record(author, content).await?;
        Ok(DraftTarget::Existing {
            content,
            base: record.draft.id,
        })
    }

    /// Asks for the page's publication in the name of the role that publishes.
    async fn ask_to_publish(
        &self,
        sealing: &Sealing<'_>,
        drafted: &Drafted,
        manifest: Digest,
    ) -> Result<ProposalId> {
        let work = sealing.work;
        let sender = self.publisher(work.place.site).await?;
        let run = self.begin(sealing, &sender, PUBLICATION).await?;
        let item = PublishItem::Publish {
            content_id: drafted.content_id,
            revision_id: drafted.revision_id,
            publish_at: None,
            time_zone: None,
        };
        let new = NewProposal {
            run: Some(run),
            title: Some(format!("Publish “{}”", work.situation.production.title)),
            rationale: format!(
                "Production {} passed its gate. Manifest {manifest}.",
                work.id
            ),
            payload: Payload::PublishLifecycle(Items { items: vec![item] }),
            pointer: "/items",
        };
        let key = sealing.key("propose_publication", PUBLICATION);
        let proposal = match self.app.create_proposal(&sender, new, Some(key)).await {
            Ok(proposed) => proposed.proposal_id,
            Err(refused) => standing(refused, sealing.before.as_ref())?,
        };
        self.end(sealing, &sender, (run, PUBLICATION)).await?;
        Ok(proposal)
    }

    async fn begin(
        &self,
        sealing: &Sealing<'_>,
        player: &OpContext,
        run_type: &'static str,
    ) -> Result<RunId> {
        let begin = BeginRun {
            run_type: run_type.to_owned(),
            input: json!({"production": sealing.work.id, "stage": sealing.work.stage.id}),
            required_outputs: Vec::new(),
            completion_conditions: Vec::new(),
        };
        let key = sealing.key("begin_run", run_type);
        Ok(self.app.begin_run(player, begin, Some(key)).await?.run_id)
    }

    async fn end(
        &self,
        sealing: &Sealing<'_>,
        player: &OpContext,
        (run, part): (RunId, &str),
    ) -> Result<()> {
        let request = FinishRequest {
            summary: format!("Release of production {}", sealing.work.id),
            ..FinishRequest::default()
        };
        let key = sealing.key("finish_run", part);
        let ended = (run, Outcome::Completed);
        self.app
            .finish_run(player, ended, request, Some(key))
            .await?;
        Ok(())
    }
}

/// The proposal that people approved before, where nothing of the page is new and it is live.
fn standing(refused: Error, before: Option<&Release>) -> Result<ProposalId> {
    match (&refused, before) {
        (Error::Invalid(problems), Some(before))
            if problems
                .iter()
                .all(|problem| problem.code == "already_live") =>
        {
            Ok(before.proposal)
        }
        _ => Err(refused),
    }
}

/// A release on its way to being sealed.
struct Sealing<'w> {
    work: &'w Work,
    documents: Vec<SealedDocument>,
    /// What was sealed last.
    before: Option<Release>,
}

impl Sealing<'_> {
    /// One key for each thing that a release does, so that a gate that died goes on where it was.
    fn key(&self, tool: &'static str, part: &str) -> IdempotencyKey {
        let number = self.before.as_ref().map_or(0, |release| release.number) + 1;
        let key = format!("{}:{number}:{part}", self.work.id);
        let arguments = json!({"stage": self.work.stage.id, "documents": self.documents});
        IdempotencyKey::new(tool, key, &arguments)
    }
}

pub(super) fn sealed(made: &Made) -> SealedDocument {
    SealedDocument {
        stage: made.task.stage.clone(),
        kind: made.envelope.doc_kind,
        sha256: made.output_sha256.to_string(),
    }
}

/// What the script and its description say of the page.
fn texts(work: &Work) -> Vec<(&'static str, String)> {
    let mut texts = Vec::new();
    for made in work.situation.accepted() {
        match &made.output {
            Output::Script(script) => texts.push(("body", markdown(script))),
            Output::Metadata(metadata) => {
                texts.push(("title", metadata.title.0.clone()));
                texts.push(("summary", metadata.description.0.clone()));
                texts.push(("description", metadata.description.0.clone()));
            }
            _ => {}
        }
    }
    texts
}

fn markdown(script: &ql_pipeline::envelope::output::Script) -> String {
    let mut parts = vec![script.hook.0.clone()];
    for section in &script.sections {
        parts.push(format!("## {}", section.heading.0));
        parts.push(section.text.0.clone());
    }
    parts.extend(script.closing.iter().map(|closing| closing.0.clone()));
    parts.join("\n\n")
}
