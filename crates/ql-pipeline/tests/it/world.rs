//! A small policy, a few verses, and a production in the middle of its work.

use std::collections::BTreeSet;
use std::sync::Arc;

use ql_core::hash::Digest;
use ql_pipeline::attestation::{Attestation, Attested, Status};
use ql_pipeline::audit::{Audit, Ground, Input, Part, Spent};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::output::Script;
use ql_pipeline::envelope::{self, Output, Task, TaskResult};
use ql_pipeline::finding::{Code, Finding};
use ql_pipeline::money::Micros;
use ql_pipeline::pack::{
    Actor, Check, Disputed, Doctrine, Exegesis, Pack, Role, Rule, RuleKind, Stage, Translation,
};
use ql_pipeline::tier::Tier;
use ql_pipeline::verdict::Verdict;
use ql_scripture::corpus::Corpus;
use ql_scripture::corpus::import::{File, Format, import};
use ql_scripture::corpus::library::Library;
use ql_scripture::corpus::manifest::Description;
use ql_scripture::quota::{Bound, Grant, Notice};
use serde_json::{Value, json};

const FIRST: &str = "\
Gen.1.1\tIn the beginning God created the heaven and the earth.
Mark.16.8\tAnd they went out quickly, and fled from the sepulchre; for they trembled and were amazed: neither said they any thing to any man; for they were afraid.
Mark.16.9\tNow when Jesus was risen early the first day of the week, he appeared first to Mary Magdalene, out of whom he had cast seven devils.
John.3.16\tFor God so loved the world, that he gave his only begotten Son, that whosoever believeth in him should not perish, but have everlasting life.
John.14.5\tThomas saith unto him, Lord, we know not whither thou goest; and how can we know the way?
John.14.6\tJesus saith unto him, I am the way, the truth, and the life: no man cometh unto the Father, but by me.
";

const SECOND: &str = "\
Gen.1.1\tIn the beginning God created the heavens and the earth.
Mark.16.8\tAnd they went out, and fled from the tomb; for trembling and astonishment had come upon them: and they said nothing to any one; for they were afraid.
John.14.5\tThomas saith unto him, Lord, we know not whither thou goest; how know we the way?
John.14.6\tJesus saith unto him, I am the way, and the truth, and the life: no one cometh unto the Father, but by me.
";

/// Counts the title of a psalm as its first two verses.
const COUNTED_OTHERWISE: &str = "\
Ps.51.3\tHave mercy upon me, O God, according to thy lovingkindness.
Ps.51.5\tFor I acknowledge my transgressions: and my sin is ever before me.
";

fn edition(id: &str, versification: &str, lines: &str) -> Arc<Corpus> {
    let description = Description {
        id: id.into(),
        name: id.to_uppercase(),
        language: "en".into(),
        licence: "public domain".into(),
        versification: versification.into(),
        source: "by hand".into(),
        imported: "2026-12-01".into(),
        ..Description::default()
    };
    let file = File {
        name: "lines.tsv",
        bytes: lines.as_bytes(),
    };
    let normal = import(Format::Tsv.into(), &[file], description)
        .expect("fit")
        .normal;
    Arc::new(Corpus::load(normal.manifest, normal.text).expect("whole"))
}

fn role(id: &str, number: u8, exegesis: Exegesis, attests: &[&str]) -> Role {
    Role {
        id: id.into(),
        number,
        name: id.into(),
        task: "work".into(),
        tier: Tier::Reasoning,
        exegesis,
        attests: attests.iter().map(|&rule| rule.into()).collect(),
        publishes: id == "sender",
        reads_untrusted: false,
        reads_private: false,
    }
}

fn rule(id: &str, kind: RuleKind) -> Rule {
    Rule {
        id: id.into(),
        title: id.into(),
        question: "Is it so?".into(),
        kind,
        check: None,
        clears: Vec::new(),
        not_applicable_by: Vec::new(),
    }
}

fn grant(edition: &str) -> Grant {
    Grant {
        edition: edition.into(),
        as_of: "2026-11-01".into(),
        source: "a letter".into(),
        ..Grant::default()
    }
}

