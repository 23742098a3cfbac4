//! Reading an edition from the forms that texts come in.
//!
//! An importer names everything that is wrong with a text at once and then takes none of it. What
//! isn't part of the verses, such as notes and headings, is left out and counted.

mod draft;
mod json_lines;
mod osis;
mod tsv;
mod usfm;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::manifest::Description;
use super::normal::{NormalForm, sha256};
use super::problem::{Place, Problem};
use draft::Draft;

/// The forms that texts come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Unified Standard Format Markers, one book per file.
    Usfm,
    /// OSIS in XML.
    Osis,
    /// One verse per line: its OSIS reference, a tab, its text.
    Tsv,
    /// One JSON object per line: `{"ref": "Gen.1.1", "text": "…"}`.
    JsonLines,
}

/// A text that calls itself one of the [`Format`]s, and isn't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a format is one of usfm, osis, tsv and jsonl")]
pub struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        match text {
            "usfm" => Ok(Self::Usfm),
            "osis" => Ok(Self::Osis),
            "tsv" => Ok(Self::Tsv),
            "jsonl" => Ok(Self::JsonLines),
            _ => Err(UnknownFormat),
        }
    }
}

impl Format {
    /// The format of a file with this name, where its end says it.
    pub fn of_file(name: &str) -> Option<Self> {
        let (_, end) = name.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "usfm" | "sfm" => Some(Self::Usfm),
            "osis" | "xml" => Some(Self::Osis),
            "tsv" => Some(Self::Tsv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// Which word is taken where the Hebrew text has one that is written and another that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tradition {
    /// The word that is written, the ketiv.
    #[default]
    Written,
    /// The word that is read, the qere.
    Read,
}

/// A file to be imported.
#[derive(Clone, Copy, Debug)]
pub struct File<'f> {
    /// Its name, for problems.
    pub name: &'f str,
    /// What is in it.
    pub bytes: &'f [u8],
}

/// How files are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Their format.
    pub format: Format,
    /// Which tradition of Hebrew words is taken. Only OSIS can tell them apart.
    pub tradition: Tradition,
}

impl From<Format> for Reading {
    fn from(format: Format) -> Self {
        Self {
            format,
            tradition: Tradition::default(),
        }
    }
}

/// An edition that was read without a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its normal form.
    pub normal: NormalForm,
    /// What isn't part of it.
    pub report: Report,
}

/// What an import left out on purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many of each kind of thing that isn't the text of a verse.
    pub left_out: BTreeMap<String, u32>,
    /// Verses that were named and have no text, in the OSIS form: the edition doesn't have them.
    pub empty: Vec<String>,
    /// What looked odd and was understood all the same.
    pub remarks: Vec<Problem>,
}

/// A text that can't be imported as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Everything that is wrong, each with its place.
    pub problems: Vec<Problem>,
}

impl std::error::Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the text was not imported; {} to mend",
            self.problems.len()
        )?;
        self.problems
            .iter()
            .try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// Reads an edition.
///
/// ```
/// use ql_scripture::corpus::import::{File, Format, import};
/// use ql_scripture::corpus::manifest::Description;
///
/// let bytes = b"John.11.35\tJesus wept.\n";
/// let description = Description {
///     id: "sample".into(),
///     name: "A sample".into(),
///     language: "en".into(),
///     licence: "public domain".into(),
///     versification: "english".into(),
///     source: "by hand".into(),
///     imported: "2026-12-01".into(),
///     ..Description::default()
/// };
/// let file = File { name: "sample.tsv", bytes };
/// let imported = import(Format::Tsv.into(), &[file], description)?;
/// assert_eq!(imported.normal.manifest.verses, 1);
/// # Ok::<(), ql_scripture::corpus::import::Refused>(())
/// ```
///
/// # Errors
/// Everything that is wrong with the files and with the description.
pub fn import(
    reading: Reading,
    files: &[File<'_>],
    description: Description,
) -> Result<Imported, Refused> {
    let mut draft = Draft::default();
    for file in files {
        read(reading, *file, &mut draft);
    }
    draft.finish(description, source_sha256(files))
}

fn read(reading: Reading, file: File<'_>, draft: &mut Draft) {
    draft.open(file.name);
    let bytes = file
        .bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(file.bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = lines(&bytes[..error.valid_up_to()]) + 1;
            draft.refuse("utf8", Place::line(line), "the text is not UTF-8 here");
            return;
        }
    };
    match reading.format {
        Format::Tsv => tsv::read(text, draft),
        Format::JsonLines => json_lines::read(text, draft),
        Format::Usfm => usfm::read(text, draft),
        Format::Osis => osis::read(text, reading.tradition, draft),
    }
}

/// How many lines end in some bytes.
fn lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

/// The SHA-256 of one file's bytes; of several, that of their list as `sha256sum` prints it.
fn source_sha256(files: &[File<'_>]) -> String {
    if let [file] = files {
        return sha256(file.bytes);
    }
    let mut list: Vec<String> = files
        .iter()
        .map(|file| format!("{}  {}\n", sha256(file.bytes), file.name))
        .collect();
    list.sort_unstable();
    sha256(list.concat().as_bytes())
}
