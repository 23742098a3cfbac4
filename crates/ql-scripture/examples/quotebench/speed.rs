//! How long it takes.

use std::error::Error;
use std::fs;
use std::time::{Duration, Instant};

use ql_scripture::corpus::{Corpus, folder};
use ql_scripture::quote::{Claim, check};
use ql_scripture::undeclared::{Known, find};

use crate::Settings;
use crate::editions::Editions;
use crate::quotations::Case;
use crate::random::Random;
use crate::words::all;

/// How many words the script has, about, and how many quotations.
const WORDS: usize = 1500;
const QUOTATIONS: usize = 20;

/// How often each thing is measured; the median counts.
const TIMES: usize = 21;

/// Prints the times.
pub(crate) fn run(editions: &Editions, settings: &Settings) -> Result<(), Box<dyn Error>> {
    println!("speed (median of {TIMES})");
    loading(editions)?;
    let (script, cases) = script(editions, &mut Random::new(settings.seed ^ 0x5c));
    let words = all(&script).len();
    let audit = || {
        let verified = cases.iter().filter(|case| verifies(editions, case)).count();
        verified + find(&editions.library, &script, Known::default()).len()
    };
    let ours = median(audit);
    let naive = median_of(3, || scan(editions, &cases));
    println!("  audit of {words} words with {QUOTATIONS} quotations, undeclared ones included:");
    println!(
        "    against {} editions            {}",
        editions.all.len(),
        show(ours)
    );
    println!("    naive scan for the quotations alone {}", show(naive));
    Ok(())
}

fn verifies(editions: &Editions, case: &Case) -> bool {
    let claim = Claim {
        edition: case.edition,
        passage: &case.passage,
        text: &case.text,
    };
    check(&editions.library, &claim).is_ok_and(|answer| answer.grade.verifies())
}

fn loading(editions: &Editions) -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("quotebench-{}", std::process::id()));
    for normal in &editions.normal {
        let saved = folder::save(&folder, normal)?;
        let mut size = 0;
        let time = median(|| {
            let corpus = folder::open(&saved);
            size = corpus.as_ref().map_or(0, Corpus::size);
            corpus.is_ok()
        });
        let (whole, tenths) = (size / 1_000_000, size / 100_000 % 10);
        let id = &normal.manifest.id;
        println!("  load and index {id}: {}, {whole}.{tenths} MB", show(time));
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// A script of sentences from the prose with quotations between them.
fn script(editions: &Editions, random: &mut Random) -> (String, Vec<Case>) {
    let sentences: Vec<&str> = include_str!("prose.txt").split_inclusive(". ").collect();
    let mut cases = Vec::new();
    let mut script = String::new();
    let mut words = 0;
    while cases.len() < QUOTATIONS || words < WORDS {
        let due = cases.len() * WORDS <= words * QUOTATIONS;
        if due && cases.len() < QUOTATIONS {
            let edition = random.pick(&editions.all);
            let (verse, text) = &edition.verses[edition.any(random)];
            words += all(text).len();
            script.extend(["“", text, "” (", &verse.to_string(), ") "]);
            cases.push(Case {
                edition: edition.id,
                passage: ql_scripture::Span::of(*verse).into(),
                text: text.clone(),
            });
        } else {
            let sentence = random.pick(&sentences);
            words += all(sentence).len();
            script.push_str(sentence);
            script.push(' ');
        }
    }
    (script, cases)
}

/// Looks for each quotation in the text of every verse.
fn scan(editions: &Editions, cases: &[Case]) -> usize {
    let texts = editions.all.iter().flat_map(|edition| &edition.verses);
    let holds = |text: &str| {
        cases
            .iter()
            .filter(|case| text.contains(&case.text))
            .count()
    };
    texts.map(|(_, text)| holds(text)).sum()
}

fn median<T>(run: impl FnMut() -> T) -> (Duration, Duration) {
    median_of(TIMES, run)
}

fn median_of<T>(times: usize, mut run: impl FnMut() -> T) -> (Duration, Duration) {
    let timed = (0..=times).map(|_| {
        let (begun, used) = (Instant::now(), cpu());
        std::hint::black_box(run());
        (begun.elapsed(), cpu().saturating_sub(used))
    });
    // The first warms up.
    let (mut wall, mut cpu): (Vec<_>, Vec<_>) = timed.skip(1).unzip();
    wall.sort_unstable();
    cpu.sort_unstable();
    (wall[times / 2], cpu[times / 2])
}

fn show((wall, cpu): (Duration, Duration)) -> String {
    let of = |time: Duration| format!("{}.{:03} ms", time.as_millis(), time.as_micros() % 1000);
    // The system counts the processor's time in ticks, which short work doesn't see.
    if cpu < Duration::from_millis(5) {
        return of(wall);
    }
    format!("{} ({} of a processor)", of(wall), of(cpu))
}

/// How long this thread has had a processor, where the system says so.
fn cpu() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}
