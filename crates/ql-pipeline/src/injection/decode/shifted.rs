//! Text that is written backwards or with other letters, known by words that give it away.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Decoded;
use crate::injection::disguise::{Disguise, is_plain};
use crate::injection::finding::Layer;
use crate::injection::words::Words;

/// How many such words a text needs.
const FEWEST: usize = 2;

/// How far from its first and last such word a disguised text is looked for, in bytes.
const AROUND: usize = 400;

/// From how many letters on a word can't be another's disguise by chance.
const LONG: usize = 6;

/// How many short words tell as much, and over how many bytes each.
const DENSE: usize = 4;
const SPARSEST: usize = 20;

/// Undoes each disguise that at least [`FEWEST`] words give away.
pub(super) fn find(text: &str, words: &Words) -> Vec<Decoded> {
    let mut places: FxHashMap<Disguise, Vec<&Range<usize>>> = FxHashMap::default();
    for (disguise, place) in &words.disguises {
        places.entry(*disguise).or_default().push(place);
    }
    let mut found: Vec<Decoded> = Vec::new();
    for (disguise, places) in places {
        for group in places.chunk_by(|one, next| next.start - one.start <= AROUND) {
            if group.len() >= FEWEST {
                found.push(undone(text, disguise, group));
            }
        }
    }
    found.sort_by_key(|decoded| (decoded.span.start, decoded.text.clone()));
    found
}

fn undone(text: &str, disguise: Disguise, places: &[&Range<usize>]) -> Decoded {
    let first = places[0].start.saturating_sub(AROUND);
    let last = (places[places.len() - 1].end + AROUND).min(text.len());
    let start = text.floor_char_boundary(first);
    let end = text.ceil_char_boundary(last);
    let layer = match disguise {
        Disguise::Reversed => Layer::Reversed,
        Disguise::Shifted(_) | Disguise::Mirrored => Layer::ShiftedLetters,
    };
    Decoded {
        layer,
        span: start..end,
        text: disguise.undone(&text[start..end]),
        tells: tells(text, places),
    }
}

/// Whether so many words can't look disguised by chance. No plain word stands among disguised ones.
fn tells(text: &str, places: &[&Range<usize>]) -> bool {
    let mut different: Vec<&str> = places.iter().map(|place| &text[(*place).clone()]).collect();
    different.sort_unstable();
    different.dedup();
    let count = |least: usize| different.iter().filter(|word| word.len() >= least).count();
    let long = count(LONG);
    let stretch = &text[places[0].start..places[places.len() - 1].end];
    let is_dense = different.len() >= DENSE && stretch.len() <= places.len() * SPARSEST;
    if stretch
        .split(|letter: char| !letter.is_alphabetic())
        .any(is_plain)
    {
        return false;
    }
    long >= FEWEST || (long > 0 && different.len() > FEWEST) || is_dense
}
