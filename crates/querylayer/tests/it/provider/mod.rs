//! Providers against a server that speaks their dialects and misbehaves on command.

mod keys;
pub(crate) mod media;
mod server;
mod settings;
mod words;
mod world;
