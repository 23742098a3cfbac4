//! A whole application over one engine, driven step by step.

mod act;
mod administer;
mod console;
mod convert;
mod decide;
mod look;
mod names;

use std::collections::HashMap;
use std::fmt::Debug;

use ql_app::session::SiteRef;
use ql_app::{OpContext, Result as AppResult};
use ql_core::id::ConnectionId;
use ql_core::time::{Timestamp, minutes};
use ql_store::{StoreError, job};
use ql_testkit::TestApp;

use self::names::{Elsewhere, Names};
use super::facts::Answer;
use super::step::{Step, Who};

/// What an engine answered.
#[derive(Debug)]
pub(super) struct Said {
    /// The essential facts, for the model.
    pub(super) facts: Answer,
    /// The whole answer, for the other engines.
    pub(super) whole: String,
}

impl Said {
    fn of<T: Debug>(answer: AppResult<T>, facts: impl FnOnce(T) -> String) -> Self {
        let whole = format!("{answer:?}");
        let facts = answer.map(facts).map_err(|refusal| refusal.code());
        Self { facts, whole }
    }

    fn refused(code: &'static str) -> Self {
        Self {
            facts: Err(code),
            whole: code.to_owned(),
        }
    }
}

/// An application with what came to be in it.
pub(super) struct Engine {
    pub(super) name: &'static str,
    /// Whether its answers are compared to the last byte.
    pub(super) literal: bool,
    pub(super) test: TestApp,
    names: Names,
    elsewhere: Elsewhere,
    /// What the other sites showed before the sequence began.
    others: String,
    touched: HashMap<ConnectionId, Timestamp>,
}

impl Engine {
    pub(super) async fn new((name, literal): (&'static str, bool), test: TestApp) -> Self {
        let elsewhere = Elsewhere::set_up(&test).await;
        let mut engine = Self {
            name,
            literal,
            names: Names::new(&test),
            elsewhere,
            others: String::new(),
            touched: HashMap::new(),
            test,
        };
        engine.others = engine.look_at_others().await;
        engine
    }

    pub(super) async fn take(&mut self, step: &Step) -> Said {
        match step {
            Step::Pass(span) => {
                let forward = minutes(span.unsigned_abs());
                if *span < 0 {
                    self.test.clock.set_back(forward);
                } else {
                    self.test.advance(forward);
                }
                Said::of(Ok(self.test.now()), |now| now.to_string())
            }
            Step::Work => Said::of(self.test.app.run_due_work().await, |round| {
                format!(
                    "jobs {} runs {} proposals {} turns {}",
                    round.jobs, round.runs_closed, round.proposals_expired, round.turns_returned
                )
            }),
            Step::Call(request) => match self.admit(request.who).await {
                Some(ctx) => self.act(&ctx, request).await,
                None => Said::refused("unauthenticated"),
            },
        }
    }

    async fn admit(&mut self, who: Who) -> Option<OpContext> {
        match who {
            Who::Agent(number) => {
                let (id, secret) = self.names.secret(number);
                let before = self.test.app.store().writes();
                let context = self.test.app.authenticate_connection(&secret).await.ok()?;
                self.wait_for_the_note(id, before).await;
                Some(context)
            }
            Who::Member { role, fresh } => {
                if fresh {
                    self.test.sign_in(&self.test.home, role).await;
                }
                Some(self.test.member(role).await)
            }
        }
    }

    /// Waits until the connection's use is written down, which happens beside the call: engines are
    /// compared on what they hold, not on what is still on its way.
    async fn wait_for_the_note(&mut self, id: ConnectionId, before: u64) {
        let now = self.test.now();
        let noted = self.touched.get(&id);
        if noted.is_some_and(|at| now.since(*at) < minutes(1)) {
            return;
        }
        self.touched.insert(id, now);
        while self.test.app.store().writes() == before {
            tokio::task::yield_now().await;
        }
    }

    /// How many jobs are due and held by nobody, and whatever else nobody goes on with.
    pub(super) async fn stuck(&self) -> (i64, Vec<(String, String)>) {
        let now = self.test.now();
        let stuck = self.test.app.store().read(move |tx| job::stuck(tx, now));
        let stuck: Result<_, StoreError> = stuck.await;
        (stuck.expect("a count"), self.test.stuck().await)
    }

    /// Every entry of the ledger, byte for byte, in the order of its chains.
    pub(super) async fn ledger(&self) -> Vec<String> {
        const ENTRIES: &str =
            "SELECT subject || ' ' || canon FROM ledger_entries ORDER BY subject, seq";
        let store = self.test.app.store();
        let entries = store.read(|tx| tx.list(ENTRIES, &[], ql_store::Row::text));
        let entries: Result<_, StoreError> = entries.await;
        entries.expect("the ledger")
    }

    /// Whether the other sites show what they showed before the sequence.
    pub(super) async fn others_are_untouched(&self) -> bool {
        self.others == self.look_at_others().await
    }

    /// Everything that the other two sites show.
    async fn look_at_others(&self) -> String {
        let mut shown = String::new();
        for place in [&self.test.sibling, &self.test.foreign] {
            let site = SiteRef::Id(place.site.id);
            let operator = self.test.app.operator_site_context(1000, &site).await;
            let (operator, _) = operator.expect("the site");
            shown += &look::everything(&self.test, &operator).await;
            let live = self.test.live(place).await;
            shown.extend(live.iter().map(|page| format!("{page:?}")));
        }
        shown
    }
}
