//! Who does the work of roles that the server plays itself: one provider for each tier (seed, §7).
//!
//! Which model serves a tier is the operator's in `tiers.toml`, what it costs is `prices.toml`'s; a
//! server doesn't start on a tier whose price nobody knows.

mod anthropic;
pub mod files;
mod http;
mod local;
mod openai;
mod prompt;
mod result;
mod secret;
pub mod tiers;
mod track;
mod wav;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result};
use ql_app::director::{Answered, Ask, Asking, Failure, Nobody, Provider, Usage};
use ql_core::canon;
use ql_core::hash::Digest;
use ql_pipeline::price::{Price, Prices, Rates};
use ql_pipeline::tier::Tier;
use reqwest::Url;
use serde_json::{Value, json};

use self::files::Files;
use self::http::Endpoint;
use self::tiers::{Kind, Seat};

/// The most bytes of an answer in words, and of one that holds a picture or speech.
const LONGEST_TEXT: usize = 16 << 20;
const LONGEST_MEDIA: usize = 64 << 20;

/// What a server takes from its environment for its providers.
pub struct Surroundings<'e> {
    /// The value of a variable.
    pub variable: &'e dyn Fn(&str) -> Option<String>,
    /// Where programs are looked for.
    pub path: OsString,
}

/// The providers of a server, by tier.
pub struct Providers {
    tiers: BTreeMap<Tier, Box<dyn Provider>>,
    sha256: Digest,
}

/// The providers that two files of settings name, with keys from this process's environment. What
/// they make is kept below `files`.
///
/// # Errors
/// A file that can't be read, or everything that is wrong in one.
pub fn load(tiers: &Path, prices: &Path, files: &Path) -> Result<Providers> {
    let surroundings = Surroundings {
        variable: &|name| std::env::var(name).ok(),
        path: std::env::var_os("PATH").unwrap_or_default(),
    };
    load_in(&surroundings, tiers, prices, files)
}

/// The same in other surroundings.
///
/// # Errors
/// As [`load`].
pub fn load_in(
    surroundings: &Surroundings<'_>,
    tiers: &Path,
    prices: &Path,
    files: &Path,
) -> Result<Providers> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
    };
    let (tiers_text, prices_text) = (read(tiers)?, read(prices)?);
    let prices = Prices::read(&prices_text).with_context(|| prices.display().to_string())?;
    let folder = tiers.parent().unwrap_or(Path::new(""));
    let around = tiers::Around {
        prices: &prices,
        variable: surroundings.variable,
        folder,
    };
    let seats = tiers::read(&tiers_text, &around).with_context(|| tiers.display().to_string())?;
    let files = Files::new(files);
    let mut providers: BTreeMap<Tier, Box<dyn Provider>> = BTreeMap::new();
    for (tier, seat) in &seats {
        providers.insert(*tier, provider(*tier, seat, &files, &surroundings.path)?);
    }
    let configuration = json!({
        "tiers_sha256": Digest::of(tiers_text.as_bytes()), "prices_sha256": prices.sha256,
    });
    Ok(Providers {
        tiers: providers,
        sha256: canon::digest(&configuration),
    })
}

/// The provider that a seat of a tier describes.
fn provider(tier: Tier, seat: &Seat, files: &Files, path: &OsString) -> Result<Box<dyn Provider>> {
    let base = |own: &str| -> Result<Url> {
        Ok(match &seat.base_url {
            Some(url) => url.clone(),
            None => own.parse()?,
        })
    };
    let Price { tokens, .. } = seat.price;
    let rates = tokens.context("a price by tokens was looked for before");
    Ok(match (seat.kind, tier) {
        (Kind::OpenAi, Tier::Image) => Box::new(openai::Images::new(
            seat,
            base(openai::BASE)?,
            files.clone(),
        )?),
        (Kind::OpenAi, Tier::Tts) => Box::new(openai::Speech::new(
            seat,
            base(openai::BASE)?,
            files.clone(),
        )?),
        (Kind::OpenAi, _) => Box::new(openai::Chat::new(seat, base(openai::BASE)?, rates?)?),
        (Kind::Anthropic, _) => Box::new(anthropic::Messages::new(
            seat,
            base(anthropic::BASE)?,
            rates?,
        )?),
        (Kind::Local, Tier::Tts) => Box::new(local::Speech::new(seat, path, files.clone())),
        (Kind::Local, _) => Box::new(local::Pictures::new(seat, files.clone())?),
        (Kind::None, _) => Box::new(Nobody),
    })
}

impl Providers {
    fn of(&self, tier: Tier) -> &dyn Provider {
        self.tiers.get(&tier).map_or(&Nobody, |of| &**of)
    }
}

impl Provider for Providers {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        self.of(ask.tier).most(ask)
    }

    fn configuration(&self) -> Option<Digest> {
        Some(self.sha256)
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        self.of(ask.tier).ask(ask)
    }
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tiers: Vec<&str> = self.tiers.keys().map(|tier| tier.as_str()).collect();
        f.debug_struct("Providers")
            .field("tiers", &tiers)
            .finish_non_exhaustive()
    }
}

/// An answer as JSON. One that isn't was paid for all the same.
fn parsed(endpoint: &Endpoint, body: &[u8]) -> Result<Value, Failure> {
    let parsed = serde_json::from_slice(body);
    parsed.map_err(|_| endpoint.uncertain("the answer isn't JSON"))
}

/// A count of tokens; none where there is no such number.
fn count(value: &Value) -> Option<i64> {
    value.as_i64().filter(|count| *count >= 0)
}

/// An answer in words, with what it cost: nothing where nothing ever costs, unknown where the
/// provider doesn't say what was read and written.
fn answered(
    (text, said, asked): (String, &Value, &str),
    usage: Option<Usage>,
    rates: &Rates,
) -> Answered {
    let cost = usage.and_then(|usage| rates.cost(usage));
    Answered {
        text,
        model: said.as_str().unwrap_or(asked).to_owned(),
        usage,
        cost: cost.or(rates.is_free().then_some(0)),
        files: Vec::new(),
    }
}

/// The most that something may cost, where it isn't beyond all money.
fn bounded(most: Option<i64>) -> Result<i64, Failure> {
    most.ok_or_else(|| Failure::Permanent("what it may cost is beyond all budgets".to_owned()))
}
