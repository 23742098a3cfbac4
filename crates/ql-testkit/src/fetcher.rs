//! Sources that say what a test wants.

use std::collections::VecDeque;
use std::sync::Mutex;

use ql_app::fetch::{FetchFailure, Fetched, Fetcher, Fetching};

/// A fetcher that gives prepared answers in order, and then that nobody answers.
#[derive(Debug, Default)]
pub struct ScriptedFetcher {
    answers: Mutex<VecDeque<Result<Fetched, FetchFailure>>>,
    asked: Mutex<Vec<String>>,
}

impl ScriptedFetcher {
    /// Prepares a page of this text.
    pub fn says(&self, words: &str) {
        self.answers(200, words);
    }

    /// Prepares a page of this text with a status.
    pub fn answers(&self, status: u16, words: &str) {
        self.prepare(Ok(Fetched {
            status,
            url: "https://source.example/page".into(),
            moved: false,
            content_type: Some("text/html".into()),
            body: format!("<p>{words}</p>").into_bytes(),
        }));
    }

    /// Prepares a failure.
    pub fn fails(&self, failure: FetchFailure) {
        self.prepare(Err(failure));
    }

    fn prepare(&self, answer: Result<Fetched, FetchFailure>) {
        self.answers.lock().expect("no panic").push_back(answer);
    }

    /// The addresses that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

impl Fetcher for ScriptedFetcher {
    fn fetch<'f>(&'f self, url: &'f str) -> Fetching<'f> {
        self.asked.lock().expect("no panic").push(url.to_owned());
        let answer = self.answers.lock().expect("no panic").pop_front();
        let answer = answer.unwrap_or(Err(FetchFailure::Unreachable));
        Box::pin(std::future::ready(answer))
    }
}
