//! How long the audit of a script takes: 1,500 words with 20 quotations against three editions,
//! undeclared quotations included, beside a naive scan of the same words.
//!
//! ```text
//! cargo run --release -p ql-pipeline --example auditbench -- DATA_DIR PACK_DIR
//! ```
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ql_pipeline::audit::{Ground, Input, Spent};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::{self, Task, read};
use ql_pipeline::money::Micros;
use ql_pipeline::pack::folder;
use ql_scripture::corpus::Corpus;
use ql_scripture::corpus::import::{File, Format, import};
use ql_scripture::corpus::library::Library;
use ql_scripture::corpus::manifest::Description;
use serde_json::{Value, json};

const EDITIONS: [&str; 3] = ["kjv", "asv", "bsb"];
const QUOTATIONS: usize = 20;
const WORDS: usize = 1500;
const ROUNDS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: auditbench DATA_DIR PACK_DIR";
    let (data, pack) = (
        arguments.next().ok_or(usage)?,
        arguments.next().ok_or(usage)?,
    );
    let editions: Vec<Arc<Corpus>> = EDITIONS
        .iter()
        .map(|id| edition(data.as_ref(), id))
        .collect::<Result<_, _>>()?;
    let pack = folder::open(pack.as_ref())?.map_err(|unfit| unfit.to_string())?;
    let (result, words) = script(
        &editions[0],
        &pack.constitution_sha256.to_string(),
        &pack.sha256.to_string(),
    );
    let library = Arc::new(Library::new(editions.clone()));
    let ground = Ground::new(Arc::new(pack), library)?;
    let text = result.to_string();

    let mut times = Vec::with_capacity(ROUNDS);
    let mut verdict = String::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        verdict = audit(&ground, text.as_bytes())?;
        times.push(begun.elapsed());
    }
    times.sort();
    let naive = Instant::now();
    let found = naive_scan(&editions, &text);
    let naive = naive.elapsed();
    println!(
        "{words} words, {QUOTATIONS} quotations, {} editions: {verdict}",
        EDITIONS.len()
    );
    println!(
        "audit, read included: median {:?}, p99 {:?}",
        times[ROUNDS / 2],
        times[ROUNDS * 99 / 100]
    );
    println!("naive scan for runs of seven words: {naive:?} ({found} found)");
    Ok(())
}

fn edition(data: &Path, id: &str) -> Result<Arc<Corpus>, Box<dyn Error>> {
    let bytes = fs::read(data.join(format!("corpora/{id}.tsv")))?;
    let description = Description {
        id: id.into(),
        name: id.to_uppercase(),
        language: "en".into(),
        licence: "public domain".into(),
        versification: "english".into(),
        source: "a file".into(),
        imported: "2026-12-01".into(),
        ..Description::default()
    };
    let file = File {
        name: id,
        bytes: &bytes,
    };
    let normal = import(Format::Tsv.into(), &[file], description)?.normal;
    Ok(Arc::new(Corpus::load(normal.manifest, normal.text)?))
}

/// A script with quotations spread over the edition, and prose of its own between them.
fn script(edition: &Corpus, constitution: &str, pack: &str) -> (Value, usize) {
    const PROSE: &str = "Here is a thought that somebody might have on a quiet evening, told in plain sentences and without any hurry, so that whoever listens may follow it to its end and think again about what was read before.";
    let count = edition.verses().len();
    let (mut sections, mut scripture) = (Vec::new(), Vec::new());
    for index in 0..QUOTATIONS {
        let (span, text) = edition
            .verses()
            .nth(index * count / QUOTATIONS + 7)
            .unwrap_or_else(|| unreachable!("an edition has verses"));
        let text = text.trim();
        scripture.push(json!({"ref": span.to_string(), "quote": text, "translation": edition.id(), "verified": false}));
        sections.push(json!({"heading": format!("Part {index}"), "text": format!("{PROSE} “{text}” ({span})")}));
    }
    let words = |sections: &[Value]| -> usize {
        let texts = sections
            .iter()
            .filter_map(|section| section["text"].as_str());
        texts.map(|text| text.split_whitespace().count()).sum()
    };
    while words(&sections) < WORDS {
        sections.push(json!({"heading": "More", "text": PROSE}));
    }
    let total = words(&sections);
    let result = json!({
        "task_id": "01939d2c-0000-7000-8000-000000000001", "agent_role": "scriptwriting",
        "status": "SCRIPTURE_VERIFIED",
        "output": {"title": "A talk", "hook": "A question.", "sections": sections},
        "scripture": scripture, "claims": [], "uncertainties": ["Much."],
        "constitution_sha256": constitution, "policy_pack_sha256": pack,
        "provider": "none", "model": "none", "cost_usd": 0, "latency_ms": 1,
    });
    (result, total)
}

fn audit(ground: &Ground, text: &[u8]) -> Result<String, Box<dyn Error>> {
    let (result, output) = read::result(text, DocKind::Script)?;
    let pack = ground.pack();
    let role = pack
        .role("scriptwriting")
        .ok_or("the pack has no such role")?;
    let stage = pack
        .stage("SCRIPT_GENERATED")
        .ok_or("the pack has no such stage")?;
    let task = Task {
        task_id: result.task_id.clone(),
        project_id: result.task_id.clone(),
        agent_role: role.id.clone(),
        stage: stage.id.clone(),
        objective: "A talk.".into(),
        doc_kind: DocKind::Script,
        inputs: envelope::task::Inputs::default(),
        constraints: Vec::new(),
        constitution_version: pack.version.clone(),
        constitution_sha256: pack.constitution_sha256.to_string(),
        policy_pack_sha256: pack.sha256.to_string(),
        budget_usd: Micros::ZERO,
        idempotency_key: "p:s:1".into(),
    };
    let audit = ground.audit(&Input {
        task: &task,
        result: &result,
        output: &output,
        role,
        stage,
        attested: &[],
        retrieved: &[],
        open: &[],
        waived: &BTreeSet::new(),
        spent: Spent::Known(Micros::ZERO),
        script: None,
        parts: &[],
        medium: "video",
    });
    let codes: Vec<&str> = audit
        .findings
        .iter()
        .map(|finding| finding.code.as_str())
        .collect();
    Ok(format!("{} {codes:?}", audit.verdict.as_str()))
}

/// What looking for every run of seven words in every edition takes without an index.
fn naive_scan(editions: &[Arc<Corpus>], text: &str) -> usize {
    let lower = |text: &str| -> Vec<String> {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let prose = lower(text);
    let runs: Vec<String> = prose.windows(7).map(|run| run.join(" ")).collect();
    let mut found = 0;
    for edition in editions {
        for (_, verse) in edition.verses() {
            let verse = lower(verse).join(" ");
            found += runs
                .iter()
                .filter(|run| verse.contains(run.as_str()))
                .count();
        }
    }
    found
}
