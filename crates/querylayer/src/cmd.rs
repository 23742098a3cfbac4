//! The commands, one file each.

pub mod admin;
pub mod backup;
pub mod connect;
pub mod connection_test;
pub mod corpus;
pub mod demo;
pub mod director;
pub mod doctor;
pub mod injection;
pub mod ledger;
pub mod policy;
pub mod prices;
pub mod quickstart;
pub mod scripture;
pub mod serve;
pub mod snippets;
mod told;
