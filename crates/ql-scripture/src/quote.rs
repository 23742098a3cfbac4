//! Whether a quotation is what it claims to be.
//!
//! A quotation is verified when its words are, one for one and in their order, the words of the
//! edition and the passage that it names, in the normal form: NFC, without quotation marks, dashes,
//! other punctuation, characters of no width and sigla; spelling is never folded. Likeness verifies
//! nothing; it only chooses what a refusal shows.
//!
//! - **Capital letters** are part of a word. A capital may stand where the quotation, its segment
//!   or its sentence begins; a small letter where the edition has a capital only because a verse or
//!   a sentence begins. Neither holds for names of God. `LORD` and `Lord` are one word in two
//!   styles, which is noted. What is wholly in capitals has none, and is compared without.
//! - **Hyphens** are part of a word, in whatever form: `burnt-offering` isn't `burnt offering`.
//! - **Elisions** are marked with three dots or `…`. What is left out holds no negation, at most
//!   [`LONGEST_ELISION`] words and at most one whole verse; what is kept between them has two words
//!   or more.
//! - **Insertions** stand in square brackets, have at most [`LONGEST_INSERTION`] words each and
//!   together no more than what is quoted, and hold no negation. `[T]he` marks a changed capital.
//! - **Parts** of a passage don't begin after a negation nor end before one that belongs to them.
//! - Numbers of verses may stand before their verses. `1,775` and `1775` are one number.

mod align;
mod answer;
mod arrange;
mod compare;
mod cut;
mod edition;
mod fit;
mod hint;
mod judge;
mod reading;
mod reason;
mod text;

use crate::corpus::library::Library;
use crate::span::Passage;

pub use answer::{Answer, Difference, Elsewhere, Grade, Kind, Matched, Note};
pub use reason::{NoteKind, Reason};

/// The most words that one elision leaves out.
pub const LONGEST_ELISION: usize = 100;

/// The most words of one insertion.
pub const LONGEST_INSERTION: usize = 6;

/// The most bytes of a quotation. The longest chapter has a quarter of that.
pub const LONGEST_QUOTATION: usize = 1 << 16;

/// What somebody says they quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<'c> {
    /// The identifier of the edition.
    pub edition: &'c str,
    /// The passage, in the edition's own versification.
    pub passage: &'c Passage,
    /// The words.
    pub text: &'c str,
}

/// A claim that can't be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unjudged {
    /// The edition isn't among those that are loaded.
    #[error("there is no edition `{0}`; import it, or name one that is there")]
    UnknownEdition(String),
    /// No passage is named.
    #[error("the claim names no passage")]
    NoPassage,
    /// The quotation is longer than [`LONGEST_QUOTATION`].
    #[error("a quotation has at most {LONGEST_QUOTATION} bytes; split it")]
    TooLong,
}

/// Judges a quotation.
///
/// ```
/// # use std::sync::Arc;
/// # use ql_scripture::corpus::{Corpus, import::{File, Format, import}, library::Library};
/// # use ql_scripture::corpus::manifest::Description;
/// use ql_scripture::quote::{Claim, Grade, check};
/// use ql_scripture::{Passage, Span, Verse};
///
/// # let line = "Exod.20.15\tThou shalt not steal.\n";
/// # let description = Description {
/// #     id: "kjv".into(), name: "KJV".into(), language: "en".into(),
/// #     licence: "public domain".into(), versification: "english".into(),
/// #     source: "by hand".into(), imported: "2026-12-01".into(), ..Description::default()
/// # };
/// # let file = File { name: "kjv.tsv", bytes: line.as_bytes() };
/// # let normal = import(Format::Tsv.into(), &[file], description)?.normal;
/// # let corpus = Corpus::load(normal.manifest, normal.text)?;
/// let library = Library::new([Arc::new(corpus)]);
/// let passage = Passage::from(Span::of("Exod.20.15".parse::<Verse>()?));
/// let judge = |text| check(&library, &Claim { edition: "kjv", passage: &passage, text });
///
/// assert_eq!(judge("“Thou shalt not steal”")?.grade, Grade::ExactNormalised);
/// assert_eq!(judge("Thou shalt steal.")?.grade, Grade::NearMiss);
/// assert!(!judge("steal")?.grade.verifies());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The edition isn't loaded, no passage is named, or the text is too long to be a quotation.
pub fn check(library: &Library, claim: &Claim<'_>) -> Result<Answer, Unjudged> {
    let corpus = library
        .get(claim.edition)
        .ok_or_else(|| Unjudged::UnknownEdition(claim.edition.to_owned()))?;
    if claim.passage.is_empty() {
        return Err(Unjudged::NoPassage);
    }
    if claim.text.len() > LONGEST_QUOTATION {
        return Err(Unjudged::TooLong);
    }
    Ok(judge::judge(library, corpus, claim))
}
