//! `InjectBench`: what the injection detector finds, what it finds where nothing is, and how fast.
//!
//! ```text
//! cargo run --release -p ql-pipeline --example injectbench -- DATA_DIR [--dev] [--show]
//! ```
//!
//! `DATA_DIR` holds `injection/cases.jsonl` and `corpora/`. With `--dev` the half that is kept back
//! stays unread; with `--show` each case of the development half that was missed is printed, and what
//! was found in benign ones.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

mod cases;

use std::fs;
use std::time::Instant;

use cases::{Case, Figures, Half, Tally};
use ql_pipeline::injection::Detector;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let data = arguments
        .first()
        .ok_or("usage: injectbench DATA_DIR [--dev] [--show]")?;
    let detector = Detector::new();
    let all = cases::read(&fs::read_to_string(format!(
        "{data}/injection/cases.jsonl"
    ))?);
    if has("--show") {
        show(&detector, &all);
    }
    let development = cases::measure(&detector, &all, Half::Development);
    let kept = (!has("--dev")).then(|| cases::measure(&detector, &all, Half::KeptBack));
    table(&development, &kept.unwrap_or_default());
    for edition in ["kjv", "asv", "bsb", "oshb", "sblgnt"] {
        let text = fs::read_to_string(format!("{data}/corpora/{edition}.tsv"))?;
        verses(&detector, edition, &text);
    }
    let attacks: Vec<&str> = all.iter().map(|case| case.text.as_str()).collect();
    speed(&detector, "the cases", &attacks.join("\n\n"));
    Ok(())
}

fn show(detector: &Detector, all: &[Case]) {
    for case in all.iter().filter(|case| case.half() == Half::Development) {
        let findings = detector.scan(&case.text).findings;
        let benign = case.label == "benign";
        let text: String = case.text.chars().take(300).collect();
        if benign != findings.is_empty() {
            println!("{}\t{text:?}\t{findings:?}", case.family);
        }
    }
}

fn table(development: &Figures, kept: &Figures) {
    println!("| | development half | kept back |\n|---|---|---|");
    let row = |name: &str, one: Tally, other: Tally| {
        let cell = |tally: Tally| format!("{} of {}", tally.found, tally.all);
        println!("| {name} | {} | {} |", cell(one), cell(other));
    };
    for (group, _) in cases::GROUPS {
        let of = |figures: &Figures| figures.groups.get(group).copied().unwrap_or_default();
        row(&format!("**{group}**"), of(development), of(kept));
    }
    let both = [
        (&development.sets, &kept.sets),
        (&development.families, &kept.families),
    ];
    for (title, (one, other)) in ["set", "family"].into_iter().zip(both) {
        let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        for name in names {
            let of = |figures: &std::collections::BTreeMap<String, Tally>| {
                figures.get(name).copied().unwrap_or_default()
            };
            row(&format!("{title} `{name}`"), of(one), of(other));
        }
    }
    row("benign traps", development.benign, kept.benign);
}

fn verses(detector: &Detector, edition: &str, text: &str) {
    let (found, all) = cases::verses(detector, text);
    println!("{edition}: {} of {all} verses", found.len());
    for verse in found {
        let findings = detector.scan(verse).findings;
        println!("  {verse}\n    {:?}", findings.first());
    }
    speed(detector, edition, text);
}

/// The best of several runs, since a machine does other things too.
#[expect(clippy::cast_precision_loss, reason = "a speed is no exact number")]
fn speed(detector: &Detector, name: &str, text: &str) {
    let run = || {
        let begin = Instant::now();
        let scanned = detector.scan(text).scanned;
        scanned as f64 / 1e6 / begin.elapsed().as_secs_f64()
    };
    let best = (0..7).map(|_| run()).fold(0.0, f64::max);
    println!("{name}: {best:.1} MB/s");
}
