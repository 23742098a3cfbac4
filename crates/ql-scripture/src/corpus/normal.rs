//! The normal form of an edition: what is stored, hashed and searched.
//!
//! ```text
//! Gen.1.1<TAB>In the beginning God created the heaven and the earth.<LF>
//! ```
//!
//! One line per verse in the order of the canon, the OSIS reference, a tab, the text. The text is
//! in NFC, with one space where there was white space, and with everything else as the edition has
//! it: sigla, brackets, punctuation. Several verses that an edition prints as one are named as a
//! span, `Gen.1.1-Gen.1.2`; a title is verse 0.

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use super::manifest::{Chapters, Description, FORMAT, Manifest};
use super::problem::{Place, Problem};
use super::rows::{Row, Rows};
use crate::book::Book;
use crate::span::Span;
use crate::verse::Verse;
use crate::versification::{Scheme, Versification};

/// The longest text that is read, in bytes: two hundred Bibles.
pub(crate) const LONGEST: usize = 1 << 30;

/// A text in its normal form with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalForm {
    /// The manifest.
    pub manifest: Manifest,
    /// The lines.
    pub text: String,
    /// One checksum per line, by which a damaged line is found ([`sums`]).
    pub sums: String,
}

impl NormalForm {
    /// Writes verses in the order of the canon. `source_sha256` is of the bytes they were read from.
    ///
    /// # Errors
    /// Verses out of order or named twice, texts without a word, and what of the description isn't
    /// fit: all of them.
    pub fn write<'t>(
        description: Description,
        source_sha256: String,
        verses: impl Iterator<Item = (Span, &'t str)>,
    ) -> Result<Self, Vec<Problem>> {
        let mut text = String::new();
        for (span, verse) in verses {
            text.push_str(&span.to_string());
            text.push('\t');
            text.push_str(&one_line(verse));
            text.push('\n');
        }
        let unfit = description.unfit().into_iter();
        let mut problems: Vec<Problem> = unfit
            .map(|unfit| Problem::new("description", Place::default(), unfit.to_string()))
            .collect();
        match read(&text) {
            Ok(rows) if problems.is_empty() => {
                let manifest = describe(description, source_sha256, &text, &rows);
                let sums = sums(&text);
                return Ok(Self {
                    manifest,
                    text,
                    sums,
                });
            }
            Ok(_) => {}
            Err(found) => problems.extend(found),
        }
        Err(problems)
    }
}

/// A verse's text as it stands in the normal form.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.nfc().collect()
}

fn describe(description: Description, source: String, text: &str, rows: &Rows) -> Manifest {
    let numbered = rows.iter().filter(|row| row.to.verse > 0);
    let absent = absent(rows, Scheme::from_name(&description.versification));
    Manifest {
        format: FORMAT,
        description,
        verses: numbered.map(count).sum(),
        titles: super::position(rows.iter().filter(|row| row.from.verse == 0).count()),
        sha256: sha256(text.as_bytes()),
        source_sha256: source,
        books: chapters(rows),
        absent,
    }
}

/// How many numbered verses a row holds; they are all of one chapter.
fn count(row: &Row) -> u32 {
    u32::from(row.to.verse - row.from.verse.max(1)) + 1
}

/// How many verses each chapter has.
pub(crate) fn chapters(rows: &Rows) -> Vec<Chapters> {
    let mut books: Vec<Chapters> = Vec::new();
    for row in rows.iter().filter(|row| row.to.verse > 0) {
        let book = row.from.book.osis();
        if books.last().is_none_or(|last| last.book != book) {
            books.push(Chapters {
                book: book.to_owned(),
                verses: Vec::new(),
            });
        }
        let Some(of) = books.last_mut() else { continue };
        let chapter = usize::from(row.from.chapter);
        of.verses.resize(chapter.max(of.verses.len()), 0);
        let verses = &mut of.verses[chapter - 1];
        *verses = verses.saturating_add(u8::try_from(count(row)).unwrap_or(u8::MAX));
    }
    books
}

/// The numbers of the versification that the edition leaves out, in the chapters that it has.
fn absent(rows: &Rows, scheme: Option<Scheme>) -> Vec<String> {
    let versification = scheme.map(Versification::of);
    let rows: Vec<&Row> = rows.iter().collect();
    let chapters = rows.chunk_by(|one, two| {
        (one.from.book, one.from.chapter) == (two.from.book, two.from.chapter)
    });
    let mut absent = Vec::new();
    for chapter in chapters {
        let (Some(first), Some(last)) = (chapter.first(), chapter.last()) else {
            continue;
        };
        let (book, number) = (first.from.book, first.from.chapter);
        let expected = versification.as_ref();
        let expected = expected.and_then(|v| v.last_verse(book, number));
        let verses = 1..=expected.unwrap_or(0).max(last.to.verse);
        let missing = verses.filter(|verse| {
            let holds = |row: &&Row| (row.from.verse..=row.to.verse).contains(verse);
            !chapter.iter().any(holds)
        });
        absent.extend(missing.map(|verse| Verse::new(book, number, verse).to_string()));
    }
    absent
}

