//! Productions: the board of all, how one is started, and who plays which role.

use askama::Template;

use super::Shell;
use crate::part::{Digest, Fact, Link, Meter, Pill, Select, When, Who};

/// The board: every production under the stage at which it stands.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "productions.html")]
pub struct Productions {
    /// The frame.
    pub shell: Shell,
    /// Whether the server makes productions at all.
    pub is_served: bool,
    /// The stages at which productions stand, in the policy's order.
    pub lanes: Vec<Lane>,
    /// The policy that is served, in a few words.
    pub policy: String,
    /// The address of the next page.
    pub next: Option<String>,
    /// Whether this member may start productions.
    pub may_direct: bool,
}

/// Every production at one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The stage's name.
    pub name: String,
    /// The productions.
    pub cards: Vec<ProductionCard>,
}

/// A production on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductionCard {
    /// Its title and page.
    pub link: Link,
    /// What is to be made.
    pub objective: String,
    /// What it waits for.
    pub waits: Vec<WaitRow>,
    /// Every stage on the way, by what its state means.
    pub strip: Vec<Step>,
    /// How many stages are done, in words.
    pub done: String,
    /// Whether people ended it before its end.
    pub has_ended: bool,
    /// When it was started.
    pub at: When,
}

/// One stage in a strip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What its state means.
    pub tone: crate::part::Tone,
    /// Its name with its state.
    pub title: String,
}

/// Something that a production waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitRow {
    /// For whom, as a state.
    pub whom: Pill,
    /// The stage.
    pub stage: Link,
    /// Why it was held, where it was.
    pub why: Option<String>,
    /// Since when.
    pub since: When,
}

/// The form that starts a production.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "new_production.html")]
pub struct NewProduction {
    /// The frame.
    pub shell: Shell,
    /// The templates to choose from.
    pub templates: Select,
    /// What was typed.
    pub typed: TypedProduction,
    /// Roles that nobody plays.
    pub uncast: Vec<String>,
    /// Why nothing was started.
    pub problems: Vec<String>,
}

/// What was typed into the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedProduction {
    /// Its title.
    pub title: String,
    /// What is to be made.
    pub objective: String,
    /// For whom.
    pub audience: String,
    /// The medium.
    pub medium: String,
    /// The fields of the page that no document fills, as JSON.
    pub fields: String,
    /// The most that all of it may cost, in dollars.
    pub budget: String,
    /// The most that a task may cost, in dollars.
    pub task_budget: String,
}

/// Who plays which role.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "production_roles.html")]
pub struct ProductionRoles {
    /// The frame.
    pub shell: Shell,
    /// The policy that is served.
    pub policy: String,
    /// The roles.
    pub rows: Vec<RoleRow>,
    /// Whether this member may cast them.
    pub may_direct: bool,
}

/// A role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRow {
    /// Its id.
    pub id: String,
    /// Its number and name.
    pub name: String,
    /// What it is to do.
    pub task: String,
    /// Who plays it.
    pub by: Option<Who>,
    /// Whether a stage is completed by it.
    pub is_needed: bool,
    /// Who does the work, in words.
    pub how: Option<&'static str>,
    /// Everybody who could.
    pub choice: Select,
    /// Who could do the work.
    pub player: Select,
}

