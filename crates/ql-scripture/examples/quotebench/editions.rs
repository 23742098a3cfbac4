//! The editions that cases are made from.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use ql_scripture::corpus::Corpus;
use ql_scripture::corpus::import::{File, Format, import};
use ql_scripture::corpus::library::Library;
use ql_scripture::corpus::manifest::Description;
use ql_scripture::corpus::normal::NormalForm;
use ql_scripture::{Span, Verse};

use crate::random::Random;

/// The editions in English, of which false quotations are made.
const IDS: [&str; 3] = ["kjv", "asv", "bsb"];

/// One edition as the generator reads it.
pub(crate) struct Edition {
    pub(crate) id: &'static str,
    pub(crate) verses: Vec<(Verse, String)>,
    index: HashMap<Verse, usize>,
}

impl Edition {
    /// The text of a verse.
    pub(crate) fn text(&self, verse: Verse) -> Option<&str> {
        let index = self.index.get(&verse)?;
        Some(&self.verses[*index].1)
    }

    /// A verse by chance.
    pub(crate) fn any(&self, random: &mut Random) -> usize {
        random.below(self.verses.len())
    }

    /// Some verses in a row of one chapter, from a place on.
    pub(crate) fn run(&self, from: usize, count: usize) -> Option<(Span, Vec<&str>)> {
        let verses = self.verses.get(from..from + count)?;
        let (first, last) = (verses.first()?.0, verses.last()?.0);
        let together = (first.book, first.chapter) == (last.book, last.chapter);
        let span = Span::new(first, last).filter(|_| together)?;
        Some((span, verses.iter().map(|(_, text)| text.as_str()).collect()))
    }
}

/// All of them, for the generator and for the library.
pub(crate) struct Editions {
    pub(crate) all: Vec<Edition>,
    pub(crate) normal: Vec<NormalForm>,
    pub(crate) library: Library,
}

impl Editions {
    pub(crate) fn read(data: &Path) -> Result<Self, Box<dyn Error>> {
        let mut editions = Vec::new();
        let mut normal = Vec::new();
        let mut corpora = Vec::new();
        for id in IDS {
            let path = data.join("corpora").join(format!("{id}.tsv"));
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            let verses = text.lines().filter_map(|line| {
                let (verse, text) = line.split_once('\t')?;
                Some((verse.parse().ok()?, text.to_owned()))
            });
            let verses: Vec<(Verse, String)> = verses.collect();
            let index = verses
                .iter()
                .enumerate()
                .map(|(index, (verse, _))| (*verse, index));
            let form = take(id, &text)?;
            corpora.push(Arc::new(Corpus::load(
                form.manifest.clone(),
                form.text.clone(),
            )?));
            normal.push(form);
            editions.push(Edition {
                id,
                index: index.collect(),
                verses,
            });
        }
        let library = Library::new(corpora);
        Ok(Self {
            all: editions,
            normal,
            library,
        })
    }
}

fn take(id: &str, text: &str) -> Result<NormalForm, Box<dyn Error>> {
    let description = Description {
        id: id.to_owned(),
        name: id.to_uppercase(),
        language: "en".to_owned(),
        licence: "public domain".to_owned(),
        versification: "english".to_owned(),
        source: "DATA_DIR".to_owned(),
        imported: "2026-12-01".to_owned(),
        ..Description::default()
    };
    let file = File {
        name: id,
        bytes: text.as_bytes(),
    };
    Ok(import(Format::Tsv.into(), &[file], description)?.normal)
}
