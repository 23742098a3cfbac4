//! The product under test, started as its users start it and ended by its process id.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::agent::Agent;
use crate::load::Measured;

/// Limits are part of the product but would end every load within a second.
const WITHOUT_LIMITS: [(&str, &str); 2] = [
    ("QUERYLAYER_CALLS_PER_MINUTE", "0"),
    ("QUERYLAYER_FAILED_AUTHENTICATIONS_PER_MINUTE", "0"),
];
/// Linux reports processor times in hundredths of a second on every architecture.
const MILLISECONDS_PER_TICK: u64 = 10;
const READY_WITHIN: Duration = Duration::from_mins(1);

/// Settings that a server gets beside the usual ones.
pub(crate) type Environment = [(&'static str, String)];

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// The address that it listens on.
    pub(crate) address: SocketAddr,
    /// What it printed when it was ready.
    pub(crate) info: Value,
}

impl Server {
    /// Starts `quickstart` on a data folder and waits until it says that it's ready; `environment`
    /// names its database where that isn't the embedded one.
    pub(crate) fn start(binary: &Path, data: &Path, environment: &Environment) -> Result<Self> {
        let mut child = Command::new(binary)
            .args(["quickstart", "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .envs(WITHOUT_LIMITS)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", binary.display()))?;
        match first_line(&mut child).and_then(|info| Ok((address(&info)?, info))) {
            Ok((address, info)) => Ok(Self {
                child,
                address,
                info,
            }),
            Err(error) => {
                child.kill()?;
                child.wait()?;
                Err(error)
            }
        }
    }

    /// The agent whose secret a first start prints.
    pub(crate) fn agent(&self) -> Result<Agent> {
        let token = self.info["token"].as_str();
        Ok(Agent {
            address: self.address,
            token: token.context("no token was printed")?.to_owned(),
        })
    }

    /// The sample site's id.
    pub(crate) fn site(&self) -> Result<&str> {
        self.info["site"].as_str().context("no site was printed")
    }

    /// Runs a load and notes what each answer cost this server in processor time, which other
    /// programs on the machine hardly change.
    pub(crate) fn charge(&self, load: impl FnOnce() -> Result<Measured>) -> Result<Measured> {
        let before = self.processor_time()?;
        let measured = load()?;
        let spent = self.processor_time()?.saturating_sub(before);
        let cost = spent / u32::try_from(measured.answers)?;
        Ok(Measured {
            cost: Some(cost),
            ..measured
        })
    }

    /// User and system time so far.
    fn processor_time(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The program's name, in brackets, may hold spaces; the times are the 12th and 13th after it.
        let fields = stat.rsplit(") ").next().context("no process status")?;
        let mut ticks = 0;
        for field in fields.split_whitespace().skip(11).take(2) {
            ticks += field.parse::<u64>()?;
        }
        Ok(Duration::from_millis(ticks * MILLISECONDS_PER_TICK))
    }

    /// Resident memory in bytes: now, and at its highest so far.
    pub(crate) fn memory(&self) -> Result<(u64, u64)> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let kilobytes = |name: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let digits = line.and_then(|rest| rest.split_whitespace().next());
            Ok(digits
                .context("no memory in the process status")?
                .parse::<u64>()?
                * 1024)
        };
        Ok((kilobytes("VmRSS:")?, kilobytes("VmHWM:")?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends at once; nothing of a throw-away server must be finished.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn first_line(child: &mut Child) -> Result<Value> {
    let mut output = BufReader::new(child.stdout.take().context("no standard output")?);
    let (tell, line) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = output.read_line(&mut line).map(|_| line);
        drop(tell.send(read));
        std::io::copy(&mut output, &mut std::io::sink())
    });
    let line = line
        .recv_timeout(READY_WITHIN)
        .context("the server said nothing")??;
    serde_json::from_str(&line).with_context(|| format!("the server's first line: {line:?}"))
}

fn address(info: &Value) -> Result<SocketAddr> {
    let url = info["mcp_url"].as_str().context("no address was printed")?;
    let rest = url.trim_start_matches("http://");
    let host = rest.split('/').next().unwrap_or(rest);
    host.parse().with_context(|| format!("the address {url}"))
}

/// A folder under the build folder's temporary area, removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder that no other run uses.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("ql-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Where the server keeps its data.
    pub(crate) fn data(&self) -> PathBuf {
        self.0.join("data")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