/// One production.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "production.html")]
pub struct ProductionPage {
    /// The frame.
    pub shell: Shell,
    /// Its identifier.
    pub id: String,
    /// What it's called.
    pub title: String,
    /// What is to be made.
    pub objective: String,
    /// Where it stands as a whole.
    pub state: Pill,
    /// Who started it.
    pub by: Who,
    /// When.
    pub at: When,
    /// Whether another policy is served than its own.
    pub is_stuck: bool,
    /// What it waits for.
    pub waits: Vec<WaitRow>,
    /// How much of what all of it may cost is used.
    pub budget: Meter,
    /// How much of what one may cost each newest task uses.
    pub tasks: Vec<Meter>,
    /// What all of it and one task may cost.
    pub limits: (String, String),
    /// Answers of which nobody knows the cost.
    pub unknown: Option<String>,
    /// Other facts.
    pub facts: Vec<Fact>,
    /// Hashes of its policy.
    pub hashes: Vec<(&'static str, Digest)>,
    /// What was sealed, where something was.
    pub receipt: Option<Link>,
    /// Its stages.
    pub stages: Vec<StageRow>,
    /// Material from outside.
    pub sources: Vec<MaterialCard>,
    /// What people waived.
    pub waivers: Vec<WaiverRow>,
    /// The ways out that people took: which, why, who, when, and the proposal that it waits for.
    pub exits: Vec<ExitRow>,
    /// How people ended it before its end, where they did.
    pub ended: Option<String>,
    /// The ways out that can be taken, where this member may take them.
    pub ways_out: Option<(Select, Select)>,
    /// Whether this member may direct it.
    pub may_direct: bool,
    /// Whether an agent or the server is at work, so that the page looks again by itself.
    pub is_moving: bool,
    /// Why the last form wasn't carried out.
    pub problems: Vec<String>,
}

/// A stage in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageRow {
    /// Its name and page.
    pub link: Link,
    /// Where it stands.
    pub state: Pill,
    /// Why it was held, where it was.
    pub why: Option<String>,
    /// What its document is worth.
    pub verdict: Option<Pill>,
    /// How many findings its document has, by what they weigh.
    pub findings: Vec<Pill>,
    /// Who completes it.
    pub by: Who,
    /// How many attempts were issued, in words.
    pub attempts: String,
    /// What it cost so far.
    pub cost: String,
    /// When it last moved; none before it began.
    pub at: Option<When>,
}

/// A piece of material from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaterialCard {
    /// Where it's from.
    pub origin: String,
    /// What it is, and how large.
    pub kind: String,
    /// The hash of its bytes.
    pub sha256: Digest,
    /// When it was retrieved.
    pub at: When,
    /// What the detector found in it.
    pub findings: Vec<(Pill, String)>,
    /// Who took it out, where somebody did.
    pub excluded_by: Option<Who>,
    /// The beginning of its text.
    pub text: String,
    /// Whether the text was cut for display.
    pub is_cut: bool,
}

/// A finding that somebody waived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaiverRow {
    /// The finding's code.
    pub code: String,
    /// Why.
    pub reason: String,
    /// Who.
    pub by: Who,
    /// When.
    pub at: When,
}

/// A way out that somebody took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitRow {
    /// The way out.
    pub name: String,
    /// What became of it.
    pub said: String,
    /// Why it was taken.
    pub reason: String,
    /// The proposal that it waits for, or that carried it out.
    pub proposal: Option<Link>,
    /// Who.
    pub by: Who,
    /// When.
    pub at: When,
}

/// What was published: every document by its hash, the page, and who let it go live.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "receipt.html")]
pub struct Receipt {
    /// The frame.
    pub shell: Shell,
    /// The production.
    pub production: Link,
    /// What became of it.
    pub state: Pill,
    /// What that means.
    pub said: String,
    /// When it was sealed.
    pub at: When,
    /// What the gate made of it.
    pub verdict: Pill,
    /// The digest of the manifest.
    pub manifest: Digest,
    /// The manifest itself.
    pub text: String,
    /// The documents: the stage, the kind, the hash.
    pub documents: Vec<(Link, String, Digest)>,
    /// The page, its revision and the hash of what it says.
    pub page: (Link, Link, Digest),
    /// The proposal to publish it.
    pub proposal: Link,
    /// Who approved, and when.
    pub approved: Vec<(Who, When)>,
    /// The ledger's entry about the seal.
    pub ledger: Option<(String, Digest)>,
    /// The run that compared what is live with what was sealed; its export proves both.
    pub run: Option<String>,
    /// Facts of the policy.
    pub hashes: Vec<(&'static str, Digest)>,
}

impl Productions {
    fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }
}
