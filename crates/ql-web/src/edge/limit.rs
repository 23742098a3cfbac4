//! Failed passwords, counted: guessing is slow, and nobody is locked out for long.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ql_core::time::{Timestamp, minutes};

/// How long a failure counts.
const WINDOW: Duration = minutes(5);

/// How many failures one key may have within [`WINDOW`].
const MOST: usize = 10;

/// Beyond this many keys, the ones without a recent failure are dropped.
const MOST_KEYS: usize = 10_000;

/// The failures of each key: an address, a peer or a member.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<HashMap<String, Vec<Timestamp>>>);

impl Attempts {
    /// Whether another attempt may be made; otherwise how long to wait.
    pub(crate) fn admit(&self, keys: &[String], now: Timestamp) -> Result<(), Duration> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = |key: &String| {
            let recent: Vec<Timestamp> = recent(failures.get(key)?, now).collect();
            let oldest = recent.len().checked_sub(MOST)?;
            Some(recent[oldest].plus(WINDOW).since(now))
        };
        match keys.iter().filter_map(wait).max() {
            Some(wait) => Err(wait),
            None => Ok(()),
        }
    }

    /// Counts a failure.
    pub(crate) fn failed(&self, keys: &[String], now: Timestamp) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MOST_KEYS {
            failures.retain(|_, times| recent(times, now).next().is_some());
        }
        for key in keys {
            let times = failures.entry(key.clone()).or_default();
            times.retain(|at| now.since(*at) < WINDOW);
            times.push(now);
        }
    }

    /// Forgets a key's failures after a success.
    pub(crate) fn succeeded(&self, keys: &[String]) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in keys {
            failures.remove(key);
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
        let (attempts, keys) = (Attempts::default(), ["maren".to_owned()]);
        let second = |n: u64| Timestamp::default().plus(Duration::from_secs(n));
        for n in 0..10 {
            assert_eq!(attempts.admit(&keys, second(n)), Ok(()));
            attempts.failed(&keys, second(n));
        }
        assert_eq!(
            attempts.admit(&keys, second(10)),
            Err(Duration::from_secs(290))
        );
        assert_eq!(attempts.admit(&["idris".to_owned()], second(10)), Ok(()));
        assert_eq!(attempts.admit(&keys, second(300)), Ok(()));
        attempts.succeeded(&keys);
        assert_eq!(attempts.admit(&keys, second(10)), Ok(()));
    }
}
