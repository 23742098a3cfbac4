//! Conversations with agents: begun by members, looked at with everything that came of them.

use ql_core::access::{ReadConsole, UseConsole};
use ql_core::connection::Agent;
use ql_core::conversation::Conversation;
use ql_core::id::{AgentId, ConversationId, MemberId};
use ql_core::page::{Page, PageRequest};
use ql_core::step::Step;
use ql_core::turn::Turn;
use ql_store::conversation::Hand;
use ql_store::{Tx, agent, conversation, plan, step, turn};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::runtime::{Availability, availability};
use crate::waiting::Stir;

/// The most turns that one look at a conversation gives.
const TURNS: u32 = 200;

/// A conversation with everything that came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationRecord {
    /// The conversation.
    pub conversation: Conversation,
    /// The agent.
    pub agent: Agent,
    /// Its newest turns, oldest first.
    pub turns: Vec<Turn>,
    /// The versions of its plans with their steps, oldest first.
    pub plans: Vec<PlanRecord>,
    /// Whether the agent's runtime is there.
    pub runtime: Availability,
}

/// A version of a plan with its steps.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRecord {
    /// The version.
    pub plan: ql_core::plan::Plan,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationOverview {
    /// The conversation.
    pub conversation: Conversation,
    /// Its first turn.
    pub first: Option<Turn>,
    /// Its newest turn.
    pub last: Option<Turn>,
}

impl App {
    /// Begins a conversation with one of the organization's agents on the site.
    pub async fn create_conversation(
        &self,
        ctx: &OpContext,
        agent: AgentId,
    ) -> Result<Conversation> {
        let authorized = ctx.authorize::<UseConsole>()?;
        let started_by = member_of(ctx)?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let new = Conversation {
            id: ConversationId::mint(scribe.ids(), scribe.at),
            organization: authorized.organization(),
            site: authorized.site(),
            agent,
            started_by,
            binding: None,
            next_turn: None,
            claimable_at: scribe.at,
            turns: 0,
            version: 1,
            created_at: scribe.at,
            updated_at: scribe.at,
        };
        let begun = new.clone();
        self.store()
            .write(move |tx| {
                agent::find(tx, agent)?
                    .filter(|agent| agent.organization == new.organization)
                    .ok_or(Error::NotFound("agent"))?;
                conversation::insert(tx, &authorized, &new)?;
                let detail = json!({"agent": agent});
                scribe.conversation(tx, new.id, ("conversation.begun", detail))
            })
            .await?;
        Ok(begun)
    }

    /// The site's conversations, newest first.
    pub async fn list_conversations(
        &self,
        ctx: &OpContext,
        page: &PageRequest,
    ) -> Result<Page<ConversationOverview>> {
        let site = ctx.authorize::<ReadConsole>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| {
                let found = conversation::list(tx, site, &page)?;
                let mut items = Vec::with_capacity(found.items.len());
                for conversation in found.items {
                    items.push(ConversationOverview {
                        first: turn::find_first(tx, conversation.id)?,
                        last: turn::list(tx, conversation.id, 1)?.pop(),
                        conversation,
                    });
                }
                Ok(Page {
                    items,
                    next: found.next,
                })
            })
            .await
    }

    /// One of the site's conversations with its turns, its plans and the state of the runtime.
    pub async fn get_conversation(
        &self,
        ctx: &OpContext,
        id: ConversationId,
    ) -> Result<ConversationRecord> {
        let site = ctx.authorize::<ReadConsole>()?.site();
        let now = self.now();
        self.store()
            .read(move |tx| {
                let conversation =
                    conversation::find(tx, site, id)?.ok_or(Error::NotFound("conversation"))?;
                let agent = agent::find(tx, conversation.agent)?.ok_or(Error::NotFound("agent"))?;
                let now = tx.lease_clock(now)?;
                let mut plans = Vec::new();
                for plan in plan::list(tx, id)? {
                    plans.push(PlanRecord {
                        steps: step::list(tx, plan.id)?,
                        plan,
                    });
                }
                Ok(ConversationRecord {
                    turns: turn::list(tx, id, TURNS)?,
                    plans,
                    runtime: availability(tx, (&agent, site), conversation.binding.as_ref(), now)?,
                    agent,
                    conversation,
                })
            })
            .await
    }

    /// A number that grows with every change of a conversation.
    pub async fn conversation_version(&self, ctx: &OpContext, id: ConversationId) -> Result<i64> {
        let site = ctx.authorize::<ReadConsole>()?.site();
        self.store()
            .read(move |tx| {
                conversation::version_of(tx, site, id)?.ok_or(Error::NotFound("conversation"))
            })
            .await
    }
}

/// The calling member.
fn member_of(ctx: &OpContext) -> Result<MemberId> {
    match ctx.principal().actor() {
        ql_core::actor::Actor::Member(member) => Ok(member),
        _ => Err(Error::Denied(ql_core::access::Denied::MembersOnly)),
    }
}

/// Notes what became of a conversation's turns; answers whom that may concern.
pub(crate) fn refresh(
    tx: &mut Tx<'_>,
    by: Hand<'_>,
    id: ConversationId,
    scribe: &Scribe,
) -> Result<Stir> {
    let now = tx.lease_clock(scribe.at)?;
    conversation::refresh(tx, by, id, now)?;
    let after = conversation::find(tx, by.site(), id)?.ok_or(Error::NotFound("conversation"))?;
    Ok(Stir {
        site: after.site,
        agent: after.agent,
        session: after.binding.map(|binding| binding.tip),
        conversation: id,
    })
}