/// Reads the lines, and finds everything that is wrong with them.
pub(crate) fn read(text: &str) -> Result<Rows, Vec<Problem>> {
    if text.len() > LONGEST {
        let message = format!("a text has at most {LONGEST} bytes");
        return Err(vec![Problem::new("too_long", Place::default(), message)]);
    }
    let mut rows = Rows::with_capacity(text.len() / 140);
    let mut problems = Vec::new();
    let mut reader = Reader::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        match reader.line(line, rows.last()) {
            Ok(row) => rows.push(row),
            Err((code, message)) => {
                problems.push(Problem::new(code, Place::line(index + 1), message));
            }
        }
        reader.at += line.len();
    }
    if problems.is_empty() {
        return Ok(rows);
    }
    Err(problems)
}

/// Reads one line after the other.
#[derive(Debug, Default)]
struct Reader<'t> {
    at: usize,
    /// The book of the last line and how it was written, since most lines have the same.
    book: Option<(&'t str, Book)>,
}

type Wrong = (&'static str, String);

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str, before: Option<&Row>) -> Result<Row, Wrong> {
        let Some(content) = line.strip_suffix('\n') else {
            return Err(("cut_off", "the line has no end; the text is cut off".into()));
        };
        let Some((reference, text)) = content.split_once('\t') else {
            return Err(("no_tab", "a line is a reference, a tab and a text".into()));
        };
        let span = self.reference(reference).ok_or_else(|| {
            let message = format!("`{reference}` is no reference such as Gen.1.1");
            ("reference", message)
        })?;
        if text.trim().is_empty() {
            return Err(("empty", format!("{span} has no text")));
        }
        if holds_control(text) {
            return Err(("control", format!("{span} holds a control character")));
        }
        if let Some(before) = before.filter(|before| before.to >= span.from()) {
            let message = format!("{span} stands after {}", before.span());
            return Err(("order", message));
        }
        let start = self.at + reference.len() + 1;
        Ok(Row {
            from: span.from(),
            to: span.to(),
            start: super::position(start),
            end: super::position(start + text.len()),
            word: 0,
        })
    }

    /// A verse, or verses of one chapter.
    fn reference(&mut self, text: &'t str) -> Option<Span> {
        let Some((from, to)) = text.split_once('-') else {
            return Some(Span::of(self.verse(text)?));
        };
        let (from, to) = (self.verse(from)?, self.verse(to)?);
        let one_chapter = (from.book, from.chapter) == (to.book, to.chapter);
        Span::new(from, to).filter(|_| one_chapter && from != to)
    }

    /// As `Verse::from_str`, in a fraction of its time.
    fn verse(&mut self, text: &'t str) -> Option<Verse> {
        let (name, numbers) = text.split_once('.')?;
        let book = match self.book {
            Some((known, book)) if known == name => book,
            _ => Book::from_osis(name).filter(|book| book.osis() == name)?,
        };
        self.book = Some((name, book));
        let (chapter, verse) = numbers.split_once('.')?;
        let chapter = number(chapter).filter(|chapter| *chapter > 0)?;
        Some(Verse::new(book, chapter, number(verse)?))
    }
}

/// Whether a text holds a control character, of which only non-ASCII texts have some above 0x7f.
fn holds_control(text: &str) -> bool {
    let ascii = text.bytes().any(|byte| byte.is_ascii_control());
    ascii || !text.is_ascii() && text.contains(|c: char| c.is_control())
}

/// A number without sign, space or leading zero.
fn number(text: &str) -> Option<u8> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let lawful = plain && (text == "0" || !text.starts_with('0'));
    lawful.then(|| text.parse().ok()).flatten()
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    hexadecimal(&digest).collect()
}

/// One checksum (CRC-32, eight hexadecimal digits) per line of a text. They say which line is
/// damaged once the SHA-256 has said that one is.
pub fn sums(text: &str) -> String {
    text.split_inclusive('\n')
        .fold(String::new(), |mut sums, line| {
            let sum = crc32fast::hash(line.as_bytes()).to_be_bytes();
            sums.extend(hexadecimal(&sum));
            sums.push('\n');
            sums
        })
}

fn hexadecimal(bytes: &[u8]) -> impl Iterator<Item = char> {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16))
}
