//! Rate limits in memory: so many events a minute, with bursts.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ql_core::time::Timestamp;

/// How many keys are remembered before those at rest are forgotten.
const SWEEP_ABOVE: usize = 4096;

/// How often something may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Sustained events per minute, at least 1.
    pub per_minute: u32,
    /// Events that may come at once after a rest, at least 1.
    pub burst: u32,
}

impl Rate {
    fn interval_micros(self) -> i64 {
        60_000_000 / i64::from(self.per_minute.max(1))
    }
}

/// One limit for many keys, by the generic cell rate algorithm: per key it keeps a single instant,
/// the one at which the key will be at rest again.
#[derive(Debug)]
pub struct RateLimit<K> {
    rate: Rate,
    at_rest: Mutex<HashMap<K, Timestamp>>,
}

impl<K: Eq + Hash> RateLimit<K> {
    /// A limit under which every key starts at rest.
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            at_rest: Mutex::default(),
        }
    }

    /// Counts one event of `key`.
    ///
    /// # Errors
    /// How long until the next event is allowed; the refused one isn't counted.
    pub fn count(&self, key: K, now: Timestamp) -> Result<(), Duration> {
        let interval = self.rate.interval_micros();
        let tolerance = interval * i64::from(self.rate.burst.max(1) - 1);
        let mut at_rest = self.at_rest.lock().unwrap_or_else(PoisonError::into_inner);
        if at_rest.len() > SWEEP_ABOVE {
            at_rest.retain(|_, rest| *rest > now);
        }
        let rest = at_rest.get(&key).copied().unwrap_or(now).max(now);
        let wait = rest.as_micros() - now.as_micros() - tolerance;
        if wait > 0 {
            return Err(Duration::from_micros(wait.unsigned_abs()));
        }
        at_rest.insert(key, Timestamp::from_micros(rest.as_micros() + interval));
        Ok(())
    }

    /// Whether an event of `key` would be refused now, and for how long.
    pub fn wait(&self, key: &K, now: Timestamp) -> Option<Duration> {
        let tolerance = self.rate.interval_micros() * i64::from(self.rate.burst.max(1) - 1);
        let at_rest = self.at_rest.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = at_rest.get(key)?.as_micros();
        let wait = rest - now.as_micros() - tolerance;
        (wait > 0).then(|| Duration::from_micros(wait.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(number: i64) -> Timestamp {
        Timestamp::from_micros(number * 1_000_000)
    }

    #[test]
    fn bursts_pass_and_then_the_wait_is_named() {
        let limit = RateLimit::new(Rate {
            per_minute: 60,
            burst: 3,
        });
        for _ in 0..3 {
            assert_eq!(limit.count("a", second(0)), Ok(()));
        }
        assert_eq!(limit.wait(&"a", second(0)), Some(Duration::from_secs(1)));
        assert_eq!(limit.count("a", second(0)), Err(Duration::from_secs(1)));
        assert_eq!(
            limit.count("b", second(0)),
            Ok(()),
            "another key has its own"
        );
        assert_eq!(
            limit.count("a", second(1)),
            Ok(()),
            "a refused event isn't counted"
        );
        assert_eq!(limit.count("a", second(1)), Err(Duration::from_secs(1)));
        assert_eq!(limit.wait(&"a", second(60)), None);
    }

    #[test]
    fn keys_at_rest_are_forgotten() {
        let limit = RateLimit::new(Rate {
            per_minute: 60,
            burst: 1,
        });
        for key in 0..=SWEEP_ABOVE {
            assert_eq!(limit.count(key, second(0)), Ok(()));
        }
        assert_eq!(limit.count(usize::MAX, second(100)), Ok(()));
        let kept = limit.at_rest.lock().expect("not poisoned").len();
        assert_eq!(kept, 1);
    }
}
