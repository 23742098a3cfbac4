//! The pipeline's rules as their users meet them.

mod audit;
mod envelopes;
mod injection;
mod laws;
mod pack;
mod roles;
#[path = "../../../ql-scripture/tests/it/shared.rs"]
mod shared;
mod world;
