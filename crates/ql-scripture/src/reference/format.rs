//! Writing references.

use std::fmt::Write as _;

use crate::book::Book;
use crate::language::Language;
use crate::span::{Passage, Span};
use crate::verse::Verse;

use super::head::has_one_chapter;
use super::wording::Wording;
use super::{Punctuation, Reader};

/// How a reference is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `Matt.5.3-Matt.5.7 Matt.5.9`.
    Osis,
    /// `MAT 5:3-7,9`.
    Usfm,
    /// As people read it, with names in full: `Matthew 5:3–7, 9`.
    Name(Language),
    /// As people read it, with short names: `Matt 5:3–7, 9`.
    Short(Language),
}

impl Reader {
    /// Writes a passage with this reader's punctuation. Whole chapters and books are written as such.
    ///
    /// What it writes, it reads: [`Reader::parse`] gives the same passage, if the style's language is
    /// one of the reader's own and the passage exists in its versification.
    ///
    /// ```
    /// use ql_scripture::{Language, Reader};
    /// use ql_scripture::reference::Style;
    /// let passage = Reader::english().parse("Matt 5:3-7, 9; 6:1; Ps 23")?.passage();
    /// let german = Reader::of(Language::German);
    /// let text = german.format(&passage, Style::Name(Language::German));
    /// assert_eq!(text, "Matthäus 5,3–7.9; 6,1; Psalm 23");
    /// assert_eq!(german.parse(&text)?.passage(), passage);
    /// # Ok::<(), ql_scripture::reference::ParseError>(())
    /// ```
    pub fn format(&self, passage: &Passage, style: Style) -> String {
        let (wording, style) = match style {
            Style::Osis => return passage.to_string(),
            Style::Usfm => (None, style),
            Style::Name(language) | Style::Short(language) => (self.wording(language), style),
        };
        let mut writer = Writer {
            reader: self,
            style,
            wording,
            text: String::new(),
            context: None,
        };
        for span in passage.spans() {
            writer.span(*span);
        }
        writer.text
    }

    fn wording(&self, language: Language) -> Option<&Wording> {
        let mut all = self.wordings.iter();
        all.find(|(other, _)| *other == language)
            .map(|(_, wording)| wording)
    }
}

/// What the next number would refer to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Whole chapters of a book.
    Chapters(Book),
    /// Verses of a chapter.
    Verses(Book, u8),
}

/// How much of the text a span is.
enum Extent {
    Book,
    Chapters(u8, u8),
    Verses,
}

struct Writer<'r> {
    reader: &'r Reader,
    style: Style,
    wording: Option<&'r Wording>,
    text: String,
    context: Option<Context>,
}

impl Writer<'_> {
    fn span(&mut self, span: Span) {
        let (from, to) = (span.from(), span.to());
        if from.book != to.book {
            self.begin(from.book);
            self.verse(from);
            let spaced = if self.style == Style::Usfm {
                "-"
            } else {
                " – "
            };
            self.text.push_str(spaced);
            self.name(to.book);
            self.gap(to.book);
            self.verse(to);
            self.context = None;
            return;
        }
        match self.extent(span) {
            Extent::Book => {
                self.begin_anew();
                self.whole(from.book);
                self.context = None;
            }
            Extent::Chapters(first, last) => self.chapters(from.book, first, last),
            Extent::Verses => self.verses(from, to),
        }
    }

    fn extent(&self, span: Span) -> Extent {
        let (from, to) = (span.from(), span.to());
        let versification = &self.reader.versification;
        if versification.book(from.book) == Some(span) {
            return Extent::Book;
        }
        let whole = from.verse == 1
            && !has_one_chapter(from.book)
            && versification.last_verse(to.book, to.chapter) == Some(to.verse);
        if whole {
            return Extent::Chapters(from.chapter, to.chapter);
        }
        Extent::Verses
    }

    fn chapters(&mut self, book: Book, first: u8, last: u8) {
        if self.context == Some(Context::Chapters(book)) {
            self.text.push_str(self.list_mark());
        } else {
            self.begin(book);
        }
        self.number(first);
        if last > first {
            self.text.push_str(self.dash());
            self.number(last);
        }
        self.context = Some(Context::Chapters(book));
    }

    fn verses(&mut self, from: Verse, to: Verse) {
        match self.context {
            Some(Context::Verses(book, chapter))
                if (book, chapter) == (from.book, from.chapter) && from.verse > 0 =>
            {
                self.text.push_str(self.list_mark());
                self.number(from.verse);
            }
            Some(Context::Verses(book, _) | Context::Chapters(book)) if book == from.book => {
                self.text.push_str("; ");
                self.verse(from);
            }
            _ => {
                self.begin(from.book);
                let alone = has_one_chapter(from.book) && from.book != Book::AddPs;
                if alone && from.verse > 0 && (from.verse, to.verse) != (1, 1) {
                    self.number(from.verse);
                } else {
                    self.verse(from);
                }
            }
        }
        if to > from {
            self.text.push_str(self.dash());
            if to.chapter == from.chapter {
                self.number(to.verse);
            } else {
                self.verse(to);
            }
        }
        self.context = Some(Context::Verses(to.book, to.chapter));
    }

    /// A book's name, behind what stands already, and the space for a number.
    fn begin(&mut self, book: Book) {
        self.begin_anew();
        self.name(book);
        self.gap(book);
    }

    /// The psalm that is a book of its own is written as a psalm, with its chapter in the name.
    fn gap(&mut self, book: Book) {
        if book != Book::AddPs || self.style == Style::Usfm {
            self.text.push(' ');
        }
    }

    fn begin_anew(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("; ");
        }
    }

    fn whole(&mut self, book: Book) {
        match (self.style, self.wording) {
            (Style::Name(_), Some(wording)) if book == Book::Ps => {
                self.text.push_str(wording.psalms);
            }
            _ => self.name(book),
        }
    }

    fn name(&mut self, book: Book) {
        let psalm = book == Book::AddPs;
        let name = match (self.style, self.wording) {
            (Style::Name(_), Some(wording)) if psalm => wording.long(Book::Ps),
            (Style::Short(_), Some(wording)) if psalm => wording.short(Book::Ps),
            (Style::Name(_), Some(wording)) => wording.long(book),
            (Style::Short(_), Some(wording)) => wording.short(book),
            _ => book.usfm(),
        };
        self.text.push_str(name);
        if psalm && self.style != Style::Usfm {
            self.text.push_str(" 151");
        }
    }

    /// Chapter and verse, or a psalm's title.
    fn verse(&mut self, verse: Verse) {
        if verse.book != Book::AddPs || self.style == Style::Usfm {
            self.number(verse.chapter);
        }
        if let Some(wording) = self.wording.filter(|_| verse.verse == 0) {
            self.text.push(' ');
            self.text.push_str(wording.title);
        } else {
            self.text.push_str(self.verse_mark());
            self.number(verse.verse);
        }
    }

    fn number(&mut self, number: u8) {
        write!(self.text, "{number}").expect("a string takes everything");
    }

    fn european(&self) -> bool {
        self.reader.settings.punctuation == Punctuation::European && self.style != Style::Usfm
    }

    fn verse_mark(&self) -> &'static str {
        if self.european() { "," } else { ":" }
    }

    fn list_mark(&self) -> &'static str {
        match (self.european(), self.style) {
            (true, _) => ".",
            (false, Style::Usfm) => ",",
            (false, _) => ", ",
        }
    }

    fn dash(&self) -> &'static str {
        if self.style == Style::Usfm {
            "-"
        } else {
            "–"
        }
    }
}
