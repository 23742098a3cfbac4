//! The commands, one file each.

pub mod admin;
pub mod backup;
pub mod connection_test;
pub mod demo;
pub mod doctor;
pub mod ledger;
pub mod quickstart;
pub mod serve;
pub mod snippets;
