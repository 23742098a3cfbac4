//! Prose: what is found where there is nothing, and how fast.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use ql_scripture::Reader;

/// Texts of the Bible hold no references, so every hit is false.
const TEXTS: [&str; 3] = ["kjv", "asv", "bsb"];

/// Each piece of the text is read so often, and the best time counts: others use the machine too.
const RUNS: usize = 7;

/// Bytes of a piece, about; short enough to be read within one slice of the scheduler.
const PIECE: usize = 64 * 1024;

pub(crate) fn table(folder: &Path, reader: &Reader) -> Result<(), Box<dyn Error>> {
    println!("\n| text | bytes | references in it | found | MB/s |\n|---|---|---|---|---|");
    for id in TEXTS {
        let table = fs::read_to_string(folder.join(format!("corpora/{id}.tsv")))?;
        let verses = table.lines().filter_map(|line| line.split_once('\t'));
        let prose = verses.map(|(_, text)| text).collect::<Vec<_>>().join("\n");
        measure(id, &prose, 0, reader);
        let cited: String = table.replace('\t', " ");
        measure(
            &format!("{id}, every verse with its reference"),
            &cited,
            table.lines().count(),
            reader,
        );
    }
    let prompts = fs::read_to_string(folder.join("injection/cases.jsonl"))?;
    measure("prompts of today, in JSON", &prompts, 0, reader);
    Ok(())
}

fn measure(name: &str, prose: &str, expected: usize, reader: &Reader) {
    let mut total = 0;
    let mut nanoseconds = 0;
    let mut rest = prose;
    while !rest.is_empty() {
        let length = rest
            .match_indices('\n')
            .map(|(at, _)| at + 1)
            .find(|end| *end >= PIECE);
        let (piece, after) = rest.split_at(length.unwrap_or(rest.len()));
        let (mut hits, mut best) = (0, u128::MAX);
        for _ in 0..RUNS {
            let begun = Instant::now();
            hits = reader.find(piece).count();
            best = best.min(begun.elapsed().as_nanos());
        }
        total += hits;
        nanoseconds += best;
        rest = after;
    }
    let bytes = prose.len();
    let speed = bytes as u128 * 1000 / nanoseconds.max(1);
    println!("| {name} | {bytes} | {expected} | {total} | {speed} |");
}
