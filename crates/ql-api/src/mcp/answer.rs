//! What a tool answers: one JSON object that begins with `ok`.

use ql_core::problem::Problem;
use serde::Serialize;
use serde_json::{Value, json};

/// A finished tool call, as the JSON text that the client gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) json: String,
    /// Whether the server failed; success and intended refusals are both no fault.
    pub(crate) is_fault: bool,
}

/// Why a tool call has no success to show.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The rules say no, or not now.
    Refused(Refusal),
    /// The server is at fault; what went wrong stays in its log.
    Fault,
}

/// A refusal that governance intends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// Stable, such as `stale_revision`.
    pub code: &'static str,
    /// Which rule was met.
    pub message: String,
    /// What to do next, in words for a model.
    pub remedy: String,
    /// A JSON object with what a program needs to go on.
    pub details: Value,
}

impl Refusal {
    /// Arguments that don't fit the tool's published schema, with every problem.
    pub fn invalid_arguments(problems: &[Problem]) -> Self {
        let mut places: Vec<_> = problems.iter().take(IN_WORDS).map(in_words).collect();
        if let Some(more @ 1..) = problems.len().checked_sub(IN_WORDS) {
            places.push(format!("and {more} more, which are in details.problems"));
        }
        Self {
            code: "invalid_arguments",
            message: format!("The arguments aren't accepted: {}.", places.join("; ")),
            remedy: "Correct every place that is named and call again; nothing was changed."
                .to_owned(),
            details: json!({ "problems": problems }),
        }
    }
}

/// How many problems the message spells out.
const IN_WORDS: usize = 8;

fn in_words(problem: &Problem) -> String {
    let place = if problem.pointer.is_empty() {
        "the arguments"
    } else {
        &problem.pointer
    };
    format!("{place}: {}", problem.message)
}

#[derive(Serialize)]
struct WithOk<T> {
    ok: bool,
    #[serde(flatten)]
    rest: T,
}

impl Answer {
    /// The answer of a call's outcome.
    pub(crate) fn of<T: Serialize>(outcome: Result<T, Failure>) -> Self {
        match outcome {
            Ok(output) => Self::success(&output),
            Err(Failure::Refused(refusal)) => Self::refusal(&refusal),
            Err(Failure::Fault) => Self::fault(),
        }
    }

    fn success<T: Serialize>(output: &T) -> Self {
        match serde_json::to_string(&WithOk {
            ok: true,
            rest: output,
        }) {
            Ok(json) => Self {
                json,
                is_fault: false,
            },
            Err(error) => {
                tracing::error!(%error, "a tool's output isn't a JSON object");
                Self::fault()
            }
        }
    }

    pub(crate) fn refusal(refusal: &Refusal) -> Self {
        let json = serde_json::to_string(&WithOk {
            ok: false,
            rest: refusal,
        })
        .expect("strings and JSON values serialize");
        Self {
            json,
            is_fault: false,
        }
    }

    /// A fault of the server, without a word about its inside.
    pub(crate) fn fault() -> Self {
        let refusal = Refusal {
            code: "internal",
            message: "The server failed to carry out the call.".to_owned(),
            remedy: "Call again with the same arguments and the same idempotency_key. If it fails again, tell the operator of this QueryLayer server the time of the call.".to_owned(),
            details: json!({}),
        };
        Self {
            is_fault: true,
            ..Self::refusal(&refusal)
        }
    }

    /// The `result` member of `tools/call`, with `members` (JSON members, each with its comma in
    /// front) at its end. A fault has no structured content: some clients check that against the
    /// output schema and then hide the error.
    pub(crate) fn to_result(&self, members: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.json.len() * 2 + members.len() + 128);
        out.extend_from_slice(br#"{"content":[{"type":"text","text":"#);
        serde_json::to_writer(&mut out, &self.json).expect("writing a string to memory");
        out.extend_from_slice(b"}]");
        if !self.is_fault {
            out.extend_from_slice(br#","structuredContent":"#);
            out.extend_from_slice(self.json.as_bytes());
        }
        out.extend_from_slice(br#","isError":"#);
        out.extend_from_slice(if self.is_fault { b"true" } else { b"false" });
        out.extend_from_slice(members.as_bytes());
        out.push(b'}');
        out
    }
}
