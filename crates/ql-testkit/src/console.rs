//! People who talk with agents, agents that work on it, and what must hold afterwards.

use std::time::Duration;

use ql_app::connection::NewConnection;
use ql_app::plan::{CreatedPlan, NewPlan};
use ql_app::turn::{ClaimTurn, ClaimedTurn, CompleteTurn, CompletedTurn};
use ql_app::{App, OpContext, Result};
use ql_core::conversation::Presented;
use ql_core::id::{ConversationId, ProposalId, RunId};
use ql_core::plan::PlannedStep;
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_core::step::Operation;
use ql_core::turn::{Reply, Turn};
use ql_store::{StoreError, liveness};
use serde_json::json;

use crate::{Place, TestApp};

/// A claim of a session that doesn't wait.
pub fn claim(session: &str) -> ClaimTurn {
    ClaimTurn {
        presented: Presented {
            session: Some(session.into()),
            previous: None,
        },
        wait: Duration::ZERO,
    }
}

/// What an agent says about a turn that it holds.
pub fn completion(claimed: &ClaimedTurn, reply: Reply) -> CompleteTurn {
    CompleteTurn {
        turn: claimed.turn_id,
        token: Some(claimed.lease_token),
        reply,
        message: format!("It is {}.", reply.as_str()),
        run: None,
        proposal: None,
        session: None,
    }
}

/// A step of a plan.
pub fn step(key: &str, operation: Operation, depends_on: &[&str]) -> PlannedStep {
    PlannedStep {
        key: key.into(),
        title: format!("Do {key}"),
        operation,
        depends_on: depends_on.iter().map(|key| (*key).to_owned()).collect(),
        input: json!({"about": key}),
    }
}

/// A plan for the turn that is held.
pub fn plan(claimed: &ClaimedTurn, steps: Vec<PlannedStep>) -> NewPlan {
    NewPlan {
        turn: claimed.turn_id,
        token: Some(claimed.lease_token),
        goal: "Better pages".into(),
        steps,
        replaces: None,
    }
}

impl TestApp {
    /// A second server of the same database, with a memory of its own: the wake-ups of the first one
    /// don't reach it. On the embedded engine both share the one connection to the file.
    pub fn second_server(&self) -> App {
        self.replica().unwrap_or_else(|| {
            let (store, config) = (self.app.store().clone(), self.app.config().clone());
            App::new(store, self.clock.clone(), self.app.ids().clone(), config)
        })
    }

    /// An editor begins a conversation with the place's agent.
    pub async fn converse(&self, place: &Place) -> ConversationId {
        let editor = self.member_of(place, Role::Owner).await;
        let begun = self.app.create_conversation(&editor, place.agent.id).await;
        begun.expect("a conversation").id
    }

    /// Somebody writes the next turn at home.
    pub async fn say(&self, conversation: ConversationId, message: &str) -> Turn {
        let editor = self.member(Role::Editor).await;
        let written = self
            .app
            .add_turn(&editor, conversation, message.into())
            .await;
        written.expect("a turn")
    }

    /// A conversation at home with one turn.
    pub async fn asked(&self, message: &str) -> ConversationId {
        let conversation = self.converse(&self.home).await;
        self.say(conversation, message).await;
        conversation
    }

    /// The agent claims in a session, without waiting.
    pub async fn claim_turn(&self, agent: &OpContext, session: &str) -> Result<ClaimedTurn> {
        self.app.claim_turn(agent, claim(session), None).await
    }

    /// The agent says what came of a turn.
    pub async fn complete_turn(
        &self,
        agent: &OpContext,
        claimed: &ClaimedTurn,
        reply: Reply,
    ) -> Result<CompletedTurn> {
        let said = completion(claimed, reply);
        self.app.complete_turn(agent, said, None).await
    }

    /// The agent completes a step with the proposal that it made.
    pub async fn complete_with(
        &self,
        agent: &OpContext,
        claimed: &ClaimedTurn,
        proposal: ProposalId,
    ) -> Result<CompletedTurn> {
        let said = CompleteTurn {
            proposal: Some(proposal),
            ..completion(claimed, Reply::Completed)
        };
        self.app.complete_turn(agent, said, None).await
    }

    /// The agent makes a plan in a turn of its own and completes that turn.
    pub async fn planned(
        &self,
        agent: &OpContext,
        session: &str,
        steps: Vec<PlannedStep>,
    ) -> CreatedPlan {
        let claimed = self.claim_turn(agent, session).await.expect("a turn");
        let made = self
            .app
            .create_task_plan(agent, plan(&claimed, steps), None)
            .await
            .expect("a plan");
        let done = self.complete_turn(agent, &claimed, Reply::Completed).await;
        done.expect("completed");
        made
    }

    /// Begins a run under the lease that the agent holds.
    pub async fn run_for(&self, agent: &OpContext, claimed: &ClaimedTurn) -> RunId {
        let begin = (crate::setup::run(&[]), Some(claimed.lease_token));
        let begun = self.app.begin_run_under(agent, begin, None).await;
        begun.expect("a run").run_id
    }

    /// Another connection of the home agent, which holds every scope.
    pub async fn second_connection(&self) -> OpContext {
        let admin = self.member(Role::Admin).await;
        let new = NewConnection {
            agent: self.home.agent.id,
            name: "second".into(),
            scopes: ScopeSet::ALL,
            expires_at: None,
        };
        let issued = self.app.create_connection(&admin, new).await;
        let secret = issued.expect("a connection").secret;
        let context = self.app.authenticate_connection(secret.expose()).await;
        context.expect("a living connection")
    }

    /// Lets the server do its work; then nothing may be stuck.
    pub async fn nothing_is_stuck(&self) {
        self.run_due_work().await;
        assert_eq!(self.stuck().await, []);
    }

    /// Everything that is stuck now.
    pub async fn stuck(&self) -> Vec<(String, String)> {
        let now = self.now();
        let stuck = self.app.store().read(move |tx| liveness::stuck(tx, now));
        let stuck: std::result::Result<_, StoreError> = stuck.await;
        stuck.expect("a readable database")
    }
}
