//! One writer: it drafts until its connection breaks.

use std::sync::mpsc::Sender;

use serde_json::{Value, json};

use super::client::Agent;

/// A draft as it's sent, and sent again if need be.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) arguments: Value,
}

/// What a writer learns of a draft.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The content id and the revision id that the server answered for.
    Acknowledged(String, String),
    /// The connection broke first.
    Unanswered(Draft),
}

/// A writer with an open run.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) name: String,
    pub(crate) run: String,
}

impl Writer {
    pub(crate) fn write(&self, mut agent: Agent, tell: &Sender<Outcome>) {
        for number in 0_u64.. {
            let draft = self.draft(number);
            let Ok(answer) = agent.draft(&draft) else {
                // Whether it was kept is for the repetition to find out.
                return tell.send(Outcome::Unanswered(draft)).unwrap_or_default();
            };
            let (content, revision) = answer.accepted();
            if tell.send(Outcome::Acknowledged(content, revision)).is_err() {
                return;
            }
        }
    }

    pub(crate) fn draft(&self, number: u64) -> Draft {
        let key = format!("{}-{number}", self.name);
        Draft {
            arguments: json!({
                "run_id": self.run, "template": "article", "locale": "en",
                "slug": format!("kill-{key}"), "idempotency_key": key,
                "fields": {
                    "title": format!("Note {key}"), "author": "maren-oxley", "date": "2026-11-30",
                    "summary": "What was seen on the walk along the sea wall.",
                    "body": "The tide line moved a little in the night.",
                },
            }),
        }
    }
}
