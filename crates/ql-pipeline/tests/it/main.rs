//! The pipeline's rules as their users meet them.

mod audit;
mod envelopes;
mod laws;
mod pack;
mod world;
