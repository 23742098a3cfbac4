//! False quotations, in every form that somebody may try.
#![expect(
    clippy::unnecessary_wraps,
    reason = "makers have one signature, whether or not every verse allows a case"
)]

use ql_scripture::Span;

use crate::editions::{Edition, Editions};
use crate::quotations::Case;
use crate::random::Random;
use crate::words::{all, holds, negates, places, plain, times};

/// Makes a false quotation of a kind, or none where the verse doesn't allow one.
pub(crate) type Make = fn(&Editions, &Edition, &mut Random) -> Option<Case>;

/// Every kind.
pub(crate) const KINDS: [(&str, Make); 19] = [
    ("dropped negation", dropped_negation),
    ("added negation", added_negation),
    ("swapped word", swapped_word),
    ("dropped word", dropped_word),
    ("doubled word", doubled_word),
    ("words exchanged", exchanged),
    ("lost clause", lost_clause),
    ("splice", splice),
    ("splice within the passage", splice_within),
    ("wrong reference", wrong_reference),
    ("wrong edition", wrong_edition),
    ("invention", invention),
    ("negation left out", elided_negation),
    ("negation in brackets", bracketed_negation),
    ("word replaced in brackets", bracketed_word),
    ("far elision", far_elision),
    ("lookalike letter", lookalike),
    ("hidden marks", hidden),
    ("nothing quoted", nothing),
];

fn case(edition: &Edition, span: impl Into<Span>, text: String) -> Case {
    Case {
        edition: edition.id,
        passage: span.into().into(),
        text,
    }
}

/// The text without some bytes, and without the space that would be doubled.
fn without(text: &str, place: std::ops::Range<usize>) -> String {
    let (before, after) = (&text[..place.start], &text[place.end..]);
    format!(
        "{}{}",
        before.trim_end(),
        if before.is_empty() {
            after.trim_start()
        } else {
            after
        }
    )
}

fn with(text: &str, place: std::ops::Range<usize>, word: &str) -> String {
    format!("{}{word}{}", &text[..place.start], &text[place.end..])
}

fn dropped_negation(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words: Vec<_> = places(text)
        .into_iter()
        .filter(|word| negates(&text[word.clone()]))
        .collect();
    if words.is_empty() {
        return None;
    }
    let word = random.pick(&words).clone();
    let dropped = without(text, word);
    (!dropped.trim().is_empty()).then(|| case(edition, *verse, dropped))
}

fn added_negation(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let (before, after) = text.split_at(random.pick(&words).end);
    let text = format!("{before} not{after}");
    Some(case(edition, *verse, text))
}

fn swapped_word(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let word = random.pick(&places(text)).clone();
    let (_, other) = &edition.verses[edition.any(random)];
    let new = &other[random.pick(&places(other)).clone()];
    let same = plain(new) == plain(&text[word.clone()]);
    (!same).then(|| case(edition, *verse, with(text, word, new)))
}

/// A word from within the verse, where what remains doesn't stand in it in a row.
fn dropped_word(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let word = words.get(1 + random.below(words.len().checked_sub(2)?))?;
    let dropped = without(text, word.clone());
    let true_ = holds(&all(text), &all(&dropped));
    (!true_).then(|| case(edition, *verse, dropped))
}

fn doubled_word(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let word = random.pick(&places(text)).clone();
    let doubled = format!("{} {}", &text[word.clone()], &text[word.clone()]);
    Some(case(edition, *verse, with(text, word, &doubled)))
}

fn exchanged(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let at = random.below(words.len().checked_sub(1)?);
    let (one, two) = (words[at].clone(), words[at + 1].clone());
    let exchanged = format!(
        "{}{}{}{}{}",
        &text[..one.start],
        &text[two.clone()],
        &text[one.end..two.start],
        &text[one],
        &text[two.end..]
    );
    let true_ = all(text) == all(&exchanged);
    (!true_).then(|| case(edition, *verse, exchanged))
}

/// A clause from within the verse, unmarked.
fn lost_clause(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let clauses: Vec<&str> = text.split_inclusive([',', ';', ':']).collect();
    if clauses.len() < 3 {
        return None;
    }
    let lost = 1 + random.below(clauses.len() - 2);
    let kept = clauses
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != lost);
    let kept: String = kept.map(|(_, clause)| *clause).collect();
    let true_ = holds(&all(text), &all(&kept));
    (!true_).then(|| case(edition, *verse, kept))
}

/// The beginning of one verse and the end of another.
fn splice(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let (_, other) = &edition.verses[edition.any(random)];
    let (one, two) = (places(text), places(other));
    let begun = &text[..one[one.len() / 2].start];
    let ended = &other[two[two.len() / 2].start..];
    let spliced = format!("{begun}{ended}");
    let true_ = holds(&all(text), &all(&spliced));
    (!true_).then(|| case(edition, *verse, spliced))
}

/// The beginning of a verse and the end of the next but one, all of it in the passage.
fn splice_within(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (span, texts) = edition.run(edition.any(random), 3)?;
    let (one, two) = (places(texts[0]), places(texts[2]));
    let begun = &texts[0][..one[one.len() / 2].start];
    let ended = &texts[2][two[two.len() / 2].start..];
    let spliced = format!("{begun}{ended}");
    let true_ = holds(&all(&texts.join(" ")), &all(&spliced));
    (!true_).then(|| case(edition, span, spliced))
}

