//! A PostgreSQL of this run's own, with durable settings, ended with the run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tokio_postgres::{Client, Config, NoTls};

use crate::server::Scratch;

/// Beside these, a fresh cluster's own: `fsync`, `synchronous_commit` and `full_page_writes` on.
const SETTINGS: [&str; 4] = [
    "listen_addresses=",
    "max_connections=200",
    "shared_buffers=256MB",
    "max_wal_size=1GB",
];
const READY_WITHIN: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(20);
const OWNER: &str = "querylayer_owner";
const WORKING: &str = "querylayer";

/// A running cluster; stopped, and its folder removed, when dropped.
#[derive(Debug)]
pub(crate) struct Cluster {
    server: Child,
    // Removed after the server has ended.
    scratch: Scratch,
}

/// A database of the cluster, with an owner of its tables and a working role.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    socket: PathBuf,
    name: &'static str,
}

impl Cluster {
    /// Makes a cluster and starts it, as a user that isn't root, which the server refuses to be.
    pub(crate) async fn start() -> Result<Self> {
        let programs = programs()?;
        let scratch = Scratch::new("postgres")?;
        let folder = scratch.folder();
        if is_root() {
            succeed(Command::new("chown").arg("postgres").arg(folder))?;
        }
        succeed(
            unprivileged(&programs.join("initdb"))
                .arg("--pgdata")
                .arg(scratch.data())
                .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
                .arg("--locale=C"),
        )?;
        let mut command = unprivileged(&programs.join("postgres"));
        command.arg("-D").arg(scratch.data()).arg("-k").arg(folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let log = std::fs::File::create(folder.join("log"))?;
        let server = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let mut cluster = Self { server, scratch };
        cluster.furnish().await?;
        Ok(cluster)
    }

    async fn furnish(&mut self) -> Result<()> {
        let admin = self.wait().await?;
        for role in [OWNER, WORKING] {
            admin
                .batch_execute(&format!("CREATE ROLE {role} LOGIN"))
                .await?;
        }
        Ok(())
    }

    /// Waits until it takes connections.
    async fn wait(&mut self) -> Result<Client> {
        let begun = Instant::now();
        let place = self.place("postgres");
        loop {
            match place.connect().await {
                Ok(client) => return Ok(client),
                Err(error) if begun.elapsed() > READY_WITHIN => return Err(error),
                Err(_) => {}
            }
            if let Some(status) = self.server.try_wait()? {
                let log = std::fs::read_to_string(self.log())?;
                bail!("PostgreSQL ended with {status}: {log}");
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// An empty database.
    pub(crate) async fn database(&self, name: &'static str) -> Result<Database> {
        let admin = self.place("postgres").connect().await?;
        admin
            .batch_execute(&format!("CREATE DATABASE {name} OWNER {OWNER}"))
            .await?;
        Ok(self.place(name))
    }

    /// What the server calls itself, and the settings that durability depends on.
    pub(crate) async fn describe(&self) -> Result<String> {
        let admin = self.place("postgres").connect().await?;
        let row = admin
            .query_one(super::statements::DESCRIBE, &[])
            .await?
            .try_get::<_, String>(0)?;
        Ok(row)
    }

    /// Logs what the product sends from the next connection on, or no longer.
    pub(crate) async fn log_statements(&self, on: bool) -> Result<()> {
        let admin = self.place("postgres").connect().await?;
        let change = if on {
            "SET log_statement = 'all'"
        } else {
            "RESET log_statement"
        };
        admin
            .batch_execute(&format!("ALTER ROLE {WORKING} {change}"))
            .await?;
        Ok(())
    }

    /// The server's log.
    pub(crate) fn log(&self) -> PathBuf {
        self.scratch.folder().join("log")
    }

    fn place(&self, name: &'static str) -> Database {
        Database {
            socket: self.scratch.folder().to_owned(),
            name,
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // An interrupt ends it quickly and in order; the kill is for one that doesn't listen.
        let id = self.server.id().to_string();
        let asked = Command::new("kill").args(["-s", "INT", &id]).status();
        if !asked.is_ok_and(|status| status.success()) {
            drop(self.server.kill());
        }
        drop(self.server.wait());
    }
}

impl Database {
    /// A connection as the administrator, for as long as the runtime of the caller runs.
    pub(crate) async fn connect(&self) -> Result<Client> {
        self.connect_as("postgres").await
    }

    /// A connection as the role that the product works as.
    pub(crate) async fn connect_as_product(&self) -> Result<Client> {
        self.connect_as(WORKING).await
    }

    async fn connect_as(&self, user: &str) -> Result<Client> {
        let mut config = Config::new();
        config.host_path(&self.socket).user(user).dbname(self.name);
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// Has the database count its rows, as its own housekeeping does within minutes: for small tables
    /// it plans otherwise then.
    pub(crate) async fn count_rows(&self) -> Result<()> {
        Ok(self.connect().await?.batch_execute("ANALYZE").await?)
    }

    /// What the product finds it by: with the owner's address for the start that makes the tables.
    pub(crate) fn environment(&self, with_owner: bool) -> Vec<(&'static str, String)> {
        let host = self.socket.display().to_string().replace('/', "%2F");
        let url = |role: &str| format!("postgres://{role}@{host}/{}", self.name);
        let mut environment = vec![("QUERYLAYER_DATABASE", url(WORKING))];
        if with_owner {
            environment.push(("QUERYLAYER_DATABASE_OWNER", url(OWNER)));
        }
        environment
    }
}

/// Where the server's programs are: on the path, or where Debian keeps them.
fn programs() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> = versions.flatten().map(|v| v.path().join("bin")).collect();
        versions.sort();
        folders.extend(versions.into_iter().rev());
    }
    folders
        .into_iter()
        .find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
        .context("no PostgreSQL on this machine: neither on the path nor in /usr/lib/postgresql")
}

/// A program that ends with this one, as the user `postgres` where this one's is root.
fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "INT"]);
    if is_root() {
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
    }
    command.arg("--").arg(program);
    command
}

fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut ids = status
        .lines()
        .find_map(|line| line.strip_prefix("Uid:"))
        .unwrap_or_default()
        .split_whitespace();
    ids.nth(1) == Some("0")
}

fn succeed(command: &mut Command) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
