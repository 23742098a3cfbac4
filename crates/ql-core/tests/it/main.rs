//! The pure crate, tried with what the test kit makes.

mod bundle;
