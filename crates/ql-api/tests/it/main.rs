//! Actors at the wire.

mod actor;
mod authentication;
mod bodies;
mod eras;
mod fixture;
mod limits;
mod schemas;
mod strict_json;
mod tools;
mod transport;
