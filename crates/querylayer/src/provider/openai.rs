//! The dialect of OpenAI, which many servers speak: text here, pictures and speech beside it.

mod images;
mod speech;

use anyhow::Result;
use ql_app::director::{Answered, Ask, Asking, Failure, Provider, Usage};
use ql_pipeline::price::Rates;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

use super::http::{Access, Asked, Endpoint};
use super::tiers::Seat;
use super::{LONGEST_TEXT, answered, count, parsed, prompt};

pub(super) use images::Images;
pub(super) use speech::Speech;

/// Where the provider itself is.
pub(super) const BASE: &str = "https://api.openai.com/v1";

fn endpoint(seat: &Seat, base: Url) -> Result<Endpoint> {
    let mut headers = HeaderMap::new();
    if let Some(key) = seat.key.as_ref().and_then(|key| key.header("Bearer ")) {
        headers.insert(AUTHORIZATION, key);
    }
    Endpoint::new(Access {
        base,
        headers,
        secret: seat.key.clone(),
        timeout: seat.timeout,
    })
}

/// A model that writes.
#[derive(Debug)]
pub(super) struct Chat {
    endpoint: Endpoint,
    model: String,
    rates: Rates,
    max_output: u32,
    /// The field that bounds the answer: the provider's own models refuse the older one, other
    /// servers may not know the newer.
    bound: &'static str,
    json_mode: bool,
}

impl Chat {
    pub(super) fn new(seat: &Seat, base: Url, rates: Rates) -> Result<Self> {
        let bound = if base.as_str() == BASE {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        Ok(Self {
            endpoint: endpoint(seat, base)?,
            model: seat.model.clone(),
            rates,
            max_output: seat.max_output_tokens,
            bound,
            json_mode: seat.json_mode,
        })
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Value, Failure> {
        let prompt = prompt::of(ask)?;
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
        });
        body[self.bound] = self.max_output.into();
        if self.json_mode {
            body["response_format"] = json!({"type": "json_object"});
        }
        Ok(body)
    }

    async fn exchange(&self, ask: Ask<'_>) -> Result<Answered, Failure> {
        let body = self.body(&ask)?;
        let asked = Asked {
            path: "/chat/completions",
            key: ask.key,
            body: &body,
            longest: LONGEST_TEXT,
        };
        let reply = parsed(&self.endpoint, &self.endpoint.post(asked).await?)?;
        let message = reply["choices"][0]["message"].as_object();
        let message =
            message.ok_or_else(|| self.endpoint.uncertain("the answer has no message"))?;
        // A model that declines says so elsewhere and leaves its content empty.
        let text = message.get("content").and_then(Value::as_str);
        Ok(answered(
            (
                text.unwrap_or_default().to_owned(),
                &reply["model"],
                &self.model,
            ),
            usage(&reply["usage"]),
            &self.rates,
        ))
    }
}

/// What was read and written; here `prompt_tokens` counts what was read from a cache or written to
/// one too.
fn usage(usage: &Value) -> Option<Usage> {
    let details = &usage["prompt_tokens_details"];
    let cached = count(&details["cached_tokens"]).unwrap_or(0);
    let cache_write = count(&details["cache_write_tokens"]).unwrap_or(0);
    let input = count(&usage["prompt_tokens"])?.checked_sub(cached)?;
    let input = input.checked_sub(cache_write).filter(|input| *input >= 0)?;
    Some(Usage {
        input,
        cached,
        cache_write,
        output: count(&usage["completion_tokens"])?,
    })
}

impl Provider for Chat {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        let bytes = self.body(ask)?.to_string().len();
        super::bounded(self.rates.most(bytes, self.max_output))
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(self.exchange(ask))
    }
}
