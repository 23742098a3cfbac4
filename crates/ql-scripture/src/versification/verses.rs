//! Going through verses.

use crate::book::Book;
use crate::span::Span;
use crate::verse::Verse;

use super::Versification;

/// The verses of a span; see [`Versification::verses`].
#[derive(Clone, Debug)]
pub struct Verses<'v> {
    versification: &'v Versification,
    next: Option<Verse>,
    to: Verse,
}

impl<'v> Verses<'v> {
    pub(super) fn new(versification: &'v Versification, span: Span) -> Self {
        let from = span.from();
        let exists = versification.contains(from).then_some(from);
        let next = exists.or_else(|| versification.after(from));
        Self {
            versification,
            next,
            to: span.to(),
        }
    }
}

impl Iterator for Verses<'_> {
    type Item = Verse;

    fn next(&mut self) -> Option<Verse> {
        let verse = self.next.filter(|verse| *verse <= self.to)?;
        self.next = self.versification.after(verse);
        Some(verse)
    }
}

impl Versification {
    /// The first numbered verse after a place, in this chapter or a later one or a later book.
    pub fn after(&self, place: Verse) -> Option<Verse> {
        let Verse {
            book,
            chapter,
            verse,
        } = place;
        if self
            .last_verse(book, chapter)
            .is_some_and(|last| verse < last)
        {
            return Some(Verse::new(book, chapter, verse + 1));
        }
        let later = (chapter..self.chapters(book)).map(|before| (book, before + 1));
        let books = Book::ALL[usize::from(book.index()) + 1..].iter();
        let firsts =
            books.flat_map(|book| (1..=self.chapters(*book)).map(|chapter| (*book, chapter)));
        let mut chapters = later.chain(firsts);
        let (book, chapter) =
            chapters.find(|(book, chapter)| self.last_verse(*book, *chapter).is_some())?;
        Some(Verse::new(book, chapter, 1))
    }
}