fn wrong_reference(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (_, text) = &edition.verses[edition.any(random)];
    let (verse, other) = &edition.verses[edition.any(random)];
    let true_ = holds(&all(other), &all(text));
    (!true_).then(|| case(edition, *verse, text.clone()))
}

fn wrong_edition(editions: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let other = random.pick(&editions.all);
    let (verse, text) = &other.verses[other.any(random)];
    let there = edition.text(*verse)?;
    let true_ = holds(&all(there), &all(text));
    (!true_).then(|| case(edition, *verse, text.clone()))
}

fn invention(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    const BEGIN: [&str; 4] = [
        "And the LORD said",
        "Verily I say unto you",
        "Blessed is he",
        "Hear",
    ];
    const MIDDLE: [&str; 4] = [
        "that prospereth in all his investments",
        "who helpeth himself",
        "cleanliness is next to godliness",
        "this too shall pass away",
    ];
    const END: [&str; 3] = [
        "saith the Lord of the harvest",
        "and be glad therein",
        "for ever",
    ];
    let (verse, _) = &edition.verses[edition.any(random)];
    let text = if random.chance(1, 2) {
        let parts = [random.pick(&BEGIN), random.pick(&MIDDLE), random.pick(&END)];
        parts.map(|part| *part).join(", ")
    } else {
        let words = (0..4 + random.below(20)).map(|_| {
            let (_, text) = &edition.verses[edition.any(random)];
            text[random.pick(&places(text)).clone()].to_owned()
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let there = all(edition.text(*verse)?);
    (!holds(&there, &all(&text))).then(|| case(edition, *verse, text))
}

/// An elision that leaves out a negation.
fn elided_negation(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let negations = (3..words.len().saturating_sub(3))
        .filter(|at| negates(&text[words[*at].clone()]))
        .collect::<Vec<_>>();
    if negations.is_empty() {
        return None;
    }
    let at = *random.pick(&negations);
    let dots = *random.pick(&[" … ", " ... ", " [...] "]);
    let elided = format!(
        "{}{dots}{}",
        &text[..words[at - 1].end],
        &text[words[at + 1].start..]
    );
    // With another of the same words nearby the remaining ones may be quoted truly.
    let others = words.iter().filter(|word| negates(&text[(*word).clone()]));
    (others.count() == 1).then(|| case(edition, *verse, elided))
}

fn bracketed_negation(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let (before, after) = text.split_at(random.pick(&places(text)).end);
    let word = *random.pick(&["not", "never", "by no means", "do not", "cannot"]);
    Some(case(edition, *verse, format!("{before} [{word}]{after}")))
}

/// A word of the verse gives way to one in brackets.
fn bracketed_word(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let word = words.get(1 + random.below(words.len().checked_sub(2)?))?;
    let bracketed = with(text, word.clone(), "[Baal]");
    let remaining = without(text, word.clone());
    let true_ = holds(&all(text), &all(&remaining));
    (!true_).then(|| case(edition, *verse, bracketed))
}

/// From the beginning of a chapter to its end, with nothing between.
fn far_elision(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let from = edition.any(random);
    let (span, texts) = edition.run(from, 6 + random.below(20))?;
    let (first, last) = (texts.first()?, texts.last()?);
    let (one, two) = (places(first), places(last));
    let begun = &first[..one[one.len().min(5) - 1].end];
    let ended = &last[two[two.len().saturating_sub(5)].start..];
    // Where a formula comes back, both may stand near each other.
    let passage = all(&texts.join(" "));
    if times(&passage, &all(begun)) > 1 || times(&passage, &all(ended)) > 1 {
        return None;
    }
    Some(case(edition, span, format!("{begun} … {ended}")))
}

fn lookalike(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    const PAIRS: [(char, char); 7] = [
        ('a', 'а'),
        ('e', 'е'),
        ('o', 'о'),
        ('c', 'с'),
        ('i', 'і'),
        ('p', 'р'),
        ('o', '0'),
    ];
    let (verse, text) = &edition.verses[edition.any(random)];
    let (latin, other) = *random.pick(&PAIRS);
    let changed = text.replacen(latin, &other.to_string(), 1);
    (changed != *text).then(|| case(edition, *verse, changed))
}

/// Strokes through a word, overrides of direction, marks of deletion: it reads as something else.
fn hidden(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let word = random.pick(&places(text)).clone();
    let raw = &text[word.clone()];
    let struck: String = raw.chars().flat_map(|c| [c, '\u{336}']).collect();
    let new = match random.below(5) {
        0 => struck,
        1 => format!("\u{202e}{raw}\u{202c}"),
        2 => format!("~~{raw}~~"),
        3 => format!("<del>{raw}</del>"),
        _ => format!("{raw}\u{0}"),
    };
    Some(case(edition, *verse, with(text, word, &new)))
}

fn nothing(_: &Editions, edition: &Edition, random: &mut Random) -> Option<Case> {
    const NOTHING: [&str; 8] = [
        "",
        " ",
        "…",
        "[...]",
        "“”",
        "—",
        "[the whole verse]",
        "\u{200b}",
    ];
    let (verse, _) = &edition.verses[edition.any(random)];
    let text = (*random.pick(&NOTHING)).to_owned();
    Some(case(edition, *verse, text))
}
