//! Claims that wait, in memory alone: who waits for what on this server, woken by whoever changes
//! something here, and by one look for all of them at what other servers changed or time did.
//!
//! Being woken is a hint. A claim that is woken looks for itself, and one that isn't ends when its
//! time is over and is answered by the next call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ql_core::id::{AgentId, ConversationId, SiteId};
use ql_core::time::Timestamp;
use ql_store::{StoreError, conversation};
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::Instant;

use crate::app::{App, WeakApp};

/// How often one look is taken for all who wait.
const LOOK: Duration = Duration::from_millis(500);
/// How far back a look reaches, so that it sees what was committed late.
const OVERLAP: Duration = Duration::from_secs(3);
/// How many changes of conversations are kept for a watcher that is slow.
const CHANGES: usize = 1024;

/// Whose turn may have become claimable, or whose conversation changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stir {
    pub(crate) site: SiteId,
    pub(crate) agent: AgentId,
    /// The session that alone may claim; none where the conversation isn't bound.
    pub(crate) session: Option<String>,
    pub(crate) conversation: ConversationId,
}

/// Everybody who waits on this server.
#[derive(Debug)]
pub(crate) struct Waiting {
    groups: Mutex<HashMap<(SiteId, AgentId), HashMap<u64, Waiter>>>,
    next: AtomicU64,
    is_looking: AtomicBool,
    look: Notify,
    failed_looks: AtomicU64,
    changes: broadcast::Sender<ConversationId>,
    ended: watch::Sender<bool>,
}

#[derive(Debug)]
struct Waiter {
    wants: Wants,
    woken: Arc<Notify>,
}

/// What somebody waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Any turn of the agent.
    Any,
    /// A turn that this session, or one without a name, may claim.
    Of(Option<String>),
}

impl Wants {
    /// Whether a turn that `session` alone may claim, or anybody, could be it.
    fn fits(&self, session: Option<&str>) -> bool {
        match self {
            Self::Any => true,
            Self::Of(own) => session.is_none() || own.as_deref() == session,
        }
    }
}

impl Default for Waiting {
    fn default() -> Self {
        Self {
            groups: Mutex::default(),
            next: AtomicU64::new(0),
            is_looking: AtomicBool::new(false),
            look: Notify::new(),
            failed_looks: AtomicU64::new(0),
            changes: broadcast::channel(CHANGES).0,
            ended: watch::channel(false).0,
        }
    }
}

/// One claim that waits; it is forgotten when this is dropped, so also when its caller went away.
#[derive(Debug)]
pub(crate) struct Place {
    app: App,
    key: (SiteId, AgentId),
    number: u64,
    woken: Arc<Notify>,
    ended: watch::Receiver<bool>,
}

impl Place {
    /// Waits until there may be something to claim; false when `until` came first or the server
    /// stops.
    pub(crate) async fn wait(&mut self, until: Instant) -> bool {
        if Instant::now() >= until || *self.ended.borrow_and_update() {
            return false;
        }
        tokio::select! {
            () = self.woken.notified() => true,
            () = tokio::time::sleep_until(until) => false,
            _ = self.ended.changed() => false,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.app.waiting().leave(self.key, self.number);
    }
}

impl Waiting {
    fn leave(&self, key: (SiteId, AgentId), number: u64) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = groups.get_mut(&key) {
            group.remove(&number);
            if group.is_empty() {
                groups.remove(&key);
            }
        }
    }

    /// Tells whoever may claim now, and whoever looks at the conversation.
    pub(crate) fn stir(&self, stir: &Stir) {
        // Nobody may be looking.
        drop(self.changes.send(stir.conversation));
        self.wake((stir.site, stir.agent), stir.session.as_deref());
    }

    fn wake(&self, key: (SiteId, AgentId), session: Option<&str>) {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let waiters = groups.get(&key).into_iter().flat_map(HashMap::values);
        for waiter in waiters {
            if waiter.wants.fits(session) {
                waiter.woken.notify_one();
            }
        }
    }

