//! What is used without a library such as this: the likeness of two texts, and a threshold.

use similar::TextDiff;

/// From which likeness on the baseline takes a quotation for true.
const THRESHOLD: f32 = 0.95;

/// Whether likeness would verify the text.
pub(crate) fn verifies(passage: &str, text: &str) -> bool {
    TextDiff::from_chars(passage, text).ratio() >= THRESHOLD
}
