//! The database: a transaction is a closure, a statement is a constant, and the engine underneath
//! is one of two.
//!
//! [`Store::write`] and [`Store::read`] run a synchronous closure over a [`Tx`]. The closure does
//! nothing outside its transaction and may be run again, so identifiers and times are taken before
//! it. Everything a closure writes is kept together or not at all.
//!
//! One module of functions per aggregate holds the statements; mutating functions demand the
//! proof of authorization that only [`ql_core::access`] can give. With it they compile:
//!
//! ```no_run
//! use ql_core::access::{Administer, Authorized};
//! use ql_core::connection::Agent;
//! use ql_store::{Result, Tx, agent};
//!
//! fn checked(tx: &mut Tx<'_>, proof: &Authorized<Administer>, new: &Agent) -> Result<()> {
//!     agent::insert(tx, proof, new)
//! }
//! ```
//!
//! Without one they don't,
//!
//! ```compile_fail
//! use ql_core::connection::Agent;
//! use ql_store::{Result, Tx, agent};
//!
//! fn unchecked(tx: &mut Tx<'_>, new: &Agent) -> Result<()> {
//!     agent::insert(tx, new)
//! }
//! ```
//!
//! nor with the proof of something else,
//!
//! ```compile_fail
//! use ql_core::access::{Authorized, ReadOrganization};
//! use ql_core::connection::Agent;
//! use ql_store::{Result, Tx, agent};
//!
//! fn checked_for_another(
//!     tx: &mut Tx<'_>,
//!     proof: &Authorized<ReadOrganization>,
//!     new: &Agent,
//! ) -> Result<()> {
//!     agent::insert(tx, proof, new)
//! }
//! ```
//!
//! and nobody can make one up.
//!
//! ```compile_fail
//! use ql_core::access::{Administer, Authorized, InOrganization};
//! use ql_core::actor::Actor;
//!
//! fn forged(place: InOrganization) -> Authorized<Administer> {
//!     Authorized { actor: Actor::System, place, capability: std::marker::PhantomData }
//! }
//! ```
#![warn(missing_docs)]

mod engine;
#[macro_use]
mod statements_macro;

mod error;
mod migrate;
mod row;
mod store;

pub mod agent;
pub mod artifact;
pub mod brief;
pub mod check;
pub mod checkpoint;
pub mod connection;
pub mod content;
pub mod conversation;
pub mod delivery;
pub mod evidence;
pub mod form;
pub mod idempotency;
pub mod internal_link;
pub mod job;
pub mod lease;
pub mod ledger;
pub mod liveness;
pub mod member;
pub mod opportunity;
pub mod organization;
pub mod plan;
pub mod policy;
pub mod production;
pub mod production_exit;
pub mod production_source;
pub mod proposal;
pub mod reverification;
pub mod run;
pub mod runtime;
pub mod session;
pub mod site;
pub mod source;
pub mod spending;
pub mod stage_task;
pub mod statements;
pub mod step;
pub mod strategy;
pub mod submission;
pub mod template;
pub mod topical_map;
pub mod tree;
pub mod turn;

pub use engine::postgres::{PostgresOptions, Privileges};
pub use engine::sqlite::{MINIMUM_VERSION, SqliteOptions};
pub use engine::{SqlTx, Tx};
pub use error::{Result, StoreError};
pub use row::{Arg, Cell, Row};
pub use store::Store;
