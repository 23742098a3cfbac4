//! Which element of one list stands for which element of the other.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, DiffableStr, capture_diff_slices};

/// Two texts with less in common than this are shown as one removed and one added.
const ALIKE: f64 = 0.4;

/// Beyond this many comparisons, elements are paired in order instead of by likeness.
const MOST_COMPARISONS: usize = 2_500;

/// A pair of positions; a missing one was added or removed.
pub(super) type Pair = (Option<usize>, Option<usize>);

/// Pairs the elements of both lists in order: equal ones with each other, and within the stretches
/// that differ, each with the one most like it.
pub(super) fn align(old: &[String], new: &[String]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, old, new) {
        let (left, right) = (op.old_range(), op.new_range());
        match op {
            DiffOp::Equal { .. } => pairs.extend(left.map(Some).zip(right.map(Some))),
            DiffOp::Delete { .. } => pairs.extend(left.map(|n| (Some(n), None))),
            DiffOp::Insert { .. } => pairs.extend(right.map(|n| (None, Some(n)))),
            DiffOp::Replace { .. } => {
                let (from, to) = (left.start, right.start);
                let matched = match_alike(&old[left], &new[right]);
                pairs.extend(
                    matched
                        .into_iter()
                        .map(|(l, r)| (l.map(|n| n + from), r.map(|n| n + to))),
                );
            }
        }
    }
    pairs
}

/// The order-keeping matching with the greatest total likeness.
fn match_alike(old: &[String], new: &[String]) -> Vec<Pair> {
    let (rows, columns) = (old.len(), new.len());
    if rows * columns > MOST_COMPARISONS {
        let at = |n: usize, length: usize| (n < length).then_some(n);
        return (0..rows.max(columns))
            .map(|n| (at(n, rows), at(n, columns)))
            .collect();
    }
    let score = |row: usize, column: usize| match likeness(&old[row], &new[column]) {
        score if score >= ALIKE => score,
        _ => 0.0,
    };
    let best = best_totals(rows, columns, score);
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while row < rows && column < columns {
        let pair = score(row, column);
        if pair > 0.0 && best[row][column] <= pair + best[row + 1][column + 1] {
            pairs.push((Some(row), Some(column)));
            (row, column) = (row + 1, column + 1);
        } else if best[row][column] <= best[row + 1][column] {
            pairs.push((Some(row), None));
            row += 1;
        } else {
            pairs.push((None, Some(column)));
            column += 1;
        }
    }
    pairs.extend((row..rows).map(|n| (Some(n), None)));
    pairs.extend((column..columns).map(|n| (None, Some(n))));
    pairs
}

/// `best[row][column]`: the greatest total likeness of what is left from there on.
fn best_totals(rows: usize, columns: usize, score: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut best = vec![vec![0.0_f64; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let paired = match score(row, column) {
                score if score > 0.0 => score + best[row + 1][column + 1],
                _ => 0.0,
            };
            best[row][column] = paired.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    best
}

/// How much of both texts' words are the same, from 0 to 1, without regard to order.
pub(super) fn likeness(old: &str, new: &str) -> f64 {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let (mut total, mut shared) = (0_u32, 0_u32);
    for word in words(old) {
        *counts.entry(word).or_default() += 1;
        total += 1;
    }
    for word in words(new) {
        total += 1;
        if let Some(count) = counts.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    if total == 0 {
        return 1.0;
    }
    f64::from(2 * shared) / f64::from(total)
}

/// Words as Unicode divides them, so that scripts without spaces have words too.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let tokens = text.tokenize_unicode_words().into_iter();
    tokens.filter(|token| token.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_changed_element_stands_beside_the_one_most_like_it() {
        let old = list(&["keep", "the red door opens", "gone entirely"]);
        let new = list(&["keep", "something new", "the green door opens"]);
        let expected = [
            (Some(0), Some(0)),
            (None, Some(1)),
            (Some(1), Some(2)),
            (Some(2), None),
        ];
        assert_eq!(align(&old, &new), expected);
    }

    #[test]
    fn scripts_without_spaces_have_words_too() {
        let one = likeness("庭園は海のそばにあります", "庭園は山のそばにあります");
        assert!(one > 0.5, "{one}");
    }

    #[test]
    fn every_element_appears_exactly_once_and_in_order() {
        let old = list(&["a b c", "d e f", "g", "a b x"]);
        let new = list(&["d e z", "a b c", "h i", "j"]);
        let pairs = align(&old, &new);
        let left: Vec<usize> = pairs.iter().filter_map(|pair| pair.0).collect();
        let right: Vec<usize> = pairs.iter().filter_map(|pair| pair.1).collect();
        assert_eq!((left, right), ((0..4).collect(), (0..4).collect()));
    }
}
