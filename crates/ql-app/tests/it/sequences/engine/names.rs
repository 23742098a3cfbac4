//! The identifiers that an engine gave to what came to be, in order.

use ql_app::OpContext;
use ql_core::hash::Digest;
use ql_core::id::{
    AgentId, ArtifactId, ClaimId, ConnectionId, ContentId, ConversationId, LeaseToken, ProposalId,
    RevisionId, RunId, TurnId,
};
use ql_core::role::Role;
use ql_core::turn::Reply;
use ql_testkit::{Place, TestApp};

use super::super::step::Which;

/// Identifiers of one kind by the order in which they were first seen.
#[derive(Debug)]
pub(super) struct Order<T>(Vec<T>);

impl<T: Copy + PartialEq> Order<T> {
    const fn new() -> Self {
        Self(Vec::new())
    }

    /// The number of an identifier, the next one when it's new.
    pub(super) fn number(&mut self, id: T) -> usize {
        let known = self.0.iter().position(|known| *known == id);
        known.unwrap_or_else(|| {
            self.0.push(id);
            self.0.len() - 1
        })
    }

    pub(super) fn knows(&self, id: T) -> bool {
        self.0.contains(&id)
    }

    /// The identifier that a step means.
    pub(super) fn id(&self, which: Which, (elsewhere, never): (T, T)) -> T {
        match which {
            Which::Known(number) => self.0[number],
            Which::Elsewhere => elsewhere,
            Which::Never => never,
        }
    }
}

/// What came to be on the site.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) runs: Order<RunId>,
    pub(super) artifacts: Order<ArtifactId>,
    pub(super) items: Order<ContentId>,
    pub(super) revisions: Order<RevisionId>,
    pub(super) claims: Order<ClaimId>,
    pub(super) proposals: Order<ProposalId>,
    pub(super) connections: Order<ConnectionId>,
    pub(super) agents: Order<AgentId>,
    pub(super) conversations: Order<ConversationId>,
    pub(super) turns: Order<TurnId>,
    pub(super) leases: Order<LeaseToken>,
    /// The secrets of the connections, in their order.
    pub(super) secrets: Vec<String>,
    /// The digests that proposers were told, in the order of the proposals.
    pub(super) told: Vec<Digest>,
}

impl Names {
    pub(super) fn new(test: &TestApp) -> Self {
        let issued = &test.home.connection;
        Self {
            runs: Order::new(),
            artifacts: Order::new(),
            items: Order::new(),
            revisions: Order::new(),
            claims: Order::new(),
            proposals: Order::new(),
            connections: Order(vec![issued.connection.id]),
            agents: Order(vec![test.home.agent.id]),
            conversations: Order::new(),
            turns: Order::new(),
            leases: Order::new(),
            secrets: vec![issued.secret.expose().to_owned()],
            told: Vec::new(),
        }
    }

    pub(super) fn secret(&self, number: usize) -> (ConnectionId, String) {
        (self.connections.0[number], self.secrets[number].clone())
    }
}

/// What another site of the organization owns, and identifiers that nobody ever had.
#[derive(Debug)]
pub(super) struct Elsewhere {
    pub(super) runs: (RunId, RunId),
    pub(super) items: (ContentId, ContentId),
    pub(super) revisions: (RevisionId, RevisionId),
    pub(super) proposals: (ProposalId, ProposalId),
    pub(super) connections: (ConnectionId, ConnectionId),
    /// One of another organization: every agent of the site's own may be talked with.
    pub(super) agents: (AgentId, AgentId),
    pub(super) conversations: (ConversationId, ConversationId),
    pub(super) turns: (TurnId, TurnId),
    pub(super) leases: (LeaseToken, LeaseToken),
}

impl Elsewhere {
    /// Leaves a draft, a live page, a finished run, a proposal and a conversation on both other sites,
    /// none of which ever runs out.
    pub(super) async fn set_up(test: &TestApp) -> Self {
        leave_something(test, &test.foreign).await;
        leave_something(test, &test.sibling).await
    }
}

async fn leave_something(test: &TestApp, place: &Place) -> Elsewhere {
    let agent = test.agent_of(place).await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "Alpha").await;
    let proposal = test.request_publication(&agent, run, &[draft]).await;
    let withdrawn = test.app.withdraw_proposal(&agent, proposal).await;
    withdrawn.expect("withdrawn");
    let finish = ql_core::run::FinishRequest {
        summary: "Done.".into(),
        reasons: Vec::new(),
    };
    let outcome = ql_core::run::Outcome::Completed;
    let finished = test
        .app
        .finish_run(&agent, (run, outcome), finish, None)
        .await;
    finished.expect("finished");
    let (conversation, turn, lease) = leave_turns(test, (place, &agent)).await;
    let (ids, at) = (test.app.ids(), test.now());
    Elsewhere {
        runs: (run, RunId::mint(&**ids, at)),
        items: (draft.content, ContentId::mint(&**ids, at)),
        revisions: (draft.revision, RevisionId::mint(&**ids, at)),
        proposals: (proposal, ProposalId::mint(&**ids, at)),
        connections: (
            place.connection.connection.id,
            ConnectionId::mint(&**ids, at),
        ),
        agents: (test.foreign.agent.id, AgentId::mint(&**ids, at)),
        conversations: (conversation, ConversationId::mint(&**ids, at)),
        turns: (turn, TurnId::mint(&**ids, at)),
        leases: (lease, LeaseToken::mint(&**ids, at)),
    }
}

/// A conversation with a turn that is done and one that waits.
async fn leave_turns(
    test: &TestApp,
    (place, agent): (&Place, &OpContext),
) -> (ConversationId, TurnId, LeaseToken) {
    let (owner, conversation) = (
        test.member_of(place, Role::Owner).await,
        test.converse(place).await,
    );
    for message in ["Done already.", "This waits."] {
        let written = test.app.add_turn(&owner, conversation, message.into());
        written.await.expect("a turn");
    }
    let claimed = test.claim_turn(agent, "s1").await.expect("a turn");
    let done = test.complete_turn(agent, &claimed, Reply::Completed).await;
    done.expect("completed");
    (conversation, claimed.turn_id, claimed.lease_token)
}
