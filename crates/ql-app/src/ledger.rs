//! The ledger's own work: its keys, and giving entries their places in the signed tree.

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ql_core::actor::Actor;
use ql_core::checkpoint::{KeyChain, Succession};
use ql_core::note::{PublicKey, SigningKey};
use ql_core::time::Timestamp;
use ql_store::checkpoint::{self, StoredKey};
use ql_store::tree::{self, Sequencer};
use ql_store::{StoreError, Tx, organization};
use serde_json::json;

use crate::app::App;
use crate::error::{Error, Result};
use crate::event::Scribe;

mod export;

pub use ql_store::checkpoint::Signed;
pub use ql_store::tree::Sequenced;

/// The secret bytes of a key.
pub type Seed = [u8; 32];

/// Where this server keeps the ledger's private key. The database never holds it.
///
/// A new key is staged before it is registered and takes its place afterwards, so that a server that
/// is killed in between finds the registered key in one of the two places.
pub trait KeyVault: Send + Sync {
    /// The key in use.
    fn current(&self) -> io::Result<Option<Seed>>;
    /// The key that was staged.
    fn staged(&self) -> io::Result<Option<Seed>>;
    /// Stages a key; it is durable when this returns.
    fn stage(&self, seed: &Seed) -> io::Result<()>;
    /// Puts the staged key in the place of the one in use.
    fn promote(&self) -> io::Result<()>;
}

/// Whether this server signs the ledger, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, thiserror::Error)]
pub enum Signing {
    /// Nothing had to be signed yet.
    #[default]
    #[error("nothing had to be signed yet")]
    Unknown,
    /// It signs.
    #[error("this server signs the ledger")]
    Signs,
    /// It keeps no key at all.
    #[error("this program keeps no keys")]
    NoVault,
    /// The key it has isn't the ledger's, or it has none.
    #[error("this server doesn't have the ledger's current key")]
    OtherKey,
    /// What is in the database isn't what was signed.
    #[error("the ledger's tree isn't the one that was signed last; somebody changed the database")]
    Unlike,
}

impl Signing {
    /// Whether nothing is wrong.
    pub const fn is_sound(self) -> bool {
        matches!(self, Self::Unknown | Self::Signs)
    }
}

/// How many entries get their place in one transaction.
const BATCH: u32 = 2048;

/// This server's part in signing the ledger.
#[derive(Default)]
pub(crate) struct Signer {
    vault: OnceLock<Arc<dyn KeyVault>>,
    state: Mutex<State>,
    // Held while keys are looked for, made and changed.
    keys: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    key: Option<SigningKey>,
    holder: Option<Arc<str>>,
    signing: Signing,
}

impl Signer {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, signing: Signing) {
        let before = std::mem::replace(&mut self.state().signing, signing);
        if before != signing && signing != Signing::Signs {
            tracing::warn!("{signing}; entries are kept and wait for their place in the tree");
        }
    }
}

impl App {
    /// The same use cases, signing the ledger with the key in `vault`.
    #[must_use]
    pub fn with_vault(self, vault: Arc<dyn KeyVault>) -> Self {
        // The first one stays: an application has one vault.
        drop(self.signer().vault.set(vault));
        self
    }

    /// Whether this server signs the ledger.
    pub fn signing(&self) -> Signing {
        self.signer().state().signing
    }

