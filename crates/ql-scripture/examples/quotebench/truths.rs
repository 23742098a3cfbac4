//! True quotations, in every form in which people write them.
#![expect(
    clippy::unnecessary_wraps,
    reason = "makers have one signature, whether or not every verse allows a case"
)]

use ql_scripture::Span;

use crate::editions::Edition;
use crate::quotations::Case;
use crate::random::Random;
use crate::words::{negates, places};

/// Makes a true quotation of a kind, or none where the verse doesn't allow one.
pub(crate) type Make = fn(&Edition, &mut Random) -> Option<Case>;

/// Every kind.
pub(crate) const KINDS: [(&str, Make); 9] = [
    ("exact", exact),
    ("several verses", several),
    ("punctuation", punctuation),
    ("typography", typography),
    ("first letter", first_letter),
    ("divine name", divine_name),
    ("part", part),
    ("elision", elision),
    ("bracket", bracket),
];

fn case(edition: &Edition, span: impl Into<Span>, text: String) -> Case {
    Case {
        edition: edition.id,
        passage: span.into().into(),
        text,
    }
}

fn exact(edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    Some(case(edition, *verse, text.clone()))
}

/// Two or three verses, run on, on lines, or with their numbers.
fn several(edition: &Edition, random: &mut Random) -> Option<Case> {
    let count = 2 + random.below(2);
    let (span, texts) = edition.run(edition.any(random), count)?;
    let numbers = random.chance(1, 3);
    let gap = *random.pick(&[" ", "\n", "\r\n  "]);
    let texts = texts.iter().enumerate().map(|(index, text)| {
        let number = usize::from(span.from().verse) + index;
        if numbers {
            format!("{number} {text}")
        } else {
            (*text).to_owned()
        }
    });
    let text = texts.collect::<Vec<_>>().join(gap);
    // Where the edition leaves a number out, counting on would be wrong.
    let counted = usize::from(span.to().verse - span.from().verse) + 1 == count;
    (counted || !numbers).then(|| case(edition, span, text))
}

/// Other quotation marks, dashes, commas and ends.
fn punctuation(edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let mut text = text.replace(['“', '”'], "\"").replace(['‘', '’'], "'");
    if random.chance(1, 2) {
        let dash = *random.pick(&[" - ", "--", " – ", "—"]);
        text = text.replace('—', dash);
    }
    if random.chance(1, 3) {
        // A comma within a number is part of it.
        text = text.replace(", ", " ").replace(';', "");
    }
    if random.chance(1, 3) {
        let stop = *random.pick(&[",", ".", " –"]);
        text = text.replace([';', ':'], stop);
    }
    if random.chance(1, 2) {
        let end = text.trim_end_matches(['.', ',', ':', ';', '!', '?']).len();
        text.truncate(end);
        text.push_str(random.pick::<&str>(&["", ".", "!", ",", "…", "?"]));
    }
    if random.chance(1, 2) {
        let (open, close) = *random.pick(&[("“", "”"), ("\"", "\""), ("«", "»"), ("'", "'")]);
        text = format!("{open}{text}{close}");
    }
    Some(case(edition, *verse, text))
}

/// Marks of emphasis, lines, spaces and characters that nobody sees.
fn typography(edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let word = random.pick(&words).clone();
    let text = match random.below(7) {
        0 => format!(
            "{}*{}*{}",
            &text[..word.start],
            &text[word.clone()],
            &text[word.end..]
        ),
        1 => format!("¶ {text}"),
        2 => text.replace(' ', "\n"),
        3 => text.replace(' ', "\u{a0}"),
        4 => format!(
            "{}\u{ad}{}",
            &text[..word.end - last(&text[word.clone()])],
            &text[word.end - last(&text[word])..]
        ),
        5 => text.replace("; ", ";\n    ").replace(", ", " / "),
        _ => format!("\u{feff}_{text}_\u{200b}"),
    };
    Some(case(edition, *verse, text))
}

/// How many bytes the last letter has.
fn last(word: &str) -> usize {
    word.chars().next_back().map_or(0, char::len_utf8)
}

/// A capital where the quotation begins, or the letter in brackets.
fn first_letter(edition: &Edition, random: &mut Random) -> Option<Case> {
    let quoted = part(edition, random)?;
    let start = places(&quoted.text).first()?.start;
    let letter = quoted.text[start..].chars().next()?;
    if !letter.is_lowercase() {
        return None;
    }
    let capital = letter.to_uppercase().to_string();
    let capital = if random.chance(1, 3) {
        format!("[{capital}]")
    } else {
        capital
    };
    let (before, rest) = (
        &quoted.text[..start],
        &quoted.text[start + letter.len_utf8()..],
    );
    let text = format!("{before}{capital}{rest}");
    Some(Case { text, ..quoted })
}

/// `Lord` for `LORD`, or the whole in capitals.
fn divine_name(edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    if random.chance(1, 6) {
        return Some(case(edition, *verse, text.to_uppercase()));
    }
    let other = text.replace("LORD’S", "Lord’s").replace("LORD", "Lord");
    (other != *text).then(|| case(edition, *verse, other))
}

/// Five words or more in a row, no negation beside them.
fn part(edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let count = 5 + random.below(15);
    let start = random.below(words.len().checked_sub(count)? + 1);
    let end = start + count;
    let near = words[start.saturating_sub(2)..start].iter();
    let near = near.chain(&words[end..words.len().min(end + 2)]);
    if near.clone().any(|word| negates(&text[word.clone()])) {
        return None;
    }
    let text = text[words[start].start..words[end - 1].end].to_owned();
    Some(case(edition, *verse, text))
}

/// Something left out that holds no negation, marked in one of the usual ways.
fn elision(edition: &Edition, random: &mut Random) -> Option<Case> {
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let left_out = 1 + random.below(12);
    let start = 3 + random.below(words.len().checked_sub(left_out + 6)? + 1);
    let end = start + left_out;
    if words[start..end]
        .iter()
        .any(|word| negates(&text[word.clone()]))
    {
        return None;
    }
    let dots = *random.pick(&[
        " … ",
        " ... ",
        "... ",
        " [...] ",
        " [\u{2026}] ",
        " . . . ",
        "…",
        " (…) ",
    ]);
    let (before, after) = (&text[..words[start - 1].end], &text[words[end].start..]);
    Some(case(edition, *verse, format!("{before}{dots}{after}")))
}

/// A remark of the editor.
fn bracket(edition: &Edition, random: &mut Random) -> Option<Case> {
    const REMARKS: [&str; 6] = [
        "that is, Jesus",
        "sic",
        "the Lord",
        "of Israel",
        "emphasis mine",
        "Moses",
    ];
    let (verse, text) = &edition.verses[edition.any(random)];
    let words = places(text);
    let after = random.below(words.len().checked_sub(4)?) + 2;
    let remark = random.pick(&REMARKS);
    let (before, rest) = text.split_at(words[after - 1].end);
    Some(case(edition, *verse, format!("{before} [{remark}]{rest}")))
}
