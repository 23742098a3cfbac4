//! The server is killed at its very first start, while it makes its schema and its first site: the
//! next start does the rest, or begins anew.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use ql_testkit::TempDir;

use super::rounds;
use super::strace::Fault;
use super::world::ready;
use crate::kill9::start;
use crate::process::{arg, binary, said};

#[test]
fn a_kill_during_the_first_start_is_made_good_by_the_next() {
    let (rounds, mut chance) = rounds(1);
    println!("{rounds} rounds, {chance:?}");
    for round in 0..rounds {
        for (calls, most) in [("pwrite64", 700), ("fsync,fdatasync", 30)] {
            let folder = TempDir::new();
            let at = 1 + chance.below(most);
            kill_while_starting(folder.path(), calls, at);
            println!("round {round}: killed at {calls} {at}");
            let server = start(folder);
            assert_eq!(ready(&server.url()), 200);
            said(&["ledger", "verify", "--data", arg(&server.data())]);
            server.stop();
        }
    }
}

/// Starts the server under a tracer that kills it at a call; one that starts all the same is killed
/// when it has said hello.
fn kill_while_starting(folder: &Path, calls: &str, at: u64) {
    let fault = Fault {
        calls,
        inject: format!("signal=SIGKILL:when={at}"),
        path: None,
    };
    let mut strace = Command::new("strace")
        .args(fault.arguments(&folder.join("strace.log")))
        .arg(binary().get_program())
        .args(["quickstart", "--json", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.join("data"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("strace, which these tests need: apt-get install strace");
    let mut hello = String::new();
    let stdout = strace.stdout.take().expect("a pipe");
    BufReader::new(stdout)
        .read_line(&mut hello)
        .expect("a line");
    if !hello.is_empty() {
        end_children(strace.id());
    }
    strace.wait().expect("an end");
}

/// Kills the processes that a process has started.
fn end_children(process: u32) {
    let children = format!("/proc/{process}/task/{process}/children");
    let children = std::fs::read_to_string(children).expect("its children");
    for child in children.split_whitespace() {
        let pid = child.parse().ok().and_then(rustix::process::Pid::from_raw);
        let pid = pid.expect("a process");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("a signal");
    }
}