    /// Gives waiting entries their places in the tree and signs it: one batch, where this server has
    /// the key. It makes the first key where there is none.
    pub async fn sequence(&self) -> Result<Sequenced> {
        let waiting = self
            .store()
            .read(move |tx| Ok::<_, Error>(tree::is_waiting(tx)?));
        if !waiting.await? {
            return Ok(Sequenced::Idle);
        }
        let Some(key) = self.signing_key().await? else {
            return Ok(Sequenced::OtherKey);
        };
        let (now, holder) = (self.now(), self.holder());
        let round = self.store().write(move |tx| {
            let by = Sequencer {
                key: &key,
                holder: &holder,
                limit: BATCH,
            };
            tree::sequence(tx, by, now)
        });
        match round.await {
            Ok(Sequenced::OtherKey) => {
                // It was rotated elsewhere; the next round looks for the new one.
                self.signer().state().key = None;
                Ok(Sequenced::OtherKey)
            }
            Ok(Sequenced::Unlike { size }) => {
                self.signer().set(Signing::Unlike);
                Ok(Sequenced::Unlike { size })
            }
            Ok(Sequenced::Appended { entries, signed }) => {
                self.signer().set(Signing::Signs);
                Ok(Sequenced::Appended { entries, signed })
            }
            Ok(other @ (Sequenced::Idle | Sequenced::Elsewhere)) => Ok(other),
            // Two servers met; the other one's places stand.
            Err(StoreError::Conflict(_)) => Ok(Sequenced::Elsewhere),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives every waiting entry its place, as far as this server can.
    pub async fn sign_what_waits(&self) -> Result<()> {
        while let Sequenced::Appended { .. } = self.sequence().await? {}
        Ok(())
    }

    /// Whether this server could sign now: what it is known for, or what its keys say.
    pub async fn check_signing(&self) -> Result<Signing> {
        if self.signing() == Signing::Unlike {
            return Ok(Signing::Unlike);
        }
        let registered = self
            .store()
            .read(move |tx| Ok::<_, Error>(checkpoint::keys(tx)?.pop()));
        let Some(registered) = registered.await? else {
            return Ok(Signing::Unknown);
        };
        let _alone = self.signer().keys.lock().await;
        let found = held(&**self.vault()?, &registered.key).map_err(|error| kept(&error))?;
        Ok(found.map_or(Signing::OtherKey, |_| Signing::Signs))
    }

    /// The latest checkpoint.
    pub async fn latest_checkpoint(&self) -> Result<Option<Signed>> {
        self.store()
            .read(move |tx| Ok(checkpoint::latest(tx)?))
            .await
    }

    /// The ledger's keys; none before anything was signed.
    pub async fn ledger_keys(&self) -> Result<Option<KeyChain>> {
        self.store()
            .read(move |tx| Ok(checkpoint::key_chain(tx)?))
            .await
    }

    /// Puts a new key in the place of the one that signs. Every organization's history says so in an
    /// entry that the old key still signs; the new key's registration carries the old one's word.
    pub async fn rotate_ledger_key(&self, uid: u32) -> Result<PublicKey> {
        let _alone = self.signer().keys.lock().await;
        // What is cached may be older than a rotation elsewhere.
        let before = self.find_key().await?.ok_or_else(|| self.unsigned())?;
        let seed = self.fresh_seed();
        self.vault()?.stage(&seed).map_err(|error| kept(&error))?;
        let (app, now, holder) = (self.clone(), self.now(), self.holder());
        let rotation = Rotation {
            before,
            after: SigningKey::from_seed(&seed),
            holder,
        };
        let after = rotation.after.clone();
        self.store()
            .write(move |tx| rotation.carry_out(tx, &app, Actor::Operator { uid }, now))
            .await?;
        self.vault()?.promote().map_err(|error| kept(&error))?;
        let public = after.public();
        self.signer().state().key = Some(after);
        Ok(public)
    }

    fn vault(&self) -> Result<&Arc<dyn KeyVault>> {
        self.signer()
            .vault
            .get()
            .ok_or(Error::Unsigned(Signing::NoVault))
    }

    /// Why nothing can be signed here.
    pub(crate) fn unsigned(&self) -> Error {
        Error::Unsigned(self.signing())
    }

    /// Whether another server may sign what this one can't.
    pub(crate) fn may_come(&self) -> bool {
        self.signing() == Signing::OtherKey
    }

    fn holder(&self) -> Arc<str> {
        if let Some(holder) = &self.signer().state().holder {
            return Arc::clone(holder);
        }
        let fresh: Arc<str> = format!("{:032x}", self.ids().next(self.now())).into();
        Arc::clone(self.signer().state().holder.get_or_insert(fresh))
    }

    fn fresh_seed(&self) -> Seed {
        let mut seed = [0; 32];
        self.ids().fill(&mut seed);
        seed
    }

    /// The ledger's current key, where this server has it.
    async fn signing_key(&self) -> Result<Option<SigningKey>> {
        let _alone = self.signer().keys.lock().await;
        let cached = self.signer().state().key.clone();
        match cached {
            Some(key) => Ok(Some(key)),
            None => self.find_key().await,
        }
    }

    async fn find_key(&self) -> Result<Option<SigningKey>> {
        let Some(vault) = self.signer().vault.get().cloned() else {
            self.signer().set(Signing::NoVault);
            return Ok(None);
        };
        let registered = self
            .store()
            .read(move |tx| Ok::<_, Error>(checkpoint::keys(tx)?.pop()))
            .await?;
        let found = match registered {
            Some(registered) => held(&*vault, &registered.key).map_err(|error| kept(&error))?,
            None => self.first_key(&*vault).await?,
        };
        self.signer().state().key.clone_from(&found);
        if found.is_none() {
            self.signer().set(Signing::OtherKey);
        }
        Ok(found)
    }

    /// Makes and registers the ledger's first key; none when another server was faster.
    async fn first_key(&self, vault: &dyn KeyVault) -> Result<Option<SigningKey>> {
        let seed = match vault.staged().map_err(|error| kept(&error))? {
            Some(staged) => staged,
            None => self.fresh_seed(),
        };
        vault.stage(&seed).map_err(|error| kept(&error))?;
        let key = SigningKey::from_seed(&seed);
        let (app, public, now) = (self.clone(), key.public(), self.now());
        let registered = self.store().write(move |tx| {
            if !checkpoint::keys(tx)?.is_empty() {
                return Ok(false);
            }
            let first = StoredKey {
                number: 1,
                key: public,
                note: None,
            };
            checkpoint::register(tx, &first, now)?;
            let detail = json!({"number": 1, "key": public});
            announce(tx, &app, Actor::System, ("ledger.key_registered", detail))?;
            Ok::<_, Error>(true)
        });
        match registered.await {
            Ok(true) => {}
            Ok(false) | Err(Error::Conflict) => return Ok(None),
            Err(error) => return Err(error),
        }
        vault.promote().map_err(|error| kept(&error))?;
        Ok(Some(key))
    }
}

/// The registered key, if it is in the vault. One that was staged when the server was killed takes
/// its place now.
fn held(vault: &dyn KeyVault, registered: &PublicKey) -> io::Result<Option<SigningKey>> {
    let fits = |seed: Option<Seed>| {
        seed.map(|seed| SigningKey::from_seed(&seed))
            .filter(|key| key.public() == *registered)
    };
    if let Some(key) = fits(vault.current()?) {
        return Ok(Some(key));
    }
    let staged = fits(vault.staged()?);
    if staged.is_some() {
        vault.promote()?;
    }
    Ok(staged)
}

fn kept(error: &io::Error) -> Error {
    Error::Fault(format!("the ledger's key can't be read or kept: {error}"))
}

/// Writes an event of the ledger itself into every organization's history.
fn announce(
    tx: &mut Tx<'_>,
    app: &App,
    actor: Actor,
    (kind, detail): (&'static str, serde_json::Value),
) -> Result<()> {
    for organization in organization::list(tx)? {
        Scribe::in_organization(app, actor, organization.id).administration(
            tx,
            kind,
            detail.clone(),
        )?;
    }
    Ok(())
}

/// One key taking the place of another.
struct Rotation {
    before: SigningKey,
    after: SigningKey,
    holder: Arc<str>,
}

impl Rotation {
    fn carry_out(&self, tx: &mut Tx<'_>, app: &App, actor: Actor, now: Timestamp) -> Result<()> {
        let keys = checkpoint::key_chain(tx)?
            .filter(|keys| keys.current().0 == self.before.public())
            .ok_or(Error::Unsigned(Signing::OtherKey))?;
        let number = keys.number() + 1;
        let key = self.after.public();
        let detail = json!({"number": number, "key": key, "before": self.before.public()});
        announce(tx, app, actor, ("ledger.key_rotated", detail))?;
        let last = Succession {
            number,
            key,
            size: self.sign_everything(tx, now)?,
        };
        let note = last.sign(&self.before, keys.origin());
        let registered = StoredKey {
            number,
            key,
            note: Some(note),
        };
        Ok(checkpoint::register(tx, &registered, now)?)
    }

    /// Lets the old key sign all that is there, its own end included; the size that it signed last.
    fn sign_everything(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
        let by = Sequencer {
            key: &self.before,
            holder: &self.holder,
            limit: u32::MAX,
        };
        match tree::sequence(tx, by, now)? {
            Sequenced::Appended { signed, .. } => Ok(signed.checkpoint.size),
            Sequenced::Idle | Sequenced::Elsewhere => Err(Error::Conflict),
            Sequenced::OtherKey => Err(Error::Unsigned(Signing::OtherKey)),
            Sequenced::Unlike { .. } => Err(Error::Unsigned(Signing::Unlike)),
        }
    }
}
