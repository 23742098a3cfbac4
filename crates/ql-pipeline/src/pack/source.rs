//! The text of a table: parsed once, with the line of every value.

use std::collections::BTreeMap;

use ql_core::problem::escape;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{At, Code, Problem, Problems};

/// A file in TOML.
#[derive(Debug)]
pub(crate) struct Source<'i> {
    /// Its path in the pack.
    pub(crate) file: &'static str,
    /// Its lines.
    pub(crate) lines: Lines,
    /// What stands in it; where it isn't TOML, what could be read of it.
    pub(crate) table: DeTable<'i>,
    /// Whether all of it could be read.
    pub(crate) is_whole: bool,
    /// The byte at which the value of a pointer begins.
    places: BTreeMap<String, usize>,
}

impl<'i> Source<'i> {
    /// Reads as much of a file as is TOML.
    pub(crate) fn parse(file: &'static str, text: &'i str, problems: &mut Problems) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let lines = Lines::of(text);
        for error in &errors {
            let line = error.span().map(|span| lines.line(span.start));
            let at = At::file(file).on_line(line);
            problems.add(&at, Code::Syntax, format!("not TOML: {}", error.message()));
        }
        let table = table.into_inner();
        let mut places = BTreeMap::new();
        mark_table(&table, "", &mut places);
        Self {
            file,
            lines,
            table,
            is_whole: errors.is_empty(),
            places,
        }
    }

    /// Gives a problem of this file its line: that of its place, or of the nearest one around it.
    pub(crate) fn locate(&self, problem: &mut Problem) {
        if problem.file != self.file || problem.line.is_some() {
            return;
        }
        let mut pointer = problem.pointer.as_str();
        while let Some((outer, _)) = pointer.rsplit_once('/') {
            if let Some(at) = self.places.get(pointer) {
                problem.line = Some(self.lines.line(*at));
                return;
            }
            pointer = outer;
        }
    }
}

/// Where the lines of a text end.
#[derive(Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line, from 1, in which a byte stands.
    pub(crate) fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|end| *end < byte) + 1
    }
}

fn mark_table(table: &DeTable<'_>, pointer: &str, places: &mut BTreeMap<String, usize>) {
    for (key, value) in table {
        let pointer = format!("{pointer}/{}", escape(key.get_ref()));
        places.insert(pointer.clone(), key.span().start);
        mark(value, &pointer, places);
    }
}

fn mark(value: &Spanned<DeValue<'_>>, pointer: &str, places: &mut BTreeMap<String, usize>) {
    match value.get_ref() {
        DeValue::Table(table) => mark_table(table, pointer, places),
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let pointer = format!("{pointer}/{index}");
                places.insert(pointer.clone(), item.span().start);
                mark(item, &pointer, places);
            }
        }
        _ => {}
    }
}
