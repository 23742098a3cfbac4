//! The pack that is shipped: what the seed's tables say of it.

use ql_pipeline::document::DocKind;
use ql_pipeline::pack::{Actor, Exegesis, RuleKind};
use ql_pipeline::verdict::Verdict;
use ql_scripture::Reader;

use super::shipped;

#[test]
fn it_has_the_seeds_twelve_roles() {
    let pack = shipped();
    let row = |role: &ql_pipeline::pack::Role| {
        let attests: Vec<&str> = role
            .attests
            .iter()
            .map(|rule| &rule["VAL-".len()..])
            .collect();
        let exegesis = match role.exegesis {
            Exegesis::None => "no",
            Exegesis::EvidenceOnly => "evidence only",
            Exegesis::WithRationale => "yes, with rationale",
        };
        let publishes = if role.publishes { "yes" } else { "no" };
        let (number, tier, rules) = (role.number, role.tier.as_str(), attests.join(" "));
        let id = &role.id;
        format!("{number:02} {id} | {tier} | {exegesis} | [{rules}] | {publishes}")
    };
    let rows: Vec<String> = pack.roles.iter().map(row).collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    00 director | reasoning | no | [] | no
    01 research | reasoning | no | [] | no
    02 biblical_research | reasoning | evidence only | [01 04 13] | no
    03 hermeneutics | reasoning | yes, with rationale | [01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 17] | no
    04 scriptwriting | writing | no | [] | no
    05 production | vision | no | [] | no
    06 voice | tts | no | [] | no
    07 thumbnail | image | no | [] | no
    08 seo | writing | no | [] | no
    09 shorts | writing | no | [] | no
    10 publishing | none | no | [] | yes
    11 analytics | reasoning | no | [] | no
    ");
}

#[test]
fn its_stages_come_in_order_and_wait_only_for_what_they_need() {
    let pack = shipped();
    let row = |stage: &ql_pipeline::pack::Stage| {
        let by = match &stage.by {
            Actor::Role(role) => role.as_str(),
            Actor::Server => "the server",
            Actor::Human => "a person",
        };
        let makes = stage.doc_kind.map_or("nothing", DocKind::as_str);
        let side = if stage.side { ", a way out" } else { "" };
        let needs = stage.needs.join(" ");
        format!("{}: {by} makes {makes} after [{needs}]{side}", stage.id)
    };
    let rows: Vec<String> = pack.stages.iter().map(row).collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    IDEA_PROPOSED: a person makes nothing after []
    TOPIC_APPROVED: a person makes nothing after [IDEA_PROPOSED]
    RESEARCH_COMPLETED: research makes research_report after [TOPIC_APPROVED]
    BIBLICAL_RESEARCH_COMPLETED: biblical_research makes passage_dossier after [TOPIC_APPROVED]
    HERMENEUTICS_COMPLETED: hermeneutics makes hermeneutics_memo after [RESEARCH_COMPLETED BIBLICAL_RESEARCH_COMPLETED]
    SCRIPT_GENERATED: scriptwriting makes script after [HERMENEUTICS_COMPLETED]
    SCRIPT_AUDITED: the server makes nothing after [SCRIPT_GENERATED]
    SCRIPT_APPROVED: a person makes nothing after [SCRIPT_AUDITED]
    PRODUCTION_PLANNED: production makes shot_list after [SCRIPT_APPROVED]
    VOICE_GENERATED: voice makes voice_track after [SCRIPT_APPROVED]
    THUMBNAIL_GENERATED: thumbnail makes thumbnail after [SCRIPT_APPROVED]
    SEO_GENERATED: seo makes metadata after [SCRIPT_APPROVED]
    SHORTS_GENERATED: shorts makes shorts after [SCRIPT_APPROVED]
    RELEASE_GATED: the server makes nothing after [PRODUCTION_PLANNED VOICE_GENERATED THUMBNAIL_GENERATED SEO_GENERATED SHORTS_GENERATED]
    PUBLISH_APPROVED: a person makes nothing after [RELEASE_GATED]
    PUBLISHED: publishing makes release_manifest after [PUBLISH_APPROVED]
    ANALYTICS_COLLECTED: analytics makes metrics after [PUBLISHED]
    CORRECTION_ISSUED: a person makes nothing after [PUBLISHED], a way out
    WITHDRAWN: a person makes nothing after [IDEA_PROPOSED], a way out
    ");
}

#[test]
fn its_gates_ask_for_the_whole_set() {
    let pack = shipped();
    let all: Vec<&str> = pack.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(all.len(), 17);
    let gate = pack.stage("RELEASE_GATED").expect("a stage");
    assert_eq!(gate.rules, all);
    assert_eq!(gate.gate, Some(Verdict::TheologyVerifiedWithQualifications));
    let decided = pack
        .rules
        .iter()
        .filter(|rule| rule.kind == RuleKind::Deterministic);
    let decided: Vec<&str> = decided.map(|rule| rule.id.as_str()).collect();
    assert_eq!(decided, ["VAL-16"]);
    let optional = pack
        .rules
        .iter()
        .filter(|rule| !rule.not_applicable_by.is_empty());
    let optional: Vec<&str> = optional.map(|rule| rule.id.as_str()).collect();
    assert_eq!(optional, ["VAL-02", "VAL-07", "VAL-10", "VAL-12", "VAL-14"]);
}

#[test]
fn its_texts_are_as_long_as_people_read() {
    let pack = shipped();
    let words = pack.constitution().split_whitespace().count();
    assert!((1_000..2_000).contains(&words), "{words}");
    assert!(pack.files.iter().map(|file| file.text.len()).sum::<usize>() < 64 * 1024);
    assert_eq!((pack.doctrines.len(), pack.disputed.len()), (13, 17));
    assert!(
        pack.constitution()
            .contains(&format!("Version {}", pack.version))
    );
}

#[test]
fn its_disputed_passages_are_found_by_a_verse_within() {
    let pack = shipped();
    let reader = Reader::english();
    let on = |text: &str| -> Vec<&str> {
        let asked = reader.parse(text).expect("a reference").passage();
        let touches = |passage: &String| {
            let passage = reader.parse(passage).expect("a reference").passage();
            passage.overlaps(&asked)
        };
        let disputed = pack
            .disputed
            .iter()
            .filter(|of| of.passages.iter().any(touches));
        disputed.map(|of| of.id.as_str()).collect()
    };
    assert_eq!(on("Mark 16"), ["DIS-01"]);
    assert_eq!(on("John 8:7"), ["DIS-02"]);
    assert_eq!(on("John 14"), ["DIS-11"]);
    assert_eq!(on("Rom 9:20"), ["DIS-12"]);
    assert_eq!(on("John 3:16"), [] as [&str; 0]);
}

#[test]
fn its_translations_are_free_and_one_asks_for_a_notice() {
    let pack = shipped();
    for edition in ["kjv", "asv", "bsb"] {
        let grant = &pack.translation(edition).expect("a translation").grant;
        assert_eq!(
            (grant.as_of.as_str(), grant.max_verses),
            ("2026-12-01", None)
        );
        assert!(grant.allows_medium("video"));
        assert_eq!(grant.notice.is_some(), edition == "bsb");
    }
}
