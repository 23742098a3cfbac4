//! A limit on failed authentications per peer that doesn't lock out the well-behaved.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ql_core::time::Timestamp;

use super::peer::Peer;
use super::rate::{Rate, RateLimit};

/// How many tokens that were valid are remembered.
const REMEMBERED: usize = 4096;

/// Counts failures per peer. A peer with too many is turned away before its token is looked up,
/// except with a token that was valid before: several agents often share one address, and one of
/// them with a stale token must not cost the others theirs.
#[derive(Debug)]
pub struct FailureGuard {
    failures: RateLimit<Peer>,
    /// Keyed hashes, so no token is kept.
    valid_before: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

impl FailureGuard {
    /// A guard that nobody has failed at yet.
    pub fn new(rate: Rate) -> Self {
        Self {
            failures: RateLimit::new(rate),
            valid_before: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// Asks before a token is looked up.
    ///
    /// # Errors
    /// How long the peer has to wait.
    pub fn admit(&self, peer: Peer, token: &str, now: Timestamp) -> Result<(), Duration> {
        match self.failures.wait(&peer, now) {
            Some(wait) if !self.remembers(token) => Err(wait),
            _ => Ok(()),
        }
    }

    /// Remembers that the token was valid.
    pub fn succeeded(&self, token: &str) {
        let mark = self.hasher.hash_one(token);
        let mut valid = self
            .valid_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if valid.len() >= REMEMBERED && !valid.contains(&mark) {
            valid.clear();
        }
        valid.insert(mark);
    }

    /// Counts a failure, and forgets the token in case it was valid once.
    pub fn failed(&self, peer: Peer, token: &str, now: Timestamp) {
        let mark = self.hasher.hash_one(token);
        self.valid_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&mark);
        // A failure over the limit isn't counted again: the peer is already turned away.
        let _ = self.failures.count(peer, now);
    }

    fn remembers(&self, token: &str) -> bool {
        let mark = self.hasher.hash_one(token);
        self.valid_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&mark)
    }
}
