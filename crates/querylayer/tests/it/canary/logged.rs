//! A server whose whole output is kept, and the commands beside it.

use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;

use ql_testkit::TempDir;
use serde_json::Value;

use crate::process::{arg, binary};

/// A server whose whole output is kept.
pub(super) struct Logged {
    child: Child,
    hello: Value,
    pub(super) folder: TempDir,
    said: Vec<JoinHandle<Vec<u8>>>,
}

fn keep(mut stream: impl std::io::Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        // A pipe that breaks has said all that it will.
        drop(stream.read_to_end(&mut all));
        all
    })
}

impl Logged {
    pub(super) fn start() -> Self {
        let folder = TempDir::new();
        let mut child = binary()
            .env("RUST_LOG", "trace")
            .args(["quickstart", "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let log = keep(child.stderr.take().expect("a pipe"));
        let mut output = child.stdout.take().expect("a pipe");
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            let mut byte = [0];
            output.read_exact(&mut byte).expect("a line");
            line.push(byte[0]);
        }
        Self {
            child,
            hello: serde_json::from_slice(&line).expect("the first line is JSON"),
            folder,
            said: vec![log, keep(output)],
        }
    }

    pub(super) fn text(&self, key: &str) -> String {
        self.hello[key].as_str().expect("a text").to_owned()
    }

    pub(super) fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// Ends it, and gives what it said after the first line.
    pub(super) fn end(&mut self) -> Vec<u8> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
        self.child.wait().expect("an end");
        let said = std::mem::take(&mut self.said).into_iter();
        said.flat_map(|stream| stream.join().expect("kept"))
            .collect()
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What commands say, beside the running server.
pub(super) fn commands(server: &Logged) -> Vec<(String, Vec<u8>)> {
    let (data, copy) = (server.data(), server.folder.path().join("copy"));
    let lines: [&[&str]; 9] = [
        &["connection", "list", "--site", "elmsea", "--json"],
        &["connection", "list", "--site", "elmsea"],
        &["member", "list", "--json"],
        &["agent", "list", "--json"],
        &["site", "list", "--json"],
        &["ledger", "verify", "--json"],
        &["doctor"],
        &["backup", arg(&copy)],
        &["connection", "revoke", "con_nonsense"],
    ];
    let mut said = Vec::new();
    for line in lines {
        let output = binary()
            .env("RUST_LOG", "trace")
            .args(line)
            .args(["--data", arg(&data)])
            .output()
            .expect("the program starts");
        said.push((line.join(" "), [output.stdout, output.stderr].concat()));
    }
    said
}

/// Sends what no client sends, with the token in it; the server notes that the connection broke.
pub(super) fn break_a_connection(server: &Logged, token: &str) -> Vec<u8> {
    let address = server.text("dashboard_url");
    let address = address.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    let nonsense =
        format!("POST /mcp HTTP/9.9\r\nauthorization: Bearer {token}\r\n{token}\r\n\r\n");
    stream.write_all(nonsense.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    answer
}
