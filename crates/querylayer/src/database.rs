//! Which database a command works on: the embedded one of the data folder, or a server's.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ql_store::{PostgresOptions, SqliteOptions, Store};
use serde::Deserialize;

/// The address of a database server; it may hold a password, so it is printed without.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Whether it is the address of an engine that this program works with. Checked here and not
    /// where the command line is read, since a refusal there repeats the value.
    fn check(&self) -> Result<()> {
        if self.0.starts_with("postgres://") || self.0.starts_with("postgresql://") {
            return Ok(());
        }
        bail!(
            "the address of a database begins with postgres://; leave it out to use the embedded database in the data folder"
        )
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://…")
    }
}

impl From<String> for DatabaseUrl {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// A database server instead of the embedded database.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseArgs {
    /// The database server, as the role that owns no table; the embedded database when absent
    #[arg(
        long,
        env = "QUERYLAYER_DATABASE",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    pub database: Option<DatabaseUrl>,
    /// The same database as the role that owns the tables; brings them up to date at the start
    #[arg(
        long,
        env = "QUERYLAYER_DATABASE_OWNER",
        value_name = "URL",
        hide_env_values = true,
        global = true,
        requires = "database"
    )]
    pub database_owner: Option<DatabaseUrl>,
    /// Certificates in PEM that the database server's may come from, beside the machine's own
    #[arg(
        long,
        env = "QUERYLAYER_DATABASE_CA",
        value_name = "FILE",
        global = true,
        requires = "database"
    )]
    pub database_ca: Option<PathBuf>,
}

impl DatabaseArgs {
    /// Takes the database's settings out of those of a file.
    ///
    /// # Errors
    /// One of them doesn't fit.
    pub fn take(settings: &mut toml::Table) -> Result<Self> {
        let mut own = toml::Table::new();
        for key in ["database", "database_owner", "database_ca"] {
            own.extend(settings.remove_entry(key));
        }
        Ok(own.try_into()?)
    }

    /// These settings; those of `file` where none is given.
    #[must_use]
    pub fn or(self, file: Self) -> Self {
        Self {
            database: self.database.or(file.database),
            database_owner: self.database_owner.or(file.database_owner),
            database_ca: self.database_ca.or(file.database_ca),
        }
    }

    /// Opens the database server's database, or else the file.
    ///
    /// # Errors
    /// It can't be reached or opened, or its schema isn't this version's and can't be made so.
    pub fn open(&self, file: &Path) -> Result<Store> {
        let Some(url) = &self.database else {
            return Ok(Store::open(SqliteOptions::new(file))?);
        };
        self.check()?;
        let owner_url = self.database_owner.as_ref().map(|owner| owner.0.clone());
        Ok(Store::connect(PostgresOptions {
            owner_url,
            ca: self.database_ca.clone(),
            ..PostgresOptions::new(&*url.0)
        })?)
    }

    /// Checks what can be checked before anything is opened.
    ///
    /// # Errors
    /// An address of another engine, or an owner or certificates without a database.
    pub fn check(&self) -> Result<()> {
        if self.database.is_none() && (self.database_owner.is_some() || self.database_ca.is_some())
        {
            bail!("--database-owner and --database-ca belong to --database, which is missing");
        }
        for url in [&self.database, &self.database_owner].into_iter().flatten() {
            url.check()?;
        }
        Ok(())
    }
}
