//! What a tier's settings must be to be of use.

use std::path::PathBuf;
use std::time::Duration;

use ql_pipeline::price::Price;
use ql_pipeline::settings::Fields;
use ql_pipeline::tier::Tier;
use reqwest::Url;

use super::super::http::is_here;
use super::super::secret::Secret;
use super::{Around, Kind, LONGEST, Seat, is_model};

/// The most tokens that an answer may have.
const MOST_TOKENS: i64 = 1_000_000;
const DEFAULT_TOKENS: u32 = 16_384;
const DEFAULT_SECONDS: u32 = 300;
const DEFAULT_SIZE: &str = "1536x1024";

/// The settings of a tier as they were given.
#[derive(Default)]
pub(super) struct Given {
    model: Option<String>,
    priced_as: Option<String>,
    base_url: Option<String>,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    max_output_tokens: Option<i64>,
    timeout_seconds: Option<i64>,
    voice: Option<String>,
    size: Option<String>,
    font: Option<PathBuf>,
    json_mode: Option<bool>,
}

impl Given {
    /// Takes them all, so that what is left is unknown.
    pub(super) fn take(fields: &mut Fields<'_, '_>) -> Self {
        Self {
            model: fields.or_default("model").flatten(),
            priced_as: fields.or_default("priced_as").flatten(),
            base_url: fields.or_default("base_url").flatten(),
            key_env: fields.or_default("key_env").flatten(),
            key_file: fields.or_default("key_file").flatten(),
            max_output_tokens: fields.or_default("max_output_tokens").flatten(),
            timeout_seconds: fields.or_default("timeout_seconds").flatten(),
            voice: fields.or_default("voice").flatten(),
            size: fields.or_default("size").flatten(),
            font: fields.or_default("font").flatten(),
            json_mode: fields.or_default("json_mode").flatten(),
        }
    }
}

/// The settings of one tier on their way.
pub(super) struct Check<'c, 'f, 'i> {
    pub(super) fields: &'c mut Fields<'f, 'i>,
    pub(super) tier: Tier,
    pub(super) kind: Kind,
    pub(super) around: &'c Around<'c>,
}

