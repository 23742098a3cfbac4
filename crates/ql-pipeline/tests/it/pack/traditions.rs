//! Another tradition's pack, read by the same code.

use std::collections::BTreeSet;

use ql_pipeline::pack::{Exegesis, Pack, RuleKind};

use super::{another, shipped};

/// Every id of a pack.
fn ids(pack: &Pack) -> BTreeSet<&str> {
    let roles = pack.roles.iter().map(|of| of.id.as_str());
    let stages = pack.stages.iter().map(|of| of.id.as_str());
    let rules = pack.rules.iter().map(|of| of.id.as_str());
    let doctrines = pack.doctrines.iter().map(|of| of.id.as_str());
    let disputed = pack.disputed.iter().map(|of| of.id.as_str());
    let translations = pack.translations.iter().map(|of| of.grant.edition.as_str());
    let all = roles.chain(stages).chain(rules).chain(doctrines);
    all.chain(disputed).chain(translations).collect()
}

#[test]
fn another_tradition_shares_no_name_and_is_as_fit() {
    let (one, two) = (shipped(), another());
    assert_eq!(ids(&one).intersection(&ids(&two)).count(), 0);
    assert_ne!(one.sha256, two.sha256);
    for pack in [&one, &two] {
        assert_eq!(pack.roles.iter().filter(|role| role.publishes).count(), 1);
        let interprets = |role: &&ql_pipeline::pack::Role| role.exegesis == Exegesis::WithRationale;
        assert_eq!(pack.roles.iter().filter(interprets).count(), 1);
        assert!(
            pack.rules
                .iter()
                .any(|rule| rule.kind == RuleKind::Deterministic)
        );
        assert!(pack.stages.iter().any(|stage| stage.side));
    }
}

#[test]
fn its_stages_come_in_order() {
    let pack = another();
    let stages: Vec<&str> = pack.stages.iter().map(|stage| stage.id.as_str()).collect();
    insta::assert_snapshot!(stages.join(" "), @"PORTION_CHOSEN VERSES_ESTABLISHED COMMENTARY_GIVEN SHIUR_WRITTEN RAV_APPROVED SHIUR_RECORDED SHIUR_SEALED SENDING_APPROVED SHIUR_SENT TAKEN_DOWN");
    assert_eq!(pack.version, "1.2.0");
    assert_eq!(
        pack.translation("jps1917")
            .and_then(|of| of.grant.notice.as_ref())
            .map(|notice| notice.places.len()),
        Some(1)
    );
}
