//! The program as a process, ended with the value.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use ql_testkit::TempDir;
use rustix::process::{Pid, Signal};
use serde_json::Value;

/// A client of HTTP, to be built.
pub(crate) fn http() -> reqwest::ClientBuilder {
    querylayer::trust::http().expect("TLS")
}

/// The program's own file.
pub(crate) fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_querylayer"));
    command.env_remove("QUERYLAYER_DATA").env("NO_COLOR", "1");
    command
}

/// Runs a command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    binary()
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// The standard output of a command that must succeed.
pub(crate) fn said(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// The JSON that a command prints.
pub(crate) fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&said(arguments)).expect("one JSON document")
}

/// What a command that must fail says, with its exit code.
pub(crate) fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    (
        output.status.code(),
        String::from_utf8(output.stderr).expect("text"),
    )
}

/// A quickstart server on a folder of its own.
pub(crate) struct Server {
    child: Child,
    /// The first line that it printed.
    pub(crate) hello: Value,
    folder: TempDir,
}

impl Server {
    /// Starts on an empty folder and a free port.
    pub(crate) fn start() -> Self {
        Self::start_on(TempDir::new())
    }

    /// Starts on a folder that may hold data.
    pub(crate) fn start_on(folder: TempDir) -> Self {
        Self::start_with(folder, &[])
    }

    /// Starts on a folder that may hold data, with settings from the environment.
    pub(crate) fn start_with(folder: TempDir, settings: &[(&str, &str)]) -> Self {
        Self::start_logging(folder, settings, Stdio::inherit())
    }

    /// As [`Server::start_with`], with its log going elsewhere.
    pub(crate) fn start_logging(
        folder: TempDir,
        settings: &[(&str, &str)],
        log: impl Into<Stdio>,
    ) -> Self {
        let mut child = binary()
            .envs(settings.iter().copied())
            .args(["quickstart", "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let hello = serde_json::from_str(&line).expect("the first line is JSON");
        Self {
            child,
            hello,
            folder,
        }
    }

    /// One of the texts of the first line.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.hello[key]
            .as_str()
            .unwrap_or_else(|| panic!("no {key} in {}", self.hello))
    }

    /// The address without a path.
    pub(crate) fn url(&self) -> String {
        self.text("dashboard_url").trim_end_matches('/').to_owned()
    }

    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The process.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits for an end that something else brings about, and gives the folder.
    pub(crate) fn ended(mut self) -> TempDir {
        self.child.wait().expect("an end");
        std::mem::take(&mut self.folder)
    }

    /// Asks it to stop as a service manager does, waits, and gives the folder.
    pub(crate) fn stop(mut self) -> TempDir {
        self.ask_to_stop();
        let status = self.child.wait().expect("an end");
        assert!(status.success(), "{status}");
        std::mem::take(&mut self.folder)
    }

    /// Asks it to stop, and doesn't wait.
    pub(crate) fn ask_to_stop(&self) {
        rustix::process::kill_process(self.pid(), Signal::TERM).expect("a signal");
    }

    /// Ends it without a chance to finish anything (SIGKILL), and gives the folder.
    pub(crate) fn kill(mut self) -> TempDir {
        self.child.kill().expect("a signal");
        self.child.wait().expect("an end");
        std::mem::take(&mut self.folder)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A path as a command's argument.
pub(crate) fn arg(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}
