//! `tiers.toml`: who serves each tier.

mod check;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ql_pipeline::price::{Price, Prices};
use ql_pipeline::settings::{self, Fields, Unusable};
use ql_pipeline::tier::Tier;
use reqwest::Url;

use super::secret::Secret;

/// The file, as problems name it.
const FILE: &str = "tiers.toml";
/// A director's lease on a stage outlives every request by as much again.
const LONGEST: i64 = 570;

/// Whose dialect is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// OpenAI's, as many servers do.
    OpenAi,
    /// Anthropic's.
    Anthropic,
    /// None: this machine does the work without a model.
    Local,
    /// None: nobody does the work.
    None,
}

impl Kind {
    /// The name in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Local => "local",
            Self::None => "none",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let all = [Self::OpenAi, Self::Anthropic, Self::Local, Self::None];
        all.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether a model is asked.
    const fn asks(self) -> bool {
        matches!(self, Self::OpenAi | Self::Anthropic)
    }
}

/// Who serves a tier.
#[derive(Debug, Clone)]
pub struct Seat {
    /// Whose dialect is spoken.
    pub kind: Kind,
    /// The model; empty where none is asked.
    pub model: String,
    /// What it costs.
    pub price: Price,
    /// The address; the provider's own where there is none.
    pub base_url: Option<Url>,
    /// The key.
    pub key: Option<Secret>,
    /// The most tokens of an answer.
    pub max_output_tokens: u32,
    /// How long an answer may take.
    pub timeout: Duration,
    /// The voice that speaks.
    pub voice: Option<String>,
    /// The size of pictures.
    pub size: String,
    /// A font for the words on pictures.
    pub font: Option<PathBuf>,
    /// Whether the server is told to answer in JSON.
    pub json_mode: bool,
}

/// What settings are checked against.
pub struct Around<'a> {
    /// The prices.
    pub prices: &'a Prices,
    /// The value of a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The folder that relative paths are below.
    pub folder: &'a Path,
}

/// Reads who serves each tier; one that isn't named is served by nobody.
///
/// # Errors
/// Everything that is wrong, with its line.
pub fn read(text: &str, around: &Around<'_>) -> Result<BTreeMap<Tier, Seat>, Unusable> {
    settings::read(FILE, text, |fields| {
        let mut seats = BTreeMap::new();
        for tier in Tier::ALL {
            if !fields.has(tier.as_str()) {
                continue;
            }
            let seat = fields.inner(tier.as_str(), |fields| seat(fields, tier, around));
            seats.extend(seat.map(|seat| (tier, seat)));
        }
        seats
    })
}

fn seat(fields: &mut Fields<'_, '_>, tier: Tier, around: &Around<'_>) -> Option<Seat> {
    let kind = fields
        .words("provider")
        .map(|name| (Kind::named(&name), name));
    let given = check::Given::take(fields);
    let kind = match kind? {
        (Some(kind), _) => kind,
        (None, name) => {
            let message = format!("`{name}` is no provider: openai, anthropic, local or none");
            fields.wrong("provider", message);
            return None;
        }
    };
    let check = check::Check {
        fields,
        tier,
        kind,
        around,
    };
    Some(check.seat(given))
}

/// Whether a voice is the file of a model that Piper speaks with.
pub(super) fn is_model(voice: &str) -> bool {
    Path::new(voice)
        .extension()
        .is_some_and(|end| end == "onnx")
}