impl Check<'_, '_, '_> {
    pub(super) fn seat(mut self, given: Given) -> Seat {
        self.kind_serves_tier();
        self.needless(&given);
        let base_url = self.base_url(given.base_url.as_deref());
        let key = self.key(given.key_env.as_deref(), given.key_file.as_deref());
        self.key_is_safe(base_url.as_ref(), key.is_some());
        let model = self.model(given.model);
        let priced_as = given.priced_as.as_deref().unwrap_or(self.kind.as_str());
        let price = self.price(&model, priced_as);
        let tokens = given.max_output_tokens;
        let seconds = given.timeout_seconds;
        let below = |path: PathBuf| self.around.folder.join(path);
        let font = given.font.map(below);
        let voice = given.voice.map(|voice| {
            if is_model(&voice) {
                below(PathBuf::from(&voice)).display().to_string()
            } else {
                voice
            }
        });
        let seconds = self.number("timeout_seconds", seconds, LONGEST, DEFAULT_SECONDS);
        Seat {
            kind: self.kind,
            model,
            price: price.unwrap_or_default(),
            base_url,
            key,
            max_output_tokens: self.number(
                "max_output_tokens",
                tokens,
                MOST_TOKENS,
                DEFAULT_TOKENS,
            ),
            timeout: Duration::from_secs(u64::from(seconds)),
            voice,
            size: given.size.unwrap_or_else(|| DEFAULT_SIZE.to_owned()),
            font,
            json_mode: given.json_mode.unwrap_or(true),
        }
    }

    fn kind_serves_tier(&mut self) {
        let serves = match (self.kind, self.tier) {
            (Kind::None, _) => true,
            (_, Tier::None) => false,
            (Kind::OpenAi, _) => true,
            (Kind::Anthropic, tier) => is_words(tier),
            (Kind::Local, tier) => !is_words(tier),
        };
        if !serves {
            let (kind, tier) = (self.kind.as_str(), self.tier.as_str());
            let message = match self.tier {
                Tier::None => "what publishes calls no model, so its provider is `none`".to_owned(),
                _ => format!("`{kind}` can't serve the tier `{tier}`"),
            };
            self.fields.wrong("provider", message);
        }
    }

    /// Settings that have no effect here are mistakes.
    fn needless(&mut self, given: &Given) {
        let (asks, tier) = (self.kind.asks(), self.tier);
        let is_openai = self.kind == Kind::OpenAi;
        let is_local = self.kind == Kind::Local;
        let speaks = tier == Tier::Tts && (is_openai || is_local);
        let fields = [
            ("model", given.model.is_some(), asks),
            ("priced_as", given.priced_as.is_some(), asks),
            ("base_url", given.base_url.is_some(), asks),
            ("key_env", given.key_env.is_some(), asks),
            ("key_file", given.key_file.is_some(), asks),
            (
                "max_output_tokens",
                given.max_output_tokens.is_some(),
                asks && tier != Tier::Tts,
            ),
            (
                "timeout_seconds",
                given.timeout_seconds.is_some(),
                asks || speaks,
            ),
            ("voice", given.voice.is_some(), speaks),
            (
                "size",
                given.size.is_some(),
                is_openai && tier == Tier::Image,
            ),
            (
                "font",
                given.font.is_some(),
                is_local && tier == Tier::Image,
            ),
            (
                "json_mode",
                given.json_mode.is_some(),
                is_openai && is_words(tier),
            ),
        ];
        for (name, _, _) in fields
            .into_iter()
            .filter(|(_, given, used)| *given && !used)
        {
            let kind = self.kind.as_str();
            let message = format!("`{name}` has no effect for `{kind}` on `{}`", tier.as_str());
            self.fields.wrong(name, message);
        }
    }

    fn model(&mut self, model: Option<String>) -> String {
        let model = model.unwrap_or_default();
        if self.kind.asks() && model.trim().is_empty() {
            self.fields.wrong("", "`model` is missing");
        }
        model
    }

    fn base_url(&mut self, text: Option<&str>) -> Option<Url> {
        let Ok(url) = text?.trim_end_matches('/').parse::<Url>() else {
            // Not repeated: what isn't an address may be a key in the wrong place.
            let message = "`base_url` isn't an address such as http://127.0.0.1:11434/v1";
            self.fields.wrong("base_url", message);
            return None;
        };
        let is_bare = url.username().is_empty() && url.password().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if !is_web || !is_bare || url.query().is_some() || url.fragment().is_some() {
            let message = "`base_url` is http or https with a host and a path alone; a key stands in `key_env` or `key_file`";
            self.fields.wrong("base_url", message);
            return None;
        }
        Some(url)
    }

    fn key(&mut self, variable: Option<&str>, file: Option<&std::path::Path>) -> Option<Secret> {
        let (field, source, text) = match (variable, file) {
            (None, None) => return None,
            (Some(_), Some(_)) => {
                self.fields
                    .wrong("key_file", "a key has one source: `key_env` or `key_file`");
                return None;
            }
            (Some(name), None) => {
                let text = (self.around.variable)(name);
                ("key_env", format!("the variable `{name}`"), text)
            }
            (None, Some(path)) => {
                let path = self.around.folder.join(path);
                let text = std::fs::read_to_string(&path).ok();
                ("key_file", path.display().to_string(), text)
            }
        };
        let message = match text.as_deref().map(Secret::new) {
            Some(Some(secret)) => return Some(secret),
            Some(None) => format!("{source} holds no key"),
            None if field == "key_env" => format!("{source} isn't set"),
            None => format!("{source} can't be read"),
        };
        self.fields.wrong(field, message);
        None
    }

    fn key_is_safe(&mut self, base_url: Option<&Url>, has_key: bool) {
        let in_the_clear = base_url.is_some_and(|url| url.scheme() == "http" && !is_here(url));
        if in_the_clear && has_key {
            let message = "over http anybody on the way could read the key; use https";
            self.fields.wrong("base_url", message);
        }
    }

    fn number(&mut self, name: &str, given: Option<i64>, most: i64, default: u32) -> u32 {
        let Some(given) = given else { return default };
        let fit = (1..=most)
            .contains(&given)
            .then(|| u32::try_from(given).ok());
        fit.flatten().unwrap_or_else(|| {
            self.fields
                .wrong(name, format!("`{name}` is between 1 and {most}"));
            default
        })
    }

    /// What the model costs: by tokens where it writes, by pictures or tokens where it draws, by
    /// characters where it speaks.
    fn price(&mut self, model: &str, provider: &str) -> Option<Price> {
        if !self.kind.asks() || model.trim().is_empty() {
            return None;
        }
        let price = self.around.prices.find(provider, model).copied();
        let (is_known, unit) = match (self.tier, price.unwrap_or_default()) {
            (Tier::Image, of) => (
                of.image.is_some() || of.tokens.is_some(),
                "pictures or tokens",
            ),
            (Tier::Tts, of) => (of.speech.is_some(), "characters of speech"),
            (_, of) => (of.tokens.is_some(), "tokens"),
        };
        if !is_known {
            let message = format!(
                "no price by {unit} for `{model}` of `{provider}`; add it to prices.toml, with 0 where it's known to cost nothing"
            );
            self.fields.wrong("model", message);
        }
        price
    }
}

/// Whether a tier's models answer in words.
const fn is_words(tier: Tier) -> bool {
    matches!(tier, Tier::Reasoning | Tier::Writing | Tier::Vision)
}
