//! Envelopes as they are read.

use ql_core::json::{self, Rejected};
use ql_core::problem::Problem;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::output::Output;
use super::result::TaskResult;
use super::schema::VALIDATORS;
use super::task::Task;
use crate::document::DocKind;

/// The most bytes of an envelope.
pub const MAX_BYTES: usize = 4 << 20;

/// How many problems one refusal names.
const MAX_PROBLEMS: usize = 50;

/// Why a text is no envelope.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// It's longer than [`MAX_BYTES`].
    #[error("an envelope has at most {MAX_BYTES} bytes, and this one has more")]
    TooLarge,
    /// It isn't JSON.
    #[error("not JSON: {0}")]
    Malformed(String),
    /// It isn't what the schema asks for; everything that is wrong, each with its place.
    #[error("{} things aren't as the schema asks", .0.len())]
    Problems(Vec<Problem>),
}

/// Reads a task envelope.
///
/// # Errors
/// Everything that is wrong with it.
pub fn task(text: &[u8]) -> Result<Task, Unfit> {
    let value = strictly(text)?;
    check(&VALIDATORS.task, &value, "").map_err(Unfit::Problems)?;
    typed(value, "")
}

/// Reads a result envelope for a task that asks for `kind`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn result(text: &[u8], kind: DocKind) -> Result<(TaskResult, Output), Unfit> {
    result_of(strictly(text)?, kind)
}

/// Reads a result envelope from a value that was read strictly.
///
/// # Errors
/// Everything that is wrong with it.
pub fn result_of(value: Value, kind: DocKind) -> Result<(TaskResult, Output), Unfit> {
    let mut problems = Vec::new();
    let mut note =
        |found: Result<(), Vec<Problem>>| problems.extend(found.err().unwrap_or_default());
    note(check(&VALIDATORS.result, &value, ""));
    if let Some(output) = value.get("output") {
        note(check(VALIDATORS.document(kind), output, "/output"));
    }
    if !problems.is_empty() {
        problems.truncate(MAX_PROBLEMS);
        return Err(Unfit::Problems(problems));
    }
    let result: TaskResult = typed(value, "")?;
    let output = output(&result.output, kind)?;
    Ok((result, output))
}

/// Reads a document of one kind.
///
/// # Errors
/// Everything that is wrong with it.
pub fn output(value: &Value, kind: DocKind) -> Result<Output, Unfit> {
    let value = value.clone();
    let at = "/output";
    Ok(match kind {
        DocKind::ResearchReport => Output::ResearchReport(typed(value, at)?),
        DocKind::PassageDossier => Output::PassageDossier(typed(value, at)?),
        DocKind::HermeneuticsMemo => Output::HermeneuticsMemo(typed(value, at)?),
        DocKind::Script => Output::Script(typed(value, at)?),
        DocKind::ShotList => Output::ShotList(typed(value, at)?),
        DocKind::VoiceTrack => Output::VoiceTrack(typed(value, at)?),
        DocKind::Thumbnail => Output::Thumbnail(typed(value, at)?),
        DocKind::Metadata => Output::Metadata(typed(value, at)?),
        DocKind::Shorts => Output::Shorts(typed(value, at)?),
        DocKind::ReleaseManifest => Output::ReleaseManifest(typed(value, at)?),
        DocKind::Metrics => Output::Metrics(typed(value, at)?),
    })
}

fn strictly(text: &[u8]) -> Result<Value, Unfit> {
    if text.len() > MAX_BYTES {
        return Err(Unfit::TooLarge);
    }
    json::read(text).map_err(|rejected| match rejected {
        Rejected::Malformed { message, .. } => Unfit::Malformed(message),
        Rejected::Refused { problems, .. } => Unfit::Problems(problems),
    })
}

fn check(
    validator: &jsonschema::Validator,
    value: &Value,
    under: &str,
) -> Result<(), Vec<Problem>> {
    let problems: Vec<Problem> = validator
        .iter_errors(value)
        .map(|error| {
            Problem::new(
                error.instance_path().to_string(),
                "schema",
                shortened(&error.to_string()),
            )
            .under(under)
        })
        .collect();
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// A message without most of the value that it quotes.
fn shortened(message: &str) -> String {
    const LONGEST: usize = 300;
    if message.chars().count() <= LONGEST {
        return message.to_owned();
    }
    let half = |from: usize| {
        message
            .chars()
            .skip(from)
            .take(LONGEST / 2)
            .collect::<String>()
    };
    format!(
        "{} … {}",
        half(0),
        half(message.chars().count() - LONGEST / 2)
    )
}

/// What the schema allows and a type doesn't, such as a seventh decimal of money.
fn typed<T: DeserializeOwned>(value: Value, at: &str) -> Result<T, Unfit> {
    serde_json::from_value(value)
        .map_err(|error| Unfit::Problems(vec![Problem::new(at, "schema", error.to_string())]))
}
