//! The crate as its users see it.

mod base;
mod corpora;
mod editions;
mod properties;
mod quotas;
mod quotes;
mod shared;
mod undeclared;
