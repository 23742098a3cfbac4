//! Conversations in every state, for tables of who may do what.

use ql_app::turn::ClaimedTurn;
use ql_core::id::{ConversationId, PlanId, RunId, StepId, TurnId};
use ql_core::role::Role;
use ql_core::step::Operation;
use ql_core::turn::Reply;

use crate::console::{claim, completion, plan, step};
use crate::{Place, TestApp};

/// What talking with a place's agent has left behind.
#[derive(Debug, Clone)]
pub struct Talks {
    /// A conversation that works on a plan.
    pub conversation: ConversationId,
    /// The session of the conversation in which a turn waits.
    pub session: String,
    /// The plan.
    pub plan: PlanId,
    /// A step of it that waits for an answer.
    pub asking: StepId,
    /// A step of it that waits for a person in another way.
    pub stopped: StepId,
    /// A step of it that is offered.
    pub offered: StepId,
    /// A turn that failed.
    pub failed: TurnId,
    /// A turn that waits.
    pub queued: TurnId,
    /// A turn that the place's own connection holds.
    pub held: ClaimedTurn,
    /// A run that was begun for it.
    pub run: RunId,
}

impl TestApp {
    /// A place's owner talks with its agent about everything.
    pub async fn talk(&self, place: &Place) -> Talks {
        let agent = self.agent_of(place).await;
        let planned = self.begin_talk(place, &["Plan."]).await;
        let made = self
            .app
            .create_task_plan(&agent, plan(&planned, steps()), None)
            .await
            .expect("a plan");
        let done = self.complete_turn(&agent, &planned, Reply::Completed).await;
        done.expect("completed");
        let planned_in = planned.conversation.session_id.clone();
        let session = planned_in.expect("a session");
        for _ in 0..2 {
            let asking = self.claim_turn(&agent, &session).await.expect("a step");
            let said = completion(&asking, Reply::NeedsHumanInput);
            let done = self.app.complete_turn(&agent, said, None).await;
            done.expect("completed");
        }
        let failed = self.begin_talk(place, &["Fail.", "Wait."]).await;
        let done = self.complete_turn(&agent, &failed, Reply::Failed).await;
        done.expect("completed");
        let owner = self.member_of(place, Role::Owner).await;
        let id = failed.conversation.conversation_id;
        let record = self.app.get_conversation(&owner, id).await;
        let queued = record.expect("it").turns[1].id;
        let held = self.begin_talk(place, &["Hold."]).await;
        let run = self.run_for(&agent, &held).await;
        Talks {
            conversation: planned.conversation.conversation_id,
            session: failed.conversation.session_id.expect("a session"),
            plan: made.plan_id,
            asking: made.steps[0].step_id,
            stopped: made.steps[1].step_id,
            offered: made.steps[2].step_id,
            failed: failed.turn_id,
            queued,
            held,
            run,
        }
    }

    /// A conversation whose first turn the place's agent holds, in a session of its own.
    async fn begin_talk(&self, place: &Place, messages: &[&str]) -> ClaimedTurn {
        let owner = self.member_of(place, Role::Owner).await;
        let conversation = self.converse(place).await;
        for message in messages {
            let written = self
                .app
                .add_turn(&owner, conversation, (*message).into())
                .await;
            written.expect("a turn");
        }
        let agent = self.agent_of(place).await;
        let session = format!("session of {conversation}");
        let claimed = self.app.claim_turn(&agent, claim(&session), None).await;
        claimed.expect("a turn")
    }
}

fn steps() -> Vec<ql_core::plan::PlannedStep> {
    ["asking", "stopped", "offered"]
        .map(|key| step(key, Operation::Research, &[]))
        .into()
}
