//! ql-app
pub mod snippets;
