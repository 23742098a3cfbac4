//! The names of books in the chosen languages.

use std::collections::BTreeSet;

use crate::book::Book;
use crate::language::Language;

use super::cursor::Cursor;
use super::fold::Folded;
use super::spelling;
use super::table::{self, Row};
use super::words::{Beginnings, Words};

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

impl Named {
    fn of(books: &[Book], care: Care) -> Self {
        let mut named = Self::default();
        if let [book] = books {
            named.single = Some((*book, care));
            return named;
        }
        for (place, book) in named.numbered.iter_mut().zip(books) {
            *place = Some((*book, care));
        }
        named
    }

    /// Takes the meanings that aren't taken yet.
    fn add(&mut self, other: &Self) {
        self.single = self.single.or(other.single);
        for (stands, added) in self.numbered.iter_mut().zip(other.numbered) {
            *stands = stands.or(added);
        }
    }
}

/// A name in a text.
#[derive(Clone, Copy)]
pub(super) struct Found<'n, 't> {
    pub(super) named: &'n Named,
    /// Behind the name.
    pub(super) end: Cursor<'t>,
    /// Whether a word of it is misspelt or cut short.
    pub(super) guessed: bool,
}

/// A word of some name, and how it may go on.
#[derive(Debug, Default)]
struct Node {
    named: Option<Named>,
    next: Words<Node>,
}

impl Node {
    /// The one word that is nearly this one.
    fn nearest(&self, word: &str) -> Option<&Self> {
        let near = |known: &str| {
            let cut = word.len() > 1 && known.starts_with(word);
            cut || spelling::distance(word, known, true).is_some()
        };
        let mut nodes = self.next.iter().filter(|(known, _)| near(known));
        let (_, node) = nodes.next()?;
        nodes.next().is_none().then_some(node)
    }
}

/// Every name, by its words.
#[derive(Debug)]
pub(super) struct Names {
    first: Words<Node>,
    /// Names of one word with accents, in lower case.
    accented: Words<Named>,
    /// Names of one word with more than three letters, for guessing.
    whole: BTreeSet<Box<str>>,
}

impl Names {
    /// The names in these languages, the earlier ones first, and OSIS identifiers.
    pub(super) fn of(languages: &[Language], beginnings: &mut Beginnings) -> Self {
        let mut names = Self {
            first: Words::default(),
            accented: Words::default(),
            whole: BTreeSet::new(),
        };
        for language in languages {
            // Plain forms first: where an accent makes the difference, as in "Jó" and "Jo", the
            // folded word means what the plain one means.
            names.add_language(*language, str::is_ascii);
            names.add_language(*language, |form| !form.is_ascii());
        }
        names.add_osis();
        names.first.keys().for_each(|word| beginnings.add(word));
        names
    }

    fn add_language(&mut self, language: Language, chosen: impl Fn(&str) -> bool) {
        for row in table::rows(language) {
            for form in row.forms.iter().filter(|form| chosen(form)) {
                let named = Named::of(&row.books, care(&row, form));
                let form = table::bare(form);
                self.add(form, &named);
                // Other names than the usual one, such as Qoheleth, are rare, and not guessed.
                if row.long.chars().next() == form.chars().next() {
                    let folded = Folded::of(form).filter(|folded| folded.as_str().len() > 3);
                    self.whole
                        .extend(folded.map(|folded| folded.as_str().into()));
                }
            }
        }
    }

    fn add_osis(&mut self) {
        for book in Book::ALL.iter().copied() {
            let id = book.osis();
            let name = id.trim_start_matches(|c: char| c.is_ascii_digit());
            let mut named = Named::default();
            match id[..id.len() - name.len()].parse::<usize>() {
                Ok(number) => named.numbered[number - 1] = Some((book, Care::None)),
                Err(_) => named.single = Some((book, Care::None)),
            }
            self.add(name, &named);
        }
    }

    fn add(&mut self, name: &str, named: &Named) {
        let mut words = name.split([' ', '’']).filter_map(Folded::of);
        let Some(first) = words.next() else { return };
        let mut node = self.first.entry(first.as_str().into()).or_default();
        for word in words {
            node = node.next.entry(word.as_str().into()).or_default();
        }
        node.named.get_or_insert_default().add(named);
        if !name.is_ascii() {
            let exact = self.accented.entry(name.to_lowercase().into());
            exact.or_default().add(named);
        }
    }

    /// Names of one word with more than three letters, and what they mean.
    pub(super) fn whole(&self) -> impl Iterator<Item = (&str, &Named)> {
        let named = |name: &str| self.first.get(name)?.named.as_ref();
        self.whole
            .iter()
            .filter_map(move |name| Some((&**name, named(name)?)))
    }

    /// The longest name at a place. Dots may stand behind its words; a loose reader takes misspelt
    /// words behind the first.
    pub(super) fn find<'t>(&self, at: Cursor<'t>, loose: bool) -> Option<Found<'_, 't>> {
        let (first, mut end) = at.word()?;
        let mut node = self.first.get(Folded::of(first)?.as_str())?;
        let mut guessed = false;
        let mut longest = node.named.as_ref().map(|named| (named, end, guessed));
        while let Some((word, after)) = next_word(end).filter(|_| !node.next.is_empty()) {
            let folded = Folded::of(word);
            let word = folded.as_ref().map_or("", Folded::as_str);
            let exact = node.next.get(word);
            let near = || node.nearest(word).filter(|_| loose);
            let Some(next) = exact.or_else(near) else {
                break;
            };
            guessed |= exact.is_none();
            (node, end) = (next, after);
            let found = node.named.as_ref().map(|named| (named, end, guessed));
            longest = found.or(longest);
        }
        let (named, end, guessed) = longest?;
        let written = at.until(end);
        let accented =
            (!written.is_ascii()).then(|| self.accented.get(written.to_lowercase().as_str()));
        Some(Found {
            named: accented.flatten().unwrap_or(named),
            end,
            guessed,
        })
    }
}

fn care(row: &Row, form: &str) -> Care {
    let short = !row.numbered && form.chars().count() < 4;
    match form.len() - table::bare(form).len() {
        0 if !short => Care::None,
        0 | 1 => Care::Capital,
        _ => Care::Verse,
    }
}

/// The next word of a name, behind a full stop, an apostrophe or spaces, perhaps in brackets.
fn next_word(end: Cursor<'_>) -> Option<(&str, Cursor<'_>)> {
    let mark = end.eat(|c| matches!(c, '.' | '’' | '\''));
    let at = mark.unwrap_or(end).blanks();
    let bracket = at.eat(|c| c == '(');
    let (word, after) = bracket.unwrap_or(at).piece()?;
    let closed = bracket.and_then(|_| after.eat(|c| c == ')'));
    Some((word, closed.unwrap_or(after)))
}
