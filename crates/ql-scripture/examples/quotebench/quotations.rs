//! True and false quotations, and what becomes of them.

use std::collections::BTreeMap;

use ql_scripture::Passage;
use ql_scripture::quote::{Claim, check};

use crate::editions::{Edition, Editions};
use crate::random::Random;
use crate::{Settings, baseline, lies, truths};

/// One quotation, with what it claims.
pub(crate) struct Case {
    pub(crate) edition: &'static str,
    pub(crate) passage: Passage,
    pub(crate) text: String,
}

/// What became of the cases of one kind.
#[derive(Default)]
struct Tally {
    cases: usize,
    wrong: usize,
    baseline_wrong: usize,
    grades: BTreeMap<&'static str, usize>,
}

type Tallies = Vec<(&'static str, Tally)>;

/// Judges as many cases as were asked for, and says whether the aims were met.
pub(crate) fn run(editions: &Editions, settings: &Settings) -> bool {
    let mut random = Random::new(settings.seed);
    let kinds = truths::KINDS.len() + lies::KINDS.len();
    let each = settings.cases.div_ceil(kinds);
    let truths = truths::KINDS.map(|(name, make)| {
        let make = |edition: &Edition, random: &mut Random| make(edition, random);
        (
            name,
            tally(editions, settings, (each, true), &mut random, make),
        )
    });
    let lies = lies::KINDS.map(|(name, make)| {
        let make = |edition: &Edition, random: &mut Random| make(editions, edition, random);
        (
            name,
            tally(editions, settings, (each, false), &mut random, make),
        )
    });
    let rejected = print("true quotations", "refused", truths.into());
    let verified = print("false quotations", "verified", lies.into());
    let (wrong, of) = rejected;
    println!(
        "false verify {} of {}; false reject {wrong} of {of}\n",
        verified.0, verified.1
    );
    verified.0 == 0 && wrong * 200 < of
}

fn tally(
    editions: &Editions,
    settings: &Settings,
    (count, verifies): (usize, bool),
    random: &mut Random,
    make: impl Fn(&Edition, &mut Random) -> Option<Case>,
) -> Tally {
    let mut tally = Tally::default();
    while tally.cases < count {
        let edition = random.pick(&editions.all);
        let Some(case) = make(edition, random) else {
            continue;
        };
        let claim = Claim {
            edition: case.edition,
            passage: &case.passage,
            text: &case.text,
        };
        tally.cases += 1;
        let Ok(answer) = check(&editions.library, &claim) else {
            tally.wrong += usize::from(verifies);
            continue;
        };
        *tally.grades.entry(answer.grade.code()).or_default() += 1;
        if answer.grade.verifies() != verifies {
            tally.wrong += 1;
            if settings.show {
                let (edition, passage) = (case.edition, &case.passage);
                let reasons: Vec<_> = answer.reasons.iter().map(|reason| reason.code()).collect();
                println!(
                    "{edition} {passage} {:?} {} {reasons:?}",
                    case.text,
                    answer.grade.code()
                );
            }
        }
        let passage = passage(editions, &case);
        let alike = baseline::verifies(&passage, &case.text);
        tally.baseline_wrong += usize::from(alike != verifies);
    }
    tally
}

/// What the edition has at the passage, as the baseline would compare it.
fn passage(editions: &Editions, case: &Case) -> String {
    let corpus = editions.library.get(case.edition);
    let spans = case.passage.spans().iter();
    let texts = spans.flat_map(|span| corpus.into_iter().flat_map(|corpus| corpus.passage(*span)));
    let texts: Vec<&str> = texts.map(|(_, text)| text).collect();
    texts.join(" ")
}

fn print(title: &str, wrong: &str, tallies: Tallies) -> (usize, usize) {
    println!(
        "{title:<28} {:>7} {wrong:>9} {:>22}",
        "cases", "0.95 similarity is wrong"
    );
    let mut total = (0, 0);
    for (name, tally) in tallies {
        let grades: Vec<String> = tally
            .grades
            .iter()
            .map(|(grade, count)| format!("{grade} {count}"))
            .collect();
        let share = tally.baseline_wrong * 1000 / tally.cases.max(1);
        println!(
            "  {name:<26} {:>7} {:>9} {:>20}.{} %   {}",
            tally.cases,
            tally.wrong,
            share / 10,
            share % 10,
            grades.join(", ")
        );
        total = (total.0 + tally.wrong, total.1 + tally.cases);
    }
    println!();
    total
}
