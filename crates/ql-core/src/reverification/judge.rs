//! What an observation of a source says about the evidence that was taken from it.

use serde::{Deserialize, Serialize};

use super::{Outcome, passage, text};
use crate::fetch::{FetchFailure, Fetched};
use crate::hash::Digest;

/// How many characters of a found passage are kept.
const MAX_FOUND: usize = 2000;

/// What was seen, for people: never for agents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Observation {
    /// Where the answer came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The media type that was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The bytes of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The SHA-256 of the words that were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_sha256: Option<Digest>,
    /// The passage that stands where the excerpt did, where one is like it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

/// What to make of an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// How the evidence stands.
    pub outcome: Outcome,
    /// A stable code of why, where the outcome alone doesn't say it.
    pub reason: Option<&'static str>,
    /// Whether it may be otherwise in a while.
    pub transient: bool,
    /// What was seen.
    pub observation: Observation,
}

impl Judgement {
    fn of(outcome: Outcome, reason: Option<&'static str>) -> Self {
        Self {
            outcome,
            reason,
            transient: false,
            observation: Observation::default(),
        }
    }

    /// Nobody could look, since whoever tried ended before it could say.
    pub fn interrupted() -> Self {
        Self::of(Outcome::Inconclusive, Some("interrupted"))
    }
}

/// Judges what fetching a source gave by the excerpt that was taken from it.
pub fn judge(excerpt: &str, seen: Result<Fetched, FetchFailure>) -> Judgement {
    match seen {
        Ok(fetched) => judge_answer(excerpt, fetched),
        Err(failure) => judge_failure(failure),
    }
}

fn judge_failure(failure: FetchFailure) -> Judgement {
    let (outcome, transient) = match failure {
        FetchFailure::Refused(_) => (Outcome::Blocked, false),
        FetchFailure::NoSuchName
        | FetchFailure::Unreachable
        | FetchFailure::TimedOut
        | FetchFailure::Tls => (Outcome::Unreachable, true),
        FetchFailure::TooManyRedirects => (Outcome::Unreachable, false),
        FetchFailure::TooLarge | FetchFailure::Unreadable => (Outcome::Inconclusive, false),
    };
    Judgement {
        transient,
        ..Judgement::of(outcome, Some(failure.code()))
    }
}

fn judge_answer(excerpt: &str, fetched: Fetched) -> Judgement {
    let mut judgement = match fetched.status {
        200..=299 => judge_words(excerpt, &fetched),
        404 | 410 => Judgement::of(Outcome::Gone, None),
        401 | 403 | 407 | 451 => Judgement::of(Outcome::Blocked, Some("refused_by_source")),
        408 | 425 | 429 | 500..=599 => Judgement {
            transient: true,
            ..Judgement::of(Outcome::Unreachable, Some("source_failed"))
        },
        _ => Judgement::of(Outcome::Inconclusive, Some("status")),
    };
    let observation = &mut judgement.observation;
    observation.bytes = Some(fetched.body.len() as u64);
    observation.status = Some(fetched.status);
    observation.url = Some(fetched.url);
    observation.content_type = fetched.content_type;
    judgement
}

