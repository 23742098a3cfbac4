//! The inbox.

use std::str::FromStr as _;

use ql_app::Error;
use ql_app::decision::NewDecision;
use ql_app::proposal::{Filter, ProposalView};
use ql_core::fold::fold;
use ql_core::hash::Digest;
use ql_core::id::ProposalId;
use ql_core::page::{Cursor, PageRequest};
use ql_core::proposal::{ProposalKind, ProposalState, Risk, Verdict};
use ql_core::role::MemberAct;

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, page};
use crate::edge::form::Action;
use crate::page::{Inbox, InboxRow, Section, Tab};
use crate::part::{self, Choice, Select};
use crate::view::names::Names;
use crate::view::proposal::effect;
use crate::view::words;

/// The most pending proposals that one inbox sorts.
const MOST_PENDING: usize = 500;

/// What the address may say.
const FILTERS: [&str; 5] = ["kind", "risk", "agent", "q", "state"];

pub(super) async fn home(desk: Desk) -> Answer {
    Ok(go(&desk.at("inbox")))
}

pub(super) async fn show(desk: Desk) -> Answer {
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let state = desk.params.get("state").unwrap_or("pending").to_owned();
    let (mut views, next) = find(&desk, &state).await?;
    let words = desk.params.get("q").map(fold).unwrap_or_default();
    let mut rows: Vec<(Risk, InboxRow)> = Vec::with_capacity(views.len());
    for view in views.drain(..) {
        let risk = view.proposal.risk;
        let row = row(&desk, &names, view).await?;
        if fold(&format!("{} {}", row.effect, row.title)).contains(&words) {
            rows.push((risk, row));
        }
    }
    if state == "pending" {
        // The riskiest first, then the longest waiting; identifiers sort by age.
        rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    }
    let newest = rows
        .iter()
        .map(|(_, row)| row.id.clone())
        .max()
        .unwrap_or_default();
    let since = desk.params.get("since").map_or(newest, str::to_owned);
    let fresh = rows
        .iter()
        .filter(|(_, row)| !since.is_empty() && row.id > since)
        .count();
    let path = desk.at("inbox");
    let counted = words::count(rows.len(), "proposal", "proposals");
    let page_of = Inbox {
        shell: desk.shell(Section::Inbox).await?,
        tabs: tabs(&desk, &state).await?,
        query: desk.params.text("q"),
        filters: filters(&desk, &names, &state),
        count: if next.is_some() {
            format!("{counted} shown")
        } else {
            counted
        },
        fresh,
        poll: desk.params.address(&path, &[("since", &since)]),
        start: desk.params.address(&path, &[("since", ""), ("cursor", "")]),
        path: path.clone(),
        next: desk.params.next(&path, next.as_ref()),
        may_reject: desk.may(MemberAct::Decide) && rows.iter().any(|(_, row)| row.is_pending),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        is_filtered: desk.params.any(&FILTERS),
        mcp_url: desk.web.mcp_url(),
    };
    page(&page_of)
}

/// The proposals that the address asks for. All pending ones come at once, to be sorted.
async fn find(desk: &Desk, state: &str) -> Result<(Vec<ProposalView>, Option<Cursor>), WebError> {
    let params = &desk.params;
    let filter = Filter {
        state: ProposalState::NAMES.into_iter().find(|name| *name == state),
        kind: params.parse::<ProposalKind>("kind"),
        run: None,
        risk: params.parse::<Risk>("risk"),
        proposer: params.get("agent").map(|agent| match agent {
            "member" => "member:".to_owned(),
            agent => format!("agent:{agent}:"),
        }),
    };
    if state != "pending" {
        let found = desk
            .web
            .app
            .list_proposals(&desk.ctx, &filter, &params.page(50))
            .await?;
        return Ok((found.items, found.next));
    }
    let (mut all, mut after) = (Vec::new(), None);
    while all.len() < MOST_PENDING {
        let request = PageRequest::new(Some(PageRequest::MAX), after);
        let found = desk
            .web
            .app
            .list_proposals(&desk.ctx, &filter, &request)
            .await?;
        all.extend(found.items);
        after = found.next;
        if after.is_none() {
            break;
        }
    }
    Ok((all, after))
}

