//! The rules of the production pipeline, without any input or output: what travels between the
//! director and its agents, the policy under which they work, and what each result is worth.
#![warn(missing_docs)]

pub mod document;
pub mod injection;
pub mod pack;
pub mod tier;
pub mod untrusted;
pub mod verdict;
