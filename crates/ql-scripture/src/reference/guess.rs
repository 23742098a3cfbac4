//! Misspelt names of books, where a chapter and a verse stand beside them.

use super::cursor::Cursor;
use super::fold::Folded;
use super::grammar::Grammar;
use super::head::Head;
use super::lexicon::{Care, Named, Role};

impl Grammar<'_> {
    /// The one book whose name is nearly this word, if a colon between two numbers follows it.
    pub(super) fn guess<'t>(
        &self,
        text: &'t str,
        at: Cursor<'t>,
        end: Cursor<'t>,
    ) -> Option<Head<'t>> {
        let dot = end.eat(|c| c == '.').unwrap_or(end).blanks();
        let (_, after) = dot.number()?;
        after.eat(|c| c == ':')?.number()?;
        let folded = Folded::of(at.until(end))?;
        let before = self.before(text, at);
        let led = before.is_some() || self.is_led(text, at);
        let named = self.nearest(folded.as_str(), led)?;
        let (place, from) = before.unwrap_or((0, at.at()));
        let numbered = named
            .numbered
            .get(usize::from(place).saturating_sub(1))
            .copied()
            .flatten();
        let (book, from) = match (named.single, numbered) {
            (_, Some((book, _))) if place > 0 => (book, from),
            (Some((book, _)), _) | (None, Some((book, _))) => (book, at.at()),
            (None, None) => return None,
        };
        Some(Head {
            book,
            care: Care::None,
            capital: true,
            guessed: true,
            chapter: None,
            from,
            end,
        })
    }

    /// The ordinal number before a name, and where it begins.
    fn before(&self, text: &str, name: Cursor<'_>) -> Option<(u8, usize)> {
        let (at, _) = word_before(text, name);
        let (ordinal, end) = self.ordinal(at)?;
        end.rest().is_empty().then_some((ordinal, at.at()))
    }

    /// Whether a word such as "gospel" or "saint" stands before a name, or a little one beside it.
    fn is_led(&self, text: &str, name: Cursor<'_>) -> bool {
        let (_, word) = word_before(text, name);
        self.lexicon.word(word).is(Role::Lead)
    }

    fn nearest(&self, word: &str, led: bool) -> Option<&Named> {
        let mut best: Option<(u32, &Named)> = None;
        let mut tied = false;
        for (name, named) in self.lexicon.whole() {
            let Some(distance) = distance(word, name, led) else {
                continue;
            };
            match best {
                Some((nearest, _)) if nearest < distance => {}
                Some((nearest, other)) if nearest == distance => {
                    tied |= !same(other, named);
                }
                _ => {
                    best = Some((distance, named));
                    tied = false;
                }
            }
        }
        best.filter(|_| !tied).map(|(_, named)| named)
    }
}
/// The word before a place, and where it begins.
fn word_before<'t>(text: &'t str, at: Cursor<'_>) -> (Cursor<'t>, &'t str) {
    let before = text.get(..at.at()).unwrap_or_default();
    let before = before.trim_end_matches([' ', '.']);
    let start = before.rfind(|c: char| !c.is_alphanumeric());
    let start = start.map_or(0, |place| {
        place + before[place..].chars().next().map_or(1, char::len_utf8)
    });
    (Cursor::new(before, start), &before[start..])
}

fn same(one: &Named, other: &Named) -> bool {
    let books = |named: &Named| {
        let numbered = named.numbered.map(|found| found.map(|(book, _)| book));
        (named.single.map(|(book, _)| book), numbered)
    };
    books(one) == books(other)
}

/// How far a word is from a name, in half letters, or nothing if it is too far.
///
/// A name cut short and an abbreviation that keeps the order of its letters are near; a vowel for
/// another, a vowel more or less and two letters swapped are half an error. Behind a number or a word
/// such as "gospel" there may be one error more.
fn distance(word: &str, name: &str, led: bool) -> Option<u32> {
    let length = name.len();
    if word.len() > 3 && name.starts_with(word) {
        return Some(0);
    }
    let written = (word.as_bytes(), name.as_bytes());
    let (word, name) = (without_doubles(word), without_doubles(name));
    if word.first() != name.first() || written.0.len() < 3 {
        return None;
    }
    let steps = edits(&word, &name);
    let allowed = match length {
        ..=5 => u32::from(swapped(&word, &name)),
        6 => 2,
        7 => 3,
        8..=9 => 4,
        _ => 6,
    };
    if steps <= allowed + if led { 2 } else { 0 } {
        return Some(steps);
    }
    let (word, name) = written;
    let vowels = word[1..].iter().any(|byte| is_vowel(*byte));
    let enough = !vowels || word.len() * 5 >= name.len() * 3;
    (enough && is_part(word, name)).then_some(steps)
}

/// Letters that stand twice in a row, once.
fn without_doubles(word: &str) -> Vec<u8> {
    let mut letters = word.as_bytes().to_vec();
    letters.dedup();
    letters
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Whether the letters of one stand in the other in their order.
fn is_part(word: &[u8], name: &[u8]) -> bool {
    let mut letters = name.iter();
    word.iter()
        .all(|letter| letters.any(|other| other == letter))
}

/// Whether two neighbours changed places and nothing else did.
fn swapped(word: &[u8], name: &[u8]) -> bool {
    word.len() == name.len() && edits(word, name) == 1 && {
        let (mut one, mut two) = (word.to_vec(), name.to_vec());
        one.sort_unstable();
        two.sort_unstable();
        one == two
    }
}

/// The least cost of turning one into the other, in half letters.
fn edits(word: &[u8], name: &[u8]) -> u32 {
    let single = |letter: u8| if is_vowel(letter) { 1 } else { 2 };
    let mut before: Vec<u32> = Vec::new();
    let mut row: Vec<u32> = vec![0];
    for letter in name {
        row.push(row[row.len() - 1] + single(*letter));
    }
    for (i, letter) in word.iter().enumerate() {
        let mut next = vec![row[0] + single(*letter)];
        for (j, other) in name.iter().enumerate() {
            let changed = match (letter == other, is_vowel(*letter) && is_vowel(*other)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            let mut least = (row[j] + changed)
                .min(row[j + 1] + single(*letter))
                .min(next[j] + single(*other));
            if i > 0 && j > 0 && word[i - 1] == *other && *letter == name[j - 1] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[row.len() - 1]
}
