//! Productions: what agents answer is audited, and nothing of it is live before people approved
//! exactly that.

pub(crate) mod agents;
mod answers;
mod crashes;
mod exits;
mod money;
mod pages;
mod people;
mod release;
mod sources;
mod story;
mod world;
