//! What must hold of every input, whatever it is.
//!
//! Fuzz targets and property tests call these; each panics where a promise is broken.

mod editions;

pub use editions::{LINES, editions, import, load, quote, scan};

use crate::reference::{Citation, Style};
use crate::span::{Passage, Span};
use crate::verse::Verse;
use crate::versification::Versification;
use crate::{Language, Reader};

/// The strict reader answers every text, and what it accepts exists and is where it says.
///
/// # Panics
///
/// If that doesn't hold.
pub fn parse(reader: &Reader, text: &str) {
    match reader.parse(text) {
        Ok(reference) => {
            assert!(
                !reference.citations.is_empty(),
                "an accepted reference names something"
            );
            lawful(reader, text, &reference.citations);
        }
        Err(error) => assert!(
            text.is_char_boundary(error.at),
            "a refusal points at a character"
        ),
    }
}

/// The finder answers every text; hits stand in order, on characters, and name what exists.
///
/// # Panics
///
/// If that doesn't hold.
pub fn find(reader: &Reader, text: &str) {
    let mut last = 0;
    for hit in reader.find(text) {
        assert!(
            hit.bytes.start >= last && hit.bytes.end > hit.bytes.start,
            "hits go on"
        );
        assert!(
            text.get(hit.bytes.clone()).is_some(),
            "a hit stands on characters"
        );
        assert!(!hit.citations.is_empty(), "a hit names something");
        lawful(reader, text, &hit.citations);
        last = hit.bytes.end;
    }
}

/// What is written is read as the same passage, in every style of the language.
///
/// # Panics
///
/// If that doesn't hold.
pub fn write(reader: &Reader, language: Language, passage: &Passage) {
    let styles = [
        Style::Osis,
        Style::Usfm,
        Style::Name(language),
        Style::Short(language),
    ];
    for style in styles {
        let text = reader.format(passage, style);
        let read = reader.parse(&text).map(|reference| reference.passage());
        assert_eq!(read.as_ref(), Ok(passage), "{style:?} {text}");
    }
}

/// A passage of verses that exist, chosen by bytes: six for each span.
pub fn passage(versification: &Versification, bytes: &[u8]) -> Passage {
    let spans = bytes.chunks_exact(6).filter_map(|chunk| {
        let from = place(versification, chunk[0], chunk[1], chunk[2])?;
        let to = match chunk[3] % 4 {
            0 => from,
            1 => place(versification, chunk[0], chunk[1], chunk[4])?,
            2 => place(versification, chunk[0], chunk[4], chunk[5])?,
            _ => place(versification, chunk[4], chunk[4], chunk[5])?,
        };
        Span::new(from.min(to), from.max(to))
    });
    spans.collect()
}

fn place(versification: &Versification, book: u8, chapter: u8, verse: u8) -> Option<Verse> {
    let books = u8::try_from(crate::Book::ALL.len()).ok()?;
    let book = crate::Book::from_index(book % books)?;
    let chapter = chapter % versification.chapters(book).max(1) + 1;
    let last = versification.last_verse(book, chapter)?;
    let least = u8::from(!versification.has_title(book, chapter));
    Some(Verse::new(book, chapter, (verse % (last + 1)).max(least)))
}

fn lawful(reader: &Reader, text: &str, citations: &[Citation]) {
    for citation in citations {
        let (from, to) = (citation.span.from(), citation.span.to());
        assert!(reader.versification().contains(from), "{from} exists");
        assert!(reader.versification().contains(to), "{to} exists");
        let said = text.get(citation.bytes.clone());
        assert!(
            said.is_some_and(|said| !said.is_empty()),
            "a citation stands on characters"
        );
    }
}
