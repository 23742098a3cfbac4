//! Proposing: a typed payload, resolved to what it stands for, judged and put before people.

use std::collections::BTreeSet;

use ql_core::access::{MayPropose, ReadRuns};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, MemberId, OrganizationId, ProposalId, RunId};
use ql_core::page::{Page, PageRequest};
use ql_core::policy::Rule;
use ql_core::proposal::{
    Decision, Payload, Proposal, ProposalKind, ProposalState, Resolved, Risk, Transition, Verdict,
};
use ql_core::time::{Timestamp, hours};
use ql_store::policy::PolicyVersion;
pub use ql_store::proposal::Filter;
use ql_store::proposal::{self, Mover};
use ql_store::{Tx, policy, run};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::execution::{Precondition, preconditions};
use crate::idempotency::IdempotencyKey;
use crate::plan::proposal_settled;
use crate::run::require_open;
use crate::session::living_member;
use crate::text::Checks;

mod resolve;

pub(crate) use resolve::{Resolver, draft_of, revision_of, seen, summarize};

/// A proposal to make.
#[derive(Debug, Clone, PartialEq)]
pub struct NewProposal {
    /// The run it is made in; none for a member's.
    pub run: Option<RunId>,
    /// What it says in one line; made from the payload when absent.
    pub title: Option<String>,
    /// Why.
    pub rationale: String,
    /// What executing it does.
    pub payload: Payload,
    /// The JSON pointer under which the caller gave the payload, for problems.
    pub pointer: &'static str,
}

/// A proposal that waits for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposed {
    /// The proposal.
    pub proposal_id: ProposalId,
    /// Its kind.
    pub kind: ProposalKind,
    /// The server's judgement.
    pub risk: Risk,
    /// The digest that a decision must name.
    pub digest: Digest,
    /// Until when it can be approved.
    pub expires_at: Timestamp,
    /// Who may approve it, in words.
    pub who_may_approve: String,
    /// Where people decide it.
    pub dashboard_url: String,
    /// Whether an identical pending proposal of the same agent was joined instead.
    pub joined: bool,
    /// Older pending proposals about the same pages that this one replaces.
    pub superseded: Vec<ProposalId>,
}

/// A proposal with what decides about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalView {
    /// The proposal.
    pub proposal: Proposal,
    /// The digest that a decision must name now.
    pub digest: Digest,
    /// The rule of the policy that applies.
    pub rule: Rule,
    /// The decisions so far.
    pub decisions: Vec<Decision>,
    /// The members whose approval of what stands now counts.
    pub approved_by: BTreeSet<MemberId>,
    /// What must hold to carry it out, and whether it does; empty once it came to rest.
    pub preconditions: Vec<Precondition>,
}

impl ProposalView {
    /// How many approvals of what stands now are there, by members who may still give them.
    pub fn approvals(&self) -> usize {
        self.approved_by.len()
    }
}

/// The members that approved exactly `digest` and whom `rule` still lets approve: a member that was
/// removed, or has another role now, no longer counts.
pub(crate) fn approved_by(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (decisions, digest): (&[Decision], &Digest),
    rule: &Rule,
) -> Result<BTreeSet<MemberId>> {
    let mut members = BTreeSet::new();
    for decision in decisions {
        let approves = decision.verdict == Verdict::Approve && decision.digest == *digest;
        let counts = approves
            && living_member(tx, decision.member)?.is_some_and(|member| {
                member.organization == organization && rule.roles.contains(&member.role)
            });
        if counts {
            members.insert(decision.member);
        }
    }
    Ok(members)
}

/// Who may approve under a rule, in words.
pub fn who_may_approve(rule: &Rule) -> String {
    let roles: Vec<&str> = rule.roles.iter().map(|role| role.as_str()).collect();
    match rule.approvals {
        1 => format!("one {} of the site", roles.join(" or ")),
        count => format!("{count} members who are {}", roles.join(" or ")),
    }
}

