//! The editions of the story: a folder's, or the few verses that its script quotes.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use ql_scripture::corpus::Corpus;
use ql_scripture::corpus::folder;
use ql_scripture::corpus::import::{File, Format, import};
use ql_scripture::corpus::library::Library;
use ql_scripture::corpus::manifest::Description;

/// The edition that the recorded script quotes.
const EDITION: &str = "kjv";

/// The verses that the recorded script quotes, from the King James Version.
pub const VERSES: &str = "\
John.14.5\tThomas saith unto him, Lord, we know not whither thou goest; and how can we know the way?
John.14.6\tJesus saith unto him, I am the way, the truth, and the life: no man cometh unto the Father, but by me.
John.14.9\tJesus saith unto him, Have I been so long time with you, and yet hast thou not known me, Philip? he that hath seen me hath seen the Father; and how sayest thou then, Shew us the Father?
";

/// The editions of a folder, or the excerpt.
///
/// # Errors
/// The folder has no edition `kjv`, or a damaged one.
pub fn library(editions: Option<&Path>) -> Result<Library> {
    let corpus = match editions {
        Some(root) => folder::open(&root.join(EDITION))
            .with_context(|| format!("the edition `{EDITION}` in {}", root.display()))?,
        None => excerpt()?,
    };
    Ok(Library::new([Arc::new(corpus)]))
}

fn excerpt() -> Result<Corpus> {
    let description = Description {
        id: EDITION.into(),
        name: "King James Version, an excerpt of three verses".into(),
        language: "en".into(),
        licence: "public domain".into(),
        versification: "english".into(),
        source: "the verses that the story quotes".into(),
        imported: "2026-12-01".into(),
        ..Description::default()
    };
    let file = File {
        name: "excerpt.tsv",
        bytes: VERSES.as_bytes(),
    };
    let normal = import(Format::Tsv.into(), &[file], description)?.normal;
    Ok(Corpus::load(normal.manifest, normal.text)?)
}
