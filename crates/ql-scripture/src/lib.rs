//! Scripture that can be trusted: references read exactly, verses found in every versification, and
//! quotations that are what they claim to be.
//!
//! Only [`corpus::folder`] touches files. The crate knows nothing of the rest of `QueryLayer`.
#![warn(missing_docs)]

pub mod book;
pub mod corpus;
pub mod fuzz;
pub mod language;
mod lexicon;
pub mod quota;
pub mod quote;
pub mod reference;
pub mod span;
mod token;
pub mod undeclared;
pub mod verse;
pub mod versification;

pub use book::Book;
pub use language::Language;
pub use reference::Reader;
pub use span::{Passage, Span};
pub use verse::Verse;
pub use versification::{Scheme, Versification};

/// The examples of the page for readers run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