impl App {
    /// Puts a typed proposal before people. Exactly the same proposal of the same proposer that
    /// still waits and saw the same is joined; older ones about the same pages are superseded.
    pub async fn create_proposal(
        &self,
        ctx: &OpContext,
        new: NewProposal,
        key: Option<IdempotencyKey>,
    ) -> Result<Proposed> {
        let may = MayPropose::check(ctx.principal(), new.payload.kind(), ctx.place()?)?;
        let mut checks = Checks::default();
        checks.optional_text("/title", new.title.as_deref().unwrap_or_default(), 200);
        checks.text("/rationale", &new.rationale, 4000);
        checks.finish()?;
        let scribe = Scribe::on_site(self, may.actor(), may.place());
        let id = ProposalId::mint(scribe.ids(), scribe.at);
        let (app, ctx_inner) = (self.clone(), ctx.clone());
        self.mutate(ctx, key, scribe.at, move |tx| {
            if let Actor::Agent { .. } = may.actor() {
                require_open(tx, &ctx_inner, new.run.ok_or(Error::NotFound("run"))?)?;
            }
            let policy = policy::current(tx, may.place().site)?;
            let resolver = Resolver {
                app: &app,
                place: may.place(),
                now: scribe.at,
                pointer: new.pointer,
            };
            let (title, resolved) = resolver.resolve(tx, &new.payload)?;
            if let Some(standing) = standing(tx, (&may, &scribe), (&new.payload, &resolved))? {
                return Ok(app.proposed(&judged(standing, &policy), &policy, true, Vec::new()));
            }
            let mut proposal = draft_proposal((id, &may), (&new, &policy), scribe.at);
            proposal.title = new.title.clone().unwrap_or(title);
            proposal.resolved = resolved;
            let superseded = supersede(tx, &may, &scribe, &proposal)?;
            insert(tx, (&may, &scribe), &proposal, &policy)?;
            if let Payload::TopicalStrategy(strategy) = &proposal.payload {
                crate::strategy::hold(tx, &may, strategy, id)?;
            }
            Ok(app.proposed(&proposal, &policy, false, superseded))
        })
        .await
    }

    /// The site's proposals, newest first.
    pub async fn list_proposals(
        &self,
        ctx: &OpContext,
        filter: &Filter,
        page: &PageRequest,
    ) -> Result<Page<ProposalView>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        let (app, filter, page) = (self.clone(), filter.clone(), page.clone());
        self.store()
            .read(move |tx| {
                if let Some(id) = filter.run {
                    run::find(tx, site, id)?.ok_or(Error::NotFound("run"))?;
                }
                let policy = policy::current(tx, site)?;
                let proposals = proposal::list(tx, site, &filter, &page)?;
                let mut views = Vec::with_capacity(proposals.items.len());
                for proposal in proposals.items {
                    views.push(app.view(tx, proposal, &policy)?);
                }
                Ok(Page {
                    items: views,
                    next: proposals.next,
                })
            })
            .await
    }

    /// One proposal with its decisions and preconditions.
    pub async fn get_proposal(&self, ctx: &OpContext, id: ProposalId) -> Result<ProposalView> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        let app = self.clone();
        self.store()
            .read(move |tx| {
                let proposal = proposal::find(tx, site, id)?.ok_or(Error::NotFound("proposal"))?;
                let policy = policy::current(tx, site)?;
                app.view(tx, proposal, &policy)
            })
            .await
    }

    /// The proposals made in a run, oldest first.
    pub async fn list_run_proposals(&self, ctx: &OpContext, run: RunId) -> Result<Vec<Proposal>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        self.store()
            .read(move |tx| Ok(proposal::list_by_run(tx, site, run)?))
            .await
    }

    /// How many proposals wait, risk by risk.
    pub async fn count_pending(&self, ctx: &OpContext) -> Result<Vec<(Risk, i64)>> {
        let site = ctx.authorize::<ReadRuns>()?.site();
        self.store()
            .read(move |tx| Ok(proposal::count(tx, site, "pending")?))
            .await
    }

    pub(crate) fn view(
        &self,
        tx: &mut Tx<'_>,
        proposal: Proposal,
        policy: &PolicyVersion,
    ) -> Result<ProposalView> {
        let proposal = judged(proposal, policy);
        let open = matches!(
            proposal.state,
            ProposalState::Pending | ProposalState::Approved { .. }
        );
        let digest = proposal.digest(&policy.digest);
        let rule = policy.policy.rule(proposal.kind(), proposal.risk);
        let decisions = proposal::decisions(tx, proposal.id)?;
        let counted = (decisions.as_slice(), &digest);
        Ok(ProposalView {
            approved_by: approved_by(tx, proposal.organization, counted, &rule)?,
            digest,
            rule,
            decisions,
            preconditions: if open {
                preconditions(tx, self, &proposal)?
            } else {
                Vec::new()
            },
            proposal,
        })
    }

    fn proposed(
        &self,
        proposal: &Proposal,
        policy: &PolicyVersion,
        joined: bool,
        superseded: Vec<ProposalId>,
    ) -> Proposed {
        let rule = policy.policy.rule(proposal.kind(), proposal.risk);
        Proposed {
            proposal_id: proposal.id,
            kind: proposal.kind(),
            risk: proposal.risk,
            digest: proposal.digest(&policy.digest),
            expires_at: proposal.expires_at,
            who_may_approve: who_may_approve(&rule),
            dashboard_url: self.dashboard_url(&format!("/proposals/{}", proposal.id)),
            joined,
            superseded,
        }
    }
}

