//! Names and words in the chosen languages, ready to be looked up.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::book::Book;
use crate::language::Language;

use super::cursor::Cursor;
use super::fold::Folded;
use super::table;

/// How careful to be with a form that is an ordinary word as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Care {
    /// A number after it is enough.
    None,
    /// It must be capitalized or name a verse.
    Capital,
    /// It must name a verse.
    Verse,
}

/// What a name means.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    /// Without a number before it.
    pub(super) single: Option<(Book, Care)>,
    /// With the number 1, 2, 3, 4 or 5 before it.
    pub(super) numbered: [Option<(Book, Care)>; 5],
}

/// FNV-1a: the words are short and the tables our own.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Words<T> = HashMap<Box<str>, T, BuildHasherDefault<Fnv>>;

/// A word of some name, and how it may go on.
#[derive(Debug, Default)]
struct Node {
    named: Option<Named>,
    next: Words<Node>,
}

/// What a word does between numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Chapter,
    Verse,
    And,
    To,
    Title,
    Following,
    Next,
    Lead,
}

/// Every role of a word, one bit each, and the ordinal number that it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    roles: u8,
    pub(super) ordinal: u8,
}

impl Word {
    pub(super) fn is(self, role: Role) -> bool {
        self.roles & 1 << role as u8 != 0
    }

    /// Whether it may be glued to a number.
    pub(super) fn is_known(self) -> bool {
        self.roles & !(1 << Role::Lead as u8) != 0
    }
}

/// Names and words.
#[derive(Debug)]
pub(super) struct Lexicon {
    names: Words<Node>,
    words: Words<Word>,
    /// The words that a reference can begin with, and a sieve of their first letters.
    begins: HashSet<Box<str>, BuildHasherDefault<Fnv>>,
    prefixes: [u64; 64],
    /// Names of one word with more than three letters, for guessing.
    whole: BTreeSet<Box<str>>,
}

impl Lexicon {
    /// The names and words of these languages, the earlier ones first, and OSIS identifiers.
    pub(super) fn of(languages: &[Language]) -> Self {
        let mut lexicon = Self {
            names: Words::default(),
            words: Words::default(),
            begins: HashSet::default(),
            prefixes: [0; 64],
            whole: BTreeSet::new(),
        };
        for language in languages {
            lexicon.add_words(*language);
            lexicon.add_names(*language);
        }
        lexicon.add_osis();
        lexicon
    }

    fn add_words(&mut self, language: Language) {
        for (heading, words) in table::words(language) {
            for form in table::list(words) {
                let Some(folded) = Folded::of(form) else {
                    continue;
                };
                let word = self.words.entry(folded.as_str().into()).or_default();
                match heading.parse::<u8>() {
                    Ok(ordinal) => word.ordinal = ordinal,
                    Err(_) => word.roles |= role(heading).map_or(0, |role| 1 << role as u8),
                }
                if word.ordinal > 0 || word.is(Role::Chapter) {
                    self.begin(folded.as_str());
                }
            }
        }
    }

    fn add_names(&mut self, language: Language) {
        for row in table::rows(language) {
            for form in &row.forms {
                let short = row.books.len() == 1 && form.chars().count() < 4;
                let care = match form.len() - table::bare(form).len() {
                    0 if !short => Care::None,
                    0 | 1 => Care::Capital,
                    _ => Care::Verse,
                };
                let mut named = Named::default();
                match row.books.as_slice() {
                    [book] => named.single = Some((*book, care)),
                    books => {
                        for (place, book) in named.numbered.iter_mut().zip(books) {
                            *place = Some((*book, care));
                        }
                    }
                }
                self.add(table::bare(form), &named);
            }
        }
    }

    fn add_osis(&mut self) {
        for book in Book::ALL.iter().copied() {
            let id = book.osis();
            let mut named = Named::default();
            let name = id.trim_start_matches(|c: char| c.is_ascii_digit());
            match id[..id.len() - name.len()].parse::<usize>() {
                Ok(number) => named.numbered[number - 1] = Some((book, Care::None)),
                Err(_) => named.single = Some((book, Care::None)),
            }
            self.add(name, &named);
        }
    }

