//! A connector of one agent: what it is for, what it needs, and what it remembers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ql_core::id::IdGen;
use ql_core::time::Clock;
use ql_core::token::Token;
use tokio::sync::watch;

use super::event::{Event, Why};
use super::http::Endpoint;
use super::identity::connector_id;
use super::server::{Refused, Server, ServerError};

/// What a connector is for.
pub struct Task {
    /// Hermes' folder on this machine.
    pub root: PathBuf,
    /// The QueryLayer server.
    pub server: Endpoint,
    /// The agent's token there.
    pub token: Token,
    /// The connector's own name, where it isn't the usual one.
    pub name: Option<String>,
    /// How long a session may work on one turn.
    pub longest_turn: Duration,
    /// How often the lease of a turn is renewed meanwhile.
    pub renewed_every: Duration,
}

/// What a connector takes from its surroundings.
#[derive(Clone)]
pub struct Surroundings {
    /// New names for sessions.
    pub ids: Arc<dyn IdGen>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Turns true when the connector shall stop.
    pub stop: watch::Receiver<bool>,
    /// Hears what happens.
    pub tell: Arc<dyn Fn(&Event) + Send + Sync>,
}

/// Why a connector ended before it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The token isn't valid.
    #[error("the server doesn't take the agent's token; an administrator can issue a new one")]
    Unauthenticated,
    /// Hermes' folder can't be read.
    #[error("the profiles of Hermes can't be listed: {0}")]
    Folder(#[from] std::io::Error),
}

/// What breaks a round off.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Folder(#[from] std::io::Error),
}

/// A connector of one agent.
pub struct Connector {
    pub(super) root: PathBuf,
    pub(super) name: String,
    pub(super) server: Server,
    pub(super) longest_turn: Duration,
    pub(super) renewed_every: Duration,
    pub(super) around: Surroundings,
    memory: Mutex<Memory>,
}

/// What a connector remembers from round to round.
#[derive(Default)]
pub(super) struct Memory {
    /// The identity that the agent is bound to, as the server last said.
    pub(super) profile: Option<String>,
    /// The sessions that the server asks about.
    pub(super) sessions: Vec<String>,
    /// A session that was begun under a profile for a conversation that has none, and isn't bound.
    pub(super) spare: Option<Spare>,
    /// What was told last about each thing, so that it's told once.
    told: BTreeMap<String, Event>,
}

/// A session that was begun and isn't bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spare {
    pub(super) profile: String,
    pub(super) session: String,
}

impl Connector {
    /// A connector that hasn't said anything yet.
    pub fn new(task: Task, around: Surroundings) -> Self {
        Self {
            name: task.name.unwrap_or_else(|| connector_id(&task.root)),
            root: task.root,
            server: Server::new(task.server, task.token),
            longest_turn: task.longest_turn,
            renewed_every: task.renewed_every,
            around,
            memory: Mutex::default(),
        }
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().expect("nobody panics while holding it")
    }

    pub(super) fn tell(&self, event: &Event) {
        (self.around.tell)(event);
    }

    /// Tells what is about `thing`, unless that was told last.
    pub(super) fn tell_once(&self, thing: &str, event: &Event) {
        let told = self.memory().told.insert(thing.to_owned(), event.clone());
        if told.as_ref() != Some(event) {
            self.tell(event);
        }
    }

    /// A turn that was taken is told about anew.
    pub(super) fn forget_told(&self, thing: &str) {
        self.memory().told.remove(thing);
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.around.stop.borrow()
    }

    /// Waits until the connector shall stop.
    pub(super) async fn stopping(&self) {
        let mut stop = self.around.stop.clone();
        // Whoever could say so being gone is as good.
        drop(stop.wait_for(|stop| *stop).await);
    }

    /// What comes of `work`, or none when the connector shall stop before.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            () = self.stopping() => None,
            done = work => Some(done),
        }
    }
}

impl From<Refused> for Why {
    fn from(refused: Refused) -> Self {
        Self {
            reason: refused.reason,
            message: refused.message,
            remedy: refused.remedy,
        }
    }
}
