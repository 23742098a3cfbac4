//! What a member can do about a proposal, or what became of it.

use ql_app::proposal::{ProposalView, who_may_approve};
use ql_core::actor::Actor;
use ql_core::proposal::{ProposalKind, ProposalState, Risk, Verdict as Said};
use ql_core::role::MemberAct;

use crate::edge::desk::Desk;
use crate::page::{Closed, Open, Verdict};
use crate::part::Link;
use crate::view::event::readable;
use crate::view::names::Names;
use crate::view::words;

/// What this member can do about a proposal, or how it was decided.
pub(super) fn of(desk: &Desk, names: &Names, view: &ProposalView, effect: &str) -> Verdict {
    let proposal = &view.proposal;
    let act = match proposal.kind() {
        ProposalKind::ContentLifecycle => MemberAct::DecideContentLifecycle,
        _ => MemberAct::Decide,
    };
    let may_decide = desk.may(act) && view.rule.roles.contains(&desk.role());
    let is_own = proposal.proposer == Actor::Member(desk.signed_in.member.id);
    if proposal.state == ProposalState::Pending && may_decide {
        let stale = view
            .preconditions
            .iter()
            .find_map(|condition| condition.stale);
        return Verdict::Open(Open {
            button: effect.to_owned(),
            asks_password: proposal.risk == Risk::High && !desk.signed_in.is_fresh(&desk.web.app),
            has_password: desk.signed_in.member.password_hash.is_some(),
            blocked: stale.map(|reason| format!("Approving would only find it stale: {reason}.")),
            approvals: (view.approvals(), view.rule.approvals),
            may_withdraw: is_own,
            problem: None,
            comment: String::new(),
        });
    }
    let pill = words::proposal(&proposal.state, proposal.kind());
    Verdict::Closed(Closed {
        tone: pill.tone,
        headline: headline(names, view),
        detail: Some(detail(names, view)),
        link: newer(desk, view),
        may_cancel: may_decide && matches!(proposal.state, ProposalState::Approved { .. }),
        may_withdraw: is_own && proposal.state == ProposalState::Pending,
    })
}

/// Who said that, by name, and by whose sign-in link they came in where a member made one.
fn people(names: &Names, view: &ProposalView, said: Said) -> String {
    let by = view.decisions.iter().filter(|d| d.verdict == said);
    let name = |actor| names.who(actor).name;
    let by = by.map(|d| match d.let_in_by {
        Some(maker @ Actor::Member(_)) => format!(
            "{} (signed in by a link that {} made)",
            name(Actor::Member(d.member)),
            name(maker)
        ),
        _ => name(Actor::Member(d.member)),
    });
    by.collect::<Vec<String>>().join(" and ")
}

/// What became of it, as a headline.
fn headline(names: &Names, view: &ProposalView) -> String {
    let text = match &view.proposal.state {
        ProposalState::Pending => "It waits for others",
        ProposalState::Approved { .. } => "Approved, and waits for its time",
        ProposalState::Executed { .. } => "Carried out",
        ProposalState::Stale { .. } => "Stale",
        ProposalState::ExecutionFailed { .. } => "It failed at its time",
        ProposalState::Withdrawn { .. } => "Withdrawn by its proposer",
        ProposalState::Expired { .. } => "Expired",
        ProposalState::Superseded { .. } => "Replaced by a newer proposal",
        ProposalState::Cancelled { .. } => "Cancelled before its time",
        ProposalState::Rejected { .. } => {
            return format!("Rejected by {}", people(names, view, Said::Reject));
        }
        ProposalState::ChangesRequested { .. } => {
            return format!(
                "{} asked for changes",
                people(names, view, Said::RequestChanges)
            );
        }
    };
    text.to_owned()
}

/// What that means.
fn detail(names: &Names, view: &ProposalView) -> String {
    const NOTHING: &str = "Nothing on the site changed.";
    let reason = readable(view.proposal.state.reason().unwrap_or_default());
    let approved = || format!("Approved by {}.", people(names, view, Said::Approve));
    match &view.proposal.state {
        ProposalState::Pending => {
            format!("It can be approved by {}.", who_may_approve(&view.rule))
        }
        ProposalState::Approved { due_at } => format!(
            "{} It happens at {}, unless something changes before.",
            approved(),
            words::minute(*due_at)
        ),
        ProposalState::Executed { at } => format!("{} Done at {}.", approved(), words::minute(*at)),
        ProposalState::Stale { .. } => {
            format!("It could no longer be carried out as it was seen: {reason}. {NOTHING}")
        }
        ProposalState::ExecutionFailed { .. } => format!("The reason: {reason}. {NOTHING}"),
        ProposalState::ChangesRequested { .. } => {
            format!("The proposer can propose again. {NOTHING}")
        }
        ProposalState::Expired { .. } => format!("Nobody decided in time. {NOTHING}"),
        ProposalState::Superseded { .. } => "The newer one is decided instead.".to_owned(),
        ProposalState::Rejected { .. }
        | ProposalState::Withdrawn { .. }
        | ProposalState::Cancelled { .. } => NOTHING.to_owned(),
    }
}

/// The proposal that took this one's place.
fn newer(desk: &Desk, view: &ProposalView) -> Option<Link> {
    match &view.proposal.state {
        ProposalState::Superseded { by, .. } => Some(Link::new(
            desk.at(&format!("proposals/{by}")),
            "Open the newer proposal",
        )),
        _ => None,
    }
}
