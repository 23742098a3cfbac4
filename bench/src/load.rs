//! Closed-loop load: every connection sends its next request when it has its answer.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::task::LocalSet;

use crate::wire::Wire;

/// How long answers are thrown away before the measurement begins, as a share of it.
const WARM_UP_SHARE: u32 = 5;

/// What one connection sends.
pub(crate) type Script = Box<dyn FnMut() -> Vec<u8>>;

/// A load on one server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// The server.
    pub(crate) address: SocketAddr,
    /// Connections, each with one request under way.
    pub(crate) connections: usize,
    /// How long is measured, after a warm-up of a fifth of it.
    pub(crate) duration: Duration,
    /// The status and a part of the body that make an answer a good one.
    pub(crate) expect: (u16, &'static str),
}

/// A refusal that says to try later, inside its text block.
const UNAVAILABLE: &str = r#"\"code\":\"unavailable\""#;
/// What begins the identifier of a revision, and how long it is.
const REVISION: (&str, usize) = ("rev_", 30);

/// What came of a load on several servers.
#[derive(Debug)]
pub(crate) struct Noted {
    /// The figures.
    pub(crate) measured: Measured,
    /// The first revision that each good answer names, warm-up included.
    pub(crate) revisions: Vec<String>,
}

/// What came of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// Good answers per second.
    pub(crate) rate: f64,
    /// Median time from sending to the whole answer.
    pub(crate) p50: Duration,
    /// 99th percentile of the same.
    pub(crate) p99: Duration,
    /// Answers that weren't what was expected, warm-up included.
    pub(crate) errors: usize,
    /// Those of them that said to try later.
    pub(crate) unavailable: usize,
    /// All answers, warm-up included.
    pub(crate) answers: usize,
    /// Processor time that the server spent on one answer, where it's a process of its own.
    pub(crate) cost: Option<Duration>,
}

impl Load {
    /// Runs the load on this thread; `script` makes what the numbered connection sends.
    pub(crate) fn run(self, script: impl Fn(usize) -> Script) -> Result<Measured> {
        let tallies = self.tallies(|number| (self.address, script(number)), false)?;
        summarize(tallies, self.duration)
    }

    /// The same with an address for each connection; the answers' revisions are noted.
    pub(crate) fn run_noting(
        self,
        script: impl Fn(usize) -> (SocketAddr, Script),
    ) -> Result<Noted> {
        let mut tallies = self.tallies(script, true)?;
        let revisions = tallies
            .iter_mut()
            .flat_map(|tally| tally.revisions.take().unwrap_or_default())
            .collect();
        let measured = summarize(tallies, self.duration)?;
        Ok(Noted {
            measured,
            revisions,
        })
    }

    fn tallies(
        self,
        script: impl Fn(usize) -> (SocketAddr, Script),
        noting: bool,
    ) -> Result<Vec<Tally>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let local = LocalSet::new();
        let begin = Instant::now() + self.duration / WARM_UP_SHARE;
        let tasks: Vec<_> = (0..self.connections)
            .map(|number| {
                let (address, script) = script(number);
                let load = Self { address, ..self };
                local.spawn_local(load.connection(script, begin, noting))
            })
            .collect();
        local.block_on(&runtime, async {
            let mut tallies = Vec::new();
            for task in tasks {
                tallies.push(task.await??);
            }
            anyhow::Ok(tallies)
        })
    }

    async fn connection(self, mut script: Script, begin: Instant, noting: bool) -> Result<Tally> {
        let mut wire = Wire::connect(self.address).await?;
        let mut tally = Tally {
            revisions: noting.then(Vec::new),
            ..Tally::default()
        };
        let end = begin + self.duration;
        loop {
            let request = script();
            let sent = Instant::now();
            if sent >= end {
                return Ok(tally);
            }
            let answer = wire.exchange(&request).await?;
            tally.answers += 1;
            let good = answer.status == self.expect.0 && answer.body.contains(self.expect.1);
            if !good {
                tally.error(answer.status, answer.body);
                continue;
            }
            if sent >= begin {
                tally.times.push(sent.elapsed());
            }
            if let Some(revisions) = &mut tally.revisions {
                revisions.push(revision(answer.body)?);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Tally {
    times: Vec<Duration>,
    answers: usize,
    errors: usize,
    unavailable: usize,
    first_error: Option<String>,
    /// Noted where that was asked for.
    revisions: Option<Vec<String>>,
}

impl Tally {
    fn error(&mut self, status: u16, body: &str) {
        self.errors += 1;
        self.unavailable += usize::from(body.contains(UNAVAILABLE));
        self.first_error.get_or_insert_with(|| {
            format!("{status} {}", body.chars().take(600).collect::<String>())
        });
    }
}

fn summarize(tallies: Vec<Tally>, duration: Duration) -> Result<Measured> {
    let errors: usize = tallies.iter().map(|tally| tally.errors).sum();
    let unavailable = tallies.iter().map(|tally| tally.unavailable).sum();
    let answers = tallies.iter().map(|tally| tally.answers).sum();
    let first_error = tallies.iter().find_map(|tally| tally.first_error.clone());
    if let Some(said) = &first_error {
        writeln!(std::io::stderr(), "{errors} errors, the first: {said}")?;
    }
    let times: Vec<_> = tallies.into_iter().flat_map(|tally| tally.times).collect();
    ensure!(
        !times.is_empty(),
        "no good answer at all; the first other one: {}",
        first_error.unwrap_or_default()
    );
    let rate = rate(times.len(), duration)?;
    let (p50, p99) = percentiles(times);
    Ok(Measured {
        rate,
        p50,
        p99,
        errors,
        unavailable,
        answers,
        cost: None,
    })
}

/// The first revision that an answer names.
fn revision(body: &str) -> Result<String> {
    let at = body.find(REVISION.0).context("no revision in an answer")?;
    let id = body.get(at..at + REVISION.1).context("a cut revision")?;
    Ok(id.to_owned())
}

/// Events per second.
pub(crate) fn rate(count: usize, duration: Duration) -> Result<f64> {
    let count = u32::try_from(count).context("more events than fit the report")?;
    Ok(f64::from(count) / duration.as_secs_f64())
}

/// Median and 99th percentile of a set that isn't empty.
pub(crate) fn percentiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    (at(50), at(99))
}
