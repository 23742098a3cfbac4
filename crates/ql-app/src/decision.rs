//! Deciding: a member, on a digest, under the policy; the approval's transaction carries it out.

use std::collections::BTreeSet;

use ql_core::access::{Decide, MayDecide, MayPropose, OnSite, RollBack};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, DecisionId, JobId, MemberId, ProposalId, RevisionId, SiteId};
use ql_core::lifecycle::Moment;
use ql_core::policy::{MayNotApprove, Rule};
use ql_core::proposal::{
    Decision, Items, Payload, Proposal, ProposalState, PublishItem, Risk, Transition, Verdict,
};
use ql_store::job::{self, NewJob};
use ql_store::policy::{self, PolicyVersion};
use ql_store::proposal::{self, Mover};
use ql_store::{Tx, content, member};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::director;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::execution::Executor;
use crate::proposal::{NewProposal, ProposalView, approved_by, draft_proposal, judged, move_to};
use crate::text::Checks;

/// The kind of job that carries out a scheduled publication.
pub(crate) const PUBLISH_JOB: &str = "publish";

/// A decision to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDecision {
    /// The proposal.
    pub proposal: ProposalId,
    /// What the member says.
    pub verdict: Verdict,
    /// The digest that the member saw.
    pub digest: Digest,
    /// Why; required unless it approves.
    pub comment: String,
}

/// A page to move back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRollBack {
    /// The item.
    pub content: ContentId,
    /// The revision that shall be live again.
    pub to: RevisionId,
    /// Why.
    pub comment: String,
}

/// A decision on its way through one transaction.
struct Deciding<'a> {
    may: &'a MayDecide,
    scribe: &'a Scribe,
    executor: Executor<'a>,
    job: JobId,
    decision: DecisionId,
}

impl App {
    /// Decides a proposal. The approval that suffices carries it out, or schedules it.
    ///
    /// # Errors
    /// [`Error::DigestMismatch`] when the proposal isn't what was seen,
    /// [`Error::ReauthenticationRequired`] for high risk, [`Error::MayNotApprove`] by the policy,
    /// [`Error::InvalidTransition`] when it is decided already.
    pub async fn decide(&self, ctx: &OpContext, new: NewDecision) -> Result<ProposalView> {
        let place = ctx.authorize::<Decide>()?.place();
        let mut checks = Checks::default();
        if new.verdict == Verdict::Approve {
            checks.optional_text("/comment", &new.comment, 4000);
        } else {
            checks.text("/comment", &new.comment, 4000);
        }
        checks.finish()?;
        let scribe = Scribe::on_site(self, ctx.principal().actor(), place);
        let ids = (
            JobId::mint(scribe.ids(), scribe.at),
            DecisionId::mint(scribe.ids(), scribe.at),
        );
        let (app, principal) = (self.clone(), ctx.principal().clone());
        let decided = self
            .store()
            .write(move |tx| {
                let found = proposal::find(tx, place.site, new.proposal)?
                    .ok_or(Error::NotFound("proposal"))?;
                let may = MayDecide::check(&principal, found.kind(), place)?;
                let policy = policy::current(tx, place.site)?;
                let found = judged(found, &policy);
                let executor = Executor::new(&app, place, &scribe)?;
                let deciding = Deciding {
                    may: &may,
                    scribe: &scribe,
                    executor,
                    job: ids.0,
                    decision: ids.1,
                };
                deciding.decide(tx, &found, &new, &policy)?;
                let after = proposal::find(tx, place.site, new.proposal)?
                    .ok_or(Error::NotFound("proposal"))?;
                app.view(tx, after, &policy)
            })
            .await?;
        // A plan's step may go on by it.
        self.waiting().look_now();
        Ok(decided)
    }

    /// Stops an approved publication before its instant; whom the policy lets approve it may.
    pub async fn cancel_proposal(&self, ctx: &OpContext, id: ProposalId) -> Result<ProposalView> {
        let place = ctx.authorize::<Decide>()?.place();
        let scribe = Scribe::on_site(self, ctx.principal().actor(), place);
        let (app, principal) = (self.clone(), ctx.principal().clone());
        self.store()
            .write(move |tx| {
                let found =
                    proposal::find(tx, place.site, id)?.ok_or(Error::NotFound("proposal"))?;
                let may = MayDecide::check(&principal, found.kind(), place)?;
                let policy = policy::current(tx, place.site)?;
                require_role(&policy.policy.rule(found.kind(), found.risk), &may)?;
                let next = found.state.apply(Transition::Cancel, scribe.at)?;
                let by = Mover::Decider(&may);
                move_to(tx, (&by, &scribe), id, (&found.state, &next))?;
                job::cancel(tx, PUBLISH_JOB, &id.to_string(), place.site, scribe.at)?;
                scribe.proposal(tx, id, "proposal.cancelled", json!({}))?;
                app.reload(tx, place.site, id)
            })
            .await
    }

