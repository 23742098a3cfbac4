//! The use cases of `QueryLayer`: what agents, members, operators and the server itself can do.
//!
//! A surface parses, calls exactly one method of [`App`] and renders the answer. Each method takes
//! the caller's [`OpContext`] first and begins with the authorization; each mutating one is one
//! transaction in which the change, its ledger entry, its idempotency key and its follow-up job are
//! kept together or not at all.
#![warn(missing_docs)]

mod app;
mod context;
mod error;
mod event;
mod idempotency;
mod seal;
mod text;
mod waiting;

pub mod agent;
pub mod audit;
pub mod brief;
pub mod connection;
pub mod content;
pub mod conversation;
pub mod decision;
pub mod delivery;
pub mod director;
pub mod draft;
pub mod evidence;
pub mod execution;
pub mod fetch;
pub mod form;
pub mod health;
pub mod internal_link;
pub mod job;
pub mod ledger;
pub mod member;
pub mod organization;
pub mod plan;
pub mod policy;
pub mod preview;
pub mod proposal;
pub mod reverification;
pub mod run;
pub mod runtime;
pub mod sample;
pub mod session;
pub mod site;
pub mod snippets;
pub mod source;
pub mod step;
pub mod strategy;
pub mod template;
pub mod topical_map;
pub mod turn;

pub use app::{App, AppConfig};
pub use context::OpContext;
pub use error::{Error, Result};
pub use idempotency::IdempotencyKey;
pub use session::{SignedIn, Unauthenticated};
pub use waiting::Watch;
