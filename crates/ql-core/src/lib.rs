//! What exists in `QueryLayer` and which changes are lawful: identifiers, time, canonical bytes,
//! scopes and roles, and every aggregate with its state machine.
//!
//! Pure: no I/O, no async. Time, identifiers and randomness come in through [`time::Clock`] and
//! [`id::IdGen`].
#![warn(missing_docs)]

pub mod access;
pub mod actor;
pub mod address;
pub mod artifact;
pub mod brief;
pub mod bundle;
pub mod canon;
pub mod checkpoint;
pub mod connection;
pub mod content;
pub mod conversation;
pub mod edit;
pub mod evidence;
pub mod fetch;
pub mod fold;
pub mod form;
pub mod hash;
pub mod id;
pub mod internal_link;
pub mod json;
pub mod key;
pub mod ledger;
pub mod lifecycle;
pub mod note;
pub mod opportunity;
pub mod page;
pub mod plain;
pub mod plan;
pub mod policy;
pub mod problem;
pub mod production;
pub mod proof;
pub mod proposal;
pub mod reverification;
pub mod role;
pub mod run;
pub mod runtime;
pub mod scope;
pub mod slug;
pub mod source;
pub mod spending;
pub mod step;
pub mod template;
pub mod time;
pub mod token;
pub mod topical_map;
pub mod tree;
pub mod turn;
