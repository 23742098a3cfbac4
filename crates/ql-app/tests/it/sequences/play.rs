//! A sequence played on the model and on every engine, until something differs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ql_testkit::NOON;

use super::chance::Chance;
use super::coverage::{Coverage, kind};
use super::engine::{Engine, Said};
use super::facts::Answer;
use super::generate;
use super::model::{Mistake, Model};
use super::source::Source;
use super::step::Step;

/// Who plays.
pub(super) struct Cast {
    pub(super) engines: Vec<Source>,
    pub(super) mistake: Option<Mistake>,
}

/// Where a sequence went wrong.
#[derive(Debug)]
pub(super) struct Difference {
    /// The steps up to there.
    pub(super) steps: Vec<String>,
    /// What was foretold and what was answered.
    pub(super) what: String,
}

/// A sequence before it is played: what kind of day it is, and a seed for each step.
#[derive(Debug, Clone)]
pub(super) struct Sequence {
    pub(super) calm: bool,
    pub(super) seeds: Vec<u64>,
}

/// Plays a sequence.
pub(super) fn play(cast: &Cast, sequence: &Sequence) -> Result<Coverage, Difference> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let mut steps = Vec::new();
    let mut coverage = Coverage::new();
    let played = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            let mut table = Table::lay(cast).await;
            for seed in &sequence.seeds {
                let step = generate::next(&table.model, sequence.calm, &mut Chance::new(*seed));
                steps.push(format!("{step:?}"));
                let answer = table.take(&step).await?;
                *coverage.entry(kind(&step, &answer)).or_default() += 1;
            }
            table.take(&Step::Work).await?.ok();
            table.check_the_end().await?;
            table.clear(cast);
            Ok(())
        })
    }));
    match played {
        Ok(Ok(())) => Ok(coverage),
        Ok(Err(what)) => Err(Difference { steps, what }),
        Err(panic) => Err(Difference {
            steps,
            what: format!("something panicked: {}", describe(&*panic)),
        }),
    }
}

fn describe(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no text")
}

/// The shortest sequence that can be found by leaving steps out and still goes wrong.
pub(super) fn shrink(cast: &Cast, sequence: &Sequence, first: Difference) -> Difference {
    let calm = sequence.calm;
    let mut seeds = sequence.seeds[..first.steps.len().min(sequence.seeds.len())].to_vec();
    let mut shortest = first;
    let mut width = seeds.len().div_ceil(2).max(1);
    loop {
        let mut place = 0;
        while place < seeds.len() {
            let mut fewer = seeds.clone();
            fewer.drain(place..(place + width).min(seeds.len()));
            let sequence = Sequence { calm, seeds: fewer };
            match play(cast, &sequence) {
                Err(difference) => {
                    seeds = sequence.seeds[..difference.steps.len()].to_vec();
                    shortest = difference;
                }
                Ok(_) => place += width,
            }
        }
        if width == 1 {
            return shortest;
        }
        width = width.div_ceil(2);
    }
}

/// The model and the engines of one sequence.
struct Table {
    model: Model,
    engines: Vec<Engine>,
}

impl Table {
    async fn lay(cast: &Cast) -> Self {
        let mut engines = Vec::new();
        for source in &cast.engines {
            let test = source.open().await;
            engines.push(Engine::new((source.name, source.literal), test).await);
        }
        Self {
            model: Model::new(NOON, cast.mistake),
            engines,
        }
    }

    /// Takes a step everywhere and compares: each engine's facts with what the model foretold, what
    /// the public reads then, and the engines' whole answers with each other.
    async fn take(&mut self, step: &Step) -> Result<Answer, String> {
        let foretold = self.model.take(step);
        let live = Ok(self.model.live());
        let mut whole: Option<(Said, Said)> = None;
        for engine in &mut self.engines {
            let said = engine.take(step).await;
            same(&foretold, &said.facts, engine.name)?;
            let shown = engine.live().await;
            same(&live, &shown.facts, engine.name)?;
            match &whole {
                _ if !engine.literal => {}
                None => whole = Some((said, shown)),
                Some((first, first_shown)) => {
                    same_bytes(&first.whole, &said.whole, engine.name)?;
                    same_bytes(&first_shown.whole, &shown.whole, engine.name)?;
                }
            }
        }
        Ok(foretold)
    }

    /// Keeps the databases for the next sequence.
    fn clear(self, cast: &Cast) {
        for (engine, source) in self.engines.into_iter().zip(&cast.engines) {
            source.database.replace(Some(engine.test.into_database()));
        }
    }

    /// What must hold when nothing is left to do.
    async fn check_the_end(&mut self) -> Result<(), String> {
        let feed = self.model.feed(0);
        let mut addresses = self.model.addresses();
        addresses.sort_unstable();
        addresses.dedup();
        let mut ledger: Option<Vec<String>> = None;
        for engine in &mut self.engines {
            for (locale, slug) in &addresses {
                let foretold = self.model.page(locale, slug);
                let read = engine.page(locale, slug).await;
                same(&foretold, &read.facts, engine.name)?;
            }
            same(&feed, &engine.feed(0).await.facts, engine.name)?;
            same(&(0, Vec::new()), &engine.stuck().await, engine.name)?;
            let found = engine.test.app.verify_whole_ledger().await;
            let broken = found.map(|found| found.broken);
            same(&Ok(Vec::new()), &broken, engine.name)?;
            same(&true, &engine.others_are_untouched().await, engine.name)?;
            let entries = engine.ledger().await;
            match &ledger {
                _ if !engine.literal => {}
                None => ledger = Some(entries),
                Some(first) => same(first, &entries, engine.name)?,
            }
        }
        Ok(())
    }
}

fn same<T: PartialEq + std::fmt::Debug>(
    foretold: &T,
    found: &T,
    engine: &str,
) -> Result<(), String> {
    if foretold == found {
        return Ok(());
    }
    Err(format!(
        "{engine} differs:\n  foretold {foretold:?}\n  answered {found:?}"
    ))
}

fn same_bytes(first: &str, other: &str, engine: &str) -> Result<(), String> {
    if first == other {
        return Ok(());
    }
    Err(format!(
        "{engine} answers other bytes than the first engine:\n  {first}\n  {other}"
    ))
}