pub(crate) fn stage(id: &str, role: &str, kind: DocKind, rules: &[&str]) -> Stage {
    Stage {
        id: id.into(),
        name: id.into(),
        by: Actor::Role(role.into()),
        doc_kind: Some(kind),
        needs: Vec::new(),
        rules: rules.iter().map(|&rule| rule.into()).collect(),
        gate: None,
        side: false,
    }
}

pub(crate) fn pack() -> Pack {
    Pack {
        name: "small".into(),
        version: "1.0.0".into(),
        constitution_sha256: Digest::of(b"constitution"),
        sha256: Digest::of(b"pack"),
        files: Vec::new(),
        roles: vec![
            role("finder", 1, Exegesis::None, &[]),
            role("gatherer", 2, Exegesis::EvidenceOnly, &["RULE-1"]),
            role(
                "reader",
                3,
                Exegesis::WithRationale,
                &["RULE-1", "RULE-2", "RULE-3"],
            ),
            role("writer", 4, Exegesis::None, &[]),
            role("sender", 5, Exegesis::None, &[]),
        ],
        stages: vec![stage("WRITTEN", "writer", DocKind::Script, &[])],
        rules: vec![
            rule("RULE-1", RuleKind::Attested),
            Rule {
                not_applicable_by: vec!["reader".into()],
                ..rule("RULE-2", RuleKind::Attested)
            },
            Rule {
                clears: vec![Code::OverconfidentDisputedPassage],
                ..rule("RULE-3", RuleKind::Attested)
            },
            Rule {
                check: Some(Check::Derivatives),
                ..rule("RULE-9", RuleKind::Deterministic)
            },
        ],
        doctrines: vec![Doctrine {
            id: "D-1".into(),
            title: "One".into(),
            statement: "There is one.".into(),
            standing: "held".into(),
            basis: vec!["Gen 1:1".into()],
        }],
        disputed: vec![Disputed {
            id: "DIS-1".into(),
            passages: vec!["Mark 16:9-20".into()],
            matter: "the end".into(),
        }],
        translations: translations(),
    }
}

fn translations() -> Vec<Translation> {
    let first = Grant {
        max_verses: Some(2),
        media: vec!["video".into()],
        notice: Some(Notice {
            text: "From the First Text.".into(),
            places: vec!["description".into()],
        }),
        max_share_of_book: Some(Bound::Below(
            ql_scripture::quota::Share::new(1, 1).expect("one"),
        )),
        ..grant("first")
    };
    vec![
        Translation {
            name: "First Text".into(),
            grant: first,
        },
        Translation {
            name: "Second Text".into(),
            grant: grant("second"),
        },
        Translation {
            name: "Counted Otherwise".into(),
            grant: grant("counted"),
        },
    ]
}

/// A result that waits to be audited, with all that is known of it.
#[derive(Debug)]
pub(crate) struct World {
    ground: Ground,
    pub(crate) role: &'static str,
    pub(crate) stage: Stage,
    pub(crate) task: Task,
    pub(crate) result: Value,
    pub(crate) attested: Vec<Attested>,
    pub(crate) retrieved: Vec<String>,
    pub(crate) open: Vec<Finding>,
    pub(crate) waived: BTreeSet<Digest>,
    pub(crate) spent: Spent,
    pub(crate) script: Option<Script>,
    pub(crate) parts: Vec<Part>,
    pub(crate) medium: &'static str,
}

