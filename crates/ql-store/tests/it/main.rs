//! The store, tried on real database files, also by those who would tamper with them.

mod append_only;
mod closing;
mod group_commit;
mod jobs;
mod notes;
mod opening;
mod postgres;
mod reading;
mod statements;
mod story;
mod tampering;
