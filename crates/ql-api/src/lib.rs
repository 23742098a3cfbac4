//! The surfaces for programs: the MCP endpoint with its tools, the REST API, what the public site
//! reads, the forms that its visitors send, and how the server is.
#![warn(missing_docs)]

pub mod connector;
pub mod delivery;
pub mod edge;
pub mod form;
pub mod health;
pub mod mcp;
pub mod rest;

mod input;
mod problem;
mod query;
mod router;

pub use router::{ApiConfig, router};
