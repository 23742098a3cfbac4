//! The crate as its users see it.

mod base;
mod finding;
mod laws;
mod reading;
mod shared;
mod versification;
