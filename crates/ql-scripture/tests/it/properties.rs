//! What holds for every verse and every change.

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;
use ql_scripture::quote::{Answer, Claim, Grade, check};
use ql_scripture::{Passage, Span};

use crate::editions::library;

/// The words of a text as anyone would count them.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn judge(edition: &str, span: Span, text: &str) -> Option<Answer> {
    let passage = Passage::from(span);
    let claim = Claim {
        edition,
        passage: &passage,
        text,
    };
    Some(check(library()?, &claim).expect("a claim that can be judged"))
}

/// A verse of an edition.
fn verse(edition: &str, index: Index) -> Option<(Span, &'static str)> {
    let mut verses = library()?.get(edition)?.verses();
    let index = index.index(verses.len());
    verses.nth(index)
}

fn editions() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["kjv", "asv", "bsb", "oshb", "sblgnt"])
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.collect::<String>().to_lowercase()
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(300) })]

    #[test]
    fn every_verse_is_itself(edition in editions(), index: Index) {
        let Some((span, text)) = verse(edition, index) else { return Ok(()) };
        let answer = judge(edition, span, text).expect("the editions");
        prop_assert_eq!(answer.grade, Grade::Exact);
        prop_assert_eq!(answer.matched[0].span, span);
    }

    #[test]
    fn a_word_lost_from_within_never_verifies(edition in editions(), index: Index, lost: Index) {
        let Some((span, text)) = verse(edition, index) else { return Ok(()) };
        let mut kept = words(text);
        prop_assume!(kept.len() > 2);
        let lost = kept.remove(1 + lost.index(kept.len() - 2));
        prop_assume!(!letters(lost).is_empty());
        let kept = kept.join(" ");
        // Of words that come twice in a row, one may go: what remains stands in the verse.
        prop_assume!(!letters(text).contains(&letters(&kept)));
        let answer = judge(edition, span, &kept).expect("the editions");
        prop_assert!(!answer.grade.verifies(), "{} {kept:?}", answer.grade.code());
    }

    #[test]
    fn another_word_never_verifies(edition in editions(), index: Index, at: Index, other: Index, new: Index) {
        let Some((span, text)) = verse(edition, index) else { return Ok(()) };
        let (_, other) = verse(edition, other).expect("the editions");
        let mut changed = words(text);
        let (at, new) = (at.index(changed.len()), words(other)[new.index(words(other).len())]);
        prop_assume!(letters(changed[at]) != letters(new) && !letters(new).is_empty());
        changed[at] = new;
        let changed = changed.join(" ");
        prop_assume!(!letters(text).contains(&letters(&changed)));
        let answer = judge(edition, span, &changed).expect("the editions");
        prop_assert!(!answer.grade.verifies(), "{} {changed:?}", answer.grade.code());
    }

    #[test]
    fn a_bracket_makes_nothing_true_that_is_false(index: Index, at: Index, lost: Index, remark in "[a-z]{1,8}( [a-z]{1,8}){0,2}") {
        let Some((span, text)) = verse("kjv", index) else { return Ok(()) };
        let mut changed = words(text);
        prop_assume!(changed.len() > 3);
        changed.remove(1 + lost.index(changed.len() - 2));
        let plain = changed.join(" ");
        prop_assume!(!letters(text).contains(&letters(&plain)));
        let bracket = format!("[{remark}]");
        changed.insert(at.index(changed.len()), &bracket);
        let answer = judge("kjv", span, &changed.join(" ")).expect("the editions");
        // What is put back in brackets at its place is the edition's own word.
        prop_assume!(!text.contains(&remark));
        prop_assert!(!answer.grade.verifies(), "{} {changed:?}", answer.grade.code());
    }

    #[test]
    fn anything_at_all_is_judged(text in any::<String>()) {
        let span = Span::of("John.3.16".parse().expect("a verse"));
        let Some(answer) = judge("kjv", span, &text) else { return Ok(()) };
        prop_assert!(!answer.grade.verifies() || !letters(&text).is_empty());
    }
}
