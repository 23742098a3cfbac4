//! How a number must end to be one of a reference.

use super::atom::Kind;
use super::cursor::{Cursor, is_letter};
use super::grammar::{Grammar, Mode};

impl Grammar<'_> {
    /// Whether a number ends as numbers of references do: not as "5th", "7pm", "40 %" or "9:30 am".
    pub(super) fn ends_well(&self, kind: Kind, after: Cursor<'_>) -> bool {
        if after
            .peek()
            .is_some_and(|c| matches!(c, '%' | '°' | '€' | '$' | '£'))
        {
            return false;
        }
        let next = after.blanks().word();
        let half = next.is_some_and(|(word, end)| is_half_of_day(word, end));
        if half && could_be_time(kind) {
            return false;
        }
        let Some((word, _)) = after.word() else {
            return true;
        };
        let capital = word.starts_with(char::is_uppercase) && self.mode == Mode::Loose;
        capital || self.lexicon.word(word).is_known() || !after.peek().is_some_and(is_letter)
    }
}

/// "am", "PM", "p.m."
fn is_half_of_day(word: &str, end: Cursor<'_>) -> bool {
    let dotted = matches!(word, "a" | "p" | "A" | "P") && end.rest().starts_with(['.']);
    let marked = end
        .rest()
        .get(1..2)
        .is_some_and(|letter| letter.eq_ignore_ascii_case("m"));
    matches!(word, "am" | "pm" | "AM" | "PM") || dotted && marked
}

fn could_be_time(kind: Kind) -> bool {
    match kind {
        Kind::ChapterVerse(hour, minute) => hour <= 12 && minute < 60,
        Kind::Bare(hour) => hour <= 12,
        Kind::Book | Kind::Chapter(_) | Kind::Verse(_) | Kind::Title | Kind::ChapterTitle(_) => {
            false
        }
    }
}
