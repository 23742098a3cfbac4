//! Where requests come in: who sends them, whether their forms are ours, and what is answered when
//! something is wrong with them.

pub(crate) mod cookie;
pub(crate) mod desk;
pub(crate) mod error;
pub(crate) mod form;
pub(crate) mod limit;
pub(crate) mod params;
pub(crate) mod security;
pub(crate) mod upload;
