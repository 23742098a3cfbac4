//! Servers of the tests, run with the machine's own programs: one for all test processes of a user,
//! started by the first of them, and private ones for tests that stop theirs.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, flock};
use tokio_postgres::Config;

/// Stops the server and removes its folder as soon as no process has held the lock for a while.
const KEEPER: &str = r#"
while sleep 10; do
    flock --nonblock --exclusive "$1" sh -c '"$@" stop --mode=immediate >/dev/null 2>&1; rm -rf "$0"' "$2" "${@:3}" && exit
done
"#;

/// How to reach the shared server as its administrator, and the lock under which it may be
/// furnished; none where there is no PostgreSQL.
pub(super) fn admin() -> Option<(Config, Option<File>)> {
    if let Ok(url) = std::env::var("QL_TEST_POSTGRES_URL") {
        let config = url.parse().expect("QL_TEST_POSTGRES_URL is an address");
        return Some((config, None));
    }
    let cluster = Cluster {
        programs: programs()?,
        base: std::env::temp_dir().join(format!(
            "querylayer-postgres-{}",
            rustix::process::getuid().as_raw()
        )),
    };
    // Held until the process ends, so that the keeper knows that somebody is there.
    let users = cluster.base.with_extension("users");
    std::mem::forget(lock(&users, FlockOperation::LockShared));
    let starting = cluster.base.with_extension("start");
    let starting = lock(&starting, FlockOperation::LockExclusive);
    if !cluster.is_ready() {
        cluster.create();
        cluster.keep(&users);
    }
    Some((cluster.config(), Some(starting)))
}

/// A server's programs and its folder.
#[derive(Debug)]
pub(super) struct Cluster {
    programs: PathBuf,
    base: PathBuf,
}

impl Cluster {
    /// A running server for one test alone; none where there is no PostgreSQL.
    pub(super) fn private() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("querylayer-postgres-own-{}-{count}", std::process::id());
        let cluster = Self {
            programs: programs()?,
            base: std::env::temp_dir().join(name),
        };
        cluster.create();
        Some(cluster)
    }

    /// How to reach it as its administrator.
    pub(super) fn config(&self) -> Config {
        let mut config = Config::new();
        let config = config.host_path(&self.base).user("postgres");
        config.dbname("postgres").clone()
    }

    /// Ends it as a crash does, and starts it again.
    pub(super) fn crash(&self) {
        succeed(self.control().args(["--mode=immediate", "--wait", "stop"]));
        self.start();
    }

    /// Ends it and removes everything that it had.
    pub(super) fn destroy(&self) {
        // Its test has ended; a server that is gone already is as good.
        drop(
            self.control()
                .args(["--mode=immediate", "stop"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status(),
        );
        drop(std::fs::remove_dir_all(&self.base));
    }

    /// A program of the server, as a user that isn't root: the server refuses to run as root.
    fn program(&self, name: &str) -> Command {
        let path = self.programs.join(name);
        if !rustix::process::getuid().is_root() {
            return Command::new(path);
        }
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(path);
        command
    }

    fn control(&self) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg("--pgdata").arg(self.base.join("data"));
        command
    }

    fn is_ready(&self) -> bool {
        self.control()
            .arg("status")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn create(&self) {
        // What a machine that was switched off left behind.
        if self.base.exists() {
            std::fs::remove_dir_all(&self.base).expect("an old folder goes");
        }
        std::fs::create_dir(&self.base).expect("a folder");
        if rustix::process::getuid().is_root() {
            succeed(Command::new("chown").arg("postgres").arg(&self.base));
        }
        succeed(
            self.program("initdb")
                .arg("--pgdata")
                .arg(self.base.join("data"))
                .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
                .args(["--locale=C", "--no-sync"]),
        );
        self.start();
    }

    fn start(&self) {
        // Nothing of the tests must survive the machine, so nothing waits for its disk.
        let settings = format!(
            "-k {} -c fsync=off -c listen_addresses='' -c shared_buffers=64MB -c max_connections=200 -c max_wal_size=256MB",
            self.base.display()
        );
        succeed(
            self.control()
                .arg("--log")
                .arg(self.base.join("log"))
                .args(["--wait", "--options", &settings, "start"]),
        );
    }

    /// Leaves a process behind that stops the server when the last test has ended.
    fn keep(&self, users: &Path) {
        let stop = self.control();
        let kept = Command::new("setsid")
            .args(["--fork", "bash", "-c", KEEPER, "keeper"])
            .arg(users)
            .arg(&self.base)
            .arg(stop.get_program())
            .args(stop.get_args())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(kept.is_ok_and(|kept| kept.success()), "a keeper");
    }
}

/// Where the server's programs are: on the path, or where Debian keeps them.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> = versions.flatten().map(|v| v.path().join("bin")).collect();
        versions.sort();
        folders.extend(versions.into_iter().rev());
    }
    folders
        .into_iter()
        .find(|folder| folder.join("initdb").exists() && folder.join("pg_ctl").exists())
}

fn lock(path: &Path, operation: FlockOperation) -> File {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .expect("a lock file");
    flock(&file, operation).expect("a lock");
    file
}

fn succeed(command: &mut Command) {
    let output = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("a program of PostgreSQL");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
