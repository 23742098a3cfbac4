//! The lines of two texts beside each other.

use std::collections::VecDeque;

use super::align::{Pair, align};
use super::words::{Span, compare, whole};

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// The same on both sides.
    Same(String),
    /// Many lines that are the same on both sides.
    Fold(Vec<String>),
    /// Different; a missing side was added or removed.
    Changed {
        /// The old line.
        old: Option<Vec<Span>>,
        /// The new line.
        new: Option<Vec<Span>>,
    },
}

/// Unchanged lines kept in sight on either side of a change.
const CONTEXT: usize = 1;

/// Fewer lines than this aren't worth a fold.
const SHORTEST_FOLD: usize = 3;

/// The rows of a field with the words added and removed. A missing side is a missing field.
pub(super) fn rows(old: Option<&str>, new: Option<&str>) -> (Vec<Row>, usize, usize) {
    let (before, after) = (lines(old), lines(new));
    let (mut rows, mut added, mut removed) = (Vec::new(), 0, 0);
    for (left, right) in beside(align(&before, &after)) {
        let row = match (left.map(|n| &before[n]), right.map(|n| &after[n])) {
            (Some(old), Some(new)) if old == new => Row::Same(old.clone()),
            (Some(old), Some(new)) => {
                let (old, new) = compare(old, new);
                removed += changed_words(&old);
                added += changed_words(&new);
                Row::Changed {
                    old: Some(old),
                    new: Some(new),
                }
            }
            (old, new) => {
                removed += old.map_or(0, |line| count(line));
                added += new.map_or(0, |line| count(line));
                Row::Changed {
                    old: old.map(|line| whole(line)),
                    new: new.map(|line| whole(line)),
                }
            }
        };
        rows.push(row);
    }
    (fold(rows), added, removed)
}

/// Puts a line that went and the line that came at the same place beside each other.
fn beside(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut joined: Vec<Pair> = Vec::with_capacity(pairs.len());
    let mut lone = (VecDeque::new(), VecDeque::new());
    let flush = |lone: &mut (VecDeque<usize>, VecDeque<usize>), joined: &mut Vec<Pair>| {
        while !(lone.0.is_empty() && lone.1.is_empty()) {
            joined.push((lone.0.pop_front(), lone.1.pop_front()));
        }
    };
    for pair in pairs {
        match pair {
            (Some(left), None) => lone.0.push_back(left),
            (None, Some(right)) => lone.1.push_back(right),
            both => {
                flush(&mut lone, &mut joined);
                joined.push(both);
            }
        }
    }
    flush(&mut lone, &mut joined);
    joined
}

fn lines(text: Option<&str>) -> Vec<String> {
    text.map_or_else(Vec::new, |text| {
        text.split('\n').map(str::to_owned).collect()
    })
}

fn count(line: &str) -> usize {
    line.split_whitespace().count()
}

/// Lines too unlike to compare carry no marks and count as a whole.
fn changed_words(spans: &[Span]) -> usize {
    if let [only] = spans {
        return count(&only.text);
    }
    let changed = spans.iter().filter(|span| span.changed);
    changed.map(|span| count(&span.text)).sum()
}

/// Puts runs of unchanged lines out of sight, but for those next to a change.
fn fold(rows: Vec<Row>) -> Vec<Row> {
    let near = |index: usize| {
        let from = index.saturating_sub(CONTEXT);
        let to = (index + CONTEXT + 1).min(rows.len());
        let around = &rows[from..to];
        around.iter().any(|row| matches!(row, Row::Changed { .. }))
    };
    let shown: Vec<bool> = (0..rows.len()).map(near).collect();
    let (mut folded, mut hidden) = (Vec::with_capacity(rows.len()), Vec::new());
    for (row, shown) in rows.into_iter().zip(shown) {
        match row {
            Row::Same(line) if !shown => hidden.push(line),
            row => {
                close(&mut hidden, &mut folded);
                folded.push(row);
            }
        }
    }
    close(&mut hidden, &mut folded);
    folded
}

fn close(hidden: &mut Vec<String>, rows: &mut Vec<Row>) {
    let lines = std::mem::take(hidden);
    if lines.len() < SHORTEST_FOLD {
        rows.extend(lines.into_iter().map(Row::Same));
    } else {
        rows.push(Row::Fold(lines));
    }
}
