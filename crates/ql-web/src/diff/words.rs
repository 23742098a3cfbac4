//! Which words of two lines differ.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::align::likeness;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Whether the other side lacks it.
    pub changed: bool,
}

/// Lines with fewer words in common than this are shown as wholly changed: marking the few words
/// that happen to agree would help nobody.
const WORTH_COMPARING: f64 = 0.25;

/// Long lines that differ nearly everywhere are cut short here and marked more coarsely.
const LONGEST_COMPARISON: Duration = Duration::from_millis(200);

/// Both lines as kept and changed spans.
pub(super) fn compare(old: &str, new: &str) -> (Vec<Span>, Vec<Span>) {
    if likeness(old, new) < WORTH_COMPARING {
        return (whole(old), whole(new));
    }
    let diff = TextDiff::configure()
        .timeout(LONGEST_COMPARISON)
        .diff_unicode_words(old, new);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                append(&mut left, text, false);
                append(&mut right, text, false);
            }
            ChangeTag::Delete => append(&mut left, text, true),
            ChangeTag::Insert => append(&mut right, text, true),
        }
    }
    (bridge(left), bridge(right))
}

/// A line that the other side lacks altogether, without marks.
pub(super) fn whole(line: &str) -> Vec<Span> {
    vec![Span {
        text: line.to_owned(),
        changed: false,
    }]
}

fn append(spans: &mut Vec<Span>, text: &str, changed: bool) {
    match spans.last_mut() {
        Some(last) if last.changed == changed => last.text.push_str(text),
        _ => spans.push(Span {
            text: text.to_owned(),
            changed,
        }),
    }
}

/// Joins changed spans that only a space or a comma separates, so that a reworded phrase reads as
/// one change.
fn bridge(spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    let mut rest = spans.into_iter().peekable();
    while let Some(span) = rest.next() {
        let between = joined.last().is_some_and(|last| last.changed) && rest.peek().is_some();
        let thin = !span.text.chars().any(char::is_alphanumeric) && span.text.chars().count() <= 2;
        let changed = span.changed || (between && thin);
        append(&mut joined, &span.text, changed);
    }
    joined
}
