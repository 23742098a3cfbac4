//! What the engine finds: for every code a result that has it and one that doesn't.

use insta::assert_snapshot;
use ql_core::canon;
use ql_pipeline::attestation::Status;
use ql_pipeline::audit::Spent;
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::{Output, read};
use ql_pipeline::finding::{Code, Finding};
use ql_pipeline::money::Micros;
use ql_pipeline::verdict::Verdict;
use serde_json::json;

use crate::world::{World, codes, top};

#[test]
fn a_result_without_a_fault_is_worth_what_it_claims() {
    assert_snapshot!(World::new().told(), @"THEOLOGY_VERIFIED");
}

#[test]
fn a_claim_below_what_was_earned_stays_where_it_is() {
    let mut world = World::new();
    world.result["status"] = json!("DRAFT_UNVERIFIED");
    assert_snapshot!(world.told(), @"DRAFT_UNVERIFIED");
}

#[test]
fn another_policy_or_constitution_rejects() {
    let mut world = World::new();
    world.result["constitution_sha256"] = json!("a".repeat(64));
    world.result["policy_pack_sha256"] = json!("b".repeat(64));
    assert_snapshot!(world.told(), @"
    REJECTED
    CONSTITUTION_HASH_MISMATCH /constitution_sha256: the task names eb9a7650cd532b61ca9fec0cf82924c7ba7390bfc898e2d45bc067967b989cc5, the result aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    POLICY_PACK_HASH_MISMATCH /policy_pack_sha256: the task names 4862f447f2c7f272fa2f4aaf89dadb3b1ac09105bd5864f8d1a0c9452bb0a226, the result bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth REJECTED
    ");
}

#[test]
fn quotations_are_judged_word_by_word() {
    let mut world = World::new();
    world.result["scripture"] = json!([
        {"ref": "John 3:16", "quote": "whosoever believeth in him should perish", "translation": "first", "verified": false},
        {"ref": "John 14:5", "quote": "I am the way, the truth, and the life", "translation": "first", "verified": false},
        {"ref": "John 14:6", "quote": "I am the way, and the truth, and the life", "translation": "first", "verified": false},
        {"ref": "John 14:6", "quote": "a friend told me where to go that night", "translation": "first", "verified": false},
        {"ref": "Mark 16:9", "quote": "Now when Jesus was risen early", "translation": "second", "verified": false},
        {"ref": "John 14:66", "quote": "I am the way", "translation": "first", "verified": false},
        {"ref": "John 14:6", "quote": "I am the way, the truth, and the life", "translation": "first", "verified": true},
        {"ref": "John 14:6", "quote": "I am the way", "translation": "third", "verified": false},
    ]);
    assert_snapshot!(world.told(), @"
    BLOCKED
    SCRIPTURE_QUOTE_MISMATCH /scripture/0/quote: not the words of John.3.16: `not` is missing
    SCRIPTURE_QUOTE_MISMATCH /scripture/7/translation: there is no edition `third`; import it, or name one that is there
    SCRIPTURE_REFERENCE_INVALID /scripture/5/ref: John 14 has 31 verses, not 66 (at byte 5)
    SCRIPTURE_VERSE_ABSENT_IN_EDITION /scripture/4/quote: second doesn't have Mark.16.9
    QUOTE_REFERENCE_MISMATCH /scripture/1/quote: not John.14.5 of first: the words stand in first John.14.6
    QUOTE_TRANSLATION_MISMATCH /scripture/2/quote: not the words of first; they are in second John.14.6
    PARAPHRASE_AS_QUOTE /scripture/3/quote: no edition has these words; John.14.6 reads otherwise
    TRANSLATION_NOT_LICENSED /scripture/7/translation: the policy doesn't list `third` among its translations
    TRANSLATION_QUOTA_EXCEEDED /scripture: 3 of 3 of the verses of John are quoted of first, which is more than its terms of 2026-11-01 allow
    TRANSLATION_QUOTA_EXCEEDED /scripture: 3 of 2 of verses are quoted of first, which is more than its terms of 2026-11-01 allow
    AGENT_SELF_VERIFIED /scripture/6/verified: only the server verifies; leave `verified` false
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
}

#[test]
fn evidence_has_the_difference_and_the_hash_of_the_text() {
    let mut world = World::new();
    world.result["scripture"][0]["quote"] = json!("I am a way, the truth, and the life");
    let audit = world.audit();
    let finding = audit
        .findings
        .iter()
        .find(|found| found.code == Code::ScriptureQuoteMismatch);
    let mut evidence = finding.expect("found").evidence.clone();
    let hash = evidence["corpus_sha256"].take();
    assert_eq!(hash.as_str().map(str::len), Some(64));
    assert_snapshot!(evidence, @r#"{"corpus_sha256":null,"diff":[{"expected":"the","found":"a","from":5,"kind":"replaced","to":6}],"edition":"first","elsewhere":[],"grade":"NEAR_MISS","passage":"John.14.6","reasons":[]}"#);
}

#[test]
fn what_is_quoted_without_being_declared_is_found() {
    let mut world = World::new();
    world.result["scripture"] = json!([]);
    world.result["output"]["hook"] =
        json!("In the beginning God created the heaven and the earth, and then?");
    world.result["output"]["closing"] = json!("As it says, “a friend shows the way” (John 14:6).");
    assert_snapshot!(world.told(), @"
    DRAFT_UNVERIFIED
    UNDECLARED_SCRIPTURE_QUOTE /output/hook: the words of Gen.1.1 (first) stand here; declare them under `scripture`
    UNDECLARED_SCRIPTURE_QUOTE /output/sections/0/text: quoted from first and not declared; declare it under `scripture`
    PARAPHRASE_AS_QUOTE /output/closing: in quotation marks beside John.14.6, and no edition has these words there; quote exactly and declare it, or drop the marks
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth DRAFT_UNVERIFIED
    ");
}

#[test]
fn prose_that_alludes_is_free() {
    let mut world = World::new();
    world.result["output"]["closing"] =
        json!("In John 14:6 the way is a person. That’s “the point”, and it’s enough.");
    assert_snapshot!(world.told(), @"THEOLOGY_VERIFIED");
}

#[test]
fn a_claim_needs_a_source_and_a_cited_address_must_have_been_retrieved() {
    let mut world = World::new();
    world.result["claims"] = json!([
        {"claim": "Nobody says where from."},
        {"claim": "A blank.", "source": {"work": " "}},
        {"claim": "Elsewhere.", "source": {"work": "W", "url": "https://example.org/a"}},
        {"claim": "Known.", "source": {"work": "W", "url": "https://example.org/b"}},
    ]);
    world.retrieved = vec!["https://example.org/b".into()];
    assert_snapshot!(world.told(), @"
    BLOCKED
    HISTORICAL_CLAIM_UNVERIFIED /claims/0: the claim names no source; name the work and where in it, or drop the claim
    HISTORICAL_CLAIM_UNVERIFIED /claims/1: the claim names no source; name the work and where in it, or drop the claim
    CITED_SOURCE_NOT_RETRIEVED /claims/2/source/url: the address isn't among the material that was retrieved for this production
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
}

#[test]
fn a_disputed_passage_asks_for_uncertainties() {
    let mut world = World::new();
    world.result["uncertainties"] = json!([]);
    assert_eq!(world.audit().verdict, top(), "John 14 isn't disputed here");
    world.result["output"]["hook"] = json!("Turn to Mark 16:15 with me.");
    assert_snapshot!(world.told(), @"
    NEEDS_REVIEW
    OVERCONFIDENT_DISPUTED_PASSAGE /uncertainties: Mark.16.9-Mark.16.20 is disputed (the end); say what is uncertain
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth NEEDS_REVIEW
    ");
    world.result["uncertainties"] = json!(["Whether Mark ended so."]);
    assert_eq!(world.audit().verdict, top());
}

#[test]
fn a_review_of_the_very_document_clears_what_its_rule_clears() {
    let mut world = World::new();
    world.result["uncertainties"] = json!([]);
    world.result["output"]["hook"] = json!("Turn to Mark 16:15 with me.");
    world.attest("RULE-3", Status::Pass, "");
    assert_eq!(
        world.audit().verdict,
        Verdict::NeedsReview,
        "the passages were reviewed, not this"
    );
    let reviewed = world.attested.last_mut().expect("one");
    reviewed.about = Some(canon::digest(&world.result["output"]).to_string());
    assert_eq!(world.audit().verdict, top());
    world.result["output"]["hook"] = json!("Turn to Mark 16:16 with me.");
    assert_eq!(
        world.audit().verdict,
        Verdict::NeedsReview,
        "it isn't the document any more"
    );
}

#[test]
fn doctrines_exist_and_only_readers_interpret() {
    let mut world = World::new();
    world.result["cited_doctrines"] = json!(["D-1", "D-2"]);
    world.result["interpretive_notes"] = json!(["It means this."]);
    assert_snapshot!(world.told(), @"
    BLOCKED
    DOCTRINE_UNKNOWN /cited_doctrines/1: the policy has no doctrine `D-2`
    EXEGESIS_UNAUTHORIZED /interpretive_notes: `writer` may not say what a passage means
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
}

#[test]
fn required_rules_must_be_attested() {
    let mut world = World::new();
    world.attested.pop();
    assert_snapshot!(world.told(), @"
    BLOCKED
    ATTESTATION_MISSING  [RULE-2]: RULE-2 isn't attested; it's for reader to do
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
}

#[test]
fn before_anybody_interpreted_scripture_alone_can_be_verified() {
    let mut world = World::new();
    world.attested.clear();
    world.stage.rules.clear();
    assert_snapshot!(world.told(), @"
    SCRIPTURE_VERIFIED
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth SCRIPTURE_VERIFIED
    ");
}

#[test]
fn a_failed_rule_is_a_conflict_and_a_qualified_one_lowers() {
    let mut world = World::new();
    world.attest("RULE-1", Status::Qualified, "Only with care.");
    assert_snapshot!(world.told(), @"
    THEOLOGY_VERIFIED_WITH_QUALIFICATIONS
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth THEOLOGY_VERIFIED_WITH_QUALIFICATIONS
    ");
    world.attest("RULE-2", Status::Fail, "It isn't so.");
    assert_snapshot!(world.told(), @"
    CONFLICT
    ATTESTATION_FAILED  [RULE-2]: RULE-2 isn't kept: It isn't so.
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth CONFLICT
    ");
}

#[test]
fn attestations_count_by_who_was_authenticated() {
    let mut world = World::new();
    let say = |rule: &str, status: &str, reviewer: &str, notes: &str| json!({"rule_id": rule, "status": status, "reviewer": reviewer, "notes": notes});
    let memo = json!({
        "thesis": "T", "readings": [{"passage": "John 14:6", "reading": "R", "rationale": "Y"}],
        "attestations": [
            say("RULE-1", "PASS", "gatherer-agent", ""),
            say("RULE-2", "PASS", "gatherer-agent", ""),
            say("RULE-1", "PASS", "reader-agent", ""),
            say("RULE-1", "QUALIFIED", "gatherer", ""),
            say("RULE-1", "NOT_APPLICABLE", "gatherer", "No."),
            say("RULE-9", "PASS", "gatherer", ""),
            say("RULE-0", "PASS", "gatherer", ""),
        ],
    });
    world.makes("gatherer", DocKind::HermeneuticsMemo, &[], memo);
    assert_snapshot!(world.told(), @"
    NEEDS_REVIEW
    ATTESTATION_UNAUTHORIZED /output/attestations/1 [RULE-2]: `gatherer` may not attest RULE-2
    ATTESTATION_UNAUTHORIZED /output/attestations/2 [RULE-1]: the reviewer is `reader-agent`, and `gatherer` was authenticated
    ATTESTATION_UNAUTHORIZED /output/attestations/3 [RULE-1]: RULE-1 needs notes that say why it isn't simply kept
    ATTESTATION_UNAUTHORIZED /output/attestations/4 [RULE-1]: `gatherer` may not say that RULE-1 doesn't apply
    ATTESTATION_UNAUTHORIZED /output/attestations/5 [RULE-9]: RULE-9 is decided by the server; nobody attests it
    ATTESTATION_UNAUTHORIZED /output/attestations/6 [RULE-0]: the policy has no rule `RULE-0`
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth NEEDS_REVIEW
    ");
}

#[test]
fn not_applicable_counts_where_the_policy_says_who_may_say_so() {
    let mut world = World::new();
    world.attested.pop();
    world.attest(
        "RULE-2",
        Status::NotApplicable,
        "There is no such word here.",
    );
    assert_eq!(world.audit().verdict, top());
    let last = world.attested.last_mut().expect("one");
    last.attestation.notes.clear();
    assert_eq!(
        codes(&world.audit()),
        [Code::AttestationMissing, Code::StatusDowngraded]
    );
}

#[test]
fn terms_of_translations_are_kept() {
    let mut world = World::new();
    world.result["scripture"] = json!([
        {"ref": "John 14:5-6", "quote": "Thomas saith unto him", "translation": "first", "verified": false},
        {"ref": "Gen 1:1", "quote": "In the beginning", "translation": "first", "verified": false},
    ]);
    assert_snapshot!(world.told(), @"
    BLOCKED
    UNDECLARED_SCRIPTURE_QUOTE /output/sections/0/text: quoted from first and not declared; declare it under `scripture`
    TRANSLATION_QUOTA_EXCEEDED /scripture: 3 of 2 of verses are quoted of first, which is more than its terms of 2026-11-01 allow
    TRANSLATION_QUOTA_EXCEEDED /scripture: 1 of 1 of the verses of Genesis are quoted of first, which is more than its terms of 2026-11-01 allow
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
    world.medium = "print";
    world.result["scripture"] = json!([
        {"ref": "John 14:6", "quote": "I am the way", "translation": "first", "verified": false}]);
    world.result["output"]["sections"][0]["text"] = json!("I am the way.");
    assert_snapshot!(world.told(), @"
    BLOCKED
    TRANSLATION_NOT_LICENSED /scripture: the terms of first don't name this medium
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
}

#[test]
fn the_notice_stands_where_the_terms_ask_for_it() {
    let mut world = World::new();
    let metadata = |description: &str| json!({"title": "The Way", "description": description});
    world.makes(
        "writer",
        DocKind::Metadata,
        &[],
        metadata("“I am the way” (John 14:6)"),
    );
    world.result["scripture"] = json!([
        {"ref": "John 14:6", "quote": "I am the way", "translation": "first", "verified": false}]);
    assert_snapshot!(world.told(), @"
    BLOCKED
    COPYRIGHT_NOTICE_MISSING /output: the notice of first must stand here: From the First Text.
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
    world.result["output"] = metadata("“I am the way” (John 14:6). From the First Text.");
    assert_eq!(world.audit().verdict, top());
}

#[test]
fn a_qualification_is_shown_in_the_description() {
    let mut world = World::new();
    world.attest("RULE-2", Status::Qualified, "Readers differ on the verb.");
    let metadata = |description: &str| json!({"title": "The Way", "description": description});
    world.makes("writer", DocKind::Metadata, &[], metadata("A talk."));
    assert_snapshot!(world.told(), @"
    BLOCKED
    QUALIFICATION_NOT_SHOWN /output/description [RULE-2]: the description doesn't show the qualification: Readers differ on the verb.
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
    world.result["output"] = metadata("A talk. Note: readers differ on the verb.");
    assert_eq!(codes(&world.audit()), []);
}

#[test]
fn derivatives_say_what_the_script_says() {
    let mut world = World::new();
    let script = json!({"title": "T", "hook": "One two.", "sections": [{"heading": "H", "text": "Three, four."}], "closing": "Five."});
    let Ok(Output::Script(script)) = read::output(&script, DocKind::Script) else {
        panic!("a script")
    };
    world.script = Some(script);
    let track = |last: &str| json!({"voice": "A", "segments": [{"text": "One two three", "seconds": 3}, {"text": last, "seconds": 2}]});
    world.makes(
        "writer",
        DocKind::VoiceTrack,
        &["RULE-9"],
        track("four, five"),
    );
    assert_eq!(world.audit().verdict, top());
    let mut told = Vec::new();
    for last in ["for five", "four", "four five six"] {
        world.result["output"] = track(last);
        told.push(world.told());
    }
    world.makes(
        "writer",
        DocKind::Shorts,
        &["RULE-9"],
        json!({"shorts": [
        {"title": "S", "text": "two. Three"}, {"title": "S", "text": "two four"}]}),
    );
    told.push(world.told());
    assert_snapshot!(told.join("\n\n"), @"
    BLOCKED
    DERIVATIVE_UNFAITHFUL /output/segments/1/text [RULE-9]: `for` is said where the script has `four`
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED

    BLOCKED
    DERIVATIVE_UNFAITHFUL /output/segments [RULE-9]: the script goes on with `five`
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED

    BLOCKED
    DERIVATIVE_UNFAITHFUL /output/segments/1/text [RULE-9]: `six` is said after the end of the script
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED

    BLOCKED
    DERIVATIVE_UNFAITHFUL /output/shorts/1/text [RULE-9]: the words don't stand so, in a row, in the script
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED
    ");
    world.stage.rules.clear();
    assert_eq!(world.audit().verdict, top(), "nobody asks here");
}

#[test]
fn money_is_measured_and_not_believed() {
    let mut world = World::new();
    let dollars = |micros| Spent::Known(Micros::new(micros).expect("in range"));
    let mut told = Vec::new();
    for spent in [
        dollars(600_000),
        dollars(600_001),
        Spent::Unknown,
        Spent::Elsewhere,
    ] {
        world.spent = spent;
        told.push(world.told());
    }
    assert_snapshot!(told.join("\n\n"), @"
    THEOLOGY_VERIFIED
    COST_MISSTATED /cost_usd: the agent states 0.41 dollars; 0.6 were measured

    BLOCKED
    BUDGET_EXCEEDED /cost_usd: 0.600001 dollars were spent of 0.6
    COST_MISSTATED /cost_usd: the agent states 0.41 dollars; 0.600001 were measured
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth BLOCKED

    NEEDS_REVIEW
    COST_UNKNOWN /cost_usd: the provider's answer has no usage that could be priced
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth NEEDS_REVIEW

    THEOLOGY_VERIFIED
    ");
}

#[test]
fn what_was_found_elsewhere_lowers_until_a_person_waives_it() {
    let elsewhere = [
        Code::InjectionSuspected,
        Code::CommandRequest,
        Code::ExfiltrationRequest,
        Code::SchemaViolation,
        Code::ArtifactChangedAfterGate,
        Code::VersificationAmbiguous,
    ];
    let mut told = Vec::new();
    for code in elsewhere {
        let mut world = World::new();
        world.open = vec![Finding::new(code, "/sources/0", "found")];
        let before = world.audit().verdict;
        world.waived = world.open.iter().map(Finding::fingerprint).collect();
        told.push(format!(
            "{}: {}, waived {}",
            code.as_str(),
            before.as_str(),
            world.audit().verdict.as_str()
        ));
    }
    assert_snapshot!(told.join("\n"), @"
    INJECTION_SUSPECTED: NEEDS_REVIEW, waived THEOLOGY_VERIFIED
    COMMAND_REQUEST: NEEDS_REVIEW, waived THEOLOGY_VERIFIED
    EXFILTRATION_REQUEST: NEEDS_REVIEW, waived THEOLOGY_VERIFIED
    SCHEMA_VIOLATION: NEEDS_REVIEW, waived NEEDS_REVIEW
    ARTIFACT_CHANGED_AFTER_GATE: REJECTED, waived REJECTED
    VERSIFICATION_AMBIGUOUS: DRAFT_UNVERIFIED, waived THEOLOGY_VERIFIED
    ");
}

#[test]
fn a_waiver_ends_when_the_text_changes() {
    let mut world = World::new();
    world.result["claims"] = json!([{"claim": "Nobody says where from."}]);
    let audit = world.audit();
    assert_eq!(audit.verdict, Verdict::Blocked);
    world.waived = audit.findings.iter().map(Finding::fingerprint).collect();
    assert_eq!(world.audit().verdict, top());
    world.result["claims"] = json!([{"claim": "Nobody says where from, again."}]);
    assert_eq!(world.audit().verdict, Verdict::Blocked);
}

#[test]
fn every_code_has_a_place_in_the_order() {
    let lines: Vec<String> = Code::ALL
        .iter()
        .map(|code| {
            let ceiling = code.ceiling().map_or("-", Verdict::as_str);
            let waivable = if code.is_waivable() { "waivable" } else { "" };
            format!("{:35}{:20}{waivable}", code.as_str(), ceiling)
                .trim_end()
                .to_owned()
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @"
    CONSTITUTION_HASH_MISMATCH         REJECTED
    POLICY_PACK_HASH_MISMATCH          REJECTED
    ARTIFACT_CHANGED_AFTER_GATE        REJECTED
    ATTESTATION_FAILED                 CONFLICT
    ATTESTATION_MISSING                BLOCKED             waivable
    ATTESTATION_UNAUTHORIZED           NEEDS_REVIEW        waivable
    HISTORICAL_CLAIM_UNVERIFIED        BLOCKED             waivable
    CITED_SOURCE_NOT_RETRIEVED         NEEDS_REVIEW        waivable
    SCRIPTURE_QUOTE_MISMATCH           DRAFT_UNVERIFIED
    SCRIPTURE_REFERENCE_INVALID        DRAFT_UNVERIFIED
    SCRIPTURE_VERSE_ABSENT_IN_EDITION  DRAFT_UNVERIFIED
    QUOTE_REFERENCE_MISMATCH           DRAFT_UNVERIFIED
    QUOTE_TRANSLATION_MISMATCH         DRAFT_UNVERIFIED
    UNDECLARED_SCRIPTURE_QUOTE         DRAFT_UNVERIFIED    waivable
    PARAPHRASE_AS_QUOTE                DRAFT_UNVERIFIED
    VERSIFICATION_AMBIGUOUS            DRAFT_UNVERIFIED    waivable
    TRANSLATION_NOT_LICENSED           BLOCKED
    TRANSLATION_QUOTA_EXCEEDED         BLOCKED
    COPYRIGHT_NOTICE_MISSING           BLOCKED
    OVERCONFIDENT_DISPUTED_PASSAGE     NEEDS_REVIEW        waivable
    DOCTRINE_UNKNOWN                   BLOCKED             waivable
    EXEGESIS_UNAUTHORIZED              BLOCKED             waivable
    AGENT_SELF_VERIFIED                DRAFT_UNVERIFIED    waivable
    QUALIFICATION_NOT_SHOWN            BLOCKED
    DERIVATIVE_UNFAITHFUL              BLOCKED             waivable
    SCHEMA_VIOLATION                   NEEDS_REVIEW
    BUDGET_EXCEEDED                    BLOCKED             waivable
    COST_UNKNOWN                       NEEDS_REVIEW        waivable
    COST_MISSTATED                     -                   waivable
    INJECTION_SUSPECTED                NEEDS_REVIEW        waivable
    EXFILTRATION_REQUEST               NEEDS_REVIEW        waivable
    COMMAND_REQUEST                    NEEDS_REVIEW        waivable
    STATUS_DOWNGRADED                  -                   waivable
    ");
}

#[test]
fn a_reference_is_read_in_the_numbering_of_its_edition() {
    let mut world = World::new();
    let quoted = |reference: &str, quote: &str| {
        json!([
        {"ref": reference, "quote": quote, "translation": "counted", "verified": false}])
    };
    let confession = "For I acknowledge my transgressions";
    world.result["output"]["sections"][0]["text"] = json!("A psalm.");
    world.result["scripture"] = quoted("Ps 51:5", confession);
    assert_eq!(world.audit().verdict, top());
    world.result["scripture"] = quoted("Ps 51:3", confession);
    assert_snapshot!(world.told(), @"
    DRAFT_UNVERIFIED
    VERSIFICATION_AMBIGUOUS /scripture/0/ref: Ps 51:3 is another verse in the numbering of counted than in the English one, and the words are those of the English one
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth DRAFT_UNVERIFIED
    ");
}
