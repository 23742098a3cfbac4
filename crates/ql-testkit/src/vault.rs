//! A ledger's key that lives as long as its test.

use std::io;
use std::sync::{Mutex, PoisonError};

use ql_app::ledger::{KeyVault, Seed};
use ql_core::note::SigningKey;

/// Keys in memory. Another one of the same test is another server.
#[derive(Debug, Default)]
pub struct MemoryVault(Mutex<Slots>);

#[derive(Debug, Default, Clone, Copy)]
struct Slots {
    current: Option<Seed>,
    staged: Option<Seed>,
}

impl MemoryVault {
    fn slots(&self) -> std::sync::MutexGuard<'_, Slots> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over the keys of another one, as an operator who copies the file does.
    pub fn copy_from(&self, other: &Self) {
        let slots = *other.slots();
        *self.slots() = slots;
    }

    /// The key in use.
    pub fn key(&self) -> SigningKey {
        SigningKey::from_seed(&self.slots().current.expect("a key"))
    }

    /// Forgets the key in use, as a lost file does.
    pub fn lose(&self) {
        self.slots().current = None;
    }
}

impl KeyVault for MemoryVault {
    fn current(&self) -> io::Result<Option<Seed>> {
        Ok(self.slots().current)
    }

    fn staged(&self) -> io::Result<Option<Seed>> {
        Ok(self.slots().staged)
    }

    fn stage(&self, seed: &Seed) -> io::Result<()> {
        self.slots().staged = Some(*seed);
        Ok(())
    }

    fn promote(&self) -> io::Result<()> {
        let mut slots = self.slots();
        if let Some(staged) = slots.staged.take() {
            slots.current = Some(staged);
        }
        Ok(())
    }
}
