//! The console: conversations with agents, their turns, and the plans that they work on.

use askama::Template;

use super::Shell;
use crate::part::{Fact, Graph, Link, Pill, Select, When, Who};

/// The list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "console.html")]
pub struct Console {
    /// The frame.
    pub shell: Shell,
    /// This page of the list.
    pub rows: Vec<TalkRow>,
    /// The address of the next page.
    pub next: Option<String>,
    /// The agents to talk with; none where there is none, or the role doesn't allow it.
    pub agents: Option<Select>,
    /// What was typed.
    pub message: String,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// Whether the role allows writing.
    pub may_write: bool,
}

/// One conversation in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkRow {
    /// What it began with, and its page.
    pub link: Link,
    /// The agent.
    pub with: Who,
    /// Where its newest turn stands.
    pub state: Pill,
    /// How many turns it has.
    pub turns: i64,
    /// When something last happened.
    pub at: When,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "conversation.html")]
pub struct ConversationPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// What it began with.
    pub title: String,
    /// The agent.
    pub with: Who,
    /// Its turns, the oldest first.
    pub turns: Vec<TurnCard>,
    /// The version of the plan that it works on, or worked on last.
    pub plan: Option<PlanCard>,
    /// Where the agent's own session is.
    pub runtime: RuntimeCard,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// What was typed.
    pub message: String,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// Whether the role allows writing.
    pub may_write: bool,
}

/// One turn with what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnCard {
    /// Its identifier.
    pub id: String,
    /// Its place in the conversation.
    pub number: i64,
    /// Who wrote it.
    pub by: Who,
    /// What was asked for.
    pub message: String,
    /// Where it stands.
    pub state: Pill,
    /// What the agent said at its end.
    pub reply: Option<String>,
    /// Why it last came back or stopped, and how often it was tried.
    pub note: Option<String>,
    /// What it made.
    pub links: Vec<Link>,
    /// When it was written.
    pub at: When,
    /// Whether it can be opened again.
    pub may_reopen: bool,
    /// Whether it can be stopped.
    pub may_cancel: bool,
}

/// A version of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCard {
    /// Its identifier.
    pub id: String,
    /// What it is for.
    pub goal: String,
    /// The version, from 1.
    pub version: i64,
    /// Where it stands.
    pub state: Pill,
    /// The picture.
    pub graph: Graph,
    /// Its steps, in order.
    pub steps: Vec<StepRow>,
    /// Whether it can be given up.
    pub may_cancel: bool,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRow {
    /// Its identifier.
    pub id: String,
    /// Its name in the plan.
    pub key: String,
    /// What it is about, and what it does.
    pub text: String,
    /// Its risk.
    pub risk: crate::part::Risk,
    /// Where it stands.
    pub state: Pill,
    /// How often it was tried again.
    pub retries: i64,
    /// Why it stopped.
    pub reason: Option<String>,
    /// The proposal that it made.
    pub proposal: Option<Link>,
    /// Whether it can be opened again, or answered.
    pub may_reopen: bool,
    /// Whether it can be given up.
    pub may_cancel: bool,
}

/// Where the agent's own session is, or why nobody can go there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuntimeCard {
    /// The harness has no sessions to go to.
    None,
    /// It was seen.
    Open {
        /// The address that opens it.
        link: String,
        /// The command that resumes it.
        command: Option<String>,
        /// The profile's current name.
        profile: String,
    },
    /// It wasn't.
    Closed {
        /// Why.
        reason: String,
        /// What to do about it.
        remedy: String,
    },
}
