//! Anthropic's dialect: `POST /v1/messages`.

use anyhow::Result;
use ql_app::director::{Answered, Ask, Asking, Failure, Provider, Usage};
use ql_pipeline::price::Rates;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::http::{Access, Asked, Endpoint};
use super::tiers::Seat;
use super::{LONGEST_TEXT, answered, count, parsed, prompt};

/// Where the provider itself is.
pub(super) const BASE: &str = "https://api.anthropic.com/v1";
const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// A model that writes.
#[derive(Debug)]
pub(super) struct Messages {
    endpoint: Endpoint,
    model: String,
    rates: Rates,
    max_output: u32,
}

impl Messages {
    pub(super) fn new(seat: &Seat, base: Url, rates: Rates) -> Result<Self> {
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", VERSION);
        if let Some(key) = seat.key.as_ref().and_then(|key| key.header("")) {
            headers.insert("x-api-key", key);
        }
        let access = Access {
            base,
            headers,
            secret: seat.key.clone(),
            timeout: seat.timeout,
        };
        Ok(Self {
            endpoint: Endpoint::new(access)?,
            model: seat.model.clone(),
            rates,
            max_output: seat.max_output_tokens,
        })
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Value, Failure> {
        let prompt = prompt::of(ask)?;
        Ok(json!({
            "model": self.model,
            "max_tokens": self.max_output,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
        }))
    }

    async fn exchange(&self, ask: Ask<'_>) -> Result<Answered, Failure> {
        let body = self.body(&ask)?;
        let asked = Asked {
            path: "/messages",
            key: ask.key,
            body: &body,
            longest: LONGEST_TEXT,
        };
        let reply = parsed(&self.endpoint, &self.endpoint.post(asked).await?)?;
        let blocks = reply["content"].as_array();
        let blocks = blocks.ok_or_else(|| self.endpoint.uncertain("the answer has no content"))?;
        let text = blocks.iter().filter_map(|block| block["text"].as_str());
        Ok(answered(
            (text.collect(), &reply["model"], &self.model),
            usage(&reply["usage"]),
            &self.rates,
        ))
    }
}

/// What was read and written; here `input_tokens` counts neither kind of cached ones.
fn usage(usage: &Value) -> Option<Usage> {
    Some(Usage {
        input: count(&usage["input_tokens"])?,
        cached: count(&usage["cache_read_input_tokens"]).unwrap_or(0),
        cache_write: count(&usage["cache_creation_input_tokens"]).unwrap_or(0),
        output: count(&usage["output_tokens"])?,
    })
}

impl Provider for Messages {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        let bytes = self.body(ask)?.to_string().len();
        super::bounded(self.rates.most(bytes, self.max_output))
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(self.exchange(ask))
    }
}
