//! Bundles of a real ledger, mutated: what isn't as it was signed must be refused by both verifiers,
//! and what is, accepted.
//!
//! The database is an embedded one, or that of a server where `QL_TEST_ENGINE` is `postgres`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use ql_core::bundle::{Held, verify};
use ql_core::id::RunId;
use ql_core::ledger::Subject;
use ql_core::note::PublicKey;
use ql_core::role::Role;
use ql_testkit::tamper::{Mutant, PythonVerifier, Tamper};
use ql_testkit::{Random, TestApp};

/// What to try.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many mutants.
    #[arg(long, default_value_t = 100_000)]
    mutations: u64,
    /// How many clean bundles.
    #[arg(long, default_value_t = 2_000)]
    clean: u64,
    /// Entries of the run that is mutated most.
    #[arg(long, default_value_t = 1_000)]
    entries: usize,
    /// What the choices are made from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder of the verifier in Python.
    #[arg(long, default_value = "docs/verifier")]
    verifier: PathBuf,
}

/// What came out.
#[derive(Default)]
struct Tally {
    /// By kind of mutation: how many there were, how many the program and how many Python accepted.
    kinds: BTreeMap<&'static str, [u64; 3]>,
    /// Clean bundles: how many there were, how many the program and how many Python refused.
    clean: [u64; 3],
}

/// Tries all; whether nothing went unseen and nothing was accused wrongly.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    ensure!(
        arguments.verifier.join("verify.py").exists(),
        "{} holds no verify.py; name the folder with --verifier",
        arguments.verifier.display()
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let begun = Instant::now();
    let mut tally = Tally::default();
    let (test, bundles) = runtime.block_on(bundles(arguments))?;
    let key = test.vault.key().public();
    let mut python = PythonVerifier::start(&arguments.verifier, &key);
    for bundle in &bundles {
        tally.clean(&key, &mut python, bundle);
    }
    let mut tamper = Tamper::new(arguments.seed, &bundles);
    for count in 0..arguments.mutations {
        tally.mutant(&key, &mut python, &tamper.mutate());
        if count % 10_000 == 9_999 {
            let spent = begun.elapsed().as_secs();
            writeln!(std::io::stderr(), "{} mutants after {spent} s", count + 1)?;
        }
    }
    runtime.block_on(clean(arguments, &test, (&key, &mut python), &mut tally))?;
    let engine = std::env::var("QL_TEST_ENGINE").unwrap_or_else(|_| "sqlite".to_owned());
    let title = format!(
        "seed {}, engine {engine}, {} bundles with up to {} entries, {} s",
        arguments.seed,
        bundles.len(),
        arguments.entries,
        begun.elapsed().as_secs()
    );
    writeln!(std::io::stdout(), "{}", tally.table(&title))?;
    Ok(tally.is_sound())
}

/// A ledger with a long run, a short one, the site's chain, and keys that were rotated.
async fn bundles(arguments: &Arguments) -> Result<(TestApp, Vec<String>)> {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let long = test.begin_run(&agent).await;
    let owner = test.member(Role::Owner).await;
    for number in 0..arguments.entries.saturating_sub(2) {
        let draft = test.draft(&agent, long, &format!("Page {number}")).await;
        if number % 100 == 0 {
            let asked = test.request_publication(&agent, long, &[draft]).await;
            test.approve(&owner, asked).await?;
        }
    }
    let short = test.begin_run(&agent).await;
    test.draft(&agent, short, "A short one").await;
    test.sequence().await;
    test.app.rotate_ledger_key(0).await?;
    let site = Subject::Site(test.home.site.id);
    let mut bundles = Vec::new();
    for subject in [Subject::Run(long), Subject::Run(short), site] {
        bundles.push(test.app.export_ledger(&owner, subject, None).await?);
    }
    Ok((test, bundles))
}

/// Runs of a few entries each, exported as soon as they are there.
async fn clean(
    arguments: &Arguments,
    test: &TestApp,
    (key, python): (&PublicKey, &mut PythonVerifier),
    tally: &mut Tally,
) -> Result<()> {
    let mut random = Random::new(arguments.seed);
    let owner = test.member(Role::Owner).await;
    for number in 0..arguments.clean {
        let run = small_run(test, &mut random, number).await?;
        if random.below(500) == 0 {
            test.sequence().await;
            test.app.rotate_ledger_key(0).await?;
        }
        let since = test.app.latest_checkpoint().await?;
        let since = since.map(|signed| signed.checkpoint.size);
        let since = since.filter(|_| random.below(2) == 0);
        let exported = test.app.export_ledger(&owner, Subject::Run(run), since);
        let bundle = exported.await.with_context(|| format!("bundle {number}"))?;
        tally.clean(key, python, &bundle);
    }
    Ok(())
}

async fn small_run(test: &TestApp, random: &mut Random, number: u64) -> Result<RunId> {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    for place in 0..random.below(6) {
        let title = format!("Run {number}, page {place}");
        let draft = test.draft(&agent, run, &title).await;
        match random.below(4) {
            0 => {
                let asked = test.request_publication(&agent, run, &[draft]).await;
                let owner = test.member(Role::Owner).await;
                test.approve(&owner, asked).await?;
            }
            1 => drop(test.request_publication(&agent, run, &[draft]).await),
            _ => {}
        }
    }
    Ok(run)
}

impl Tally {
    fn mutant(&mut self, key: &PublicKey, python: &mut PythonVerifier, mutant: &Mutant) {
        python.ask(&mutant.bundle);
        let ours = verify(&mutant.bundle, &held(key)).is_ok();
        let theirs = python.answer() != "refused";
        let counts = self.kinds.entry(mutant.kind).or_default();
        counts[0] += 1;
        counts[1] += u64::from(ours);
        counts[2] += u64::from(theirs);
    }

    fn clean(&mut self, key: &PublicKey, python: &mut PythonVerifier, bundle: &str) {
        python.ask(bundle.as_bytes());
        let ours = verify(bundle.as_bytes(), &held(key));
        let theirs = python.answer();
        self.clean[0] += 1;
        self.clean[1] += u64::from(ours.is_err());
        // Another verdict than the program's is as wrong as none.
        let same = ours.is_ok_and(|report| report.to_string() == theirs);
        self.clean[2] += u64::from(!same);
    }

    fn is_sound(&self) -> bool {
        let unseen: u64 = self
            .kinds
            .values()
            .map(|counts| counts[1] + counts[2])
            .sum();
        unseen == 0 && self.clean[1] == 0 && self.clean[2] == 0
    }

    /// A Markdown table.
    fn table(&self, title: &str) -> String {
        let mut text = format!(
            "{title}\n\n| what | tried | wrong by `querylayer ledger verify` | wrong by `verify.py` |\n|---|---|---|---|\n"
        );
        let all = self.kinds.values().fold([0; 3], |sum: [u64; 3], counts| {
            [sum[0] + counts[0], sum[1] + counts[1], sum[2] + counts[2]]
        });
        let rows = self.kinds.iter().map(|(kind, counts)| (*kind, *counts));
        let rows = rows.chain([("**all mutants**", all), ("**clean bundles**", self.clean)]);
        for (what, [tried, ours, theirs]) in rows {
            // Writing to a text can't fail.
            let _ = writeln!(text, "| {what} | {tried} | {ours} | {theirs} |");
        }
        text
    }
}

fn held(key: &PublicKey) -> Held<'static> {
    Held {
        key: Some(*key),
        checkpoint: None,
    }
}
