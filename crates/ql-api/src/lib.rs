//! The surfaces for programs: the MCP endpoint with its tools.
#![warn(missing_docs)]

pub mod edge;
pub mod json;
pub mod mcp;
