//! The same random sequences of commands on a model in memory and on every engine, compared answer
//! by answer and, at the end, byte by byte of the ledger.
//!
//! `QL_MODEL_SEQUENCES` sets how many sequences are played on every engine (by default 200 on the
//! embedded one, every sixteenth on PostgreSQL too), `QL_MODEL_SEED` where they begin (default 1). A
//! sequence that goes wrong is printed with its seed, as short as it can be made.

mod chance;
mod control;
mod coverage;
mod engine;
mod facts;
mod generate;
mod model;
mod play;
mod source;
mod step;

use std::env;

use ql_testkit::FreshDatabase;

use self::chance::Chance;
use self::coverage::Coverage;
use self::play::{Cast, Sequence, play, shrink};
use self::source::Source;

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().expect("a whole number"))
}

/// The engines that this machine has.
fn engines() -> Vec<Source> {
    let mut engines = vec![Source::new("embedded", FreshDatabase::embedded)];
    if FreshDatabase::postgres().is_some() {
        let literal = || FreshDatabase::postgres_that_looks().expect("the server is there");
        engines.push(Source::new("postgres", literal));
        let guessing = || FreshDatabase::postgres().expect("the server is there");
        engines.push(Source::new("postgres that guesses", guessing).by_its_facts());
    }
    engines
}

/// The sequence of a seed.
fn sequence(seed: u64) -> Sequence {
    let mut chance = Chance::new(seed);
    let (calm, length) = (chance.percent(35), 15 + chance.below(70));
    let seeds = (0..length).map(|_| chance.next()).collect();
    Sequence { calm, seeds }
}

/// What several hundred sequences must have met, or they test less than they say.
const MET: [&str; 37] = [
    "begin idempotency_conflict",
    "cancel ok",
    "complete lease_lost",
    "complete ok",
    "complete session_refused",
    "converse ok",
    "decide digest_mismatch",
    "decide invalid_transition",
    "decide ok approved",
    "decide ok executed",
    "decide ok pending",
    "decide ok rejected",
    "decide ok stale because draft_moved",
    "decide ok stale because live_moved",
    "decide own_proposal",
    "decide policy_denied",
    "decide role_denied",
    "draft archived",
    "draft run_closed",
    "draft slug_taken",
    "draft stale_revision",
    "propose idempotency_conflict",
    "propose scope_denied",
    "propose unauthenticated",
    "record lease_lost",
    "renew lease_lost",
    "renew ok",
    "reopen ok",
    "roll_back ok",
    "stop ok",
    "take no_task",
    "take ok",
    "take session_refused",
    "withdraw ok",
    "work jobs",
    "work runs",
    "work turns",
];

#[test]
fn every_engine_answers_as_the_model_foretells() {
    let asked = env::var_os("QL_MODEL_SEQUENCES").is_some();
    let (count, first) = (
        number("QL_MODEL_SEQUENCES", 200),
        number("QL_MODEL_SEED", 1),
    );
    let whole = Cast {
        engines: engines(),
        mistake: None,
    };
    let quick = Cast {
        engines: vec![Source::new("embedded", FreshDatabase::embedded)],
        mistake: None,
    };
    let names: Vec<&str> = whole.engines.iter().map(Source::name).collect();
    println!("{count} sequences from seed {first} on {names:?}");
    let mut coverage = Coverage::new();
    for seed in first..first + count {
        let cast = if asked || seed % 16 == 0 {
            &whole
        } else {
            &quick
        };
        for (kind, times) in play_or_show(cast, seed) {
            *coverage.entry(kind).or_default() += times;
        }
        if (seed + 1 - first).is_multiple_of(500) {
            println!("{} sequences alike", seed + 1 - first);
        }
    }
    let steps: usize = coverage.values().sum();
    println!("{steps} steps alike");
    for (kind, times) in &coverage {
        println!("{times:7} {kind}");
    }
    let unmet: Vec<_> = MET
        .iter()
        .filter(|kind| !coverage.contains_key(**kind))
        .collect();
    assert!(count < 200 || unmet.is_empty(), "never met: {unmet:?}");
}

/// Plays the sequence of a seed; one that goes wrong is made short and shown.
fn play_or_show(cast: &Cast, seed: u64) -> Coverage {
    let steps = sequence(seed);
    play(cast, &steps).unwrap_or_else(|difference| {
        let shortest = shrink(cast, &steps, difference);
        panic!(
            "QL_MODEL_SEED={seed} QL_MODEL_SEQUENCES=1 goes wrong after\n{}\n{}",
            shortest.steps.join("\n"),
            shortest.what
        );
    })
}
