//! What stands still while results are audited: the policy, the editions, and what is made of them.

use std::sync::Arc;

use ql_scripture::corpus::library::Library;
use ql_scripture::reference::Settings;
use ql_scripture::versification::Mapping;
use ql_scripture::{Passage, Reader, Scheme, quota};

use super::part::Part;
use super::prose::words;
use crate::document::DocKind;
use crate::envelope::{Output, TaskResult, result};
use crate::pack::{Disputed, Pack};

/// The policy and the editions, ready for use. Building it takes some milliseconds; keep it.
#[derive(Debug)]
pub struct Ground {
    pack: Arc<Pack>,
    library: Arc<Library>,
    numberings: Vec<Numbering>,
    disputed: Vec<Passage>,
}

/// One numbering of verses: how references are read in it, and the way to the English one.
#[derive(Debug)]
pub(super) struct Numbering {
    pub(super) reader: Reader,
    pub(super) to_english: Mapping,
    pub(super) from_english: Mapping,
}

/// Why a policy can't be used with these editions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{id}: `{reference}`: {reason}")]
pub struct Unready {
    /// The entry of the policy.
    pub id: String,
    /// The reference in it that can't be read.
    pub reference: String,
    /// Why.
    pub reason: String,
}

impl Ground {
    /// Makes everything ready.
    ///
    /// # Errors
    /// The first disputed passage that can't be read. A pack that was linted has none.
    pub fn new(pack: Arc<Pack>, library: Arc<Library>) -> Result<Self, Unready> {
        let numberings: Vec<Numbering> = Scheme::ALL.map(Numbering::of).into();
        let english = &numberings[0].reader;
        let read = |disputed: &Disputed| {
            let passages: Result<Vec<Passage>, Unready> = disputed
                .passages
                .iter()
                .map(|text| passage(english, &disputed.id, text))
                .collect();
            let spans = passages?
                .iter()
                .flat_map(|passage| passage.spans().to_vec())
                .collect();
            Ok(spans)
        };
        let disputed = pack
            .disputed
            .iter()
            .map(read)
            .collect::<Result<_, Unready>>()?;
        Ok(Self {
            pack,
            library,
            numberings,
            disputed,
        })
    }

    /// The policy.
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// The editions.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// A document as a part of its work. Quotations whose references don't read are left out; they
    /// are found elsewhere.
    pub fn part(&self, kind: DocKind, medium: &str, output: &Output, result: &TaskResult) -> Part {
        let read = |quotation: &result::Quotation| {
            let edition = quotation.translation.as_str();
            let passage = self
                .numbering(edition)
                .reader
                .parse(&quotation.reference)
                .ok()?
                .passage();
            let words = words(&quotation.quote).count() as u64;
            Some((edition.to_owned(), quota::Quotation { passage, words }))
        };
        let quotations = result.scripture.iter().filter_map(read).collect();
        Part::of(kind, medium, output, quotations)
    }

    /// The numbering of an edition; the English one where the edition isn't known.
    pub(super) fn numbering(&self, edition: &str) -> &Numbering {
        let scheme = self
            .library
            .get(edition)
            .and_then(|corpus| Scheme::from_name(&corpus.manifest().versification));
        self.numbering_of(scheme.unwrap_or(Scheme::English))
    }

    pub(super) fn numbering_of(&self, scheme: Scheme) -> &Numbering {
        &self.numberings[scheme as usize]
    }

    /// The disputed passages, in the English numbering.
    pub(super) fn disputed(&self) -> impl Iterator<Item = (&Disputed, &Passage)> {
        self.pack.disputed.iter().zip(&self.disputed)
    }
}

impl Numbering {
    fn of(scheme: Scheme) -> Self {
        Self {
            reader: Reader::new(Settings {
                scheme,
                ..Settings::default()
            }),
            to_english: Mapping::between(scheme, Scheme::English),
            from_english: Mapping::between(Scheme::English, scheme),
        }
    }
}

fn passage(reader: &Reader, id: &str, text: &str) -> Result<Passage, Unready> {
    reader
        .parse(text)
        .map(|reference| reference.passage())
        .map_err(|error| Unready {
            id: id.to_owned(),
            reference: text.to_owned(),
            reason: error.to_string(),
        })
}
