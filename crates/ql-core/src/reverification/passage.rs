//! The passage of a text that is most like a quotation.

use std::collections::HashMap;

/// How many of a quotation's words a passage must have to be a changed form of it: three of five.
const ENOUGH: (usize, usize) = (3, 5);
/// Below this number of words, likeness says nothing.
const FEWEST: usize = 3;

/// The passage of as many words that has the most of a quotation's, where it has enough of them.
pub(super) fn most_like(text: &str, quotation: &str) -> Option<String> {
    let wanted: Vec<String> = quotation.split(' ').map(bare).collect();
    let words: Vec<&str> = text.split(' ').collect();
    if wanted.len() < FEWEST || words.is_empty() {
        return None;
    }
    let mut missing: HashMap<&str, i64> = HashMap::new();
    for word in &wanted {
        *missing.entry(word).or_default() += 1;
    }
    let (mut shared, mut best) = (0_usize, (0_usize, 0_usize));
    let bared: Vec<String> = words.iter().map(|word| bare(word)).collect();
    for (index, word) in bared.iter().enumerate() {
        if let Some(left) = missing.get_mut(word.as_str()) {
            shared += usize::from(*left > 0);
            *left -= 1;
        }
        if let Some(gone) = index.checked_sub(wanted.len())
            && let Some(left) = missing.get_mut(bared[gone].as_str())
        {
            *left += 1;
            shared -= usize::from(*left > 0);
        }
        if shared > best.0 {
            best = (shared, index);
        }
    }
    let (most, end) = best;
    let begin = (end + 1).saturating_sub(wanted.len());
    // A passage that begins like the quotation goes on as long as it.
    let until = (begin + wanted.len()).min(words.len());
    let enough = most * ENOUGH.1 >= wanted.len() * ENOUGH.0;
    enough.then(|| words[begin..until].join(" "))
}

/// A word without what stands around it, in lower case.
fn bare(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    bare.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_passage_is_found_and_a_strange_one_is_not() {
        let page = "We open at nine. Adults pay 12 euros and children under six pay nothing. Dogs wait outside.";
        let changed = most_like(
            page,
            "Adults pay 10 euros and children under six pay nothing.",
        );
        insta::assert_snapshot!(changed.expect("a passage"), @"Adults pay 12 euros and children under six pay nothing.");
        assert_eq!(
            most_like(page, "The museum was founded by a sailor in 1882."),
            None
        );
        assert_eq!(
            most_like(page, "We open"),
            None,
            "too short to be like anything"
        );
        assert_eq!(most_like("", "Adults pay 10 euros"), None);
        let repeated = "pay pay pay pay pay pay";
        assert_eq!(most_like(repeated, "adults pay ten euros each day"), None);
    }
}
