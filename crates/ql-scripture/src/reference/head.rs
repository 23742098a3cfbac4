//! The beginning of a reference: a book, and what may stand before its name.

use crate::book::Book;

use super::cursor::{Cursor, is_dash};
use super::fold::Folded;
use super::grammar::{Grammar, Mode};
use super::lexicon::{Care, Named, Role};

/// A book's name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head<'t> {
    pub(super) book: Book,
    pub(super) care: Care,
    /// Whether the name is written with a capital.
    pub(super) capital: bool,
    /// Whether the book isn't certain.
    pub(super) guessed: bool,
    /// A chapter that stands before the name, as in "23rd Psalm".
    pub(super) chapter: Option<u32>,
    /// The byte where it begins.
    pub(super) from: usize,
    /// Behind the name.
    pub(super) end: Cursor<'t>,
}

/// What is glued to the digit of an ordinal in the languages that are known here.
const SUFFIXES: [&str; 11] = [
    "st", "nd", "rd", "th", "er", "re", "ere", "e", "eme", "a", "o",
];

impl Head<'_> {
    /// Whether a number behind the name may be a verse.
    pub(super) fn has_one_chapter(&self) -> bool {
        has_one_chapter(self.book)
    }
}

/// Whether a book has a single chapter in every tradition.
pub(super) fn has_one_chapter(book: Book) -> bool {
    matches!(
        book,
        Book::Obad
            | Book::Phlm
            | Book::SecondJohn
            | Book::ThirdJohn
            | Book::Jude
            | Book::EpJer
            | Book::PrAzar
            | Book::SgThree
            | Book::Sus
            | Book::Bel
            | Book::PrMan
            | Book::AddPs
    )
}

impl PartialEq for Cursor<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at() == other.at()
    }
}

impl Eq for Cursor<'_> {}

impl Grammar<'_> {
    /// A book's name at this place.
    pub(super) fn head<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let usfm = || self.usfm(at).filter(|_| self.mode == Mode::Strict);
        usfm()
            .or_else(|| self.after_chapter(at))
            .or_else(|| self.numbered(at))
            .or_else(|| self.single(at))
    }

    /// A name without a number before it.
    fn single<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let direct = self.lexicon.name(at);
        let led = || {
            self.lexicon
                .name(self.lead(at).filter(|_| self.mode == Mode::Strict)?)
        };
        let (named, end) = direct.or_else(led)?;
        if let Some(single) = named.single {
            return Some(head(single, at, at, end));
        }
        let first =
            named.numbered[0].filter(|_| self.mode == Mode::Loose && end.at() - at.at() > 4)?;
        Some(Head {
            guessed: true,
            ..head(first, at, at, end)
        })
    }

    /// A name with a number before it: "1 Kings", "II Kings", "First Book of Kings".
    fn numbered<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let (name, named, end, ordinal) = self.ordinal_name(at)?;
        let book = named
            .numbered
            .get(usize::from(ordinal) - 1)
            .copied()
            .flatten()?;
        Some(head(book, at, name, end))
    }

    fn ordinal_name<'t>(&self, at: Cursor<'t>) -> Option<(Cursor<'t>, &Named, Cursor<'t>, u8)> {
        let (ordinal, after) = self.ordinal(at)?;
        let dot = after.eat(|c| c == '.').unwrap_or(after).blanks();
        let name = dot.eat(is_dash).unwrap_or(dot);
        let (name, found) = match self.lexicon.name(name) {
            Some(found) => (name, Some(found)),
            None => {
                let name = self.lead(name)?;
                (name, self.lexicon.name(name))
            }
        };
        let (named, end) = found?;
        Some((name, named, end, ordinal))
    }

    /// "1", "1st", "I", "First".
    pub(super) fn ordinal<'t>(&self, at: Cursor<'t>) -> Option<(u8, Cursor<'t>)> {
        let (piece, after) = at.piece()?;
        let Ok(number @ 1..=5) = piece.parse::<u8>() else {
            let ordinal = self.lexicon.word(piece).ordinal;
            return (ordinal > 0).then_some((ordinal, after));
        };
        if piece.len() > 1 {
            return None;
        }
        let suffixed = after.word().filter(|(word, _)| {
            Folded::of(word).is_some_and(|folded| SUFFIXES.contains(&folded.as_str()))
        });
        Some((number, suffixed.map_or(after, |(_, end)| end)))
    }

    /// A chapter before its book: "chapter 3 of John", "3rd chapter of John", "23rd Psalm".
    fn after_chapter<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let start = at.at();
        let (first, after) = at.piece()?;
        let (chapter, end) = if self.lexicon.word(first).is(Role::Chapter) {
            after.eat(|c| c == '.').unwrap_or(after).blanks().number()?
        } else {
            let (chapter, after) = at.number()?;
            let (suffix, after) = after.word()?;
            let at = after.blanks();
            if let Some((named, end)) = self.lexicon.name(at) {
                if let Some(psalm @ (Book::Ps, _)) = named.single {
                    let right = is_suffix(chapter, suffix);
                    let found = head(psalm, at, at, end);
                    return right.then_some(Head {
                        chapter: Some(chapter),
                        from: start,
                        ..found
                    });
                }
            }
            let (word, after) = at.word()?;
            if !self.lexicon.word(word).is(Role::Chapter) {
                return None;
            }
            (chapter, after.eat(|c| c == '.').unwrap_or(after))
        };
        let name = self.lead(end.blanks())?;
        let found = self.numbered(name).or_else(|| self.single(name))?;
        Some(Head {
            from: start,
            chapter: Some(chapter),
            ..found
        })
    }

    /// Behind words such as "the book of", if there are any.
    pub(super) fn lead<'t>(&self, at: Cursor<'t>) -> Option<Cursor<'t>> {
        let mut end = at;
        for _ in 0..7 {
            let Some((word, after)) = end.word() else {
                break;
            };
            if !self.lexicon.word(word).is(Role::Lead) {
                break;
            }
            end = after.eat(|c| c == '.').unwrap_or(after).blanks();
        }
        (end.at() > at.at()).then_some(end)
    }

    /// A USFM identifier in capitals.
    pub(super) fn usfm<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let id = at.rest().get(..3)?;
        let end = at.skip(3);
        let capitals = !id.bytes().any(|byte| byte.is_ascii_lowercase());
        let ends = end.peek().is_none_or(|c| c == ' ');
        let book = Book::from_usfm(id).filter(|_| capitals && ends)?;
        Some(head((book, Care::None), at, at, end))
    }
}

fn head<'t>(
    (book, care): (Book, Care),
    from: Cursor<'t>,
    name: Cursor<'t>,
    end: Cursor<'t>,
) -> Head<'t> {
    Head {
        book,
        care,
        capital: name.peek().is_some_and(char::is_uppercase),
        guessed: false,
        chapter: None,
        from: from.at(),
        end,
    }
}

/// Whether an English ordinal ends like this: "1st", "2nd", "3rd", "11th".
fn is_suffix(number: u32, suffix: &str) -> bool {
    let right = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    suffix.eq_ignore_ascii_case(right)
}
