//! Editions of Scripture: what is known of one, its text, and where its words stand.
//!
//! A corpus is one edition, named by the SHA-256 of its normal form, since files that call
//! themselves by the same name differ in hundreds of verses. The normal form is a text that a
//! person can read and hash by hand: one line per verse in the order of the canon, the OSIS
//! reference, a tab, the text in NFC with single spaces ([`normal::NormalForm`]).

pub mod damage;
pub mod folder;
pub mod import;
mod index;
pub mod library;
pub mod manifest;
pub mod normal;
pub mod problem;
mod rows;
mod vocabulary;

use std::fmt;
use std::ops::Range;

use crate::lexicon::Lexicon;
use crate::span::Span;
use crate::token;
use crate::verse::Verse;

use damage::Damage;
use index::FiveGrams;
pub(crate) use index::GRAM;
use manifest::Manifest;
use rows::{Row, Rows};
pub(crate) use vocabulary::{UNKNOWN, Vocabulary, WordId, fold, is_point};

/// One edition, checked and ready to be searched.
pub struct Corpus {
    manifest: Manifest,
    text: String,
    rows: Rows,
    words: Vec<WordId>,
    vocabulary: Vocabulary,
    /// The places of the words of each book.
    books: Vec<Range<usize>>,
    index: FiveGrams,
    lexicon: Option<Lexicon>,
}

impl Corpus {
    /// Checks a normal form against its manifest and indexes it.
    ///
    /// # Errors
    /// Everything by which the text isn't the one that the manifest describes, each with its place.
    pub fn load(manifest: Manifest, text: String) -> Result<Self, Damage> {
        let rows = damage::check(&manifest, &text)?;
        Ok(Self::index(manifest, text, rows))
    }

    fn index(manifest: Manifest, text: String, mut rows: Rows) -> Self {
        let mut vocabulary = Vocabulary::default();
        let mut words = Vec::with_capacity(text.len() / 5);
        for row in rows.iter_mut() {
            row.word = position(words.len());
            token::scan(row.text(&text), |word, _| {
                words.push(vocabulary.intern(word));
            });
        }
        words.shrink_to_fit();
        let books = rows.books(words.len());
        let index = FiveGrams::new(&words, &books);
        let lexicon = Lexicon::of(&manifest.language);
        Self {
            manifest,
            text,
            rows,
            words,
            vocabulary,
            books,
            index,
            lexicon,
        }
    }

    /// What is known of the edition.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The edition's identifier.
    pub fn id(&self) -> &str {
        &self.manifest.id
    }

    /// Every verse with its text, in the order of the canon. A text that an edition prints as one
    /// with several verses is named by all of them.
    pub fn verses(&self) -> impl ExactSizeIterator<Item = (Span, &str)> {
        let rows = self.rows.iter();
        rows.map(|row| (row.span(), row.text(&self.text)))
    }

    /// The text of a verse as the edition prints it, or nothing where the edition has no such verse.
    pub fn text(&self, verse: Verse) -> Option<&str> {
        let row = self.rows.find(verse)?;
        Some(self.rows.get(row)?.text(&self.text))
    }

    /// The verses of a span that the edition has, with their texts.
    pub fn passage(&self, span: Span) -> impl Iterator<Item = (Span, &str)> {
        let rows = self.rows.within(span);
        rows.map(|row| (row.span(), row.text(&self.text)))
    }

    /// How many bytes the corpus takes in memory, about.
    pub fn size(&self) -> usize {
        self.text.capacity()
            + self.rows.size()
            + self.words.capacity() * size_of::<WordId>()
            + self.vocabulary.size()
            + self.index.size()
    }

    /// The language's data, where there are any.
    pub(crate) fn lexicon(&self) -> Option<&Lexicon> {
        self.lexicon.as_ref()
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    pub(crate) fn words(&self) -> &[WordId] {
        &self.words
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    pub(crate) fn five_grams(&self) -> &FiveGrams {
        &self.index
    }

    /// The text of a row.
    pub(crate) fn row_text(&self, row: &Row) -> &str {
        row.text(&self.text)
    }

    /// The places of the words of the book in which the word at a place stands.
    pub(crate) fn book_of(&self, place: usize) -> Range<usize> {
        let book = self.books.partition_point(|book| book.end <= place);
        self.books.get(book).cloned().unwrap_or_default()
    }

    /// The place of a row's first word; the end of all words for the row after the last.
    pub(crate) fn place_of_row(&self, row: usize) -> usize {
        let row = self.rows.get(row);
        row.map_or(self.words.len(), |row| row.word as usize)
    }

    /// The verses in which the words at these places stand.
    pub(crate) fn span_of(&self, places: Range<usize>) -> Option<Span> {
        let last = places.end.checked_sub(1).filter(|_| !places.is_empty())?;
        let first = self.rows.get(self.rows.of_word(places.start))?;
        let last = self.rows.get(self.rows.of_word(last))?;
        Span::new(first.span().from(), last.span().to())
    }
}

/// Who the edition is, and no word of its text.
impl fmt::Debug for Corpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Corpus")
            .field("id", &self.manifest.id)
            .field("sha256", &self.manifest.sha256)
            .finish_non_exhaustive()
    }
}

/// A place in a text or among its words. Texts end far below 4 GiB, which [`rows::LONGEST`] sees to.
fn position(place: usize) -> u32 {
    u32::try_from(place).expect("a corpus is shorter than 4 GiB")
}
