//! The use cases, tried by people and agents on a real embedded database.

mod decisions;
mod drafts;
mod evidence;
mod idempotency;
mod main_job;
mod proposals;
mod runs;
mod say;
mod slugs;
mod templates;
