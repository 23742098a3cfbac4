//! The crate as its users see it.

mod base;
mod corpora;
mod editions;
mod finding;
mod laws;
mod properties;
mod quotas;
mod quotes;
mod reading;
mod robustness;
mod shared;
mod undeclared;
mod versification;
