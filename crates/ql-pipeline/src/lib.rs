//! The rules of the production pipeline, without any input or output: what travels between the
//! director and its agents, the policy under which they work, and what each result is worth.
#![warn(missing_docs)]

pub mod attestation;
pub mod audit;
pub mod document;
pub mod envelope;
pub mod finding;
mod flow;
pub mod injection;
pub mod money;
pub mod pack;
pub mod price;
pub mod release;
pub mod settings;
pub mod tier;
pub mod untrusted;
pub mod verdict;
