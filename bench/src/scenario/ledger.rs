//! What the ledger costs, and how fast a part of it is checked.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ql_app::ledger::{KeyVault as _, Sequenced};
use ql_app::session::SiteRef;
use ql_app::{App, OpContext};
use ql_core::bundle::{Held, verify};
use ql_core::ledger::Subject;
use ql_testkit::MemoryVault;
use ql_testkit::tamper::PythonVerifier;

use super::Bench;
use super::in_process::{Caller, draft, open};
use crate::load::{Measured, rate};
use crate::report::{self, Row, grouped};

/// Of the rate without places and signatures, what must be left with them.
const SHARE: f64 = 0.85;
const VERIFIED: f64 = 300_000.0;
const ENTRIES: u64 = 9_000;
const CALLERS: usize = 64;
const ROUNDS: u32 = 3;
/// How often the server looks whether an entry waits.
const LOOK: Duration = Duration::from_millis(75);
/// Where the verifier in Python lies, from the root of the repository.
const VERIFIER: &str = "docs/verifier";

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let (scratch, server) = bench.fresh("ledger")?;
    let token = server.info["token"]
        .as_str()
        .context("no token")?
        .to_owned();
    let site = server.info["site"].as_str().context("no site")?.to_owned();
    drop(server);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let vault = Arc::new(vault(&scratch.data())?);
    let app = open(&scratch.data())?.with_vault(vault.clone());
    let agent = runtime.block_on(app.authenticate_connection(&token))?;
    runtime.block_on(overhead(bench, &app, &agent))?;
    let bundle = runtime.block_on(bundle(&app, &agent, &site))?;
    app.store().close();
    speed(bench, &bundle, &vault)
}

/// The keys that the server made before it was ended, if it came to that.
fn vault(data: &Path) -> Result<MemoryVault> {
    let vault = MemoryVault::default();
    for (name, is_current) in [("ledger.key", true), ("ledger.key.next", false)] {
        let Ok(seed) = std::fs::read(data.join("keys").join(name)) else {
            continue;
        };
        vault.stage(&seed.as_slice().try_into().context("a key has 32 bytes")?)?;
        if is_current {
            vault.promote()?;
        }
    }
    Ok(vault)
}

/// Drafts with and without the work that follows their transactions, in turns.
async fn overhead(bench: &mut Bench, app: &App, agent: &OpContext) -> Result<()> {
    let mut rounds = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (signed, measured) in [false, true].into_iter().zip(&mut rounds) {
            app.sign_what_waits().await?;
            let stop = Arc::new(AtomicBool::new(!signed));
            let work = tokio::spawn(sequence(app.clone(), Arc::clone(&stop)));
            measured.push(draft(app, agent, CALLERS, bench.duration).await?);
            stop.store(true, Ordering::Relaxed);
            work.await??;
        }
    }
    let [without, with] = rounds.map(best);
    bench.rows.push(Row::reference(
        "drafts in process while no entry gets its place, 64 callers",
        report::rate(&without),
    ));
    let share = with.rate / without.rate;
    bench.rows.push(Row::goal(
        "the same while entries get their places and the tree is signed",
        format!("{}; {share:.2} of it", report::rate(&with)),
        &format!("≥ {SHARE} of it"),
        share >= SHARE,
    ));
    Ok(())
}

/// The fastest of several rounds: others are slower for reasons of the machine.
fn best(rounds: Vec<Measured>) -> Measured {
    let by_rate = |a: &Measured, b: &Measured| a.rate.total_cmp(&b.rate);
    rounds
        .into_iter()
        .max_by(by_rate)
        .expect("a round was measured")
}

/// What the server does beside its requests.
async fn sequence(app: App, stop: Arc<AtomicBool>) -> Result<()> {
    while !stop.load(Ordering::Relaxed) {
        while let Sequenced::Appended { .. } = app.sequence().await? {}
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// A run of many entries, exported.
async fn bundle(app: &App, agent: &OpContext, site: &str) -> Result<String> {
    let caller = Caller::begin(app, agent).await?;
    for number in 0..ENTRIES {
        caller.draft(number).await?;
    }
    let (operator, _) = app.operator_site_context(0, &SiteRef::parse(site)).await?;
    let run = Subject::Run(caller.run);
    Ok(app.export_ledger(&operator, run, None).await?)
}

fn speed(bench: &mut Bench, bundle: &str, vault: &MemoryVault) -> Result<()> {
    let key = vault.key().public();
    let held = Held {
        key: Some(key),
        checkpoint: None,
    };
    let (begun, mut entries) = (Instant::now(), 0);
    while begun.elapsed() < bench.duration {
        entries += verify(bundle.as_bytes(), &held)?.entries;
    }
    let measured = rate(entries, begun.elapsed())?;
    bench.rows.push(Row::goal(
        "verify a bundle of 9,001 entries, one core",
        format!("{} entries/s", grouped(measured)),
        &format!("≥ {}/s", grouped(VERIFIED)),
        measured >= VERIFIED,
    ));
    let mut python = PythonVerifier::start(Path::new(VERIFIER), &key);
    let begun = Instant::now();
    python.ask(bundle.as_bytes());
    python.answer();
    let measured = rate(usize::try_from(ENTRIES)?, begun.elapsed())?;
    bench.rows.push(Row::reference(
        "the same with `verify.py`, its start included",
        format!("{} entries/s", grouped(measured)),
    ));
    Ok(())
}