    fn add(&mut self, name: &str, named: &Named) {
        let mut words = name.split(' ').filter_map(Folded::of);
        let Some(first) = words.next() else { return };
        self.begin(first.as_str());
        let mut node = self.names.entry(first.as_str().into()).or_default();
        let mut alone = true;
        for word in words {
            alone = false;
            node = node.next.entry(word.as_str().into()).or_default();
        }
        let stands = node.named.get_or_insert_default();
        stands.single = stands.single.or(named.single);
        for (stands, added) in stands.numbered.iter_mut().zip(named.numbered) {
            *stands = stands.or(added);
        }
        if alone && first.as_str().len() > 3 {
            self.whole.insert(first.as_str().into());
        }
    }

    fn begin(&mut self, folded: &str) {
        let place = prefix(folded.as_bytes());
        self.prefixes[place / 64] |= 1 << (place % 64);
        self.begins.insert(folded.into());
    }

    /// Whether a reference can begin with this word: some name, ordinal or word for chapters does.
    pub(super) fn begins_with(&self, word: &str) -> bool {
        let bytes = word.as_bytes();
        let place = prefix(bytes);
        let known = self.prefixes[place / 64] >> (place % 64) & 1 == 1;
        let plain = bytes.iter().take(4).all(u8::is_ascii);
        (known || !plain)
            && Folded::of(word).is_some_and(|folded| self.begins.contains(folded.as_str()))
    }

    /// Names of one word with more than three letters, and what they mean.
    pub(super) fn whole(&self) -> impl Iterator<Item = (&str, &Named)> {
        let named = |name: &Box<str>| self.names.get(name)?.named.as_ref();
        self.whole
            .iter()
            .filter_map(move |name| Some((&**name, named(name)?)))
    }

    /// What a word does between numbers.
    pub(super) fn word(&self, word: &str) -> Word {
        let folded = Folded::of(word);
        let found = folded.and_then(|folded| self.words.get(folded.as_str()));
        found.copied().unwrap_or_default()
    }

    /// The longest name at a place, and where it ends. Dots may stand behind its words.
    pub(super) fn name<'t>(&self, at: Cursor<'t>) -> Option<(&Named, Cursor<'t>)> {
        let (word, mut end) = at.word()?;
        let mut node = self.names.get(Folded::of(word)?.as_str())?;
        let mut longest = node.named.as_ref().map(|named| (named, end));
        while !node.next.is_empty() {
            let dot = end.eat(|c| c == '.').unwrap_or(end).blanks();
            let bracket = dot.eat(|c| c == '(');
            let Some((word, after)) = bracket.unwrap_or(dot).piece() else {
                break;
            };
            let after = bracket
                .and_then(|_| after.eat(|c| c == ')'))
                .unwrap_or(after);
            let folded = Folded::of(word);
            let Some(next) = folded.and_then(|folded| node.next.get(folded.as_str())) else {
                break;
            };
            (node, end) = (next, after);
            longest = node.named.as_ref().map(|named| (named, end)).or(longest);
        }
        longest
    }
}

/// A place among 4,096 by the first four letters, whatever their case; a sieve before the lookup.
fn prefix(word: &[u8]) -> usize {
    let letters = word.iter().take(4);
    let packed = letters.fold(0_u32, |packed, byte| packed << 8 | u32::from(byte | 0x20));
    (packed.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

fn role(heading: &str) -> Option<Role> {
    Some(match heading {
        "chapter" => Role::Chapter,
        "verse" => Role::Verse,
        "and" => Role::And,
        "to" => Role::To,
        "title" => Role::Title,
        "following" => Role::Following,
        "next" => Role::Next,
        "lead" => Role::Lead,
        _ => return None,
    })
}
