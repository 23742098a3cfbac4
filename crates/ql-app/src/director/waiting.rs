//! What productions wait for.

use ql_core::production::{ProductionStage, StageState};
use ql_core::time::Timestamp;
use ql_pipeline::pack::{Actor, Pack};

/// Something that a production waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The stage.
    pub stage: String,
    /// Its name for people.
    pub name: String,
    /// For whom.
    pub whom: Whom,
    /// Since when.
    pub since: Timestamp,
}

/// For whom a stage waits, the most pressing first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whom {
    /// A person, to decide what becomes of what isn't good enough or couldn't be made; why, as a
    /// stable code.
    Review(String),
    /// A person, to complete it.
    Person,
    /// The agent of this role, which is at work or can begin.
    Agent(String),
    /// The server.
    Server,
}

/// What a production waits for, the most pressing first; nothing where all of it is done.
pub(super) fn waiting(pack: &Pack, stages: &[ProductionStage]) -> Vec<Waiting> {
    let mut all: Vec<Waiting> = stages.iter().filter_map(|of| wait(pack, of)).collect();
    // The order is kept among equals, so the pack's own decides between them.
    all.sort_by(|one, other| one.whom.cmp(&other.whom));
    all
}

/// The same once people have approved the publication: the stage behind the seal follows it.
pub(super) fn following(pack: &Pack, waits: &mut [Waiting]) {
    for of in waits {
        let gates = pack.before(&of.stage);
        if of.whom == Whom::Person && gates.iter().any(|gate| pack.seals(gate)) {
            of.whom = Whom::Server;
        }
    }
}

fn wait(pack: &Pack, of: &ProductionStage) -> Option<Waiting> {
    let stage = pack.stage(&of.stage);
    let whom = match (&of.state, stage.map(|stage| &stage.by)) {
        (StageState::Waiting | StageState::Passed, _) => return None,
        (StageState::NeedsReview { reason }, _) => Whom::Review(reason.clone()),
        (StageState::Ready | StageState::Running, Some(Actor::Human) | None) => Whom::Person,
        (StageState::Ready | StageState::Running, Some(Actor::Server)) => Whom::Server,
        (StageState::Ready | StageState::Running, Some(Actor::Role(role))) => {
            Whom::Agent(role.clone())
        }
    };
    Some(Waiting {
        stage: of.stage.clone(),
        name: stage.map_or(&of.stage, |stage| &stage.name).clone(),
        whom,
        since: of.updated_at,
    })
}
