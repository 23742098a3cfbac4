//! The use cases, tried by people and agents on a real embedded database.

mod audit;
mod authority;
mod canary;
mod credentials;
mod decisions;
mod delivery;
mod drafts;
mod everything;
mod evidence;
mod idempotency;
mod lifecycle;
mod listing;
mod main_job;
mod model;
mod people;
mod preview;
mod proposals;
mod rollback;
mod runs;
mod say;
mod schedule;
mod sites;
mod slugs;
mod staleness;
mod templates;
mod tenancy;
