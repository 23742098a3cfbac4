//! Actors at the wire.

mod actor;
mod authentication;
mod bodies;
mod eras;
mod fixture;
mod limits;
mod schemas;
mod tools;
mod transport;
