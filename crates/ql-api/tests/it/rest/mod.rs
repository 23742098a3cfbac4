//! People and their programs at `/api/v1`.

mod administration;
mod admission;
mod content;
mod input;
mod matrix;
mod openapi;
mod person;
mod proposal;
pub(crate) mod relations;
mod secrets;
mod strategy;