    /// Takes back one's own proposal while it waits.
    pub async fn withdraw_proposal(&self, ctx: &OpContext, id: ProposalId) -> Result<ProposalView> {
        let place = ctx.place()?;
        let scribe = Scribe::on_site(self, ctx.principal().actor(), place);
        let (app, principal) = (self.clone(), ctx.principal().clone());
        self.store()
            .write(move |tx| {
                let found =
                    proposal::find(tx, place.site, id)?.ok_or(Error::NotFound("proposal"))?;
                let may = MayPropose::check(&principal, found.kind(), place)?;
                if found.proposer.identity() != may.actor().identity() {
                    return Err(Error::NotFound("proposal of yours"));
                }
                let next = found.state.apply(Transition::Withdraw, scribe.at)?;
                let by = Mover::Proposer(&may);
                move_to(tx, (&by, &scribe), id, (&found.state, &next))?;
                scribe.proposal(tx, id, "proposal.withdrawn", json!({}))?;
                app.reload(tx, place.site, id)
            })
            .await
    }

    /// Puts an earlier revision live again: a publication that a member proposes and carries out in
    /// one step, with a fresh re-authentication.
    pub async fn roll_back(&self, ctx: &OpContext, new: NewRollBack) -> Result<ProposalView> {
        let place = ctx.authorize::<RollBack>()?.place();
        let may = MayPropose::roll_back(ctx.principal(), place)?;
        let mut checks = Checks::default();
        checks.text("/comment", &new.comment, 4000);
        checks.finish()?;
        let scribe = Scribe::on_site(self, ctx.principal().actor(), place);
        let id = ProposalId::mint(scribe.ids(), scribe.at);
        let decision = DecisionId::mint(scribe.ids(), scribe.at);
        let (app, principal) = (self.clone(), ctx.principal().clone());
        self.store()
            .write(move |tx| {
                let policy = policy::current(tx, place.site)?;
                let proposal = roll_back_proposal(tx, (id, &may), &new, (&policy, &scribe))?;
                let decider = MayDecide::check(&principal, proposal.kind(), place)?;
                let rule = policy.policy.rule(proposal.kind(), proposal.risk);
                require_role(&rule, &decider)?;
                require_fresh(&decider, &scribe)?;
                crate::proposal::insert(tx, (&may, &scribe), &proposal, &policy)?;
                let decision = Decision {
                    id: decision,
                    proposal: id,
                    member: decider.member().member,
                    verdict: Verdict::Approve,
                    digest: proposal.digest(&policy.digest),
                    comment: new.comment.clone(),
                    own_proposal: true,
                    let_in_by: decider.member().credential.let_in_by(),
                    at: scribe.at,
                };
                proposal::insert_decision(tx, &decider, &decision)?;
                let mut detail = json!({"decision": decision.id, "digest": decision.digest, "own_proposal": true, "roll_back": true});
                note_link(&mut detail, &decider);
                scribe.proposal(tx, id, "proposal.approved", detail)?;
                let executor = Executor::new(&app, place, &scribe)?;
                let approved = proposal.state.apply(Transition::Approve { due_at: scribe.at }, scribe.at)?;
                proposal::set_state(tx, &Mover::Decider(&decider), id, (&proposal.state, &approved))?;
                match executor.execute(tx, &proposal, Moment::RollBack)? {
                    Ok(done) => settle_executed(tx, &executor, (id, &approved), done)?,
                    Err(reason) => return Err(Error::invalid("/to_revision_id", reason.code(), reason.to_string())),
                }
                app.reload(tx, place.site, id)
            })
            .await
    }

    fn reload(&self, tx: &mut Tx<'_>, site: SiteId, id: ProposalId) -> Result<ProposalView> {
        let policy = policy::current(tx, site)?;
        let found = proposal::find(tx, site, id)?.ok_or(Error::NotFound("proposal"))?;
        self.view(tx, found, &policy)
    }
}

