//! A fresh database of the engine that the test run is for.

use std::path::PathBuf;

use ql_store::{PostgresOptions, SqliteOptions, Store};

use crate::{TempDir, TestDatabase};

/// A fresh database with the product's schema, gone with this value.
#[derive(Debug)]
pub struct FreshDatabase {
    store: Store,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Folder(TempDir),
    Server(TestDatabase),
}

impl FreshDatabase {
    /// One of the engine that `QL_TEST_ENGINE` names: `postgres`, or `sqlite` when it is absent.
    pub fn chosen() -> Self {
        match std::env::var("QL_TEST_ENGINE").as_deref() {
            Ok("postgres") => Self::postgres().expect("PostgreSQL, which this run is for"),
            Ok("sqlite") | Err(_) => Self::embedded(),
            Ok(other) => panic!("QL_TEST_ENGINE is `{other}`; it can be `sqlite` or `postgres`"),
        }
    }

    /// One of the embedded engine. Nothing in it survives the test, so no commit waits for the disk.
    pub fn embedded() -> Self {
        let folder = TempDir::new();
        let options = SqliteOptions {
            durable: false,
            ..SqliteOptions::new(folder.path().join("querylayer.db"))
        };
        Self {
            store: Store::open(options).expect("a database in a fresh folder"),
            place: Place::Folder(folder),
        }
    }

    /// One of a PostgreSQL server; none on a machine without.
    pub fn postgres() -> Option<Self> {
        let database = TestDatabase::new()?;
        Some(Self {
            store: database.store(),
            place: Place::Server(database),
        })
    }

    /// As [`FreshDatabase::postgres`] without guesses, so that it takes the same identifiers as the
    /// embedded engine.
    pub fn postgres_that_looks() -> Option<Self> {
        let database = TestDatabase::new()?;
        Some(Self {
            store: database.store_that(false),
            place: Place::Server(database),
        })
    }

    /// Another pool of connections to the same database, as another server has one; none of the
    /// embedded engine, which has one server.
    pub fn another_store(&self) -> Option<Store> {
        match &self.place {
            Place::Folder(_) => None,
            Place::Server(database) => Some(database.store()),
        }
    }

    /// As [`FreshDatabase::another_store`], as the product opens it: leases go by the server's clock.
    pub fn product_store(&self) -> Option<Store> {
        match &self.place {
            Place::Folder(_) => None,
            Place::Server(database) => {
                let options = PostgresOptions {
                    connections: 3,
                    ..PostgresOptions::new(database.url())
                };
                Some(Store::connect(options).expect("a database that is there"))
            }
        }
    }

    /// The same database without a row, for the next story, or a new one where that is quicker.
    #[must_use]
    pub fn emptied(self) -> Self {
        match &self.place {
            Place::Folder(_) => Self::embedded(),
            Place::Server(database) => {
                database.empty();
                self
            }
        }
    }

    pub(crate) fn count_rows(&self) {
        if let Place::Server(database) = &self.place {
            database.administer(&["ANALYZE"]);
        }
    }

    /// The store over it.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The file of the embedded database.
    pub(crate) fn file(&self) -> PathBuf {
        match &self.place {
            Place::Folder(folder) => folder.path().join("querylayer.db"),
            Place::Server(_) => panic!("a database server has no file to look into"),
        }
    }

    /// Closes it for good: it can't be opened again behind the application's back.
    pub(crate) fn lose(&self) {
        if let Place::Folder(_) = &self.place {
            std::fs::remove_file(self.file()).expect("a database file");
        }
        self.store.close();
    }
}