async fn row(desk: &Desk, names: &Names, view: ProposalView) -> Result<InboxRow, WebError> {
    let proposal = &view.proposal;
    Ok(InboxRow {
        id: proposal.id.to_string(),
        digest: view.digest.to_string(),
        href: desk.at(&format!("proposals/{}", proposal.id)),
        effect: effect(desk, proposal).await?,
        title: proposal.title.clone(),
        risk: part::Risk(proposal.risk),
        state: words::proposal(&proposal.state, proposal.kind()),
        by: names.who(proposal.proposer),
        at: desk.when(proposal.created_at),
        is_pending: proposal.state == ProposalState::Pending,
    })
}

async fn tabs(desk: &Desk, here: &str) -> Result<Vec<Tab>, WebError> {
    let pending = desk.web.app.count_pending(&desk.ctx).await?;
    let pending: i64 = pending.iter().map(|(_, count)| count).sum();
    let lists = [
        ("pending", "Needs you", Some(pending.unsigned_abs())),
        ("approved", "Scheduled", None),
        ("executed", "Carried out", None),
        ("all", "All", None),
    ];
    let tab = |(state, text, count): (&'static str, _, _)| Tab {
        href: desk.params.address(
            &desk.at("inbox"),
            &[("state", state), ("since", ""), ("cursor", "")],
        ),
        text,
        count,
        is_here: state == here,
    };
    Ok(lists.map(tab).into())
}

fn filters(desk: &Desk, names: &Names, state: &str) -> Vec<Select> {
    let select = |name, label, chosen: String, choices| Select {
        name,
        label,
        chosen,
        choices,
    };
    let mut kinds = vec![Choice::new("", "Any kind")];
    kinds.extend(ProposalKind::ALL.map(|kind| Choice::new(kind.as_str(), words::kind(kind))));
    let mut risks = vec![Choice::new("", "Any risk")];
    risks.extend(Risk::ALL.map(|risk| Choice::new(risk.as_str(), format!("{risk} risk"))));
    let mut proposers = vec![
        Choice::new("", "Any proposer"),
        Choice::new("member", "Members"),
    ];
    let agents = names.agents().into_iter();
    proposers.extend(agents.map(|(id, name)| Choice::new(id.to_string(), name)));
    let mut states = vec![Choice::new("all", "Any state")];
    states.extend(ProposalState::NAMES.map(|name| Choice::new(name, words::state(name))));
    vec![
        select("state", "State", state.to_owned(), states),
        select("kind", "Kind", desk.params.text("kind"), kinds),
        select("risk", "Risk", desk.params.text("risk"), risks),
        select("agent", "Proposer", desk.params.text("agent"), proposers),
    ]
}

/// Rejects every picked proposal as it was seen; one that changed meanwhile is left alone.
pub(super) async fn reject(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Decide)?;
    let (mut done, mut failed) = (0_usize, 0_usize);
    for picked in form.all("proposal") {
        let read = picked.split_once(' ').and_then(|(id, digest)| {
            Some((
                ProposalId::from_str(id).ok()?,
                Digest::from_str(digest).ok()?,
            ))
        });
        let (proposal, digest) = read.ok_or(WebError::BadForm(
            "A picked proposal is no proposal.".into(),
        ))?;
        let decision = NewDecision {
            proposal,
            verdict: Verdict::Reject,
            digest,
            comment: form.text("comment"),
        };
        match desk.web.app.decide(&desk.ctx, decision).await {
            Ok(_) => done += 1,
            Err(Error::DigestMismatch { .. } | Error::InvalidTransition(_) | Error::Conflict) => {
                failed += 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(go(&desk.at(&format!(
        "inbox?notice=rejected&done={done}&failed={failed}"
    ))))
}