impl World {
    /// A script without a fault, in a production whose passages were attested.
    pub(crate) fn new() -> Self {
        let pack = pack();
        let library = Library::new([
            edition("first", "english", FIRST),
            edition("second", "english", SECOND),
            edition("counted", "hebrew", COUNTED_OTHERWISE),
        ]);
        let ground = Ground::new(Arc::new(pack.clone()), Arc::new(library)).expect("ready");
        let task = Task {
            task_id: "01939d2c-0000-7000-8000-000000000001".into(),
            project_id: "01939d2c-0000-7000-8000-000000000002".into(),
            agent_role: "writer".into(),
            stage: "WRITTEN".into(),
            objective: "Write it.".into(),
            doc_kind: DocKind::Script,
            inputs: envelope::task::Inputs::default(),
            constraints: Vec::new(),
            constitution_version: pack.version.clone(),
            constitution_sha256: pack.constitution_sha256.to_string(),
            policy_pack_sha256: pack.sha256.to_string(),
            budget_usd: Micros::new(600_000).expect("in range"),
            idempotency_key: "p:WRITTEN:1".into(),
        };
        let result = json!({
            "task_id": task.task_id, "agent_role": "writer", "status": "THEOLOGY_VERIFIED",
            "output": {
                "title": "The Way", "hook": "A question was asked at a table.",
                "sections": [{"heading": "The answer", "text": "He answers: “I am the way, the truth, and the life” (John 14:6)."}],
            },
            "scripture": [{"ref": "John 14:6", "quote": "I am the way, the truth, and the life",
                "translation": "first", "verified": false}],
            "claims": [{"claim": "It was evening.", "source": {"work": "A Commentary", "locator": "p. 42"}}],
            "uncertainties": ["Where the table stood."],
            "constitution_sha256": task.constitution_sha256,
            "policy_pack_sha256": task.policy_pack_sha256,
            "provider": "scripted", "model": "m", "cost_usd": 0.41, "latency_ms": 18400,
        });
        let mut world = Self {
            ground,
            role: "writer",
            stage: stage("WRITTEN", "writer", DocKind::Script, &["RULE-1", "RULE-2"]),
            task,
            result,
            attested: Vec::new(),
            retrieved: Vec::new(),
            open: Vec::new(),
            waived: BTreeSet::new(),
            spent: Spent::Known(Micros::new(410_000).expect("in range")),
            script: None,
            parts: Vec::new(),
            medium: "video",
        };
        world.attest("RULE-1", Status::Pass, "");
        world.attest("RULE-2", Status::Pass, "");
        world
    }

    /// The reader says how a rule stands.
    pub(crate) fn attest(&mut self, rule: &str, status: Status, notes: &str) {
        self.attested.push(attested("reader", rule, status, notes));
    }

    /// Another document, by another role, for a stage with these rules.
    pub(crate) fn makes(
        &mut self,
        role: &'static str,
        kind: DocKind,
        rules: &[&str],
        output: Value,
    ) {
        self.role = role;
        self.stage = stage("MADE", role, kind, rules);
        self.task.doc_kind = kind;
        self.result["output"] = output;
        self.result["scripture"] = json!([]);
    }

    pub(crate) fn audit(&self) -> Audit {
        let (result, output) =
            envelope::read::result_of(self.result.clone(), self.task.doc_kind).expect("fit");
        self.audit_of(&result, &output)
    }

    fn audit_of(&self, result: &TaskResult, output: &Output) -> Audit {
        self.ground.audit(&Input {
            task: &self.task,
            result,
            output,
            role: self
                .ground
                .pack()
                .role(self.role)
                .expect("a role of the policy"),
            stage: &self.stage,
            attested: &self.attested,
            retrieved: &self.retrieved,
            open: &self.open,
            waived: &self.waived,
            spent: self.spent,
            script: self.script.as_ref(),
            parts: &self.parts,
            medium: self.medium,
        })
    }

    /// The verdict and every finding, a line each.
    pub(crate) fn told(&self) -> String {
        told(&self.audit())
    }
}

pub(crate) fn attested(role: &str, rule: &str, status: Status, notes: &str) -> Attested {
    Attested {
        role: role.into(),
        about: None,
        attestation: Attestation {
            rule_id: rule.into(),
            status,
            reviewer: format!("{role}-agent"),
            notes: notes.into(),
        },
    }
}

pub(crate) fn told(audit: &Audit) -> String {
    let mut lines = vec![audit.verdict.as_str().to_owned()];
    for finding in &audit.findings {
        let rule = finding
            .rule
            .as_deref()
            .map(|rule| format!(" [{rule}]"))
            .unwrap_or_default();
        lines.push(format!(
            "{} {}{rule}: {}",
            finding.code.as_str(),
            finding.pointer,
            finding.message
        ));
    }
    lines.join("\n")
}

/// The codes that were found.
pub(crate) fn codes(audit: &Audit) -> Vec<Code> {
    audit.findings.iter().map(|finding| finding.code).collect()
}

pub(crate) fn top() -> Verdict {
    Verdict::TheologyVerified
}
