//! Bundles, checked as an auditor does.

use ql_core::bundle::{Held, Refused, Report, verify};
use ql_core::hash::Digest;
use ql_core::ledger::Subject;
use ql_core::note::{PublicKey, SigningKey};
use ql_testkit::TestLog;
use ql_testkit::specimen::{self, Specimen};
use serde_json::json;

fn check(bundle: &str) -> Result<Report, Refused> {
    verify(bundle.as_bytes(), &Held::default())
}

/// The refusal of a bundle, in words.
fn refusal(bundle: &str) -> String {
    match check(bundle) {
        Ok(report) => format!("accepted: {report}"),
        Err(refused) => format!("{}: {refused}", refused.code()),
    }
}

fn public(seed: u8) -> PublicKey {
    SigningKey::from_seed(&[seed; 32]).public()
}

#[test]
fn a_run_is_proven_with_its_approval() {
    let mut log = TestLog::default();
    let (run, proposal) = log.story();
    let report = check(&log.export(&[run, proposal])).expect("sound");
    insta::assert_snapshot!(report, @"run_01m8p570g0e008000000000006 completed entries=7 size=8 prop_01m8p570g0e008000000000007=executed+mem_01m8p570g0e008000000000005");
    let approval = &report.proposals[0].approvals[0];
    insta::assert_snapshot!(approval.at, @"2026-11-30T12:00:06.000000Z");
    let digest = Digest::of(proposal.to_string().as_bytes());
    assert_eq!((approval.digest, approval.own_proposal), (digest, false));
}

#[test]
fn a_run_that_goes_on_is_open() {
    let mut log = TestLog::default();
    let (run, agent) = (Subject::Run(log.run()), log.agent);
    log.push(run, "run.begun", agent, json!({}));
    let report = check(&log.export(&[run])).expect("sound");
    assert_eq!((&*report.outcome, report.entries), ("open", 1));
}

#[test]
fn proposals_sites_and_organizations_are_proven_alone() {
    let mut log = TestLog::default();
    let (_, proposal) = log.story();
    let report = check(&log.export(&[proposal])).expect("sound");
    assert_eq!(report.proposals[0].state, "executed");
    let site = Subject::Site(log.site);
    let report = check(&log.export(&[site])).expect("sound");
    assert_eq!(
        (&*report.outcome, report.entries),
        ("recorded", 1),
        "the first export"
    );
}

#[test]
fn keys_that_followed_each_other_lead_to_the_one_that_signed() {
    let mut log = TestLog::default();
    let (run, proposal) = log.story();
    log.rotate(2);
    log.rotate(3);
    let bundle = log.export(&[run, proposal]);
    assert_eq!(
        check(&bundle).expect("sound").keys,
        [public(1), public(2), public(3)]
    );
    for seed in 1..=3 {
        let held = Held {
            key: Some(public(seed)),
            checkpoint: None,
        };
        assert!(
            verify(bundle.as_bytes(), &held).is_ok(),
            "whoever holds key {seed} accepts"
        );
    }
    let held = Held {
        key: Some(public(9)),
        checkpoint: None,
    };
    assert_eq!(verify(bundle.as_bytes(), &held), Err(Refused::OtherLedger));
}

#[test]
fn an_auditor_who_holds_a_checkpoint_sees_that_the_ledger_only_grew() {
    let mut log = TestLog::default();
    log.story();
    let note = log.checkpoint();
    log.rotate(2);
    let (run, proposal) = log.story();
    let held = Held {
        key: None,
        checkpoint: Some(&note),
    };
    let verify = |bundle: &str| verify(bundle.as_bytes(), &held);
    assert_eq!(
        verify(&log.export(&[run, proposal])),
        Err(Refused::Unconnected { size: 7 })
    );
    let bundle = log.export_since(&[run, proposal], Some((7, &note)));
    let report = verify(&bundle).expect("sound");
    assert_eq!(report.since.map(|since| since.size), Some(7));

    // A ledger of the same key that told another story before.
    let mut other = TestLog::default();
    let (run, proposal) = other.story();
    assert_eq!(
        verify(&other.export(&[run, proposal])),
        Err(Refused::Unconnected { size: 7 })
    );
    let (run, proposal) = other.story();
    let forged = other.export_since(&[run, proposal], Some((7, &note)));
    assert!(verify(&forged).is_ok(), "the same story is the same ledger");
    let mut other = TestLog::default();
    let agent = other.agent;
    let run = Subject::Run(other.run());
    other.push(run, "run.begun", agent, json!({}));
    let (run, proposal) = other.story();
    let forged = other.export_since(&[run, proposal], Some((7, &note)));
    assert!(matches!(verify(&forged), Err(Refused::Tree(_))));
    // Or one that brings its own word for the beginning.
    let mut other = TestLog::default();
    other.push(run, "run.begun", agent, json!({}));
    let own = loop {
        other.push(run, "artifact.recorded", agent, json!({}));
        let note = other.checkpoint();
        if note.contains("\n7\n") {
            break note;
        }
    };
    let forged = other.export_since(&[run], Some((7, &own)));
    assert_eq!(verify(&forged), Err(Refused::Rewritten { size: 7 }));
    // One that was cut back.
    let mut shorter = TestLog::default();
    let run = Subject::Run(shorter.run());
    shorter.push(run, "run.begun", agent, json!({}));
    assert_eq!(
        verify(&shorter.export(&[run])),
        Err(Refused::Older { size: 7 })
    );
    // And another ledger altogether.
    let mut stranger = TestLog::new(9);
    let (run, proposal) = stranger.story();
    assert_eq!(
        verify(&stranger.export(&[run, proposal])),
        Err(Refused::OtherLedger)
    );
}

