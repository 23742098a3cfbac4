//! How well and how fast references are found, held against the expectations of another parser.
//!
//! `cargo run --release -p ql-scripture --example refbench -- DIR`, where DIR holds
//! `references/bcv_cases.tsv` and `corpora/*.tsv`. `--wrong 0` or `--wrong 1` behind it lists what
//! differs in one half.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

mod case;
mod prose;
mod sort;

use std::env;
use std::error::Error;
use std::path::Path;

use ql_scripture::Reader;

use case::Case;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let folder = arguments.first().ok_or("name the folder of the data")?;
    let folder = Path::new(folder);
    let wrong = match arguments.get(1..) {
        Some([option, half]) if option == "--wrong" => Some(half.parse()?),
        _ => None,
    };
    let reader = Reader::english();
    let cases = case::read(&folder.join("references/bcv_cases.tsv"), &reader)?;
    table(&cases);
    prose::table(folder, &reader)?;
    for case in cases
        .iter()
        .filter(|case| !case.right && wrong == Some(case.half))
    {
        let kind = if case.well_formed {
            "well-formed"
        } else {
            "dirty"
        };
        println!(
            "{kind}: {} | expected {} | found {}",
            case.input, case.expected, case.found
        );
    }
    Ok(())
}

/// Exact matches of the verse set by kind and half.
fn table(cases: &[Case]) {
    println!("| cases | half | number | exact | share |\n|---|---|---|---|---|");
    for (kind, well_formed) in [("well-formed", true), ("dirty", false)] {
        for (name, half) in [("0", Some(0)), ("1", Some(1)), ("both", None)] {
            let chosen = |case: &&Case| {
                case.well_formed == well_formed && half.is_none_or(|half| half == case.half)
            };
            let number = cases.iter().filter(chosen).count();
            let right = cases
                .iter()
                .filter(chosen)
                .filter(|case| case.right)
                .count();
            println!(
                "| {kind} | {name} | {number} | {right} | {} |",
                share(right, number)
            );
        }
    }
    let strict = cases
        .iter()
        .filter(|case| case.well_formed && case.declared.is_some());
    let (read, wrong) = strict.fold((0, 0), |(read, wrong), case| {
        (read + 1, wrong + usize::from(case.declared == Some(false)))
    });
    println!(
        "\nThe strict reader takes {read} of the well-formed cases, {wrong} of them for other verses."
    );
}

/// Hundredths of a per cent, in integers.
fn share(part: usize, whole: usize) -> String {
    let hundredths = part * 10_000 / whole.max(1);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}
