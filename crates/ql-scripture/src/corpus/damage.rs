//! Whether a text is the one that was imported, and where it isn't.

use std::fmt;

use super::manifest::{FORMAT, Manifest};
use super::normal::{self, sha256};
use super::problem::{Place, Problem};
use super::rows::Rows;

/// Why a text isn't loaded: it is not the one that its manifest describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The edition.
    pub id: String,
    /// Everything that was found.
    pub problems: Vec<Problem>,
}

impl std::error::Error for Damage {}

/// How many problems a sentence names.
const NAMED: usize = 5;

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the text of `{}` is not the one that was imported",
            self.id
        )?;
        for (index, problem) in self.problems.iter().take(NAMED).enumerate() {
            let gap = if index == 0 { ": " } else { "; " };
            write!(f, "{gap}{problem}")?;
        }
        match self.problems.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl Damage {
    /// Names the lines that differ from their checksums, where the problem has no place yet.
    #[must_use]
    pub fn located(mut self, text: &str, sums: &str) -> Self {
        if self
            .problems
            .iter()
            .any(|problem| problem.place.line.is_some())
        {
            return self;
        }
        let now = normal::sums(text);
        let lines = now.lines().zip(sums.lines()).zip(text.lines());
        let changed = lines.enumerate().filter(|(_, ((now, was), _))| now != was);
        self.problems.extend(changed.map(|(index, (_, line))| {
            let reference = line.split('\t').next().unwrap_or_default();
            Problem::new(
                "changed",
                Place::line(index + 1).at(reference),
                "the text was changed after the import",
            )
        }));
        self
    }
}

/// Reads the lines of a text that the manifest describes.
pub(super) fn check(manifest: &Manifest, text: &str) -> Result<Rows, Damage> {
    let damage = |problems: Vec<Problem>| Damage {
        id: manifest.id.clone(),
        problems,
    };
    if manifest.format != FORMAT {
        let message = format!(
            "format {} is unknown; import the text again",
            manifest.format
        );
        let problem = Problem::new("format", Place::default(), message);
        return Err(damage(vec![problem]));
    }
    let rows = normal::read(text).map_err(damage)?;
    let mut problems = counts(manifest, &rows);
    let found = sha256(text.as_bytes());
    if found != manifest.sha256 {
        let message = format!(
            "its SHA-256 is {found}, the manifest says {}",
            manifest.sha256
        );
        problems.push(Problem::new("sha256", Place::default(), message));
    }
    if problems.is_empty() {
        return Ok(rows);
    }
    Err(damage(problems))
}

/// The chapters that have another number of verses than the manifest says.
fn counts(manifest: &Manifest, rows: &Rows) -> Vec<Problem> {
    let found = normal::chapters(rows);
    let named = |chapters: &[super::manifest::Chapters]| {
        let each = chapters.iter().flat_map(|of| {
            let verses = of.verses.iter().enumerate();
            verses.map(|(index, verses)| ((of.book.clone(), index + 1), *verses))
        });
        each.collect::<std::collections::BTreeMap<_, _>>()
    };
    let (found, said) = (named(&found), named(&manifest.books));
    let chapters: std::collections::BTreeSet<_> = found.keys().chain(said.keys()).collect();
    let differing = chapters.into_iter().filter_map(|chapter| {
        let verses = |of: &std::collections::BTreeMap<_, u8>| of.get(chapter).copied().unwrap_or(0);
        let (found, said) = (verses(&found), verses(&said));
        let (book, number) = chapter;
        (found != said).then(|| {
            let message = format!("the chapter has {found} verses, the manifest says {said}");
            let place = Place::default().at(format!("{book}.{number}"));
            Problem::new("verse_count", place, message)
        })
    });
    differing.collect()
}
