//! Where applications over an engine come from.

use std::cell::RefCell;

use ql_store::StoreError;
use ql_testkit::{FreshDatabase, TestApp};

/// An engine: where fresh applications over it come from, one at a time.
pub(super) struct Source {
    pub(super) name: &'static str,
    pub(super) database: RefCell<Option<FreshDatabase>>,
    again: fn() -> FreshDatabase,
    spoil: &'static [&'static str],
    pub(super) literal: bool,
}

impl Source {
    pub(super) fn new(name: &'static str, again: fn() -> FreshDatabase) -> Self {
        Self {
            name,
            database: RefCell::new(None),
            again,
            spoil: &[],
            literal: true,
        }
    }

    /// The same engine compared by its facts alone, since it uses other identifiers.
    pub(super) fn by_its_facts(mut self) -> Self {
        self.literal = false;
        self
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    /// The same engine with its database changed by statements, for controls.
    pub(super) fn spoiled_by(mut self, statements: &'static [&'static str]) -> Self {
        self.spoil = statements;
        self
    }

    pub(super) async fn open(&self) -> TestApp {
        let used = self.database.take();
        let database = used.map_or_else(self.again, FreshDatabase::emptied);
        let test = TestApp::over(database).await;
        for statement in self.spoil {
            let write = |tx: &mut ql_store::Tx<'_>| tx.execute(statement, &[]).map(drop);
            let spoiled: Result<(), StoreError> = test.app.store().write(write).await;
            spoiled.expect("a statement for this engine");
        }
        test
    }
}
