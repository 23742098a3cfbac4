//! The files of names and words, one for each language.

use crate::book::Book;
use crate::language::Language;

/// One line about books.
pub(super) struct Row {
    /// One book, or those that a number before the name tells apart.
    pub(super) books: Vec<Book>,
    /// Whether a number stands before the name.
    pub(super) numbered: bool,
    /// The name that is written, and its short form; empty where another line has them.
    pub(super) long: &'static str,
    pub(super) short: &'static str,
    /// Every form that is read, with its marks for ordinary words.
    pub(super) forms: Vec<&'static str>,
}

/// The lines about books.
pub(super) fn rows(language: Language) -> impl Iterator<Item = Row> {
    lines(language)
        .filter(|line| !line.starts_with('@'))
        .map(row)
}

/// The words under a heading such as `@chapter`, without its `@`.
pub(super) fn words(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    lines(language).filter_map(|line| line.strip_prefix('@')?.split_once('\t'))
}

fn lines(language: Language) -> impl Iterator<Item = &'static str> {
    let lines = language.table().lines();
    lines.filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn row(line: &'static str) -> Row {
    let mut columns = line.split('\t');
    let mut column = || columns.next().unwrap_or_default();
    let books = column()
        .split(',')
        .filter_map(Book::from_osis)
        .collect::<Vec<_>>();
    let (long, short, others) = (column(), column(), column());
    let others = list(others);
    let plain = |form: &&str| !form.is_empty() && !others.iter().any(|o| bare(o) == *form);
    let mut forms: Vec<&str> = [long, short].into_iter().filter(plain).collect();
    forms.extend(&others);
    Row {
        numbered: books.len() > 1,
        books,
        long,
        short,
        forms,
    }
}

/// A list with semicolons between its words.
pub(super) fn list(text: &'static str) -> Vec<&'static str> {
    text.split(';')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect()
}

/// A form without its marks.
pub(super) fn bare(form: &str) -> &str {
    form.trim_start_matches('~')
}
