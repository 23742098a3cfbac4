//! Pages: one struct each, which says everything that its template shows.
//!
//! Page structs hold no use cases and no identifiers to look up: handlers fill them from what the
//! use cases answered. Each has a `sample()` that the tests and the gallery render.

mod agent;
mod alone;
mod audit;
mod brief;
mod connection;
mod console;
mod console_sample;
mod content;
mod content_sample;
mod edit;
mod evidence;
mod form;
mod gallery;
mod inbox;
mod inbox_sample;
mod member;
mod production;
mod production_sample;
mod proposal;
mod proposal_sample;
mod propose;
mod revision;
mod run;
mod run_sample;
mod sample;
mod settings;
mod shell;
mod source;
mod stage;
mod stage_sample;
mod strategy;
mod template;
mod topical_map;
mod topical_sample;

pub use agent::{AgentPage, AgentRow, Agents, ConnectionRow, NewAgent, ScopeBox, scope_boxes};
pub use alone::{Again, ErrorPage, Landing, NewPassword, SignIn};
pub use audit::{Audit, AuditRow, Verified};
pub use brief::{BriefPage, BriefRow, Briefs};
pub use connection::{ConfirmConnection, ConnectionPage, Lamp, NewConnection};
pub use console::{Console, ConversationPage, PlanCard, RuntimeCard, StepRow, TalkRow, TurnCard};
pub use content::{Content, ContentPage, ContentRow, RevisionRow};
pub use edit::{Edit, Stale, Wrong};
pub use evidence::{Borne, Claimed, EvidencePage, EvidenceReviewPage, ReviewRow, TargetRow};
pub use form::{FormPage, FormRow, Forms, NewForm, PostCard, Question, Setting};
pub use gallery::gallery;
pub use inbox::{Inbox, InboxRow, Tab};
pub use member::{Account, MemberRow, Members, TokenRow, role_select};
pub use production::{
    ExitRow, Lane, MaterialCard, NewProduction, ProductionCard, ProductionPage, ProductionRoles,
    Productions, Receipt, RoleRow, StageRow, Step, TypedProduction, WaitRow, WaiverRow,
};
pub use proposal::{
    ArtifactRow, Check, ClaimRow, Closed, Effect, ItemCard, LinkRow, MapRow, Open, ProposalPage,
    SourceRow, Verdict, View,
};
pub use propose::{Propose, Schedule};
pub use revision::{Compare, MadeFrom, RevisionPage, Side};
pub use run::{ArtifactPage, Output, RunPage, RunRow, Runs};
pub use settings::{NewSite, PolicyRow, Settings};
pub use shell::{Csrf, Entry, Notice, Section, Shell, SiteLink};
pub use source::{PackageRow, RecordRow, SourcePackagePage, Sources};
pub use stage::{
    Acts, Compared, DocumentCard, DocumentPart, Line, Marked, Note, Proof, RuleRow, StagePage,
    TaskCard,
};
pub use strategy::{
    ImportRow, ImportStrategy, NoteRow, Opportunities, OpportunityRow, StrategyImport,
};
pub use template::{FieldRow, NewTemplate, TemplatePage, TemplateRow, Templates, VersionRow};
pub use topical_map::{Count, Drawn, ListNode, Picture, TopicalMap, TopicalNode};
