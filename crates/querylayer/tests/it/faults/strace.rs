//! Faults put under a running process through `strace`, so that the product needs no hooks for them.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// What is traced, and what happens to it.
pub(super) struct Fault<'a> {
    /// System calls, such as `fsync,fdatasync`.
    pub(super) calls: &'a str,
    /// What is injected, such as `error=EIO:when=3`.
    pub(super) inject: String,
    /// Calls on this file alone; on all when none.
    pub(super) path: Option<&'a Path>,
}

impl Fault<'_> {
    /// The arguments that put it under a process and write what is traced to `log`.
    pub(super) fn arguments(&self, log: &Path) -> Vec<String> {
        let mut arguments = vec![
            "-f".to_owned(),
            format!("--output={}", log.display()),
            format!("--trace={}", self.calls),
            format!("--inject={}:{}", self.calls, self.inject),
        ];
        if let Some(path) = self.path {
            arguments.push(format!("--trace-path={}", path.display()));
        }
        arguments
    }
}

/// A tracer, which lets go when it's dropped.
pub(super) struct Strace(Child);

impl Strace {
    /// Puts a fault under a running process; from here on it happens.
    pub(super) fn put(fault: &Fault<'_>, process: Pid, log: &Path) -> Self {
        Self::attach(&fault.arguments(log), process)
    }

    /// Traces a running process.
    pub(super) fn attach(arguments: &[String], process: Pid) -> Self {
        let mut child = Command::new("strace")
            .args(arguments)
            .arg(format!("--attach={}", process.as_raw_nonzero()))
            .stderr(Stdio::piped())
            .spawn()
            .expect("strace, which these tests need: apt-get install strace");
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = said.lines().map_while(Result::ok);
        let attached = lines.any(|line| line.contains("attached"));
        assert!(attached, "strace can't trace here");
        // What else it says is of no use, but it must have somewhere to go.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child)
    }
}

impl Drop for Strace {
    fn drop(&mut self) {
        // It has ended already where its process has.
        kill_process(Pid::from_child(&self.0), Signal::INT).ok();
        self.0.wait().ok();
    }
}
