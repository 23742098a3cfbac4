//! Who does the work of a role: behind one trait, so that the director knows no vendor.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use ql_core::hash::Digest;
use ql_core::problem::Problem;
use ql_pipeline::pack::PackFile;
use ql_pipeline::tier::Tier;

pub use ql_pipeline::price::Usage;

/// What is asked of a provider.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'p> {
    /// The stage.
    pub stage: &'p str,
    /// What kind of model the role needs.
    pub tier: Tier,
    /// The attempt, from 1.
    pub attempt: i64,
    /// What names this call and no other, so that whoever is asked twice can tell.
    pub key: &'p str,
    /// The task envelope, as it was hashed.
    pub envelope: &'p str,
    /// The policy's files; they travel with the task, so that its hash proves what was seen.
    pub policy: &'p [PackFile],
    /// What was wrong with the last answer, where this asks to mend it.
    pub repair: Option<&'p [Problem]>,
}

/// A file that a provider made; it is kept under its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFile {
    /// What it's called.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// The hash of its bytes.
    pub sha256: Digest,
    /// How many bytes it has.
    pub bytes: u64,
}

/// What a provider answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answered {
    /// The answer as it came.
    pub text: String,
    /// The model that answered, as the provider says.
    pub model: String,
    /// What it read and wrote; none where the provider doesn't tell.
    pub usage: Option<Usage>,
    /// What it cost in micro-dollars; none where that can't be told.
    pub cost: Option<i64>,
    /// The files that it made.
    pub files: Vec<MadeFile>,
}

/// Why a provider didn't answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It may answer later, and nothing was paid.
    Transient {
        /// What it said.
        why: String,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// It won't, and nothing was paid.
    Permanent(String),
    /// It was asked, and nobody knows whether that is paid for.
    Uncertain(String),
}

impl Failure {
    /// A failure that may pass at any time.
    pub fn transient(why: impl Into<String>) -> Self {
        let (why, retry_after) = (why.into(), None);
        Self::Transient { why, retry_after }
    }
}

/// An answer on its way.
pub type Asking<'p> = Pin<Box<dyn Future<Output = Result<Answered, Failure>> + Send + 'p>>;

/// Somebody who does the work of roles.
pub trait Provider: Send + Sync {
    /// The most that asking may cost, in micro-dollars: so much is set aside before anything is sent.
    ///
    /// # Errors
    /// Nobody knows, for want of a price, or nobody would be asked at all.
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure>;

    /// The digest of what decides who is asked and at which price, where something does.
    fn configuration(&self) -> Option<Digest> {
        None
    }

    /// Asks for the answer to a task. It may take long, but it ends, whatever happens.
    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p>;
}

/// Nobody: for servers on which no role is played by the server itself.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Nobody {
    fn refuses(ask: &Ask<'_>) -> Failure {
        Failure::Permanent(format!("no provider serves {}", ask.tier.as_str()))
    }
}

impl Provider for Nobody {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        Err(Self::refuses(ask))
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(async move { Err(Self::refuses(&ask)) })
    }
}

/// How a recorded answer is made for a task: the envelope goes in, the answer comes out.
pub(crate) type Recording = Box<dyn Fn(&Ask<'_>) -> Result<Answered, Failure> + Send + Sync>;

/// Recorded answers, by stage: for demonstrations and tests.
#[derive(Default)]
pub struct Recorded {
    answers: BTreeMap<String, Recording>,
    most: i64,
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

    /// The same where an answer may cost so many micro-dollars.
    #[must_use]
    pub fn costing_at_most(mut self, most: i64) -> Self {
        self.most = most;
        self
    }
}

impl Provider for Recorded {
    fn most(&self, _: &Ask<'_>) -> Result<i64, Failure> {
        Ok(self.most)
    }

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
