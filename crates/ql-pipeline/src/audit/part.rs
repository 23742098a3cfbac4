//! The parts of a work, for the limits that its translations' terms set.

use ql_scripture::quota::{Artefact, Quotation};

use super::prose;
use crate::document::DocKind;
use crate::envelope::Output;

/// A part of a work.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which document it is.
    pub kind: DocKind,
    /// The medium in which it's published.
    pub medium: String,
    /// All of its text.
    pub text: String,
    /// What it quotes, each with its edition.
    pub quotations: Vec<(String, Quotation)>,
}

impl Part {
    pub(super) fn of(
        kind: DocKind,
        medium: &str,
        output: &Output,
        quotations: Vec<(String, Quotation)>,
    ) -> Self {
        let pieces = prose::of(output);
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text).collect();
        Self {
            kind,
            medium: medium.to_owned(),
            text: texts.join("\n"),
            quotations,
        }
    }

    /// The part as it stands to one edition.
    pub(super) fn artefact<'p>(&'p self, quotations: &'p [Quotation]) -> Artefact<'p> {
        Artefact {
            name: self.kind.as_str(),
            place: place(self.kind),
            medium: &self.medium,
            text: &self.text,
            quotations,
        }
    }

    /// What it quotes of one edition.
    pub(super) fn of_edition(&self, edition: &str) -> Vec<Quotation> {
        let is_it = |(of, _): &&(String, Quotation)| of == edition;
        self.quotations
            .iter()
            .filter(is_it)
            .map(|(_, quotation)| quotation.clone())
            .collect()
    }
}

/// Where a notice stands, in the words of grants: a work's metadata is its description.
const fn place(kind: DocKind) -> &'static str {
    match kind {
        DocKind::Metadata => "description",
        other => other.as_str(),
    }
}
