//! One verse per line: `Gen.1.1<TAB>In the beginning…`.

use super::draft::Draft;
use crate::corpus::problem::Place;
use crate::span::Span;
use crate::verse::Verse;

/// Reads the lines, in whatever order they stand.
pub(super) fn read(text: &str, draft: &mut Draft) {
    for (index, line) in text.lines().enumerate() {
        let place = Place::line(index + 1);
        if line.trim().is_empty() {
            continue;
        }
        let Some((reference, text)) = line.split_once('\t') else {
            draft.refuse("no_tab", place, "a line is a reference, a tab and a text");
            continue;
        };
        if text.contains('\t') {
            draft.refuse("tabs", place.at(reference), "a line has one tab");
            continue;
        }
        match span(reference) {
            Some(span) => draft.put(span, text, place.at(span)),
            None => draft.refuse(
                "reference",
                place,
                format!("`{reference}` is no OSIS reference such as Gen.1.1"),
            ),
        }
    }
}

/// A verse or a span in the OSIS form.
pub(super) fn span(text: &str) -> Option<Span> {
    let text = text.trim();
    let verse = |text: &str| text.parse::<Verse>().ok();
    match text.split_once('-') {
        None => verse(text).map(Span::of),
        Some((from, to)) => Span::new(verse(from)?, verse(to)?),
    }
}
