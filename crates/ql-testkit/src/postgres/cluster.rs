//! The server of the tests: one for all test processes of a user, started by the first of them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{FlockOperation, flock};
use tokio_postgres::Config;

/// Stops the server and removes its folder as soon as no process has held the lock for a while.
const KEEPER: &str = r#"
while sleep 10; do
    flock --nonblock --exclusive "$1" sh -c '"$@" stop --mode=immediate >/dev/null 2>&1; rm -rf "$0"' "$2" "${@:3}" && exit
done
"#;

/// How to reach the server as its administrator, and the lock under which it may be furnished; none
/// where there is no PostgreSQL.
pub(super) fn admin() -> Option<(Config, Option<File>)> {
    if let Ok(url) = std::env::var("QL_TEST_POSTGRES_URL") {
        let config = url.parse().expect("QL_TEST_POSTGRES_URL is an address");
        return Some((config, None));
    }
    let programs = programs()?;
    let base = std::env::temp_dir().join(format!(
        "querylayer-postgres-{}",
        rustix::process::getuid().as_raw()
    ));
    // Held until the process ends, so that the keeper knows that somebody is there.
    let users = lock(&base.with_extension("users"), FlockOperation::LockShared);
    std::mem::forget(users);
    let starting = lock(&base.with_extension("start"), FlockOperation::LockExclusive);
    if !is_ready(&programs, &base) {
        start(&programs, &base);
    }
    let mut config = Config::new();
    config.host_path(&base).user("postgres").dbname("postgres");
    Some((config, Some(starting)))
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

/// A program of the server, as a user that isn't root: the server refuses to run as root.
fn program(programs: &Path, name: &str) -> Command {
    let path = programs.join(name);
    if !rustix::process::getuid().is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(path);
    command
}

fn is_ready(programs: &Path, base: &Path) -> bool {
    program(programs, "pg_ctl")
        .arg("--pgdata")
        .arg(base.join("data"))
        .arg("status")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn start(programs: &Path, base: &Path) {
    // What a machine that was switched off left behind.
    if base.exists() {
        std::fs::remove_dir_all(base).expect("an old folder goes");
    }
    std::fs::create_dir(base).expect("a folder");
    if rustix::process::getuid().is_root() {
        succeed(Command::new("chown").arg("postgres").arg(base));
    }
    succeed(
        program(programs, "initdb")
            .arg("--pgdata")
            .arg(base.join("data"))
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
            .args(["--locale=C", "--no-sync"]),
    );
    // Nothing of the tests must survive the machine, so nothing waits for its disk.
    let settings = format!(
        "-k {} -c fsync=off -c listen_addresses='' -c shared_buffers=64MB -c max_connections=200 -c max_wal_size=256MB",
        base.display()
    );
    succeed(
        program(programs, "pg_ctl")
            .arg("--pgdata")
            .arg(base.join("data"))
            .arg("--log")
            .arg(base.join("log"))
            .args(["--wait", "--options", &settings, "start"]),
    );
    keep(programs, base);
}

/// Leaves a process behind that stops the server when the last test has ended.
fn keep(programs: &Path, base: &Path) {
    let stop = program(programs, "pg_ctl");
    Command::new("setsid")
        .args(["bash", "-c", KEEPER, "keeper"])
        .arg(base.with_extension("users"))
        .arg(base)
        .arg(stop.get_program())
        .args(stop.get_args())
        .arg("--pgdata")
        .arg(base.join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a keeper");
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
