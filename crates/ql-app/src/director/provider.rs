//! Who does the work of a role: behind one trait, so that the director knows no vendor.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use ql_core::problem::Problem;
use ql_pipeline::pack::PackFile;
use ql_pipeline::tier::Tier;

/// What is asked of a provider.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'p> {
    /// The stage.
    pub stage: &'p str,
    /// What kind of model the role needs.
    pub tier: Tier,
    /// The attempt, from 1.
    pub attempt: i64,
    /// The task envelope, as it was hashed.
    pub envelope: &'p str,
    /// The policy's files; they travel with the task, so that its hash proves what was seen.
    pub policy: &'p [PackFile],
    /// What was wrong with the last answer, where this asks to mend it.
    pub repair: Option<&'p [Problem]>,
}

/// What a provider answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The answer as it came.
    pub text: String,
    /// What it cost in micro-dollars; none where the provider doesn't tell.
    pub cost: Option<i64>,
}

/// Why a provider didn't answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It may answer later, and nothing was paid.
    Transient(String),
    /// It won't.
    Permanent(String),
}

/// An answer on its way.
pub type Asking<'p> = Pin<Box<dyn Future<Output = Result<Answered, Failure>> + Send + 'p>>;

/// Somebody who does the work of roles.
pub trait Provider: Send + Sync {
    /// Asks for the answer to a task.
    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p>;
}

/// Nobody: for servers on which no role is played by the server itself.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Provider for Nobody {
    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        let failure = Failure::Permanent(format!("no provider serves {}", ask.tier.as_str()));
        Box::pin(async move { Err(failure) })
    }
}

/// How a recorded answer is made for a task: the envelope goes in, the answer comes out.
pub(crate) type Recording = Box<dyn Fn(&Ask<'_>) -> Result<Answered, Failure> + Send + Sync>;

/// Recorded answers, by stage: for demonstrations and tests.
#[derive(Default)]
pub struct Recorded {
    answers: BTreeMap<String, Recording>,
}

impl Recorded {
    /// The same with what is answered for a stage.
    #[must_use]
    pub fn on(
        mut self,
        stage: &str,
        answer: impl Fn(&Ask<'_>) -> Result<Answered, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.answers.insert(stage.to_owned(), Box::new(answer));
        self
    }
}

impl Provider for Recorded {
    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        let answer = match self.answers.get(ask.stage) {
            Some(recording) => recording(&ask),
            None => Err(Failure::Permanent(format!(
                "nothing is recorded for {}",
                ask.stage
            ))),
        };
        Box::pin(async move { answer })
    }
}
