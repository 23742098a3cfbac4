//! One JSON object per line: `{"ref": "Gen.1.1", "text": "In the beginning…"}`.

use serde::Deserialize;

use super::draft::Draft;
use super::tsv::span;
use crate::corpus::problem::Place;

/// One line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object of `ref` and `text`")]
struct Line {
    #[serde(rename = "ref")]
    reference: String,
    text: String,
}

/// Reads the lines, in whatever order they stand.
pub(super) fn read(text: &str, draft: &mut Draft) {
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if line.trim().is_empty() {
            continue;
        }
        let Line { reference, text } = match serde_json::from_str(line) {
            Ok(line) => line,
            Err(error) => {
                let message = error.to_string();
                draft.refuse("json", place, message);
                continue;
            }
        };
        match span(&reference) {
            Some(span) => draft.put(span, &text, place.at(span)),
            None => draft.refuse(
                "reference",
                place,
                format!("`{reference}` is no OSIS reference such as Gen.1.1"),
            ),
        }
    }
}
