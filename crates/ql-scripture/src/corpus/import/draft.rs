//! An edition while it is being read.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Imported, Refused, Report};
use crate::corpus::manifest::Description;
use crate::corpus::normal::NormalForm;
use crate::corpus::problem::{Place, Problem};
use crate::span::Span;
use crate::verse::Verse;
use crate::versification::{Scheme, Versification};

/// The verses read so far, and what was wrong.
#[derive(Debug, Default)]
pub(super) struct Draft {
    file: String,
    verses: BTreeMap<Verse, Passage>,
    /// Every verse that some text covers, with the place where it does.
    covered: BTreeMap<Verse, Place>,
    problems: Vec<Problem>,
    report: Report,
}

#[derive(Debug)]
struct Passage {
    span: Span,
    text: String,
}

impl Draft {
    /// Begins another file.
    pub(super) fn open(&mut self, file: &str) {
        file.clone_into(&mut self.file);
    }

    /// Notes something that is wrong.
    pub(super) fn refuse(&mut self, code: &'static str, place: Place, message: impl Into<String>) {
        let place = place.within(&self.file);
        self.problems.push(Problem::new(code, place, message));
    }

    /// Notes something odd.
    pub(super) fn remark(&mut self, code: &'static str, place: Place, message: impl Into<String>) {
        let place = place.within(&self.file);
        self.report.remarks.push(Problem::new(code, place, message));
    }

    /// Counts something that isn't the text of a verse.
    pub(super) fn leave_out(&mut self, what: &str) {
        *self.report.left_out.entry(what.to_owned()).or_default() += 1;
    }

    /// Takes a text for one verse, or for several that the edition prints as one.
    pub(super) fn put(&mut self, span: Span, text: &str, place: Place) {
        let (from, to) = (span.from(), span.to());
        if (from.book, from.chapter) != (to.book, to.chapter) {
            self.refuse("span", place, format!("{span} is more than one chapter"));
            return;
        }
        if text.trim().is_empty() {
            self.report.empty.push(span.to_string());
            return;
        }
        for verse in from.verse..=to.verse {
            let verse = Verse::new(from.book, from.chapter, verse);
            let before = match self.covered.entry(verse) {
                Entry::Vacant(free) => {
                    free.insert(place.clone().within(&self.file));
                    continue;
                }
                Entry::Occupied(before) => before.get().to_string(),
            };
            let message = format!("{verse} is there already: {before}");
            self.refuse("twice", place.at(verse), message);
            return;
        }
        let text = text.to_owned();
        self.verses.insert(from, Passage { span, text });
    }

    /// Takes a further part of a verse that was begun, or the first.
    pub(super) fn put_part(&mut self, span: Span, text: &str, place: Place) {
        match self.verses.get_mut(&span.from()) {
            Some(begun) if begun.span == span => {
                begun.text.push(' ');
                begun.text.push_str(text);
            }
            _ => self.put(span, text, place),
        }
    }

    /// Remarks on numbers that the versification doesn't have.
    fn compare_with(&mut self, description: &Description) {
        let Some(scheme) = Scheme::from_name(&description.versification) else {
            return;
        };
        let versification = Versification::of(scheme);
        let beyond = self.covered.iter().filter(|(verse, _)| {
            let last = versification.last_verse(verse.book, verse.chapter);
            last.is_none_or(|last| verse.verse > last)
        });
        let remarks = beyond.map(|(verse, place)| {
            let message = format!(
                "{verse} isn't counted in the {} versification",
                scheme.as_str()
            );
            Problem::new("versification", place.clone().at(verse), message)
        });
        self.report.remarks.extend(remarks);
    }

    /// The normal form of what was read.
    pub(super) fn finish(
        mut self,
        description: Description,
        source_sha256: String,
    ) -> Result<Imported, Refused> {
        if self.verses.is_empty() && self.problems.is_empty() {
            self.file.clear();
            let message = "there is no verse in it";
            self.problems
                .push(Problem::new("no_verses", Place::default(), message));
        }
        self.compare_with(&description);
        let texts = self.verses.values();
        let texts = texts.map(|passage| (passage.span, passage.text.as_str()));
        match NormalForm::write(description, source_sha256, texts) {
            Ok(normal) if self.problems.is_empty() => Ok(Imported {
                normal,
                report: self.report,
            }),
            written => {
                self.problems.extend(written.err().into_iter().flatten());
                Err(Refused {
                    problems: self.problems,
                })
            }
        }
    }
}
