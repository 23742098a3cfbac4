//! The crate as its users see it.

mod base;
mod shared;
