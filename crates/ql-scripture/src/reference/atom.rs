//! The smallest parts: one verse or one chapter.

use super::Punctuation;
use super::cursor::Cursor;
use super::grammar::{Grammar, Level, Mode};
use super::head::undotted;
use super::lexicon::Role;
use super::numeral::roman;

/// What is named, as far as the text says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A whole book, at the end of a range.
    Book,
    /// A chapter, said to be one.
    Chapter(u32),
    /// Chapter and verse.
    ChapterVerse(u32, u32),
    /// A verse, said to be one.
    Verse(u32),
    /// A number that is a chapter or a verse, by what stands before it.
    Bare(u32),
    /// The title of the psalm in question.
    Title,
    /// The title of this psalm.
    ChapterTitle(u32),
}

/// One verse or chapter, and where it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) kind: Kind,
    /// The letter of a part of the verse.
    pub(super) part: Option<char>,
    /// The byte where it begins.
    pub(super) at: usize,
}

impl Atom {
    pub(super) fn at(kind: Kind, at: usize) -> Self {
        Self {
            kind,
            part: None,
            at,
        }
    }
}

impl Grammar<'_> {
    /// One verse or chapter, and where it ends.
    pub(super) fn atom<'t>(&self, at: Cursor<'t>, level: Level) -> Option<(Atom, Cursor<'t>)> {
        let (kind, after) = self.spoken(at).or_else(|| self.numeric(at, level))?;
        let (part, after) = self.part(kind, after);
        let numbered = !matches!(kind, Kind::Title | Kind::ChapterTitle(_));
        if numbered && !self.ends_well(kind, after) {
            return None;
        }
        let at = at.at();
        Some((Atom { kind, part, at }, after))
    }

    /// What begins with a word: "chapter 3", "verse 4", "title".
    fn spoken<'t>(&self, at: Cursor<'t>) -> Option<(Kind, Cursor<'t>)> {
        let (word, after) = at.word()?;
        let word = self.lexicon.word(word);
        let number = || undotted(after).blanks().number();
        if word.is(Role::Chapter) {
            let (chapter, after) = number()?;
            return Some(self.in_chapter(chapter, after, Kind::Chapter(chapter)));
        }
        if word.is(Role::Verse) {
            let (first, after) = number()?;
            let second = self.verse_of(after);
            return Some(
                second.map_or((Kind::Verse(first), after), |(verse, after)| {
                    (Kind::ChapterVerse(first, verse), after)
                }),
            );
        }
        word.is(Role::Title).then_some((Kind::Title, after))
    }

    /// What begins with a number.
    fn numeric<'t>(&self, at: Cursor<'t>, level: Level) -> Option<(Kind, Cursor<'t>)> {
        let Some((first, after)) = at.number() else {
            return self.roman(at, level);
        };
        if first == 0 {
            return None;
        }
        if let Some((verse, after)) = self.verse_of(after) {
            return Some((Kind::ChapterVerse(first, verse), after));
        }
        if after.peek() == Some(':') && after.skip(1).peek().is_some_and(|c| c.is_ascii_digit()) {
            return None;
        }
        let apart = self.apart(after).filter(|_| level == Level::Book);
        if let Some((verse, after)) = apart {
            return Some((Kind::ChapterVerse(first, verse), after));
        }
        if level == Level::Verse {
            return Some(
                self.titled(first, after)
                    .unwrap_or((Kind::Bare(first), after)),
            );
        }
        Some(self.in_chapter(first, after, Kind::Bare(first)))
    }

    /// "3, verse 16", "3v16" and "3 title" are one place.
    fn in_chapter<'t>(&self, chapter: u32, after: Cursor<'t>, alone: Kind) -> (Kind, Cursor<'t>) {
        if let Some((verse, after)) = self.verse_of(after) {
            return (Kind::ChapterVerse(chapter, verse), after);
        }
        let comma = after.blanks();
        let comma = comma.eat(|c| c == ',').unwrap_or(comma).blanks();
        if let Some(titled) = self.titled(chapter, comma) {
            return titled;
        }
        let word = comma
            .word()
            .filter(|(word, _)| self.lexicon.word(word).is(Role::Verse));
        let verse = word.and_then(|_| self.spoken(comma));
        match verse {
            Some((Kind::Verse(verse), after)) => (Kind::ChapterVerse(chapter, verse), after),
            _ => (alone, after),
        }
    }

    /// "3 title", "3:title".
    fn titled<'t>(&self, chapter: u32, after: Cursor<'t>) -> Option<(Kind, Cursor<'t>)> {
        let at = after.blanks();
        let at = at.eat(|c| c == ':').unwrap_or(at).blanks();
        let (word, end) = at.word()?;
        let title = self.lexicon.word(word).is(Role::Title);
        title.then_some((Kind::ChapterTitle(chapter), end))
    }

    /// The verse behind the mark that stands between chapter and verse.
    fn verse_of<'t>(&self, after: Cursor<'t>) -> Option<(u32, Cursor<'t>)> {
        let at = after.blanks();
        let colon = at.eat(|c| c == ':');
        if let Some(mut at) = colon {
            while let Some(next) = at.eat(|c| c == ':').filter(|_| self.mode == Mode::Loose) {
                at = next;
            }
            return at.blanks().number();
        }
        let glued = match self.punctuation {
            Punctuation::English => after.eat(|c| c == '.'),
            Punctuation::European => after.eat(|c| c == ',').map(Cursor::blanks),
        };
        let quote = || after.eat(|c| self.mode == Mode::Loose && matches!(c, '\'' | '’'));
        glued.or_else(quote)?.number()
    }

    /// "1 Cor 2 1": chapter and verse with nothing but a space between them, unless words go on.
    fn apart<'t>(&self, after: Cursor<'t>) -> Option<(u32, Cursor<'t>)> {
        let at = after
            .eat(|c| c == ' ')
            .filter(|_| self.mode == Mode::Loose)?;
        let (verse, end) = at.number()?;
        let next = end.blanks().peek();
        let ends = next.is_none_or(|c| !c.is_alphanumeric() && c != ':');
        (ends && self.head(at).is_none()).then_some((verse, end))
    }

    /// A chapter in Roman numerals: in lower case or of several letters, and a verse behind a
    /// single one.
    fn roman<'t>(&self, at: Cursor<'t>, level: Level) -> Option<(Kind, Cursor<'t>)> {
        let (word, end) = at.word()?;
        let chapter = roman(word)?;
        let dot = undotted(end);
        if word.len() == 1 && end.peek().is_none_or(|c| !".:,".contains(c)) {
            return None;
        }
        let verse = self
            .verse_of(end)
            .or_else(|| dot.eat(|c| c == ',').unwrap_or(dot).blanks().number());
        if let Some((verse, after)) = verse {
            return Some((Kind::ChapterVerse(chapter, verse), after));
        }
        let long = word.len() > 1 && level == Level::Book;
        (long && !end.peek().is_some_and(char::is_alphanumeric))
            .then_some((Kind::Chapter(chapter), end))
    }

    /// The letter of a part behind a verse: "6a", "6ab", in OSIS "6!a".
    fn part<'t>(&self, kind: Kind, after: Cursor<'t>) -> (Option<char>, Cursor<'t>) {
        let verse = matches!(
            kind,
            Kind::ChapterVerse(..) | Kind::Verse(_) | Kind::Bare(_)
        );
        let letters = after.eat(|c| c == '!').unwrap_or(after);
        let part = letters.word().filter(|(word, _)| {
            let letters = word.len() <= 2 && word.bytes().all(|byte| matches!(byte, b'a'..=b'e'));
            verse && letters
        });
        let Some((word, end)) = part else {
            return (None, after);
        };
        let known = self.lexicon.word(word);
        let joins = known.is(Role::And) || known.is(Role::To);
        if joins && end.blanks().number().is_some() {
            return (None, after);
        }
        (word.chars().next(), end)
    }
}
