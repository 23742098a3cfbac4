//! The use cases, tried by people and agents on a real embedded database.

mod idempotency;
mod main_job;
mod runs;
mod say;