/// Every verifier accepts these.
#[test]
fn sound_bundles_are_accepted() {
    insta::assert_snapshot!(verdicts(&specimen::sound()), @"
    run: accepted: run_01m8p570g0e008000000000006 completed entries=7 size=8 prop_01m8p570g0e008000000000007=executed+mem_01m8p570g0e008000000000005
    open-run: accepted: run_01m8p570g0e008000000000006 open entries=3 size=4 prop_01m8p570g0e008000000000007=pending
    second-run: accepted: run_01m8p570g0e00800000000000f completed entries=7 size=22 prop_01m8p570g0e00800000000000g=executed+mem_01m8p570g0e008000000000005
    rejected: accepted: run_01m8p570g0e008000000000006 open entries=4 size=5 prop_01m8p570g0e008000000000007=rejected
    two-approvals: accepted: run_01m8p570g0e008000000000006 open entries=7 size=8 prop_01m8p570g0e008000000000007=stale+mem_01m8p570g0e008000000000005+mem_01m8p570g0e008000000000005
    changed-policy: accepted: run_01m8p570g0e008000000000006 open entries=4 size=5 prop_01m8p570g0e008000000000007=approved+mem_01m8p570g0e008000000000005
    proposal-alone: accepted: prop_01m8p570g0e008000000000007 recorded entries=3 size=8 prop_01m8p570g0e008000000000007=executed+mem_01m8p570g0e008000000000005
    site: accepted: site_01m8p570g0e008000000000004 recorded entries=1 size=9
    rotated-keys: accepted: run_01m8p570g0e00800000000000f completed entries=7 size=15 prop_01m8p570g0e00800000000000g=executed+mem_01m8p570g0e008000000000005
    grown-since: accepted: run_01m8p570g0e00800000000000f completed entries=7 size=15 prop_01m8p570g0e00800000000000g=executed+mem_01m8p570g0e008000000000005
    strange-texts: accepted: run_01m8p570g0e008000000000006 open entries=4 size=5 prop_01m8p570g0e008000000000007=pending
    ");
}

/// What somebody can do who has the file and no key.
#[test]
fn whatever_is_changed_in_a_bundle_is_found() {
    insta::assert_snapshot!(verdicts(&specimen::touched()), @"
    empty: lines: it isn't the lines of text that its header announces
    no-last-newline: lines: it isn't the lines of text that its header announces
    a-line-more: lines: it isn't the lines of text that its header announces
    an-entry-less: lines: it isn't the lines of text that its header announces
    no-export-entry: lines: it isn't the lines of text that its header announces
    entries-turned: unlinked: line 3: the entry's seq isn't what its place in the chain demands
    entry-edited: unlinked: line 3: the entry's prev isn't what its place in the chain demands
    duplicate-member: not_plain: line 2, byte 498: the keys aren't in ascending order, each once
    space: not_plain: line 2, byte 494: expected `,` or `}`
    unknown-member: shape: line 2 isn't a ledger entry: it lacks a member, or has another one or another kind
    header-member: shape: line 1 isn't a header: it lacks a member, or has another one or another kind
    header-without: shape: line 1 isn't a header: it lacks a member, or has another one or another kind
    later-version: format: it isn't a bundle of a version that this program knows
    other-key: checkpoint: the checkpoint: another key signed it
    no-key: checkpoint: the checkpoint: another key signed it
    signers-name-with-another-dot: checkpoint: the checkpoint: another key signed it
    other-size: checkpoint: the checkpoint: the signature doesn't fit the text
    other-place: tree: the entries aren't those of the signed tree: the leaves aren't in ascending order, each once
    place-out-of-tree: tree: the entries aren't those of the signed tree: the proof names a place outside of the tree
    truth-for-a-place: shape: line 1 isn't a header: it lacks a member, or has another one or another kind
    text-for-a-list: shape: line 1 isn't a header: it lacks a member, or has another one or another kind
    node-more: tree: the entries aren't those of the signed tree: the proof has more or fewer hashes than it needs
    other-subject: unlinked: line 3: the entry's seq isn't what its place in the chain demands
    signature-written-otherwise: checkpoint: the checkpoint: it is no text with one signature
    carriage-returns: not_plain: line 1, byte 439: something follows the value
    ");
}

/// What a server could sign that wants to show something that wasn't. The signature holds; the rules
/// don't.
#[test]
fn a_story_that_cannot_have_happened_is_found_though_it_is_signed() {
    insta::assert_snapshot!(verdicts(&specimen::lies()), @"
    executed-without-approval: rule: line 5: that can't happen to a proposal in its state
    approved-by-an-agent: rule: line 5: only a member decides
    other-digest-approved: rule: line 5: the approved digest isn't the proposal's
    other-digest-approved-without-policy: rule: line 5: the approved digest isn't the proposal's
    rejected-by-an-agent: rule: line 5: only a member decides
    approved-without-digest: rule: line 5: a decision names what it was made on by its digest
    approved-after-rejection: rule: line 6: that can't happen to a proposal in its state
    executed-twice: rule: line 7: that can't happen to a proposal in its state
    draft-before-approval: rule: line 5: a proposal writes a draft only once it is approved
    made-twice: rule: line 5: a proposal is made once, and first
    unknown-step: rule: line 5: that can't happen to a proposal in its state
    begun-twice: rule: line 4: a run begins once, and first
    work-after-the-end: rule: line 5: nothing follows the end of a run
    end-without-outcome: rule: line 4: a run ends with an outcome
    names-a-proposal-that-is-not-there: chains: the chains aren't the run's and those of exactly its proposals
    fraction: not_plain: line 4, byte 194: the number isn't whole
    large-number: not_plain: line 4, byte 209: the number is too long
    approved-under-a-doubled-name: rule: line 5: that can't happen to a proposal in its state
    two-events-in-one: shape: line 5 isn't a ledger entry: it lacks a member, or has another one or another kind
    unknown-event-of-a-run: rule: line 4: that can't happen to a run
    signed-duplicate-member: not_plain: line 4, byte 480: the keys aren't in ascending order, each once
    signed-unknown-member: shape: line 4 isn't a ledger entry: it lacks a member, or has another one or another kind
    signed-missing-member: shape: line 4 isn't a ledger entry: it lacks a member, or has another one or another kind
    signed-space: not_plain: line 4, byte 476: expected `,` or `}`
    signed-other-version: shape: line 4 isn't a ledger entry: it lacks a member, or has another one or another kind
    signed-gap: unlinked: line 4: the entry's seq isn't what its place in the chain demands
    signed-text-for-number: shape: line 4 isn't a ledger entry: it lacks a member, or has another one or another kind
    signed-truth-for-number: shape: line 4 isn't a ledger entry: it lacks a member, or has another one or another kind
    signed-escape: not_plain: line 4, byte 247: the escape isn't written in its shortest form
    signed-other-site: unlinked: line 4: the entry's site isn't what its place in the chain demands
    export-of-another-length: export: the chains aren't those, of that length, which the export recorded
    proposal-left-out: chains: the chains aren't the run's and those of exactly its proposals
    proposal-before-run: chains: the chains aren't the run's and those of exactly its proposals
    proposal-of-another-run: chains: the chains aren't the run's and those of exactly its proposals
    key-back-in-time: key: key 3 of the ledger isn't one that the key before it named
    grown-from-another-ledger: tree: the entries aren't those of the signed tree: the proof doesn't give the root
    earlier-checkpoint-of-a-stranger: since: the earlier checkpoint: another key signed it
    ");
}

fn verdicts(specimens: &[Specimen]) -> String {
    let lines: Vec<String> = specimens
        .iter()
        .map(|specimen| format!("{}: {}", specimen.name, refusal(&specimen.bundle)))
        .collect();
    lines.join("\n")
}
