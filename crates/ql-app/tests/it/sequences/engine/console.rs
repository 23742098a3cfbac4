//! Conversations, their turns and the leases on them.

use std::time::Duration;

use ql_app::conversation::ConversationOverview;
use ql_app::turn::{ClaimTurn, ClaimedTurn, CompleteTurn};
use ql_app::{IdempotencyKey, OpContext};
use ql_core::conversation::Presented;
use ql_core::id::{ConversationId, LeaseToken, TurnId};
use ql_core::turn::Turn;

use super::super::facts::{maybe, row};
use super::super::step::{Complete, Console, Take, Which};
use super::{Engine, Said};

impl Engine {
    pub(super) async fn at_the_console(
        &mut self,
        ctx: &OpContext,
        call: &Console,
        key: Option<IdempotencyKey>,
    ) -> Said {
        let app = self.test.app.clone();
        match call {
            Console::Converse(agent) => {
                let id = self.names.agents.id(*agent, self.elsewhere.agents);
                Said::of(app.create_conversation(ctx, id).await, |begun| {
                    format!("conversation {}", self.names.conversations.number(begun.id))
                })
            }
            Console::Say(conversation, message) => {
                let id = self.conversation(*conversation);
                let answer = app.add_turn(ctx, id, (*message).into()).await;
                Said::of(answer, |turn| self.turn_facts(&turn))
            }
            Console::Take(take) => {
                let answer = app.claim_turn(ctx, claim(*take), key).await;
                Said::of(answer, |claimed| self.claimed(&claimed))
            }
            Console::Renew(turn, lease) => {
                let (id, token) = (self.turn(*turn), self.lease(*lease));
                let answer = app.renew_turn(ctx, id, Some(token)).await;
                Said::of(answer, |until| format!("until {until}"))
            }
            Console::Complete(complete) => self.complete(ctx, complete, key).await,
            Console::Reopen(turn) => {
                let answer = app.reopen_turn(ctx, self.turn(*turn)).await;
                Said::of(answer, |turn| self.turn_facts(&turn))
            }
            Console::Stop(turn) => {
                let answer = app.cancel_turn(ctx, self.turn(*turn)).await;
                Said::of(answer, |turn| self.turn_facts(&turn))
            }
        }
    }

    async fn complete(
        &mut self,
        ctx: &OpContext,
        said: &Complete,
        key: Option<IdempotencyKey>,
    ) -> Said {
        let new = CompleteTurn {
            turn: self.turn(said.turn),
            token: Some(self.lease(said.lease)),
            reply: said.reply,
            message: said.message.into(),
            run: None,
            proposal: None,
            session: said.session.map(str::to_owned),
        };
        let answer = self.test.app.complete_turn(ctx, new, key).await;
        Said::of(answer, |done| {
            format!(
                "turn {} of {} said {} is {}",
                self.names.turns.number(done.turn_id),
                self.names.conversations.number(done.conversation_id),
                done.outcome.as_str(),
                done.turn_state
            )
        })
    }

    fn conversation(&self, conversation: Which) -> ConversationId {
        let known = &self.names.conversations;
        known.id(conversation, self.elsewhere.conversations)
    }

    fn turn(&self, turn: Which) -> TurnId {
        self.names.turns.id(turn, self.elsewhere.turns)
    }

    fn lease(&self, lease: Which) -> LeaseToken {
        self.names.leases.id(lease, self.elsewhere.leases)
    }

    fn claimed(&mut self, claimed: &ClaimedTurn) -> String {
        let of = &claimed.conversation;
        format!(
            "turn {} of {} lease {} until {} attempt {} in {} “{}”",
            self.names.turns.number(claimed.turn_id),
            self.names.conversations.number(of.conversation_id),
            self.names.leases.number(claimed.lease_token),
            claimed.lease_expires_at,
            claimed.attempt,
            maybe(of.session_id.as_ref()),
            claimed.user_message
        )
    }

    fn turn_facts(&mut self, turn: &Turn) -> String {
        format!(
            "turn {} of {} {} after {} because {}",
            self.names.turns.number(turn.id),
            self.names.conversations.number(turn.conversation),
            turn.state.as_str(),
            turn.attempts,
            maybe(turn.reason.as_ref())
        )
    }

    pub(super) fn overview(&mut self, overview: &ConversationOverview) -> String {
        let number = self.names.conversations.number(overview.conversation.id);
        let last = overview.last.as_ref().map(|turn| self.turn_facts(turn));
        format!("conversation {number} last {}", maybe(last))
    }

    pub(super) async fn look_at_conversation(
        &mut self,
        ctx: &OpContext,
        conversation: Which,
    ) -> Said {
        let id = self.conversation(conversation);
        let answer = self.test.app.get_conversation(ctx, id).await;
        Said::of(answer, |record| {
            let turns: Vec<String> = record
                .turns
                .iter()
                .map(|turn| self.turn_facts(turn))
                .collect();
            let binding = record.conversation.binding.as_ref();
            format!(
                "conversation {} from {} to {} {}",
                self.names.conversations.number(record.conversation.id),
                maybe(binding.map(|binding| &binding.root)),
                maybe(binding.map(|binding| &binding.tip)),
                row(turns)
            )
        })
    }
}

/// A claim that doesn't wait.
fn claim(take: Take) -> ClaimTurn {
    ClaimTurn {
        presented: Presented {
            session: take.session.map(str::to_owned),
            previous: take.previous.map(str::to_owned),
        },
        wait: Duration::ZERO,
    }
}
