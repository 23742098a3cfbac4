//! The surfaces for programs: the MCP endpoint with its tools, and what the public site reads.
#![warn(missing_docs)]

pub mod delivery;
pub mod edge;
pub mod json;
pub mod mcp;
pub mod rest;

mod input;
mod problem;
mod query;