fn roll_back_proposal(
    tx: &mut Tx<'_>,
    (id, may): (ProposalId, &MayPropose),
    new: &NewRollBack,
    (policy, scribe): (&PolicyVersion, &Scribe),
) -> Result<Proposal> {
    let site = may.place().site;
    let stored = content::find(tx, site, new.content)?.ok_or(Error::NotFound("content item"))?;
    let target = content::find_revision(tx, site, new.to)?
        .filter(|revision| revision.content == new.content)
        .ok_or(Error::NotFound("revision"))?;
    if stored.item.published.is_none() {
        return Err(Error::invalid(
            "",
            "not_live",
            "only a live page can be rolled back; what was taken off the site goes live by a publication that is approved",
        ));
    }
    if !content::was_live(tx, site, new.content, new.to)? {
        return Err(Error::invalid(
            "/to_revision_id",
            "never_live",
            "a roll-back goes to a revision that was live before",
        ));
    }
    if stored.item.published == Some(new.to) {
        return Err(Error::invalid(
            "/to_revision_id",
            "already_live",
            "this revision is live already",
        ));
    }
    let item = PublishItem::Publish {
        content_id: new.content,
        revision_id: new.to,
        publish_at: None,
        time_zone: None,
    };
    let payload = Payload::PublishLifecycle(Items { items: vec![item] });
    let request = NewProposal {
        run: None,
        title: None,
        rationale: new.comment.clone(),
        payload,
        pointer: "",
    };
    let mut proposal = draft_proposal((id, may), (&request, policy), scribe.at);
    proposal.title = format!(
        "Roll “{}” back to revision {}",
        stored.item.title, target.number
    );
    proposal.resolved = vec![crate::proposal::seen(&stored, Some(&target))];
    Ok(proposal)
}

fn require_role(rule: &Rule, may: &MayDecide) -> Result<()> {
    let role = may.member().role;
    if rule.roles.contains(&role) {
        Ok(())
    } else {
        Err(MayNotApprove::Role(role).into())
    }
}

/// Notes in an event by whose sign-in link the member came in.
fn note_link(detail: &mut serde_json::Value, may: &MayDecide) {
    if let Some(actor) = may.member().credential.let_in_by() {
        detail["let_in_by"] = actor.to_json();
    }
}

/// Refuses an approval that may be of the same person as one that counts already.
fn require_another_person(
    may: &MayDecide,
    (decisions, digest): (&[Decision], &Digest),
    approved_by: &BTreeSet<MemberId>,
) -> Result<()> {
    let counts = |decision: &&Decision| {
        decision.verdict == Verdict::Approve
            && decision.digest == *digest
            && approved_by.contains(&decision.member)
    };
    let joined = decisions
        .iter()
        .filter(counts)
        .any(|decision| Actor::may_be_one_person(decision.by(), may.by()));
    if joined {
        Err(MayNotApprove::SamePerson.into())
    } else {
        Ok(())
    }
}

fn require_fresh(may: &MayDecide, scribe: &Scribe) -> Result<()> {
    if may.member().credential.is_fresh(scribe.at) {
        Ok(())
    } else {
        Err(Error::ReauthenticationRequired)
    }
}

pub(crate) fn settle_executed(
    tx: &mut Tx<'_>,
    executor: &Executor<'_>,
    (id, approved): (ProposalId, &ProposalState),
    done: serde_json::Value,
) -> Result<()> {
    let next = approved.apply(Transition::Execute, executor.scribe.at)?;
    let by = Mover::Server(executor.server());
    move_to(tx, (&by, &executor.scribe), id, (approved, &next))?;
    director::follow::executed(tx, &executor.scribe, id)?;
    executor.scribe.proposal(tx, id, "proposal.executed", done)
}

pub(crate) fn settle_stale(
    tx: &mut Tx<'_>,
    executor: &Executor<'_>,
    (id, from): (ProposalId, &ProposalState),
    reason: &str,
) -> Result<()> {
    let next = from.apply(Transition::GoStale(reason.to_owned()), executor.scribe.at)?;
    let by = Mover::Server(executor.server());
    move_to(tx, (&by, &executor.scribe), id, (from, &next))?;
    executor
        .scribe
        .proposal(tx, id, "proposal.stale", json!({"reason": reason}))
}

