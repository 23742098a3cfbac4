//! A fresh database of the engine that the test run is for.

use std::path::PathBuf;

use ql_store::{SqliteOptions, Store};

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
    // Held, so that the database stays until the test ends.
    Server(#[expect(dead_code, reason = "dropping it drops the database")] TestDatabase),
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
