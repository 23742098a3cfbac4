//! Failed passwords, counted: guessing is slow, and nobody is locked out for long.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ql_core::id::MemberId;
use ql_core::time::{Timestamp, minutes};

/// How long a failure counts.
const WINDOW: Duration = minutes(5);

/// Beyond this many keys, the ones without a recent failure are dropped.
const MOST_KEYS: usize = 10_000;

/// What failures are counted by, and how many it may have within [`WINDOW`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    text: String,
    most: usize,
}

impl Key {
    /// One person's address, tried from one place.
    pub(crate) fn address_from(email: &str, peer: &str) -> Self {
        let text = format!("address {} from {peer}", email.trim().to_lowercase());
        Self { text, most: 10 }
    }

    /// One person's address, tried from anywhere. The limit is wide, so that a stranger can't
    /// easily keep somebody out.
    pub(crate) fn address(email: &str) -> Self {
        let text = format!("address {}", email.trim().to_lowercase());
        Self { text, most: 100 }
    }

    /// Whoever is at the other end, whomever they try.
    pub(crate) fn peer(peer: &str) -> Self {
        Self {
            text: format!("peer {peer}"),
            most: 50,
        }
    }

    /// A member who proves itself again.
    pub(crate) fn member(id: MemberId) -> Self {
        Self {
            text: format!("member {id}"),
            most: 10,
        }
    }
}

/// The failures of each key.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<HashMap<String, Vec<Timestamp>>>);

impl Attempts {
    /// Whether another attempt may be made; otherwise how long to wait.
    pub(crate) fn admit(&self, keys: &[Key], now: Timestamp) -> Result<(), Duration> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = |key: &Key| {
            let recent: Vec<Timestamp> = recent(failures.get(&key.text)?, now).collect();
            let oldest = recent.len().checked_sub(key.most)?;
            Some(recent[oldest].plus(WINDOW).since(now))
        };
        match keys.iter().filter_map(wait).max() {
            Some(wait) => Err(wait),
            None => Ok(()),
        }
    }

    /// Counts a failure.
    pub(crate) fn failed(&self, keys: &[Key], now: Timestamp) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MOST_KEYS {
            failures.retain(|_, times| recent(times, now).next().is_some());
        }
        for key in keys {
            let times = failures.entry(key.text.clone()).or_default();
            times.retain(|at| now.since(*at) < WINDOW);
            times.push(now);
        }
    }

    /// Forgets a key's failures after a success.
    pub(crate) fn succeeded(&self, keys: &[Key]) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in keys {
            failures.remove(&key.text);
        }
    }
}

fn recent(times: &[Timestamp], now: Timestamp) -> impl Iterator<Item = Timestamp> {
    times
        .iter()
        .copied()
        .filter(move |at| now.since(*at) < WINDOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_attempt_waits_until_the_first_is_five_minutes_old() {
        let (attempts, keys) = (
            Attempts::default(),
            [Key::address_from("maren@garden.example", "::1")],
        );
        let second = |n: u64| Timestamp::default().plus(Duration::from_secs(n));
        for n in 0..10 {
            assert_eq!(attempts.admit(&keys, second(n)), Ok(()));
            attempts.failed(&keys, second(n));
        }
        assert_eq!(
            attempts.admit(&keys, second(10)),
            Err(Duration::from_secs(290))
        );
        assert_eq!(
            attempts.admit(
                &[Key::address_from("idris@garden.example", "::1")],
                second(10)
            ),
            Ok(())
        );
        assert_eq!(attempts.admit(&keys, second(300)), Ok(()));
        attempts.succeeded(&keys);
        assert_eq!(attempts.admit(&keys, second(10)), Ok(()));
    }
}