impl Deciding<'_> {
    fn decide(
        &self,
        tx: &mut Tx<'_>,
        found: &Proposal,
        new: &NewDecision,
        policy: &PolicyVersion,
    ) -> Result<()> {
        let digest = found.digest(&policy.digest);
        if found.state != ProposalState::Pending {
            return Err(ql_core::proposal::InvalidTransition {
                from: found.state.as_str(),
            }
            .into());
        }
        if found.expires_at <= self.scribe.at {
            return Err(ql_core::proposal::InvalidTransition { from: "expired" }.into());
        }
        if new.digest != digest {
            return Err(Error::DigestMismatch {
                current: digest.to_string(),
            });
        }
        let rule = policy.policy.rule(found.kind(), found.risk);
        match new.verdict {
            Verdict::Approve => self.approve(tx, found, new, (policy, &rule)),
            Verdict::Reject => self.refuse(
                tx,
                found,
                new,
                (&rule, Transition::Reject, "proposal.rejected"),
            ),
            Verdict::RequestChanges => self.refuse(
                tx,
                found,
                new,
                (
                    &rule,
                    Transition::RequestChanges,
                    "proposal.changes_requested",
                ),
            ),
        }
    }

    fn refuse(
        &self,
        tx: &mut Tx<'_>,
        found: &Proposal,
        new: &NewDecision,
        (rule, transition, event): (&Rule, Transition, &'static str),
    ) -> Result<()> {
        require_role(rule, self.may)?;
        self.keep(tx, new, false)?;
        let next = found.state.apply(transition, self.scribe.at)?;
        let by = Mover::Decider(self.may);
        move_to(tx, (&by, self.scribe), found.id, (&found.state, &next))?;
        let mut detail = json!({"decision": self.decision, "digest": new.digest, "comment_sha256": Digest::of(new.comment.as_bytes())});
        note_link(&mut detail, self.may);
        self.scribe.proposal(tx, found.id, event, detail)
    }

    fn approve(
        &self,
        tx: &mut Tx<'_>,
        found: &Proposal,
        new: &NewDecision,
        (policy, rule): (&PolicyVersion, &Rule),
    ) -> Result<()> {
        if found.risk == Risk::High {
            require_fresh(self.may, self.scribe)?;
        }
        let me = self.may.member();
        let others = eligible_others(tx, self.may, rule)?;
        let own = policy
            .policy
            .may_approve(rule, me, (found.proposer, found.let_in_by), others)?;
        let decisions = proposal::decisions(tx, found.id)?;
        let counted = (decisions.as_slice(), &new.digest);
        let mut approved_by = approved_by(tx, found.organization, counted, rule)?;
        if approved_by.contains(&me.member) {
            return Err(Error::AlreadyApproved);
        }
        require_another_person(self.may, counted, &approved_by)?;
        approved_by.insert(me.member);
        self.keep(tx, new, own)?;
        let enough = approved_by.len() >= rule.approvals as usize;
        let mut detail = json!({
            "decision": self.decision, "digest": new.digest, "own_proposal": own, "approvals": approved_by.len(),
            "needed": rule.approvals, "policy_version": policy.version, "policy_digest": policy.digest,
        });
        note_link(&mut detail, self.may);
        self.scribe.proposal(
            tx,
            found.id,
            if enough {
                "proposal.approved"
            } else {
                "proposal.approval"
            },
            detail,
        )?;
        if enough {
            self.carry_out(tx, found)
        } else {
            Ok(())
        }
    }

    fn carry_out(&self, tx: &mut Tx<'_>, found: &Proposal) -> Result<()> {
        let now = self.scribe.at;
        let due_at = found.payload.publish_at().filter(|due| *due > now);
        let scheduled = due_at.is_some();
        let approved = found.state.apply(
            Transition::Approve {
                due_at: due_at.unwrap_or(now),
            },
            now,
        )?;
        if scheduled {
            let stale = crate::execution::preconditions(tx, self.executor.app, found)?
                .into_iter()
                .find_map(|p| p.stale);
            if let Some(reason) = stale {
                return settle_stale(tx, &self.executor, (found.id, &found.state), reason.code());
            }
            proposal::set_state(
                tx,
                &Mover::Decider(self.may),
                found.id,
                (&found.state, &approved),
            )?;
            let subject = found.id.to_string();
            let job = NewJob {
                id: self.job,
                kind: PUBLISH_JOB,
                subject: &subject,
                site: found.site,
                due_at: due_at.unwrap_or(now),
            };
            return Ok(job::insert(tx, job, now)?);
        }
        match self.executor.execute(tx, found, Moment::Approval)? {
            Err(reason) => {
                settle_stale(tx, &self.executor, (found.id, &found.state), reason.code())
            }
            Ok(done) => {
                proposal::set_state(
                    tx,
                    &Mover::Decider(self.may),
                    found.id,
                    (&found.state, &approved),
                )?;
                settle_executed(tx, &self.executor, (found.id, &approved), done)
            }
        }
    }

    fn keep(&self, tx: &mut Tx<'_>, new: &NewDecision, own_proposal: bool) -> Result<()> {
        let decision = Decision {
            id: self.decision,
            proposal: new.proposal,
            member: self.may.member().member,
            verdict: new.verdict,
            digest: new.digest,
            comment: new.comment.clone(),
            own_proposal,
            let_in_by: self.may.member().credential.let_in_by(),
            at: self.scribe.at,
        };
        Ok(proposal::insert_decision(tx, self.may, &decision)?)
    }
}

/// How many other members could approve under the rule.
fn eligible_others(tx: &mut Tx<'_>, may: &MayDecide, rule: &Rule) -> Result<usize> {
    let OnSite { organization, .. } = may.place();
    let members = member::list(tx, organization)?;
    let could = |m: &&member::Member| {
        m.removed_at.is_none() && m.id != may.member().member && rule.roles.contains(&m.role)
    };
    Ok(members.iter().filter(could).count())
}
