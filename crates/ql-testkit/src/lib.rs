//! What tests share: a clock that stands still, identifiers that repeat, throw-away folders, and a
//! whole application with people and agents in it.
#![expect(
    clippy::missing_panics_doc,
    reason = "a test ends where an expectation of its set-up fails"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use ql_core::id::{IdGen, uuid_v7};
use ql_core::time::{Clock, Timestamp};

mod app;
mod canary;
pub mod console;
mod console_story;
mod database;
mod fetcher;
mod log;
mod postgres;
mod production;
mod random;
pub mod setup;
mod source;
pub mod specimen;
mod story;
pub mod tamper;
mod topical;
mod vault;
pub mod visitor;

pub use app::{Draft, Place, TestApp, article};
pub use canary::{Canary, Planted};
pub use console_story::Talks;
pub use database::FreshDatabase;
pub use fetcher::ScriptedFetcher;
pub use log::TestLog;
pub use postgres::{END_CONNECTIONS, PrivateServer, TestDatabase};
pub use production::Produced;
pub use random::Random;
pub use source::{source_draft, source_package, source_record};
pub use vault::MemoryVault;

/// Monday, 30 November 2026, noon in UTC: when tests begin.
pub const NOON: Timestamp = Timestamp::from_micros(1_796_040_000_000_000);

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl Default for FixedClock {
    fn default() -> Self {
        Self(AtomicI64::new(NOON.as_micros()))
    }
}

impl FixedClock {
    /// Moves the clock forward.
    pub fn advance(&self, span: Duration) {
        let micros = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
        self.0.fetch_add(micros, Ordering::SeqCst);
    }

    /// Moves the clock back, as somebody does who sets a machine's clock.
    pub fn set_back(&self, span: Duration) {
        let micros = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
        self.0.fetch_sub(micros, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// Identifiers that count and secrets that repeat: the same test sees the same ones every time.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl CountingIds {
    fn count(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl IdGen for CountingIds {
    fn next(&self, now: Timestamp) -> u128 {
        uuid_v7(now, u128::from(self.count()))
    }

    fn fill(&self, buffer: &mut [u8]) {
        // A linear congruential sequence: repeatable, and spread enough for tokens to differ.
        let mut state = self.count().wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for byte in buffer {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *byte = state.to_be_bytes()[0];
        }
    }
}

/// A folder that is removed with the value.
#[derive(Debug)]
pub struct TempDir(PathBuf);

impl TempDir {
    /// A new, empty folder.
    ///
    /// # Panics
    /// When the machine has no room for one.
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            "querylayer-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::SeqCst)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Default for TempDir {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // What can't be removed stays in the machine's temporary folder; no test depends on it.
        drop(std::fs::remove_dir_all(&self.0));
    }
}
