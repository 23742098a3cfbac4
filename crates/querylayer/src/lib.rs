//! The `querylayer` program: configuration, wiring and commands. The use cases are `ql-app`'s, the
//! surfaces `ql-api`'s and `ql-web`'s.

pub mod admin;
pub mod cli;
pub mod cmd;
pub mod config;
pub mod connect;
pub mod data;
pub mod database;
pub mod fetch;
pub mod outbox;
pub mod output;
pub mod provider;
pub mod server;
pub mod shelf;
pub mod socket;
pub mod trust;
pub mod vault;
