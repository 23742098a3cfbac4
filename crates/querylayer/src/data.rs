//! The data folder: the database, the keys and the note of where the running server listens.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use ql_app::{App, AppConfig};
use ql_core::id::{IdGen, SystemIdGen};
use ql_core::time::SystemClock;

use crate::database::DatabaseArgs;
use crate::vault::FileVault;

/// A data folder, and which database belongs to it.
#[derive(Debug, Clone)]
pub struct DataDir {
    path: PathBuf,
    database: DatabaseArgs,
}

impl DataDir {
    /// The folder at `path`, which need not exist, with its embedded database.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            database: DatabaseArgs::default(),
        }
    }

    /// The folder with another database than the embedded one, where `database` names one.
    #[must_use]
    pub fn with_database(self, database: DatabaseArgs) -> Self {
        Self { database, ..self }
    }

    /// Whether the database is a server's.
    pub fn has_server(&self) -> bool {
        self.database.database.is_some()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.path.join("querylayer.db")
    }

    /// The folder of keys.
    pub fn keys(&self) -> PathBuf {
        self.path.join("keys")
    }

    /// The note that says where the running server's socket is.
    pub fn socket_note(&self) -> PathBuf {
        self.path.join("socket")
    }

    /// Whether there is a database: a file in the folder, or a server.
    pub fn exists(&self) -> bool {
        self.has_server() || self.database().exists()
    }

    /// Makes the folder and its keys, where they are missing, for this user alone.
    ///
    /// # Errors
    /// What the operating system says, with the path.
    pub fn create(&self) -> Result<()> {
        for folder in [self.path.clone(), self.keys()] {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&folder)
                .with_context(|| format!("the folder {} can't be made", folder.display()))?;
        }
        Ok(())
    }

    /// Refuses a folder without a database, saying how to make one.
    ///
    /// # Errors
    /// That there is none.
    pub fn require(&self) -> Result<()> {
        if self.exists() {
            return Ok(());
        }
        bail!(
            "there is no QueryLayer data in {}; run `querylayer quickstart --data {}` to make it, or name the right folder with --data",
            self.path.display(),
            self.path.display()
        )
    }

    /// Makes this the only server of the folder for as long as the answer is held. The embedded
    /// database is locked by itself; a database server takes many servers, each with its own folder.
    ///
    /// # Errors
    /// Another server works on the folder.
    pub fn occupy(&self) -> Result<fs::File> {
        self.create()?;
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.path.join("server.lock"))
            .context("the folder's lock can't be made")?;
        rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).map_err(
            |_| {
                anyhow::anyhow!(
                    "another server works on the data folder {}",
                    self.path.display()
                )
            },
        )?;
        Ok(file)
    }

    /// The key that preview links are signed with, made at the first use, readable by this user alone.
    ///
    /// # Errors
    /// What the operating system says, or that the file isn't a key.
    pub fn preview_key(&self) -> Result<[u8; 32]> {
        let path = self.keys().join("preview.key");
        if let Ok(bytes) = fs::read(&path) {
            return bytes
                .try_into()
                .map_err(|_| anyhow::anyhow!("{} holds no key of 32 bytes", path.display()));
        }
        let mut key = [0; 32];
        SystemIdGen::default().fill(&mut key);
        fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| file.write_all(&key).and_then(|()| file.sync_all()))
            .with_context(|| format!("the key {} can't be written", path.display()))?;
        Ok(key)
    }

    /// Opens the use cases over the folder's database.
    ///
    /// # Errors
    /// Another server works on the folder, or the database can't be opened.
    pub fn open(&self, public_url: &str) -> Result<App> {
        self.create()?;
        let store = self.database.open(&self.database())?;
        let config = AppConfig {
            public_url: public_url.trim_end_matches('/').to_owned(),
            preview_key: self.preview_key()?,
        };
        let vault = Arc::new(FileVault::new(self.keys()));
        Ok(App::new(
            store,
            Arc::new(SystemClock),
            Arc::new(SystemIdGen::default()),
            config,
        )
        .with_vault(vault))
    }
}
