//! Quotations hidden in prose, by how long they are.

use std::ops::Range;

use ql_scripture::undeclared::{Known, find};

use crate::Settings;
use crate::editions::Editions;
use crate::random::Random;
use crate::words::places;

/// Prose in which nothing is quoted, written for this bench.
const PROSE: &str = include_str!("prose.txt");

/// How many texts for each length.
const TEXTS: usize = 400;

/// Prints precision and recall by length, without and with quotation marks.
pub(crate) fn run(editions: &Editions, settings: &Settings) {
    let mut random = Random::new(settings.seed ^ 0x5eed);
    let bare = find(&editions.library, PROSE, Known::default());
    println!(
        "undeclared quotations ({} in prose without any)",
        bare.len()
    );
    println!(
        "  {:<6} {:>10} {:>10} {:>14} {:>14}",
        "words", "precision", "recall", "precision “”", "recall “”"
    );
    for words in [4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30] {
        let plain = trial(editions, &mut random, words, ("", ""));
        let marked = trial(editions, &mut random, words, ("“", "”"));
        println!(
            "  {words:<6} {:>10} {:>10} {:>14} {:>14}",
            percent(plain.right, plain.found),
            percent(plain.met, TEXTS),
            percent(marked.right, marked.found),
            percent(marked.met, TEXTS)
        );
    }
    println!();
}

fn percent(part: usize, of: usize) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    let share = part * 1000 / of;
    format!("{}.{} %", share / 10, share % 10)
}

#[derive(Default)]
struct Trial {
    /// Findings.
    found: usize,
    /// Findings that are of what was planted.
    right: usize,
    /// Planted quotations that were found.
    met: usize,
}

fn trial(editions: &Editions, random: &mut Random, words: usize, marks: (&str, &str)) -> Trial {
    let mut trial = Trial::default();
    let mut texts = 0;
    while texts < TEXTS {
        let Some((text, planted)) = plant(editions, random, words, marks) else {
            continue;
        };
        texts += 1;
        let found = find(&editions.library, &text, Known::default());
        let meets = |at: &Range<usize>| at.start < planted.end && planted.start < at.end;
        let right = found.iter().filter(|finding| meets(&finding.at)).count();
        trial.found += found.len();
        trial.right += right;
        trial.met += usize::from(right > 0);
    }
    trial
}

/// Puts words of some verse between two sentences of the prose.
fn plant(
    editions: &Editions,
    random: &mut Random,
    words: usize,
    (open, close): (&str, &str),
) -> Option<(String, Range<usize>)> {
    let edition = random.pick(&editions.all);
    let (_, verse) = &edition.verses[edition.any(random)];
    let of = places(verse);
    let start = random.below(of.len().checked_sub(words)? + 1);
    let quotation = &verse[of[start].start..of[start + words - 1].end];
    let ends: Vec<usize> = PROSE.match_indices(". ").map(|(at, _)| at + 2).collect();
    let (before, after) = PROSE.split_at(*random.pick(&ends));
    let begin = before.len() + open.len();
    let planted = begin..begin + quotation.len();
    Some((
        format!("{before}{open}{quotation}{close}. {after}"),
        planted,
    ))
}
