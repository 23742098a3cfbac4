//! Calls that change something.

use ql_app::connection::{IssuedConnection, NewConnection};
use ql_app::decision::{NewDecision, NewRollBack};
use ql_app::draft::Drafted;
use ql_app::proposal::{NewProposal, ProposalView, Proposed};
use ql_app::run::{BeginRun, RecordArtifact};
use ql_app::{IdempotencyKey, OpContext, Result};
use ql_core::hash::Digest as Sha256;
use ql_core::id::{ProposalId, RunId};
use ql_core::proposal::{Payload as Asked, ProposalState};
use ql_core::run::FinishRequest;
use ql_core::time::hours;
use serde_json::json;

use super::super::facts::{self, row};
use super::super::step::{
    Administer, Begin, Call, Decide, Digest, Finish, Propose, Record, Request, RollBack, Which, Who,
};
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
        }
    }

    fn run(&self, who: Who, run: Which) -> Option<RunId> {
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

    async fn propose(
        &mut self,
        ctx: &OpContext,
        (who, propose): (Who, &Propose),
        key: Option<IdempotencyKey>,
    ) -> Said {
        let new = NewProposal {
            run: self.run(who, propose.run),
            title: None,
            rationale: propose.rationale.into(),
            payload: self.payload(&propose.payload),
            pointer: "/payload",
        };
        let answer = self.test.app.create_proposal(ctx, new, key).await;
        Said::of(answer, |proposed| self.proposed(&proposed))
    }

    fn proposed(&mut self, proposed: &Proposed) -> String {
        let number = self.names.proposals.number(proposed.proposal_id);
        self.remember(number, proposed.digest);
        let superseded = proposed.superseded.iter();
        let superseded = superseded.map(|id| self.names.proposals.number(*id));
        let proposed = facts::Proposed {
            proposal: number,
            kind: proposed.kind.as_str(),
            risk: proposed.risk.as_str(),
            expires_at: proposed.expires_at.to_string(),
            joined: proposed.joined,
            superseded: superseded.collect(),
        };
        proposed.facts()
    }

    /// Keeps the digest that the proposer of a new proposal was told.
    fn remember(&mut self, number: usize, digest: Sha256) {
        if number == self.names.told.len() {
            self.names.told.push(digest);
        }
    }

    async fn decide(&mut self, ctx: &OpContext, decide: &Decide) -> Said {
        let id = self.proposal(decide.proposal);
        let other = Sha256::of(b"something else");
        let digest = match (decide.digest, decide.proposal) {
            (Digest::Told, Which::Known(number)) => self.names.told[number],
            (Digest::Shown, _) => {
                let operator = self.test.operator().await;
                let shown = self.test.app.get_proposal(&operator, id).await;
                shown.map_or(other, |view| view.digest)
            }
            (Digest::Told | Digest::Other, _) => other,
        };
        let new = NewDecision {
            proposal: id,
            verdict: decide.verdict,
            digest,
            comment: decide.comment.into(),
        };
        let answer = self.test.app.decide(ctx, new).await;
        self.meet_what_was_written(&answer).await;
        Said::of(answer, |view| self.standing(&view))
    }

    /// Numbers the draft that carrying out a proposal wrote, which its answer doesn't name.
    async fn meet_what_was_written(&mut self, answer: &Result<ProposalView>) {
        let Ok(view) = answer else { return };
        if !matches!(view.proposal.state, ProposalState::Executed { .. }) {
            return;
        }
        let item = match &view.proposal.payload {
            Asked::CreateContent(_) => None,
            Asked::ContentRevision(revision) => Some(revision.content_id),
            Asked::PublishLifecycle(_) | Asked::ContentLifecycle(_) => return,
        };
        let (content, draft) = self.newest_draft(item).await;
        self.names.items.number(content);
        self.names.revisions.number(draft);
    }

    async fn roll_back(&mut self, ctx: &OpContext, roll_back: &RollBack) -> Said {
        let new = NewRollBack {
            content: self.names.items.id(roll_back.item, self.elsewhere.items),
            to: self
                .names
                .revisions
                .id(roll_back.to, self.elsewhere.revisions),
            comment: roll_back.comment.into(),
        };
        let answer = self.test.app.roll_back(ctx, new).await;
        if let Ok(view) = &answer {
            let number = self.names.proposals.number(view.proposal.id);
            self.remember(number, view.digest);
        }
        Said::of(answer, |view| self.standing(&view))
    }

    async fn administer(&mut self, ctx: &OpContext, act: Administer) -> Said {
        let app = self.test.app.clone();
        match act {
            Administer::Issue {
                scopes,
                hours: span,
            } => {
                let new = NewConnection {
                    agent: self.test.home.agent.id,
                    name: "another".into(),
                    scopes,
                    expires_at: span.map(|span| self.test.now().plus(hours(span))),
                };
                Said::of(app.create_connection(ctx, new).await, |issued| {
                    self.issued(&issued)
                })
            }
            Administer::Rotate(connection) => {
                let id = self
                    .names
                    .connections
                    .id(connection, self.elsewhere.connections);
                Said::of(app.rotate_connection(ctx, id).await, |issued| {
                    self.issued(&issued)
                })
            }
            Administer::Revoke(connection) => {
                let id = self
                    .names
                    .connections
                    .id(connection, self.elsewhere.connections);
                Said::of(app.revoke_connection(ctx, id).await, |revoked| {
                    format!(
                        "connection {} revoked",
                        self.names.connections.number(revoked.id)
                    )
                })
            }
            Administer::Permit(scopes) => {
                let agent = self.test.home.agent.id;
                let answer = app.set_permissions(ctx, agent, scopes).await;
                Said::of(answer, |()| "permitted".to_owned())
            }
            Administer::Policy(policy) => {
                let answer = app.set_policy(ctx, convert::policy(policy)).await;
                Said::of(answer, |policy| {
                    format!("policy version {}", policy.version)
                })
            }
            Administer::Template(template) => {
                let answer = app.save_template(ctx, convert::template(template)).await;
                Said::of(answer, |saved| {
                    format!("template version {}", saved.version)
                })
            }
        }
    }

    fn issued(&mut self, issued: &IssuedConnection) -> String {
        let number = self.names.connections.number(issued.connection.id);
        if number == self.names.secrets.len() {
            self.names.secrets.push(issued.secret.expose().to_owned());
        }
        format!("connection {number} until {}", issued.connection.expires_at)
    }
}
