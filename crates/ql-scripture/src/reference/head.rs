//! The beginning of a reference: a book, and what may stand before its name.

use crate::book::Book;

use super::cursor::{Cursor, is_dash};
use super::fold::Folded;
use super::grammar::{Grammar, Mode};
use super::lexicon::Role;
use super::names::{Care, Found};

/// A book's name in a text.
#[derive(Clone, Copy, Debug)]
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
    /// Where its name begins.
    pub(super) name: Cursor<'t>,
    /// The last of several books, as in "1–3 John".
    pub(super) through: Option<Book>,
    /// Behind the name.
    pub(super) end: Cursor<'t>,
}

/// What is glued to the digit of an ordinal in the languages that are known here.
const SUFFIXES: [&str; 11] = [
    "st", "nd", "rd", "th", "er", "re", "ere", "e", "eme", "a", "o",
];

/// Whether a book has a single chapter in every tradition, so that a number behind its name may be
/// a verse.
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

impl Grammar<'_> {
    /// A book's name at this place.
    pub(super) fn head<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let usfm = || usfm(at).filter(|_| self.mode == Mode::Strict);
        usfm()
            .or_else(|| self.after_chapter(at))
            .or_else(|| self.volumes(at))
            .or_else(|| self.numbered(at))
            .or_else(|| self.single(at))
    }

    /// A chapter before its book: "chapter 3 of John", "3rd chapter of John", "23rd Psalm".
    fn after_chapter<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let (first, after) = at.piece()?;
        let found = if self.lexicon.word(first).is(Role::Chapter) {
            let (chapter, end) = undotted(after).blanks().number()?;
            self.of_book(chapter, end)?
        } else {
            let (chapter, after) = at.number()?;
            let (suffix, after) = after.word()?;
            let psalm = self
                .psalm(after.blanks())
                .filter(|_| is_suffix(chapter, suffix));
            if let Some(psalm) = psalm {
                psalm.behind(chapter)
            } else {
                let (word, end) = after.blanks().word()?;
                let chapters = self.lexicon.word(word).is(Role::Chapter);
                self.of_book(chapter, undotted(end)).filter(|_| chapters)?
            }
        };
        Some(Head {
            from: at.at(),
            ..found
        })
    }

    /// "of the book of Psalms", behind the number of a chapter.
    fn of_book<'t>(&self, chapter: u32, end: Cursor<'t>) -> Option<Head<'t>> {
        let name = self.lead(end.blanks())?;
        let found = self.numbered(name).or_else(|| self.single(name))?;
        Some(found.behind(chapter))
    }

    fn psalm<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        self.single(at).filter(|head| head.book == Book::Ps)
    }

    /// A name with a number before it: "1 Kings", "II Kings", "First Book of Kings".
    fn numbered<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let (ordinal, after) = self.ordinal(at)?;
        let blank = undotted(after).blanks();
        let direct = blank.eat(is_dash).unwrap_or(blank);
        let led = || {
            self.lead(direct)
                .and_then(|name| Some((name, self.name(name)?)))
        };
        let found = self.name(direct).map(|found| (direct, found));
        let (name, found) = found.or_else(led)?;
        let (book, care) = (*found.named.numbered.get(usize::from(ordinal) - 1)?)?;
        Some(Head::found(book, care, name, &found).from(at))
    }

    /// Several books of one name: "1–3 John", "1 and 2 Samuel".
    fn volumes<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let (first, after) = self.ordinal(at)?;
        let joined = self.dash(after).map(|(next, _)| next).or_else(|| {
            let (next, any) = self.conjunctions(after.blanks());
            any.then_some(next)
        });
        let last = self.numbered(joined?)?;
        let found = self.name(last.name)?;
        let (book, care) = (*found.named.numbered.get(usize::from(first) - 1)?)?;
        let alone = last.end.blanks().number().is_none() && care == Care::None;
        (book < last.book && alone).then(|| Head {
            through: Some(last.book),
            ..last.with(book).from(at)
        })
    }

    /// A name without a number before it.
    fn single<'t>(&self, at: Cursor<'t>) -> Option<Head<'t>> {
        let direct = self.name(at);
        let led = || self.name(self.lead(at).filter(|_| self.mode == Mode::Strict)?);
        let found = direct.or_else(led)?;
        if let Some((book, care)) = found.named.single {
            return Some(Head::found(book, care, at, &found));
        }
        let long = self.mode == Mode::Loose && found.end.at() - at.at() > 4;
        let (book, care) = found.named.numbered[0].filter(|_| long)?;
        Some(Head {
            guessed: true,
            ..Head::found(book, care, at, &found)
        })
    }

    /// The longest name at this place.
    pub(super) fn name<'t>(&self, at: Cursor<'t>) -> Option<Found<'_, 't>> {
        self.lexicon.names.find(at, self.mode == Mode::Loose)
    }

    /// "1", "1st", "I", "First".
    pub(super) fn ordinal<'t>(&self, at: Cursor<'t>) -> Option<(u8, Cursor<'t>)> {
        let (piece, after) = at.piece()?;
        let Ok(number) = piece.parse::<u8>() else {
            let ordinal = self.lexicon.word(piece).ordinal;
            return (ordinal > 0).then_some((ordinal, after));
        };
        let suffix = after.word().filter(|(word, _)| {
            Folded::of(word).is_some_and(|folded| SUFFIXES.contains(&folded.as_str()))
        });
        let known = piece.len() == 1 && (1..=5).contains(&number);
        known.then(|| (number, suffix.map_or(after, |(_, end)| end)))
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
            end = undotted(after).blanks();
        }
        (end.at() > at.at()).then_some(end)
    }
}

impl<'t> Head<'t> {
    /// A book that is named beyond doubt.
    pub(super) fn new(book: Book, from: Cursor<'t>, end: Cursor<'t>) -> Self {
        Self {
            book,
            care: Care::None,
            capital: true,
            guessed: false,
            chapter: None,
            through: None,
            from: from.at(),
            name: from,
            end,
        }
    }

    fn found(book: Book, care: Care, name: Cursor<'t>, found: &Found<'_, 't>) -> Self {
        Self {
            care,
            capital: name.peek().is_some_and(char::is_uppercase),
            guessed: found.guessed,
            ..Self::new(book, name, found.end)
        }
    }

    fn with(self, book: Book) -> Self {
        Self { book, ..self }
    }

    /// The same, beginning further ahead.
    fn from(self, at: Cursor<'t>) -> Self {
        Self {
            from: at.at(),
            ..self
        }
    }

    fn behind(self, chapter: u32) -> Self {
        Self {
            chapter: Some(chapter),
            ..self
        }
    }
}

/// A USFM identifier in capitals.
pub(super) fn usfm(at: Cursor<'_>) -> Option<Head<'_>> {
    let id = at.rest().get(..3)?;
    let end = at.skip(3);
    let capitals = !id.bytes().any(|byte| byte.is_ascii_lowercase());
    let ends = end.peek().is_none_or(|c| !c.is_alphanumeric());
    let book = Book::from_usfm(id).filter(|_| capitals && ends)?;
    Some(Head::new(book, at, end))
}

/// Behind a full stop, if one stands here.
pub(super) fn undotted(at: Cursor<'_>) -> Cursor<'_> {
    at.eat(|c| c == '.').unwrap_or(at)
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
