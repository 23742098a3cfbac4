//! Calls that change something.

use ql_app::draft::Drafted;
use ql_app::run::{BeginRun, RecordArtifact};
use ql_app::{IdempotencyKey, OpContext};
use ql_core::id::{ProposalId, RunId};
use ql_core::run::FinishRequest;
use serde_json::json;

use super::super::facts::{self, row};
use super::super::step::{Begin, Call, Finish, Record, Request, Which, Who};
use super::{Engine, Said, convert};

impl Engine {
    pub(super) async fn act(&mut self, ctx: &OpContext, request: &Request) -> Said {
        let key = request.key.map(|key| {
            let arguments = json!(request.arguments());
            IdempotencyKey::new(request.tool(), key, &arguments)
        });
        match &request.call {
            Call::Begin(begin) => self.begin(ctx, begin, key).await,
            Call::Record(record) => self.record(ctx, record, key).await,
            Call::Finish(finish) => self.finish(ctx, finish, key).await,
            Call::Draft(run, draft) => {
                let (run, new) = (self.run(request.who, *run), self.new_draft(draft));
                let answer = self.test.app.create_draft(ctx, run, new, key).await;
                Said::of(answer, |drafted| self.drafted(&drafted))
            }
            Call::Claim(claim) => {
                let run = self.run(request.who, claim.run);
                let new = self.new_claim(claim, ql_testkit::NOON);
                let app = &self.test.app;
                let answer = app.record_claim_evidence(ctx, run, new, key).await;
                Said::of(answer, |recorded| {
                    let number = self.names.claims.number(recorded.claim_id);
                    format!("claim {number} sources {}", recorded.evidence_ids.len())
                })
            }
            Call::Propose(propose) => self.propose(ctx, (request.who, propose), key).await,
            Call::Decide(decide) => self.decide(ctx, decide).await,
            Call::Cancel(proposal) => {
                let id = self.proposal(*proposal);
                let answer = self.test.app.cancel_proposal(ctx, id).await;
                Said::of(answer, |view| self.standing(&view))
            }
            Call::Withdraw(proposal) => {
                let id = self.proposal(*proposal);
                let answer = self.test.app.withdraw_proposal(ctx, id).await;
                Said::of(answer, |view| self.standing(&view))
            }
            Call::RollBack(roll_back) => self.roll_back(ctx, roll_back).await,
            Call::Read(read) => self.look(ctx, read).await,
            Call::Administer(act) => self.administer(ctx, *act).await,
            Call::Console(call) => self.at_the_console(ctx, call, key).await,
        }
    }

    pub(super) fn run(&self, who: Who, run: Which) -> Option<RunId> {
        let id = self.names.runs.id(run, self.elsewhere.runs);
        matches!(who, Who::Agent(_)).then_some(id)
    }

    pub(super) fn proposal(&self, proposal: Which) -> ProposalId {
        self.names.proposals.id(proposal, self.elsewhere.proposals)
    }

    async fn begin(&mut self, ctx: &OpContext, begin: &Begin, key: Option<IdempotencyKey>) -> Said {
        let new = BeginRun {
            run_type: begin.run_type.into(),
            input: json!({"topic": "sequences"}),
            required_outputs: begin.outputs.iter().map(|key| (*key).to_owned()).collect(),
            completion_conditions: vec!["It is written.".into()],
        };
        let answer = self.test.app.begin_run(ctx, new, key).await;
        Said::of(answer, |begun| {
            format!("run {}", self.names.runs.number(begun.run_id))
        })
    }

    async fn record(
        &mut self,
        ctx: &OpContext,
        record: &Record,
        key: Option<IdempotencyKey>,
    ) -> Said {
        let about = record.about;
        let new = RecordArtifact {
            run: self.names.runs.id(record.run, self.elsewhere.runs),
            key: record.key.into(),
            media_type: record.media_type.into(),
            body: record.body.into(),
            sha256: convert::hash(record.hash, record.body),
            affected: about
                .map(|item| self.names.items.id(item, self.elsewhere.items))
                .into_iter()
                .collect(),
        };
        let answer = self.test.app.record_artifact(ctx, new, key).await;
        Said::of(answer, |recorded| {
            let number = self.names.artifacts.number(recorded.artifact_id);
            let (version, unchanged) = (recorded.version, recorded.unchanged);
            format!("artifact {number} version {version} unchanged {unchanged}")
        })
    }

    async fn finish(
        &mut self,
        ctx: &OpContext,
        finish: &Finish,
        key: Option<IdempotencyKey>,
    ) -> Said {
        let run = self.names.runs.id(finish.run, self.elsewhere.runs);
        let request = FinishRequest {
            summary: finish.summary.into(),
            reasons: Vec::new(),
        };
        let app = &self.test.app;
        let answer = app
            .finish_run(ctx, (run, finish.outcome), request, key)
            .await;
        Said::of(answer, |finished| {
            let number = self.names.runs.number(finished.run_id);
            let missing = finished.reasons.iter().flat_map(|reason| {
                let missing = reason["missing"].as_array().into_iter().flatten();
                missing.filter_map(|key| key.as_str())
            });
            let (asked, outcome) = (finished.requested_outcome, finished.outcome);
            format!(
                "run {number} asked {asked} is {outcome} missing {}",
                row(missing)
            )
        })
    }

    fn drafted(&mut self, drafted: &Drafted) -> String {
        let change = |change: &ql_core::edit::FieldChange| {
            let kind = serde_json::to_value(change.change).expect("a text");
            format!("{} {}", change.pointer, kind.as_str().unwrap_or_default())
        };
        let drafted = facts::Drafted {
            item: self.names.items.number(drafted.content_id),
            revision: self.names.revisions.number(drafted.revision_id),
            number: drafted.number,
            slug: &drafted.slug,
            unchanged: drafted.unchanged,
            changes: drafted.changes.iter().map(change).collect(),
        };
        drafted.facts()
    }
}
