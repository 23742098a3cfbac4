//! The verses of a normal form: where each stands in the text and among the words.

use std::ops::Range;

use crate::book::Book;
use crate::span::Span;
use crate::verse::Verse;

/// One line of a normal form: a verse, or several that an edition prints as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) from: Verse,
    pub(crate) to: Verse,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The place of the first word among all words.
    pub(crate) word: u32,
}

impl Row {
    pub(crate) fn span(&self) -> Span {
        Span::new(self.from, self.to).unwrap_or(Span::of(self.from))
    }

    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start as usize..self.end as usize]
    }
}

/// The lines in their order, which is that of the canon.
#[derive(Debug, Default)]
pub(crate) struct Rows(Vec<Row>);

impl Rows {
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self(Vec::with_capacity(rows))
    }

    pub(crate) fn push(&mut self, row: Row) {
        self.0.push(row);
    }

    pub(crate) fn last(&self) -> Option<&Row> {
        self.0.last()
    }

    pub(crate) fn get(&self, row: usize) -> Option<&Row> {
        self.0.get(row)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Row> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Row> {
        self.0.iter_mut()
    }

    /// The row that holds a verse.
    pub(crate) fn find(&self, verse: Verse) -> Option<usize> {
        let row = self.0.partition_point(|row| row.to < verse);
        self.get(row).filter(|found| found.from <= verse)?;
        Some(row)
    }

    /// The rows of which some verse is in the span.
    pub(crate) fn range(&self, span: Span) -> Range<usize> {
        let start = self.0.partition_point(|row| row.to < span.from());
        let end = self.0.partition_point(|row| row.from <= span.to());
        start..end.max(start)
    }

    pub(crate) fn within(&self, span: Span) -> std::slice::Iter<'_, Row> {
        self.0[self.range(span)].iter()
    }

    /// The row in which the word at a place stands.
    pub(crate) fn of_word(&self, place: usize) -> usize {
        let after = self.0.partition_point(|row| row.word as usize <= place);
        after.saturating_sub(1)
    }

    /// The places of the words of each book, of `words` in all.
    pub(super) fn books(&self, words: usize) -> Vec<Range<usize>> {
        let mut books: Vec<Range<usize>> = Vec::new();
        let mut current: Option<Book> = None;
        for row in &self.0 {
            let start = row.word as usize;
            if current != Some(row.from.book) {
                if let Some(before) = books.last_mut() {
                    before.end = start;
                }
                books.push(start..words);
                current = Some(row.from.book);
            }
        }
        books
    }

    pub(super) fn size(&self) -> usize {
        self.0.capacity() * size_of::<Row>()
    }
}
