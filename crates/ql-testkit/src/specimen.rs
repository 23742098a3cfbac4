//! Bundles by name: sound ones, ones that were touched, and ones of a server that lies.

use ql_core::ledger::Subject;
use ql_core::note::SigningKey;
use serde_json::{Value, json};

use crate::TestLog;

/// A bundle and what is special about it.
#[derive(Debug, Clone)]
pub struct Specimen {
    /// What is special, in a few words joined by dashes.
    pub name: &'static str,
    /// The bundle.
    pub bundle: String,
}

/// Bundles that every verifier accepts.
pub fn sound() -> Vec<Specimen> {
    let tell = |(name, tell): (&'static str, Telling)| Specimen {
        name,
        bundle: tell(&mut TestLog::default()),
    };
    SOUND.map(tell).into()
}

// Digests of what was proposed, and of policies.
const D1: &str = "1111111111111111111111111111111111111111111111111111111111111111";
const D2: &str = "2222222222222222222222222222222222222222222222222222222222222222";
const P1: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";
const P2: &str = "a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2";

type Telling = fn(&mut TestLog) -> String;

const SOUND: [(&str, Telling); 11] = [
    ("run", |log| {
        let (run, proposal) = log.story();
        log.export(&[run, proposal])
    }),
    ("open-run", |log| {
        let (run, proposal) = waiting(log);
        log.export(&[run, proposal])
    }),
    ("second-run", |log| {
        log.story();
        let (run, proposal) = log.story();
        log.story();
        log.export(&[run, proposal])
    }),
    ("rejected", |log| {
        let (run, proposal) = waiting(log);
        let said = json!({"digest": D1});
        log.push(proposal, "proposal.rejected", log.member, said);
        log.export(&[run, proposal])
    }),
    ("two-approvals", |log| {
        let (run, proposal) = waiting(log);
        let said = json!({"digest": D1, "policy_digest": P1, "own_proposal": true});
        log.push(proposal, "proposal.approval", log.member, said.clone());
        log.push(proposal, "proposal.approved", log.member, said);
        log.push(proposal, "draft.created", log.member, json!({}));
        let said = json!({"reason": "live_moved"});
        log.push(proposal, "proposal.stale", log.member, said);
        log.export(&[run, proposal])
    }),
    ("changed-policy", |log| {
        let (run, proposal) = waiting(log);
        let said = json!({"digest": D2, "policy_digest": P2});
        log.push(proposal, "proposal.approved", log.member, said);
        log.export(&[run, proposal])
    }),
    ("proposal-alone", |log| {
        let (_, proposal) = log.story();
        log.export(&[proposal])
    }),
    ("site", |log| {
        let (run, proposal) = log.story();
        log.export(&[run, proposal]);
        let site = Subject::Site(log.site);
        log.export(&[site])
    }),
    ("rotated-keys", |log| {
        log.story();
        log.rotate(2);
        log.rotate(3);
        let (run, proposal) = log.story();
        log.export(&[run, proposal])
    }),
    ("grown-since", |log| {
        log.story();
        let before = log.checkpoint();
        log.rotate(2);
        let (run, proposal) = log.story();
        log.export_since(&[run, proposal], Some((7, &before)))
    }),
    ("strange-texts", |log| {
        let (run, proposal) = waiting(log);
        let text = "é\u{0}\u{1f}\u{7f}\u{2028}😀\"\\\n\t/";
        let detail = json!({"key": text, "Überschrift": 1, "\n": "", "bytes": 999_999_999_999_999_i64, "nothing": null, "deep": [[{}], true, -1]});
        log.push(run, "artifact.recorded", log.agent, detail);
        log.export(&[run, proposal])
    }),
];

