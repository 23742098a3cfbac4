//! Content briefs: the list, and one.

use ql_core::brief::BriefState;
use ql_core::id::BriefId;
use ql_core::topical_map::NodeStatus;

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, page};
use crate::edge::params::Id;
use crate::page::{BriefPage, BriefRow, Briefs, Section};
use crate::part::{Choice, Digest, Fact, Link, Select};
use crate::view::map::status;

pub(super) async fn list(desk: Desk) -> Answer {
    let wanted = desk.params.parse::<NodeStatus>("status");
    let app = &desk.web.app;
    let found = app
        .list_briefs(&desk.ctx, wanted, &desk.params.page(50))
        .await?;
    page(&Briefs {
        shell: desk.shell(Section::Map).await?,
        filters: vec![by_status(&desk)],
        is_filtered: desk.params.any(&["status"]),
        next: desk.params.next(&desk.at("briefs"), found.next.as_ref()),
        rows: found.items.iter().map(|state| row(&desk, state)).collect(),
    })
}

fn by_status(desk: &Desk) -> Select {
    let all = NodeStatus::ALL
        .into_iter()
        .filter(|one| *one != NodeStatus::Planned);
    let choices = all.map(|one| Choice::new(one.as_str(), status(one).word));
    Select {
        name: "status",
        label: "State",
        chosen: desk.params.text("status"),
        choices: std::iter::once(Choice::new("", "Every state"))
            .chain(choices)
            .collect(),
    }
}

fn row(desk: &Desk, state: &BriefState) -> BriefRow {
    let document = &state.brief.document;
    let above: Vec<&str> = document
        .above
        .iter()
        .map(|node| node.title.as_str())
        .collect();
    let href = desk.at(&format!("briefs/{}", state.brief.id));
    BriefRow {
        link: Link::new(href, document.title.as_str()),
        query: document.query.clone(),
        place: above.join(" › "),
        status: status(state.status),
        content: content(desk, state),
        at: desk.when(state.brief.created_at),
    }
}

fn content(desk: &Desk, state: &BriefState) -> Option<Link> {
    let draft = state.draft.as_ref()?;
    let href = desk.at(&format!("content/{}", draft.content));
    Some(Link::new(href, "Open the page"))
}

pub(super) async fn show(Id(id): Id<BriefId>, desk: Desk) -> Answer {
    let state = desk.web.app.get_brief(&desk.ctx, id).await?;
    let document = &state.brief.document;
    let titles = |nodes: &[ql_core::brief::Neighbour]| {
        nodes
            .iter()
            .map(|node| node.title.clone())
            .collect::<Vec<_>>()
    };
    let proposal = |id| Link::new(desk.at(&format!("proposals/{id}")), "Open the proposal");
    page(&BriefPage {
        shell: desk.shell(Section::Map).await?,
        id: id.to_string(),
        title: document.title.clone(),
        status: status(state.status),
        next: next(state.status),
        facts: facts(&state),
        above: titles(&document.above),
        beside: titles(&document.beside),
        node: Link::new(
            desk.at(&format!("topical-map/{}", state.brief.node)),
            document.node_key.as_str(),
        ),
        commissioned_by: proposal(state.brief.proposal),
        at: desk.when(state.brief.created_at),
        content: content(&desk, &state),
        accepted_by: state.draft.as_ref().map(|draft| proposal(draft.proposal)),
        sha256: Digest::new("brief digest", state.brief.sha256.to_string()),
    })
}

/// What happens next.
const fn next(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::Planned | NodeStatus::Briefed => {
            "It waits for a draft. An agent proposes one, and you accept it."
        }
        NodeStatus::Drafted => "Its page has a draft that isn’t live.",
        NodeStatus::Published => "Its page is live.",
        NodeStatus::Retired => "Its page was retired from the map; no draft is needed.",
    }
}

fn facts(state: &BriefState) -> Vec<Fact> {
    let document = &state.brief.document;
    let said =
        |label, text: &Option<String>| text.as_ref().map(|text| Fact::new(label, text.as_str()));
    let parts = [
        said("Query", &document.query),
        said("Intent", &document.intent),
        Some(Fact::new("Template", document.template.as_str())),
        Some(Fact::new("Map version", document.map_version.to_string())),
    ];
    parts.into_iter().flatten().collect()
}
