//! The editions that stand beside the repository, and small ones made up for a test.

use std::sync::{Arc, OnceLock};

use ql_scripture::corpus::Corpus;
use ql_scripture::corpus::import::{File, Format, Imported, Reading, Refused, import};
use ql_scripture::corpus::library::Library;
use ql_scripture::corpus::manifest::Description;
use ql_scripture::{Passage, Span, Verse};

use crate::shared;

pub(crate) fn description(id: &str, language: &str) -> Description {
    Description {
        id: id.to_owned(),
        name: format!("The edition {id}"),
        language: language.to_owned(),
        licence: "public domain".to_owned(),
        jurisdictions: String::new(),
        versification: "english".to_owned(),
        source: "the tests".to_owned(),
        imported: "2026-12-01".to_owned(),
    }
}

/// Imports one file.
pub(crate) fn take(
    reading: impl Into<Reading>,
    text: impl AsRef<[u8]>,
) -> Result<Imported, Refused> {
    let file = File {
        name: "sample",
        bytes: text.as_ref(),
    };
    import(reading.into(), &[file], description("sample", "en"))
}

/// An edition of a few lines.
pub(crate) fn edition(id: &str, language: &str, lines: &str) -> Arc<Corpus> {
    let file = File {
        name: "lines",
        bytes: lines.as_bytes(),
    };
    let imported = import(Format::Tsv.into(), &[file], description(id, language));
    let normal = imported.expect("lines that can be imported").normal;
    Arc::new(Corpus::load(normal.manifest, normal.text).expect("what was just imported"))
}

const REAL: [(&str, &str); 5] = [
    ("kjv", "en"),
    ("asv", "en"),
    ("bsb", "en"),
    ("oshb", "hbo"),
    ("sblgnt", "grc"),
];

/// The editions beside the repository, read once; nothing where they are missing and needn't be there.
pub(crate) fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let read = || {
        let corpora = REAL.map(|(id, language)| {
            let text = shared::read(&format!("corpora/{id}.tsv"))?;
            Some(edition(id, language, &text))
        });
        Some(Library::new(
            corpora.into_iter().collect::<Option<Vec<_>>>()?,
        ))
    };
    LIBRARY.get_or_init(read).as_ref()
}

/// A passage such as `John.3.16-John.3.18`.
pub(crate) fn passage(text: &str) -> Passage {
    let verse = |text: &str| text.parse::<Verse>().expect("a verse");
    let span = match text.split_once('-') {
        None => Span::of(verse(text)),
        Some((from, to)) => Span::new(verse(from), verse(to)).expect("the right order"),
    };
    span.into()
}