/// The run of [`sound`], touched by somebody without a key.
pub fn touched() -> Vec<Specimen> {
    let mut log = TestLog::default();
    let (run, proposal) = log.story();
    let sound = log.export(&[run, proposal]);
    let key = |seed: u8| SigningKey::from_seed(&[seed; 32]).public().to_string();
    let lines: Vec<&str> = sound.lines().collect();
    let join = |lines: &[&str]| lines.join("\n") + "\n";
    let mut turned = lines.clone();
    turned.swap(2, 3);
    let last = lines.len() - 1;
    let replaced = |from: &str, to: &str| {
        let harmed = sound.replacen(from, to, 1);
        assert_ne!(harmed, sound, "{from} is there");
        harmed
    };
    let all = [
        ("empty", String::new()),
        ("no-last-newline", sound.trim_end().to_owned()),
        ("a-line-more", format!("{sound}{{}}\n")),
        ("an-entry-less", join(&[&lines[..3], &lines[4..]].concat())),
        ("no-export-entry", join(&lines[..last])),
        ("entries-turned", join(&turned)),
        ("entry-edited", replaced("write-article", "write-articles")),
        ("duplicate-member", replaced("\"v\":1}", "\"v\":1,\"v\":1}")),
        ("space", replaced("\"v\":1}", "\"v\":1 }")),
        ("unknown-member", replaced("\"v\":1}", "\"v\":1,\"w\":1}")),
        (
            "header-member",
            replaced("\"checkpoint\":", "\"aside\":0,\"checkpoint\":"),
        ),
        ("header-without", replaced("\"since\":\"\",", "")),
        ("later-version", replaced("bundle/1", "bundle/2")),
        ("other-key", replaced(&key(1), &key(2))),
        ("no-key", replaced(&key(1), &"ff".repeat(32))),
        (
            "signers-name-with-another-dot",
            replaced("— querylayer.ledger", "— querylayer,ledger"),
        ),
        ("other-size", replaced("\\n8\\n", "\\n9\\n")),
        ("other-place", replaced("5,6,7]", "5,6,6]")),
        ("place-out-of-tree", replaced("5,6,7]", "5,6,8]")),
        ("truth-for-a-place", replaced("[0,1,3,", "[false,true,3,")),
        (
            "text-for-a-list",
            replaced("\"successions\":[]", "\"successions\":\"\""),
        ),
        (
            "node-more",
            replaced("\"nodes\":[", &format!("\"nodes\":[\"{D1}\"")),
        ),
        (
            "other-subject",
            replaced("\"subject\":\"run_", "\"subject\":\"ran_"),
        ),
        ("signature-written-otherwise", other_base64(&sound)),
        ("carriage-returns", sound.replace('\n', "\r\n")),
    ];
    let specimen = |(name, bundle)| Specimen { name, bundle };
    all.map(specimen).into()
}

/// The checkpoint's signature in another writing of the same bytes: the last digit of its base 64 has
/// two bits that say nothing.
fn other_base64(sound: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let end = sound
        .find("=\\n\",\"format\"")
        .expect("the end of the signature");
    let mut bytes = sound.to_owned().into_bytes();
    let digit = DIGITS.iter().position(|digit| *digit == bytes[end - 1]);
    bytes[end - 1] = DIGITS[digit.expect("a digit") ^ 1];
    String::from_utf8(bytes).expect("text")
}

/// A run with a proposal that waits, and their chains.
fn waiting(log: &mut TestLog) -> (Subject, Subject) {
    let (run, proposal) = (Subject::Run(log.run()), Subject::Proposal(log.proposal()));
    let agent = log.agent;
    log.push(run, "run.begun", agent, json!({}));
    let made = json!({"kind": "publish_lifecycle", "digest": D1, "run": run.to_string(), "policy_digest": P1});
    log.push(proposal, "proposal.created", agent, made);
    let named = json!({"proposal": proposal.to_string(), "digest": D1});
    log.push(run, "proposal.created", agent, named);
    (run, proposal)
}

/// Bundles whose signatures hold and whose story can't have happened.
pub fn lies() -> Vec<Specimen> {
    let mut all = untrue_events();
    all.extend(untrue_lines());
    let mut add = |name, tell: &dyn Fn(&mut TestLog, Subject, Subject) -> String| {
        let mut log = TestLog::default();
        let (run, proposal) = waiting(&mut log);
        let bundle = tell(&mut log, run, proposal);
        all.push(Specimen { name, bundle });
    };
    add("export-of-another-length", &|log, run, proposal| {
        log.export_detail = Some(json!({"chains": 2, "heads": "0", "subject": run.to_string()}));
        log.export(&[run, proposal])
    });
    add("proposal-left-out", &|log, run, _| log.export(&[run]));
    add("proposal-before-run", &|log, run, proposal| {
        log.export(&[proposal, run])
    });
    add("proposal-of-another-run", &|log, _, proposal| {
        let (run, agent) = (Subject::Run(log.run()), log.agent);
        log.push(run, "run.begun", agent, json!({}));
        log.push(
            run,
            "proposal.created",
            agent,
            json!({"proposal": proposal.to_string()}),
        );
        log.export(&[run, proposal])
    });
    add("key-back-in-time", &|log, run, proposal| {
        log.rotate(2);
        log.rotate_at(3, 1);
        log.export(&[run, proposal])
    });
    add("grown-from-another-ledger", &|log, run, proposal| {
        let mut other = TestLog::default();
        other.story();
        log.story();
        log.export_since(&[run, proposal], Some((7, &other.checkpoint())))
    });
    add("earlier-checkpoint-of-a-stranger", &|log, run, proposal| {
        let mut other = TestLog::new(9);
        waiting(&mut other);
        log.export_since(&[run, proposal], Some((3, &other.checkpoint())))
    });
    all
}

