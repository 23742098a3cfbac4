//! Counts of posts, as the pages show them.

use std::collections::BTreeMap;

use ql_app::form::{Day, ScreeningMetrics};

use crate::part::{Columns, Tone};

/// Where a standing is shown: with what was accepted, what waits, or what was turned away.
fn group(standing: &str) -> usize {
    match standing {
        "accepted" | "marked_ham" => 0,
        "held" => 1,
        _ => 2,
    }
}

/// A form's posts: accepted, held and rejected, with those that a member marked counted where they
/// belong now.
pub(super) fn sums(counted: &ScreeningMetrics, form: &str) -> [u64; 3] {
    let mut sums = [0; 3];
    for count in counted.counts.iter().filter(|count| count.form == form) {
        sums[group(&count.decision)] += count.count.unsigned_abs();
    }
    sums
}

/// A form's posts by day.
pub(super) fn chart(counted: &ScreeningMetrics, form: &str) -> Columns {
    let mut days: BTreeMap<Day, Vec<u64>> = (counted.from.number()..=counted.to.number())
        .map(|day| (Day::from_number(day), vec![0; 3]))
        .collect();
    for count in counted.counts.iter().filter(|count| count.form == form) {
        if let Some(day) = days.get_mut(&count.day) {
            day[group(&count.decision)] += count.count.unsigned_abs();
        }
    }
    let [accepted, held, rejected] = sums(counted, form);
    Columns {
        title: format!("Posts by UTC day, {} to {}", counted.from, counted.to),
        parts: vec![
            (Tone::Live, "Accepted", accepted),
            (Tone::Needs, "Held", held),
            (Tone::Stopped, "Rejected", rejected),
        ],
        days: days
            .into_iter()
            .map(|(day, counts)| (day.to_string(), counts))
            .collect(),
    }
}

/// How many of a form's posts met each rule, the most frequent first.
pub(super) fn reasons(counted: &ScreeningMetrics, form: &str) -> Vec<(String, u64)> {
    let mut reasons: BTreeMap<_, u64> = BTreeMap::new();
    for count in counted.reasons.iter().filter(|count| count.form == form) {
        *reasons.entry(count.reason).or_default() += count.count.unsigned_abs();
    }
    let mut rows: Vec<(String, u64)> = reasons
        .into_iter()
        .map(|(reason, count)| (reason.describe().to_owned(), count))
        .collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    rows
}
