//! Fetching from elsewhere: what the application needs of it, whoever does it.

use std::pin::Pin;

pub use ql_core::fetch::{FetchFailure, Fetched};

/// What a fetch becomes.
pub type Fetching<'f> = Pin<Box<dyn Future<Output = Result<Fetched, FetchFailure>> + Send + 'f>>;

/// Fetches addresses that agents and members named, within the rules of
/// [`ql_core::address`] and within limits of time and size.
pub trait Fetcher: Send + Sync {
    /// What stands at an address now.
    fn fetch<'f>(&'f self, url: &'f str) -> Fetching<'f>;
}
