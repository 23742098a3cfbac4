//! The cases: an input and the verses that are expected.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

use ql_scripture::{Book, Passage, Reader, Span, Verse, Versification};

use crate::sort;

type Verses = BTreeSet<Verse>;

/// One case with what was found.
pub(crate) struct Case {
    pub(crate) input: String,
    pub(crate) expected: String,
    pub(crate) found: String,
    pub(crate) half: u32,
    pub(crate) well_formed: bool,
    /// Whether the finder found exactly the verses.
    pub(crate) right: bool,
    /// Whether the strict reader read exactly the verses, if it took the input.
    pub(crate) declared: Option<bool>,
}

/// Reads the file and tries every case.
pub(crate) fn read(path: &Path, reader: &Reader) -> Result<Vec<Case>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let rows = text.lines().skip(1).map(|row| {
        let mut columns = row.split('\t').skip(1);
        let mut column = || columns.next().unwrap_or_default();
        attempt(reader, column(), column())
    });
    Ok(rows.collect())
}

fn attempt(reader: &Reader, input: &str, expected: &str) -> Case {
    let versification = reader.versification();
    let wanted = verses(versification, expected);
    let hits: Vec<_> = reader.find(input).map(|hit| hit.passage()).collect();
    let spans = hits.iter().flat_map(|passage| passage.spans().to_vec());
    let declared = reader.parse(input).ok().map(|reference| {
        let spans = reference.passage().spans().to_vec();
        wanted.as_ref() == Some(&collect(versification, spans))
    });
    Case {
        input: input.to_owned(),
        expected: expected.to_owned(),
        found: hits
            .iter()
            .map(Passage::to_string)
            .collect::<Vec<_>>()
            .join(" "),
        half: sort::half(input),
        well_formed: wanted.as_ref().is_some_and(|verses| !verses.is_empty())
            && sort::is_reference(input),
        right: wanted == Some(collect(versification, spans)),
        declared,
    }
}

/// Every verse of the spans. The cases know no title: it is verse 1 to them.
fn collect(versification: &Versification, spans: impl IntoIterator<Item = Span>) -> Verses {
    let verses = spans
        .into_iter()
        .flat_map(|span| versification.verses(span));
    let counted = verses.map(|verse| Verse {
        verse: verse.verse.max(1),
        ..verse
    });
    counted.collect()
}

/// The verses of an expectation, or nothing if some don't exist.
fn verses(versification: &Versification, expected: &str) -> Option<Verses> {
    let parts = expected.split(',').filter(|part| !part.is_empty());
    let spans: Option<Vec<Span>> = parts.map(|part| span(versification, part)).collect();
    Some(collect(versification, spans?))
}

fn span(versification: &Versification, part: &str) -> Option<Span> {
    let (from, to) = part.split_once('-').unwrap_or((part, part));
    let (from, _) = ends(versification, from)?;
    let (_, to) = ends(versification, to)?;
    Span::new(from, to)
}

/// The first and the last verse of `Book`, `Book.1` or `Book.1.1`.
fn ends(versification: &Versification, place: &str) -> Option<(Verse, Verse)> {
    let place = place.replace("Ps.151", "AddPs.1");
    let mut parts = place.split('.');
    let book = Book::from_osis(parts.next()?)?;
    let numbers: Option<Vec<u8>> = parts.map(|part| part.parse().ok()).collect();
    let span = match *numbers? {
        [] => versification.book(book)?,
        [chapter] => versification.chapter(book, chapter)?,
        [chapter, verse] => Span::of(
            versification
                .find(book, chapter.into(), verse.into())
                .ok()?,
        ),
        _ => return None,
    };
    Some((span.from(), span.to()))
}