type Events = &'static [(bool, &'static str, bool, fn() -> Value)];
/// Events by whether they are the run's or the proposal's, and a member's or the agent's.
const EVENTS: &[(&str, Events)] = &[
    (
        "executed-without-approval",
        &[(false, "proposal.executed", true, || json!({}))],
    ),
    (
        "approved-by-an-agent",
        &[(false, "proposal.approved", false, || json!({"digest": D1}))],
    ),
    (
        "other-digest-approved",
        &[(
            false,
            "proposal.approved",
            true,
            || json!({"digest": D2, "policy_digest": P1}),
        )],
    ),
    (
        "other-digest-approved-without-policy",
        &[(false, "proposal.approval", true, || json!({"digest": D2}))],
    ),
    (
        "rejected-by-an-agent",
        &[(false, "proposal.rejected", false, || json!({"digest": D1}))],
    ),
    (
        "approved-without-digest",
        &[(false, "proposal.approved", true, || json!({}))],
    ),
    (
        "approved-after-rejection",
        &[
            (false, "proposal.rejected", true, || json!({"digest": D1})),
            (false, "proposal.approved", true, || json!({"digest": D1})),
        ],
    ),
    (
        "executed-twice",
        &[
            (false, "proposal.approved", true, || json!({"digest": D1})),
            (false, "proposal.executed", true, || json!({})),
            (false, "proposal.executed", true, || json!({})),
        ],
    ),
    (
        "draft-before-approval",
        &[(false, "draft.created", true, || json!({}))],
    ),
    (
        "made-twice",
        &[(
            false,
            "proposal.created",
            false,
            || json!({"kind": "x", "digest": D1}),
        )],
    ),
    (
        "unknown-step",
        &[(false, "proposal.blessed", true, || json!({}))],
    ),
    ("begun-twice", &[(true, "run.begun", false, || json!({}))]),
    (
        "work-after-the-end",
        &[
            (
                true,
                "run.finished",
                false,
                || json!({"outcome": "completed"}),
            ),
            (true, "artifact.recorded", false, || json!({})),
        ],
    ),
    (
        "end-without-outcome",
        &[(true, "run.finished", false, || json!({}))],
    ),
    (
        "names-a-proposal-that-is-not-there",
        &[(
            true,
            "proposal.created",
            false,
            || json!({"proposal": "prop_other"}),
        )],
    ),
    (
        "fraction",
        &[(true, "artifact.recorded", false, || json!({"cost": 1.5}))],
    ),
    (
        "large-number",
        &[(
            true,
            "artifact.recorded",
            false,
            || json!({"cost": 1_000_000_000_000_000_i64}),
        )],
    ),
    (
        "approved-under-a-doubled-name",
        &[(false, "proposal.proposal.approved", false, || json!({}))],
    ),
    (
        "two-events-in-one",
        &[(
            false,
            "proposal.approved proposal.executed",
            true,
            || json!({"digest": D1}),
        )],
    ),
    (
        "unknown-event-of-a-run",
        &[(true, "run.paused", false, || json!({}))],
    ),
];

/// One event more, which can't follow.
fn untrue_events() -> Vec<Specimen> {
    let tell = |(name, events): &(&'static str, Events)| {
        let mut log = TestLog::default();
        let (run, proposal) = waiting(&mut log);
        for (in_run, kind, by_member, detail) in *events {
            let actor = if *by_member { log.member } else { log.agent };
            log.push(if *in_run { run } else { proposal }, kind, actor, detail());
        }
        Specimen {
            name,
            bundle: log.export(&[run, proposal]),
        }
    };
    EVENTS.iter().map(tell).collect()
}

/// One entry more, written as no entry is.
fn untrue_lines() -> Vec<Specimen> {
    const CASES: [(&str, &str, &str); 10] = [
        ("signed-duplicate-member", "\"v\":1}", "\"v\":1,\"v\":1}"),
        ("signed-unknown-member", "\"v\":1}", "\"v\":1,\"w\":1}"),
        ("signed-missing-member", ",\"v\":1}", "}"),
        ("signed-space", "\"v\":1}", "\"v\":1 }"),
        ("signed-other-version", "\"v\":1}", "\"v\":2}"),
        ("signed-gap", "\"seq\":3", "\"seq\":4"),
        ("signed-text-for-number", "\"seq\":3", "\"seq\":\"3\""),
        ("signed-truth-for-number", "\"seq\":3", "\"seq\":true"),
        (
            "signed-escape",
            "artifact.recorded",
            "artifact\\u002erecorded",
        ),
        ("signed-other-site", "\"site\":\"site_", "\"site\":\"siteX"),
    ];
    let tell = |(name, from, to): (&'static str, &str, &str)| {
        let mut log = TestLog::default();
        let (run, proposal) = waiting(&mut log);
        log.push(run, "artifact.recorded", log.agent, json!({}));
        log.edit_last(run, |line| {
            let edited = line.replacen(from, to, 1);
            assert_ne!(edited, line, "{from} is there");
            edited
        });
        Specimen {
            name,
            bundle: log.export(&[run, proposal]),
        }
    };
    CASES.map(tell).into()
}
