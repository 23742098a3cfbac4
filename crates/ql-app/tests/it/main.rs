//! The use cases, tried by people and agents on a real embedded database.

mod main_job;
