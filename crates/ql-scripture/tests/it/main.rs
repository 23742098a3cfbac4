//! The crate as its users see it.

mod base;
mod editions;
mod quotes;
mod shared;
