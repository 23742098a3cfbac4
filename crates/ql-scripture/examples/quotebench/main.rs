//! `QuoteBench`: how often a false quotation is verified and a true one refused, how much of what
//! nobody declared is found, and how long all of it takes.
//!
//! ```text
//! cargo run --release -p ql-scripture --example quotebench -- DATA_DIR [--cases N] [--seed S]
//! ```
//!
//! The cases are made from the editions in `DATA_DIR/corpora` by a seeded generator that shares no
//! code with the library. The process ends with 1 if a false quotation is verified, or if more than
//! one in two hundred true ones is refused.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

mod baseline;
mod editions;
mod lies;
mod planted;
mod quotations;
mod random;
mod speed;
mod truths;
mod words;

use std::process::ExitCode;

use editions::Editions;

/// What to run.
struct Settings {
    data: String,
    cases: usize,
    seed: u64,
    /// Whether each case that went wrong is printed.
    show: bool,
}

const USAGE: &str = "usage: quotebench DATA_DIR [--cases N] [--seed S] [--show]";

fn settings() -> Result<Settings, String> {
    let mut arguments = std::env::args().skip(1);
    let mut settings = Settings {
        data: arguments.next().ok_or(USAGE)?,
        cases: 22_000,
        seed: 1,
        show: false,
    };
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next()?.parse::<u64>().ok();
        match argument.as_str() {
            "--cases" => {
                let cases = number().and_then(|cases| usize::try_from(cases).ok());
                settings.cases = cases.ok_or(USAGE)?;
            }
            "--seed" => settings.seed = number().ok_or(USAGE)?,
            "--show" => settings.show = true,
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(settings)
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let settings = settings()?;
    let editions = Editions::read(settings.data.as_ref())?;
    println!("seed {}, {} cases\n", settings.seed, settings.cases);
    let held = quotations::run(&editions, &settings);
    planted::run(&editions, &settings);
    speed::run(&editions, &settings)?;
    Ok(if held {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
