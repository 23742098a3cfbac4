//! The connector's rounds: say what is here, wait for a turn, take it to its session, begin again.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::connector::{Broken, Connector, Stopped};
use super::event::Event;
use super::server::{ServerError, Waiting};

/// How often the server is told what is here; it believes it for twice as long.
const REPORTED_EVERY: Duration = Duration::from_mins(1);
/// The longest wait that the server offers.
const LONG_POLL: Duration = Duration::from_secs(45);
/// How long a turn rests that couldn't be taken.
const REST: Duration = Duration::from_secs(10);
/// The longest pause between two tries to reach the server.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// What is told about the server is told under this name.
const SERVER: &str = "server";

/// Where a connector stands.
enum State {
    /// It says what is here.
    Report,
    /// It waits for a turn, until the next report is due.
    Wait(Instant),
    /// It takes turns to their sessions.
    Take(Vec<Waiting>),
    /// It lets time go by.
    Rest(Duration),
}

impl Connector {
    /// One round: says what is here, and takes every turn that waits. Answers whether all went well.
    ///
    /// # Errors
    /// The token isn't valid, or Hermes' folder can't be read.
    pub async fn once(&self) -> Result<bool, Stopped> {
        match self.one_round().await {
            Ok(well) => Ok(well),
            Err(broken) => {
                self.broken_off(broken)?;
                Ok(false)
            }
        }
    }

    async fn one_round(&self) -> Result<bool, Broken> {
        let mut well = self.report().await?.reason.is_none();
        for waiting in self.server.peek(Duration::ZERO).await? {
            if self.is_stopping() {
                return Ok(false);
            }
            well &= self.take(&waiting).await?;
        }
        Ok(well)
    }

    /// Goes on until it's stopped. A turn that is held then is given back.
    ///
    /// # Errors
    /// The token isn't valid, or Hermes' folder can't be read.
    pub async fn run(&self) -> Result<(), Stopped> {
        let mut state = State::Report;
        let mut failures = 0;
        while !self.is_stopping() {
            state = match self.step(state).await {
                Ok(next) => {
                    self.forget_told(SERVER);
                    failures = 0;
                    next
                }
                Err(broken) => {
                    self.broken_off(broken)?;
                    failures += 1;
                    State::Rest(self.pause(failures))
                }
            };
        }
        Ok(())
    }

    async fn step(&self, state: State) -> Result<State, Broken> {
        match state {
            State::Report => {
                let reported = self.unless_stopped(self.report()).await;
                reported.transpose()?;
                Ok(State::Wait(Instant::now() + REPORTED_EVERY))
            }
            State::Wait(due) => {
                let left = due.saturating_duration_since(Instant::now());
                if left < Duration::from_secs(1) {
                    return Ok(State::Report);
                }
                let peeked = self.unless_stopped(self.server.peek(left.min(LONG_POLL)));
                let waiting = peeked.await.transpose()?.unwrap_or_default();
                Ok(if waiting.is_empty() {
                    State::Wait(due)
                } else {
                    State::Take(waiting)
                })
            }
            State::Take(turns) => {
                let mut taken = false;
                for waiting in turns {
                    if self.is_stopping() {
                        break;
                    }
                    taken |= self.take(&waiting).await?;
                }
                Ok(if taken {
                    State::Report
                } else {
                    State::Rest(REST)
                })
            }
            State::Rest(time) => {
                self.unless_stopped(sleep(time)).await;
                Ok(State::Report)
            }
        }
    }

    /// What can get better by itself is told; the rest ends the connector.
    fn broken_off(&self, broken: Broken) -> Result<(), Stopped> {
        let message = match broken {
            Broken::Server(ServerError::Unauthenticated) => return Err(Stopped::Unauthenticated),
            Broken::Folder(error) => return Err(Stopped::Folder(error)),
            Broken::Server(ServerError::Unreachable(words)) => words,
            Broken::Server(ServerError::Refused(refused)) => refused.message,
        };
        self.tell_once(SERVER, &Event::Retrying { message });
        Ok(())
    }

    /// Twice as long after each failure, and never for all connectors at once: from a half to the
    /// whole of it.
    pub(super) fn pause(&self, failures: u32) -> Duration {
        let whole = Duration::from_secs(1 << failures.min(6)).min(LONGEST_PAUSE);
        let mut random = [0; 1];
        self.around.ids.fill(&mut random);
        whole / 2 + whole / 2 * u32::from(random[0]) / 255
    }
}
