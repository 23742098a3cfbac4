//! Productions: the board, how one begins, who plays in them, and one as a whole.

mod begin;
mod receipt;
mod show;
mod stage;

pub(super) use begin::{cast, create, new_form, roles};
pub(super) use receipt::receipt;
pub(super) use show::{add_source, exclude_source, set_budget, show, take_exit};
pub(super) use stage::{approve, reopen, show as stage, waive};

use ql_app::Error;
use ql_app::director::{Director, ProductionCard as Found, Waiting};
use ql_core::id::ProductionId;
use ql_core::role::MemberAct;

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, page};
use crate::page::{Lane, ProductionCard, Productions, Section, Step, WaitRow};
use crate::part::Link;
use crate::view::production as words;

/// The lane of productions of which all is done.
const DONE: &str = "Done";
/// The lane of productions that people ended.
const ENDED: &str = "Ended";

/// The server's director; without one it has no productions to show.
fn director(desk: &Desk) -> Result<&Director, WebError> {
    let director = desk.web.config.director.as_ref();
    director.ok_or_else(|| Error::NotFound("production").into())
}

/// The policy that is served, in a few words.
fn policy(director: &Director) -> String {
    let pack = director.pack();
    format!(
        "Policy {} {} · {}",
        pack.name,
        pack.version,
        pack.sha256.short()
    )
}

/// The address of a production.
fn address(desk: &Desk, id: ProductionId) -> String {
    desk.at(&format!("productions/{id}"))
}

/// What a production waits for.
fn waits(desk: &Desk, id: ProductionId, waits: &[Waiting]) -> Vec<WaitRow> {
    let here = address(desk, id);
    let row = |waiting: &Waiting| WaitRow {
        whom: words::whom(waiting),
        stage: Link::new(
            format!("{here}/stages/{}", waiting.stage),
            waiting.name.as_str(),
        ),
        why: words::why(&waiting.whom),
        since: desk.when(waiting.since),
    };
    waits.iter().map(row).collect()
}

pub(super) async fn list(desk: Desk) -> Answer {
    let shell = desk.shell(Section::Productions).await?;
    let may_direct = desk.may(MemberAct::Edit);
    let Some(director) = &desk.web.config.director else {
        return page(&Productions {
            shell,
            is_served: false,
            lanes: Vec::new(),
            policy: String::new(),
            next: None,
            may_direct,
        });
    };
    let found = director.list_cards(&desk.ctx, desk.params.page(50)).await?;
    page(&Productions {
        shell,
        is_served: true,
        lanes: lanes(&desk, director, &found.items),
        policy: policy(director),
        next: desk
            .params
            .next(&desk.at("productions"), found.next.as_ref()),
        may_direct,
    })
}

/// Productions under the stages at which they stand, in the policy's order; what is done last.
fn lanes(desk: &Desk, director: &Director, cards: &[Found]) -> Vec<Lane> {
    let mut lanes: Vec<(i64, Lane)> = Vec::new();
    for card in cards {
        let standing = words::standing(card).filter(|_| !card.has_ended);
        let (position, name) = match standing {
            Some(of) => {
                let stage = director.pack().stage(&of.stage);
                (
                    of.position,
                    stage.map_or(&of.stage, |stage| &stage.name).as_str(),
                )
            }
            None if card.has_ended => (i64::MAX, ENDED),
            None => (i64::MAX, DONE),
        };
        let shown = shown(desk, director, card);
        match lanes.iter_mut().find(|(_, lane)| lane.name == name) {
            Some((_, lane)) => lane.cards.push(shown),
            None => lanes.push((
                position,
                Lane {
                    name: name.to_owned(),
                    cards: vec![shown],
                },
            )),
        }
    }
    lanes.sort_by_key(|(position, _)| *position);
    lanes.into_iter().map(|(_, lane)| lane).collect()
}

fn shown(desk: &Desk, director: &Director, card: &Found) -> ProductionCard {
    let production = &card.production;
    let name = |id: &str| {
        let stage = director.pack().stage(id);
        stage.map_or_else(|| id.to_owned(), |stage| stage.name.clone())
    };
    let strip = card.stages.iter().map(|of| Step {
        tone: words::tone(&of.state),
        title: format!("{}: {}", name(&of.stage), words::words(of.state.as_str())),
    });
    ProductionCard {
        link: Link::new(address(desk, production.id), production.title.as_str()),
        objective: production.objective.clone(),
        waits: waits(desk, production.id, &card.waits),
        strip: strip.collect(),
        done: words::done(card),
        has_ended: card.has_ended,
        at: desk.when(production.started_at),
    }
}