fn judge_words(excerpt: &str, fetched: &Fetched) -> Judgement {
    let Some(words) = text::of(fetched.content_type.as_deref(), &fetched.body) else {
        return Judgement::of(Outcome::Inconclusive, Some("media_type"));
    };
    let quotations = text::of_quotation(excerpt);
    let stands =
        (quotations.iter()).any(|words_of| !words_of.is_empty() && words.contains(words_of));
    let found = (!stands)
        .then(|| passage::most_like(&words, &quotations[1]))
        .flatten();
    let (outcome, reason) = match (stands, &found) {
        (true, _) if fetched.moved => (Outcome::Moved, None),
        (true, _) => (Outcome::Unchanged, None),
        (false, Some(_)) => (Outcome::Changed, None),
        (false, None) if words.is_empty() => (Outcome::Inconclusive, Some("no_words")),
        (false, None) => (Outcome::ExcerptMissing, None),
    };
    Judgement {
        observation: Observation {
            text_sha256: Some(Digest::of(words.as_bytes())),
            found: found.map(|found| found.chars().take(MAX_FOUND).collect()),
            ..Observation::default()
        },
        ..Judgement::of(outcome, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{NotPublic, Refused};

    const EXCERPT: &str = "Adults pay 10 euros and children under six pay nothing.";

    fn page(status: u16, body: &str) -> Fetched {
        Fetched {
            status,
            url: "https://source.example/page".into(),
            moved: false,
            content_type: Some("text/html".into()),
            body: body.as_bytes().to_vec(),
        }
    }

    fn said(seen: Result<Fetched, FetchFailure>) -> String {
        let judgement = judge(EXCERPT, seen);
        let transient = if judgement.transient {
            ", transient"
        } else {
            ""
        };
        let found = judgement
            .observation
            .found
            .map(|found| format!(", found: {found}"));
        let reason = judgement.reason.map(|reason| format!(" ({reason})"));
        let parts = [
            reason.unwrap_or_default(),
            transient.to_owned(),
            found.unwrap_or_default(),
        ];
        format!("{}{}", judgement.outcome.as_str(), parts.concat())
    }

    #[test]
    fn each_observation_has_one_outcome() {
        let standing = format!("<p>Prices: {EXCERPT}</p>");
        let spread = "<p>Adults pay\n<b>10&nbsp;euros</b> and children under six pay nothing.</p>";
        let raised = "<p>Adults pay 12 euros and children under six pay nothing.</p>";
        let mut moved = page(200, &standing);
        moved.moved = true;
        let mut elsewhere = page(200, "<p>Welcome to our new site.</p>");
        elsewhere.moved = true;
        let mut pdf = page(200, "%PDF");
        pdf.content_type = Some("application/pdf".into());
        let private = Refused::Address(NotPublic::Loopback);
        let cases = [
            ("as it was", Ok(page(200, &standing))),
            ("with other markup", Ok(page(200, spread))),
            ("with another price", Ok(page(200, raised))),
            (
                "about something else",
                Ok(page(200, "<p>Dogs wait outside.</p>")),
            ),
            ("empty", Ok(page(200, ""))),
            ("moved", Ok(moved)),
            ("moved to a front page", Ok(elsewhere)),
            ("404", Ok(page(404, &standing))),
            ("410", Ok(page(410, ""))),
            ("403", Ok(page(403, ""))),
            ("429", Ok(page(429, ""))),
            ("503", Ok(page(503, ""))),
            ("418", Ok(page(418, ""))),
            ("a PDF", Ok(pdf)),
            (
                "into a private network",
                Err(FetchFailure::Refused(private)),
            ),
            ("no such name", Err(FetchFailure::NoSuchName)),
            ("nobody there", Err(FetchFailure::Unreachable)),
            ("silent", Err(FetchFailure::TimedOut)),
            ("no TLS", Err(FetchFailure::Tls)),
            ("in circles", Err(FetchFailure::TooManyRedirects)),
            ("endless", Err(FetchFailure::TooLarge)),
            ("nonsense", Err(FetchFailure::Unreadable)),
        ];
        let lines: Vec<String> = (cases.into_iter())
            .map(|(name, seen)| format!("{name}: {}", said(seen)))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        as it was: unchanged
        with other markup: unchanged
        with another price: changed, found: Adults pay 12 euros and children under six pay nothing.
        about something else: excerpt_missing
        empty: inconclusive (no_words)
        moved: moved
        moved to a front page: excerpt_missing
        404: gone
        410: gone
        403: blocked (refused_by_source)
        429: unreachable (source_failed), transient
        503: unreachable (source_failed), transient
        418: inconclusive (status)
        a PDF: inconclusive (media_type)
        into a private network: blocked (address_not_public)
        no such name: unreachable (no_such_name), transient
        nobody there: unreachable (connection), transient
        silent: unreachable (timed_out), transient
        no TLS: unreachable (tls), transient
        in circles: unreachable (too_many_redirects)
        endless: inconclusive (too_large)
        nonsense: inconclusive (unreadable)
        ");
    }

    #[test]
    fn a_found_passage_is_bounded() {
        let excerpt = "word ".repeat(5000) + "end";
        let body = "word ".repeat(5000) + "other";
        let seen = judge(&excerpt, Ok(page(200, &body)));
        assert_eq!(seen.outcome, Outcome::Changed);
        let found = seen.observation.found.expect("a passage");
        assert_eq!(found.chars().count(), MAX_FOUND);
    }
}
