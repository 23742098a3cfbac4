//! Whether two words that differ in no letter are the same word.

use super::edition::Printed;
use super::reason::{NoteKind, Reason};
use super::text::{Text, Word};
use crate::corpus::is_point;
use crate::token::Gap;

/// How two words compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sameness {
    Same,
    /// The same, in a way that is noted.
    Noted(NoteKind),
    Differs(Reason),
}

/// Compares two words whose folded forms are equal. `begins` says whether the quotation, a segment
/// of it or a sentence begins with the quoted one; `name` whether it names God.
pub(super) fn words(
    text: &Text,
    quoted: &Word,
    printed: &Printed,
    begins: bool,
    name: bool,
) -> Sameness {
    if quoted.normal == printed.normal {
        return Sameness::Same;
    }
    let pointed = printed.normal.contains(is_point) || quoted.normal.contains(is_point);
    if pointed {
        return noted(text.unpointed, NoteKind::Unpointed, Reason::Points);
    }
    if text.capitals {
        return Sameness::Noted(NoteKind::Capitals);
    }
    if name {
        let style = is_style(&quoted.normal) && is_style(&printed.normal);
        return noted(style, NoteKind::DivineName, Reason::Case);
    }
    let raised = quoted.normal.starts_with(char::is_uppercase);
    let explained = if raised {
        begins || quoted.gap.has(Gap::SENTENCE) || quoted.gap.has(Gap::QUOTE)
    } else {
        printed.first || printed.gap.has(Gap::SENTENCE) || printed.gap.has(Gap::QUOTE)
    };
    let first = differ_in_first_letter(&quoted.normal, &printed.normal);
    let holds = first && (explained || quoted.marked);
    noted(holds, NoteKind::Capital, Reason::Case)
}

fn noted(same: bool, note: NoteKind, reason: Reason) -> Sameness {
    if same {
        Sameness::Noted(note)
    } else {
        Sameness::Differs(reason)
    }
}

/// Whether what stands before a quoted word can stand for what the edition has there: a hyphen for
/// a hyphen or a dash, and none for a space.
pub(super) fn gaps(quoted: Gap, printed: &Printed) -> bool {
    if printed.first {
        return true;
    }
    let lost = printed.gap.has(Gap::HYPHEN) && !quoted.has(Gap::DASH);
    let added = quoted.has(Gap::HYPHEN) && !printed.gap.has(Gap::DASH);
    !lost && !added
}

/// Whether a name of God is in one of the styles of print: `LORD` or `Lord`.
fn is_style(name: &str) -> bool {
    let name = name.split('\'').next().unwrap_or(name);
    let mut letters = name.chars();
    let capital = letters.next().is_some_and(char::is_uppercase);
    let rest = letters.as_str();
    let all = !rest.chars().any(char::is_lowercase);
    let first = !rest.chars().any(char::is_uppercase);
    capital && (all || first)
}

fn differ_in_first_letter(one: &str, two: &str) -> bool {
    let parts = |word: &str| {
        let mut letters = word.chars();
        let first = letters
            .next()
            .map(|letter| letter.to_lowercase().to_string());
        (first, letters.as_str().to_owned())
    };
    parts(one) == parts(two)
}
