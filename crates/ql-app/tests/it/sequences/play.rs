//! A sequence played on the model and on every engine, until something differs.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ql_store::StoreError;
use ql_testkit::{FreshDatabase, NOON, TestApp};

use super::chance::Chance;
use super::engine::{Engine, Said};
use super::facts::Answer;
use super::generate;
use super::model::{Mistake, Model};
use super::step::{Call, Step};

/// An engine: where fresh applications over it come from, one at a time.
pub(super) struct Source {
    name: &'static str,
    database: RefCell<Option<FreshDatabase>>,
    again: fn() -> FreshDatabase,
    spoil: &'static [&'static str],
    literal: bool,
}

impl Source {
    pub(super) fn new(name: &'static str, again: fn() -> FreshDatabase) -> Self {
        Self {
            name,
            database: RefCell::new(None),
            again,
            spoil: &[],
            literal: true,
        }
    }

    /// The same engine compared by its facts alone, since it uses other identifiers.
    pub(super) fn by_its_facts(mut self) -> Self {
        self.literal = false;
        self
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    /// The same engine with its database changed by statements, for controls.
    pub(super) fn spoiled_by(mut self, statements: &'static [&'static str]) -> Self {
        self.spoil = statements;
        self
    }

    async fn open(&self) -> TestApp {
        let used = self.database.take();
        let database = used.map_or_else(self.again, FreshDatabase::emptied);
        let test = TestApp::over(database).await;
        for statement in self.spoil {
            let write = |tx: &mut ql_store::Tx<'_>| tx.execute(statement, &[]).map(drop);
            let spoiled: Result<(), StoreError> = test.app.store().write(write).await;
            spoiled.expect("a statement for this engine");
        }
        test
    }
}

/// Who plays.
pub(super) struct Cast {
    pub(super) engines: Vec<Source>,
    pub(super) mistake: Option<Mistake>,
}

/// How often each kind of step was answered in each way.
pub(super) type Coverage = BTreeMap<String, usize>;

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
            same(&0, &engine.stuck().await, engine.name)?;
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

/// What kind of step it was and how it went.
fn kind(step: &Step, answer: &Answer) -> String {
    let name = match step {
        Step::Pass(_) => "pass",
        Step::Work => "work",
        Step::Call(request) => match &request.call {
            Call::Begin(_) => "begin",
            Call::Record(_) => "record",
            Call::Finish(_) => "finish",
            Call::Draft(..) => "draft",
            Call::Claim(_) => "claim",
            Call::Propose(_) => "propose",
            Call::Decide(_) => "decide",
            Call::Cancel(_) => "cancel",
            Call::Withdraw(_) => "withdraw",
            Call::RollBack(_) => "roll_back",
            Call::Read(_) => "read",
            Call::Administer(_) => "administer",
        },
    };
    match (step, answer) {
        (Step::Work, Ok(facts)) => {
            let done = facts.split(' ').collect::<Vec<_>>();
            let done = done.chunks(2).filter(|pair| pair.last() != Some(&"0"));
            let done: Vec<_> = done.map(|pair| pair[0]).collect();
            format!("work {}", done.join(" and "))
        }
        (Step::Call(request), Ok(facts)) if matches!(request.call, Call::Decide(_)) => {
            // "proposal 3 stale because draft_moved risk medium …": where it stands then.
            let words = facts.split(' ').skip(2);
            let state: Vec<_> = words.take_while(|word| *word != "risk").collect();
            let state = state.join(" ");
            format!(
                "decide ok {}",
                state.split(" for ").next().unwrap_or(&state)
            )
        }
        (_, Ok(_)) => format!("{name} ok"),
        (_, Err(code)) => format!("{name} {code}"),
    }
}
