//! What is made from the script must say what the script says.

use serde_json::json;

use super::prose::{has_words, spoken, words};
use super::{Ground, Input};
use crate::envelope::Output;
use crate::envelope::output::Script;
use crate::finding::{Code, Finding};
use crate::pack::Check;

/// Compares a piece made from the script with the script, where the stage has a rule that asks so.
pub(super) fn look(ground: &Ground, input: &Input<'_>, findings: &mut Vec<Finding>) {
    let asks = |id: &&String| {
        ground
            .pack()
            .rule(id)
            .is_some_and(|rule| rule.check == Some(Check::Derivatives))
    };
    let (Some(rule), Some(script)) = (input.stage.rules.iter().find(asks), input.script) else {
        return;
    };
    let found = match input.output {
        Output::VoiceTrack(track) => {
            let said = track.segments.iter().map(|segment| segment.text.0.as_str());
            recording(script, said)
        }
        Output::Shorts(shorts) => {
            let texts = shorts.shorts.iter().map(|short| short.text.0.as_str());
            pieces(script, texts)
        }
        Output::ResearchReport(_)
        | Output::PassageDossier(_)
        | Output::HermeneuticsMemo(_)
        | Output::Script(_)
        | Output::ShotList(_)
        | Output::Thumbnail(_)
        | Output::Metadata(_)
        | Output::ReleaseManifest(_)
        | Output::Metrics(_) => Vec::new(),
    };
    findings.extend(found.into_iter().map(|finding| finding.under(rule)));
}

/// A recording says the whole script and nothing else.
fn recording<'a>(script: &Script, segments: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let mut expected = spoken(script).flat_map(words);
    for (index, segment) in segments.enumerate() {
        for found in words(segment) {
            let word = expected.next();
            if word.as_deref() != Some(found.as_str()) {
                let at = format!("/output/segments/{index}/text");
                let word = word.unwrap_or_default();
                return vec![unlike(at, &word, &found)];
            }
        }
    }
    let rest = expected.next();
    rest.map(|word| unlike("/output/segments".to_owned(), &word, ""))
        .into_iter()
        .collect()
}

fn unlike(at: String, expected: &str, found: &str) -> Finding {
    let message = match (expected, found) {
        ("", found) => format!("`{found}` is said after the end of the script"),
        (expected, "") => format!("the script goes on with `{expected}`"),
        (expected, found) => format!("`{found}` is said where the script has `{expected}`"),
    };
    Finding::new(Code::DerivativeUnfaithful, at, message)
        .with(json!({"expected": expected, "found": found}))
}

/// A short piece has words of the script in a row.
fn pieces<'a>(script: &Script, texts: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let spoken: Vec<&str> = spoken(script).collect();
    let spoken = spoken.join("\n");
    texts
        .enumerate()
        .filter(|(_, text)| !has_words(&spoken, text))
        .map(|(index, text)| {
            let at = format!("/output/shorts/{index}/text");
            let message = "the words don't stand so, in a row, in the script";
            Finding::new(Code::DerivativeUnfaithful, at, message).with(json!({"found": text}))
        })
        .collect()
}
