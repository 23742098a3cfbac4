//! Everything here that speaks to a database itself, past the product: the throw-away cluster, the
//! raw reference, the fill of a grown store and the count of what was kept.

pub(crate) mod cluster;
pub(crate) mod fill;
pub(crate) mod kept;
pub(crate) mod raw;
pub(crate) mod sent;
mod statements;
