//! From what use cases answer to what pages show.

pub(crate) mod compared;
pub(crate) mod console;
pub(crate) mod document;
pub(crate) mod event;
pub(crate) mod map;
pub(crate) mod names;
pub(crate) mod notice;
pub(crate) mod production;
pub(crate) mod proposal;
pub(crate) mod revision;
pub(crate) mod words;
