//! Actors at the wire.

mod actor;
mod authentication;
mod authority;
mod belongings;
mod bodies;
mod boundary;
mod content;
mod delivery;
mod eras;
mod fixture;
mod handler;
mod health;
mod interruptions;
mod leaks;
mod limits;
mod main_job;
mod proposal;
mod refusals;
mod replays;
mod rest;
mod run;
mod schemas;
mod strict_json;
mod tools;
mod transport;
mod world;