/// A proposal at the risk that the policy in force sees in it: one that waits is decided under the
/// policy of the day, not under that of the day on which it was made.
pub(crate) fn judged(mut proposal: Proposal, policy: &PolicyVersion) -> Proposal {
    if proposal.state == ProposalState::Pending {
        let items = proposal.payload.item_count();
        proposal.risk = policy.policy.risk(proposal.kind(), items);
    }
    proposal
}

pub(crate) fn draft_proposal(
    (id, may): (ProposalId, &MayPropose),
    (new, policy): (&NewProposal, &PolicyVersion),
    at: Timestamp,
) -> Proposal {
    let kind = new.payload.kind();
    let risk = policy.policy.risk(kind, new.payload.item_count());
    let valid = policy.policy.rule(kind, risk).valid_hours;
    Proposal {
        id,
        organization: may.place().organization,
        site: may.place().site,
        title: String::new(),
        rationale: new.rationale.clone(),
        payload: new.payload.clone(),
        resolved: Vec::new(),
        risk,
        proposer: may.actor(),
        let_in_by: may.let_in_by(),
        run: new.run,
        state: ProposalState::Pending,
        created_at: at,
        expires_at: at.plus(hours(u64::from(valid))),
    }
}

pub(crate) fn insert(
    tx: &mut Tx<'_>,
    (may, scribe): (&MayPropose, &Scribe),
    new: &Proposal,
    policy: &PolicyVersion,
) -> Result<()> {
    proposal::insert(tx, may, new)?;
    let digest = new.digest(&policy.digest);
    let payload = ql_core::canon::to_string(&new.payload.to_json());
    let detail = json!({
        "kind": new.kind(), "risk": new.risk, "digest": digest, "run": new.run, "policy_version": policy.version,
        "policy_digest": policy.digest, "payload_sha256": Digest::of(payload.as_bytes()),
        "resolved": new.resolved, "rationale_sha256": Digest::of(new.rationale.as_bytes()),
    });
    let mut detail = detail;
    if let Some(actor) = new.let_in_by {
        detail["let_in_by"] = actor.to_json();
    }
    scribe.proposal(tx, new.id, "proposal.created", detail)?;
    if let Some(run) = new.run {
        let detail = json!({"proposal": new.id, "kind": new.kind(), "digest": digest});
        let bytes = payload.len() + new.rationale.len();
        scribe.run(tx, run, ("proposal.created", detail), bytes)?;
    }
    Ok(())
}

/// The pending proposal of the same proposer that asks for exactly the same and saw the same: one
/// that saw something else could only go stale, and one whose time ran out can't be approved.
fn standing(
    tx: &mut Tx<'_>,
    (may, scribe): (&MayPropose, &Scribe),
    (payload, resolved): (&Payload, &[Resolved]),
) -> Result<Option<Proposal>> {
    let Some(same) = proposal::find_same_pending(tx, may, payload)? else {
        return Ok(None);
    };
    let standing =
        proposal::find(tx, may.place().site, same)?.ok_or(Error::NotFound("proposal"))?;
    let good = standing.resolved == resolved && standing.expires_at > scribe.at;
    Ok(good.then_some(standing))
}

/// Moves a proposal, and with it the plan's step that waits for it.
pub(crate) fn move_to(
    tx: &mut Tx<'_>,
    (by, scribe): (&Mover<'_>, &Scribe),
    id: ProposalId,
    (from, to): (&ProposalState, &ProposalState),
) -> Result<()> {
    proposal::set_state(tx, by, id, (from, to))?;
    match to.settled_at() {
        Some(_) => proposal_settled(tx, scribe, id),
        None => Ok(()),
    }
}

/// Sets aside older pending proposals of the same kind and proposer whose pages are all in this one.
fn supersede(
    tx: &mut Tx<'_>,
    may: &MayPropose,
    scribe: &Scribe,
    newer: &Proposal,
) -> Result<Vec<ProposalId>> {
    let pages: BTreeSet<ContentId> = newer
        .resolved
        .iter()
        .filter_map(|item| item.content_id)
        .collect();
    let mut older = BTreeSet::new();
    for page in &pages {
        older.extend(proposal::pending_for(tx, may, *page)?);
    }
    let mut superseded = Vec::new();
    for id in older {
        let Some(old) = proposal::find(tx, may.place().site, id)? else {
            continue;
        };
        if old
            .resolved
            .iter()
            .all(|item| item.content_id.is_some_and(|page| pages.contains(&page)))
        {
            let next = old
                .state
                .apply(Transition::Supersede(newer.id), scribe.at)?;
            let by = Mover::Proposer(may);
            move_to(tx, (&by, scribe), id, (&old.state, &next))?;
            scribe.proposal(tx, id, "proposal.superseded", json!({"by": newer.id}))?;
            superseded.push(id);
        }
    }
    Ok(superseded)
}