    /// How many claims wait.
    fn count(&self) -> usize {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.values().map(HashMap::len).sum()
    }

    /// Has the look for all taken now instead of in a moment.
    pub(crate) fn look_now(&self) {
        self.look.notify_one();
    }
}

/// A look at a conversation that goes on.
#[derive(Debug)]
pub struct Watch {
    conversation: ConversationId,
    changes: broadcast::Receiver<ConversationId>,
    ended: watch::Receiver<bool>,
}

impl Watch {
    /// Waits until the conversation may have changed, at most `span`; false when the server stops.
    pub async fn wait(&mut self, span: Duration) -> bool {
        let until = Instant::now() + span;
        loop {
            if *self.ended.borrow_and_update() {
                return false;
            }
            tokio::select! {
                changed = self.changes.recv() => match changed {
                    Ok(other) if other != self.conversation => {}
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return true,
                    Err(broadcast::error::RecvError::Closed) => return false,
                },
                () = tokio::time::sleep_until(until) => return true,
                _ = self.ended.changed() => {}
            }
        }
    }
}

impl App {
    /// Waits for a turn of an agent on a site.
    pub(crate) fn wait_for_turn(&self, key: (SiteId, AgentId), wants: Wants) -> Place {
        let waiting = self.waiting();
        let number = waiting.next.fetch_add(1, Ordering::Relaxed);
        let woken = Arc::new(Notify::new());
        let waiter = Waiter {
            wants,
            woken: Arc::clone(&woken),
        };
        let mut groups = waiting
            .groups
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        groups.entry(key).or_default().insert(number, waiter);
        drop(groups);
        if !waiting.is_looking.swap(true, Ordering::SeqCst) {
            tokio::spawn(look_for_all(self.downgrade()));
        }
        Place {
            app: self.clone(),
            key,
            number,
            woken,
            ended: waiting.ended.subscribe(),
        }
    }

    /// Watches a conversation.
    pub fn watch_conversation(&self, conversation: ConversationId) -> Watch {
        Watch {
            conversation,
            changes: self.waiting().changes.subscribe(),
            ended: self.waiting().ended.subscribe(),
        }
    }

    /// How many claims wait on this server.
    pub fn waiting_claims(&self) -> usize {
        self.waiting().count()
    }

    /// How many looks for those who wait have failed since the server began.
    pub fn failed_looks(&self) -> u64 {
        self.waiting().failed_looks.load(Ordering::Relaxed)
    }

    /// Ends every claim that waits and every watch, for a server that stops.
    pub fn end_waiting(&self) {
        self.waiting().ended.send_replace(true);
    }
}

/// Looks again and again, in one query for all, until nobody waits.
async fn look_for_all(app: WeakApp) {
    let mut since: Option<Timestamp> = None;
    loop {
        let Some(app) = app.upgrade() else { return };
        let waiting = app.waiting();
        if waiting.count() == 0 {
            waiting.is_looking.store(false, Ordering::SeqCst);
            // Somebody may have come between the count and the note.
            if waiting.count() == 0 || waiting.is_looking.swap(true, Ordering::SeqCst) {
                return;
            }
        }
        match look(&app, since).await {
            Ok(at) => since = Some(at),
            Err(error) => {
                waiting.failed_looks.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(%error, "it can't be seen what may be claimed");
            }
        }
        tokio::select! {
            () = waiting.look.notified() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Wakes whoever may claim what became claimable since the last look; answers when that was.
async fn look(app: &App, since: Option<Timestamp>) -> Result<Timestamp, StoreError> {
    let own = app.now();
    let (found, at) = app
        .store()
        .read(move |tx| {
            let now = tx.lease_clock(own)?;
            let since = since.unwrap_or(now).min(now).minus(OVERLAP);
            Ok::<_, StoreError>((conversation::claimable(tx, (since, now))?, now))
        })
        .await?;
    for (site, agent, session) in found {
        app.waiting().wake((site, agent), session.as_deref());
    }
    Ok(at)
}
