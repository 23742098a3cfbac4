//! What holds for every result, however it came about.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use ql_pipeline::attestation::Status;
use ql_pipeline::finding::{Code, Finding};
use ql_pipeline::verdict::Verdict;
use serde_json::{Value, json};

use crate::world::{World, attested};

fn quotations() -> impl Strategy<Value = Vec<Value>> {
    let quote = |reference: &str, text: &str, translation: &str, verified: bool| json!({"ref": reference, "quote": text, "translation": translation, "verified": verified});
    subsequence(
        vec![
            quote(
                "John 14:6",
                "I am the way, the truth, and the life",
                "first",
                false,
            ),
            quote("John 14:6", "I am a way", "first", false),
            quote("John 3:16", "For God so loved the world", "first", true),
            quote(
                "John 14:6",
                "no one cometh unto the Father",
                "second",
                false,
            ),
            quote("John 99:1", "nothing", "second", false),
            quote(
                "Mark 16:9",
                "Now when Jesus was risen early",
                "third",
                false,
            ),
        ],
        0..=6,
    )
    .prop_shuffle()
}

fn claims() -> impl Strategy<Value = Vec<Value>> {
    let sourced = json!({"claim": "A.", "source": {"work": "W"}});
    let fetched = json!({"claim": "B.", "source": {"work": "W", "url": "https://example.org/"}});
    subsequence(vec![sourced, fetched, json!({"claim": "C."})], 0..=3).prop_shuffle()
}

fn open() -> impl Strategy<Value = Vec<Finding>> {
    let finding = |&code: &Code| Finding::new(code, "/sources/0", "found");
    let all: Vec<Finding> = Code::ALL.iter().map(finding).collect();
    prop_oneof![3 => Just(Vec::new()), 1 => subsequence(all, 0..4).prop_shuffle()]
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        6 => Just(Status::Pass), 2 => Just(Status::Qualified),
        1 => Just(Status::NotApplicable), 1 => Just(Status::Fail),
    ]
}

fn world() -> impl Strategy<Value = World> {
    let reviews = prop::collection::vec(
        (
            select(vec!["gatherer", "reader", "writer"]),
            select(vec!["RULE-1", "RULE-2", "RULE-3"]),
            status(),
        ),
        0..6,
    );
    let claimed = select(Verdict::ALL.to_vec());
    (
        quotations(),
        claims(),
        open(),
        reviews,
        claimed,
        any::<bool>(),
    )
        .prop_map(|(quotations, claims, open, reviews, claimed, sure)| {
            let mut world = World::new();
            world.result["scripture"] = quotations.into();
            world.result["claims"] = claims.into();
            world.result["status"] = claimed.as_str().into();
            if sure {
                world.result["uncertainties"] = json!([]);
            }
            world.open = open;
            world.attested = reviews
                .into_iter()
                .map(|(role, rule, status)| attested(role, rule, status, "why"))
                .collect();
            world
        })
}

/// The verdict and the codes, sorted: pointers move with the order of what they point at.
fn worth(world: &World) -> (Verdict, Vec<Code>) {
    let audit = world.audit();
    (
        audit.verdict,
        audit.findings.iter().map(|finding| finding.code).collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn order_never_matters(world in world()) {
        let before = worth(&world);
        let mut turned = world;
        for field in ["scripture", "claims"] {
            turned.result[field].as_array_mut().expect("an array").reverse();
        }
        turned.attested.reverse();
        turned.open.reverse();
        prop_assert_eq!(worth(&turned), before);
    }

    #[test]
    fn looking_again_gives_the_same(world in world()) {
        let first = world.audit();
        prop_assert_eq!(world.audit(), first.clone());
        // What was found and is fed back as open changes nothing either.
        let mut again = world;
        again.open = first.findings.iter().filter(|f| f.code != Code::StatusDowngraded).cloned().collect();
        prop_assert_eq!(again.audit(), first);
    }

    #[test]
    fn nothing_that_is_found_raises(world in world(), more in open()) {
        let before = world.audit().verdict;
        let mut worse = world;
        worse.open.extend(more);
        prop_assert!(worse.audit().verdict <= before);
    }

    #[test]
    fn claiming_never_raises(world in world(), claimed in select(Verdict::ALL.to_vec())) {
        let mut modest = world;
        modest.result["status"] = "THEOLOGY_VERIFIED".into();
        let best = modest.audit().verdict;
        modest.result["status"] = claimed.as_str().into();
        prop_assert_eq!(modest.audit().verdict, best.min(claimed));
    }

    #[test]
    fn waiving_what_cannot_be_waived_changes_nothing(world in world()) {
        let before = world.audit();
        let mut waived = world;
        waived.waived = before.findings.iter().filter(|f| !f.code.is_waivable()).map(Finding::fingerprint).collect();
        prop_assert_eq!(waived.audit().verdict, before.verdict);
    }
}

#[test]
fn the_laws_can_be_broken() {
    // The control: a faulty result isn't worth the top, so the laws don't hold of nothing.
    let mut world = World::new();
    world.result["claims"] = json!([{"claim": "C."}]);
    assert_eq!(world.audit().verdict, Verdict::Blocked);
}
