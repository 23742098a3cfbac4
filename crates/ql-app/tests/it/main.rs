//! The use cases, tried by people and agents on a real embedded database.

mod decisions;
mod drafts;
mod evidence;
mod idempotency;
mod lifecycle;
mod main_job;
mod proposals;
mod rollback;
mod runs;
mod say;
mod schedule;
mod slugs;
mod staleness;
mod templates;
