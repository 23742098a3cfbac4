//! JSON over HTTP to a provider, and what each way of failing means for what was paid.

use std::error::Error as _;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::body::Bytes;
use ql_app::director::Failure;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use serde_json::Value;

use super::secret::Secret;
use crate::trust;

const USER_AGENT: &str = concat!("QueryLayer/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How much of a refusal is read, and how many characters of its message are told.
const LONGEST_REFUSAL: usize = 64 << 10;
const LONGEST_MESSAGE: usize = 300;

/// A provider's address, with what opens it.
pub(super) struct Endpoint {
    client: Client,
    base: Url,
    headers: HeaderMap,
    secret: Option<Secret>,
    timeout: Duration,
}

/// Where requests go, and with what.
pub(super) struct Access {
    pub(super) base: Url,
    pub(super) headers: HeaderMap,
    pub(super) secret: Option<Secret>,
    pub(super) timeout: Duration,
}

/// One request.
pub(super) struct Asked<'a> {
    pub(super) path: &'a str,
    /// What names the request, so that a provider which knows it can tell a second one.
    pub(super) key: &'a str,
    pub(super) body: &'a Value,
    /// The most bytes of an answer.
    pub(super) longest: usize,
}

impl Endpoint {
    /// An address. Nothing is followed elsewhere, and each request has a connection of its own, so
    /// that what failed before it was sent is known to be that.
    pub(super) fn new(access: Access) -> Result<Self> {
        let mut client = trust::http()?
            .user_agent(USER_AGENT)
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIME)
            .pool_max_idle_per_host(0)
            .retry(reqwest::retry::never());
        if is_here(&access.base) {
            client = client.no_proxy();
        }
        Ok(Self {
            client: client.build().context("HTTP can't be set up")?,
            base: access.base,
            headers: access.headers,
            secret: access.secret,
            timeout: access.timeout,
        })
    }

    /// Asks, and waits for the whole answer.
    pub(super) async fn post(&self, asked: Asked<'_>) -> Result<Bytes, Failure> {
        let limit = self.timeout;
        let exchange = tokio::time::timeout(limit, self.exchange(asked));
        exchange.await.unwrap_or_else(|_| {
            let seconds = limit.as_secs();
            Err(self.uncertain(&format!("no whole answer came within {seconds} s")))
        })
    }

    async fn exchange(&self, asked: Asked<'_>) -> Result<Bytes, Failure> {
        let base = self.base.as_str().trim_end_matches('/');
        let request = self
            .client
            .post(format!("{base}{}", asked.path))
            .headers(self.headers.clone())
            .header("idempotency-key", asked.key)
            .json(asked.body);
        let response = request.send().await.map_err(|error| self.broken(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status == StatusCode::OK {
            return self.body(response, asked.longest).await;
        }
        let body = self.body(response, LONGEST_REFUSAL).await;
        Err(self.refused(status, &headers, &body.unwrap_or_default()))
    }

    /// The body, whose bytes are paid for by now.
    async fn body(&self, mut response: Response, longest: usize) -> Result<Bytes, Failure> {
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(body.into()),
                Err(_) => return Err(self.uncertain("the answer broke off")),
            }
            if body.len() > longest {
                let why = format!("the answer has more than {longest} bytes");
                return Err(self.uncertain(&why));
            }
        }
    }

    /// What became of a request that got no answer at all.
    fn broken(&self, error: &reqwest::Error) -> Failure {
        if !error.is_connect() {
            return self.uncertain("the connection broke before an answer came");
        }
        // The innermost cause says why, and nothing was sent yet that it could repeat.
        let mut cause = error.source();
        while let Some(inner) = cause.and_then(std::error::Error::source) {
            cause = Some(inner);
        }
        let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
        Failure::transient(self.told(&format!("can't be reached{cause}")))
    }

    /// What a refusal means: whether it passes, and whether anything can have been paid.
    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
        let error: Value = serde_json::from_slice(body).unwrap_or_default();
        let why = self.told(&format!("{}{}", status.as_u16(), self.reason(&error)));
        let is_spent = error["error"]["code"] == "insufficient_quota";
        match status.as_u16() {
            429 if is_spent => Failure::Permanent(why),
            429 | 503 | 529 => Failure::Transient {
                why,
                retry_after: retry_after(headers),
            },
            300..=499 if status != StatusCode::REQUEST_TIMEOUT => Failure::Permanent(why),
            _ => Failure::Uncertain(why),
        }
    }

    /// What a refusal says of itself, unless it repeats the key.
    fn reason(&self, error: &Value) -> String {
        let error = &error["error"];
        let named = [&error["type"], &error["code"]];
        let named = named
            .into_iter()
            .find_map(Value::as_str)
            .unwrap_or_default();
        let message = error["message"]
            .as_str()
            .or(error.as_str())
            .unwrap_or_default();
        let message: String = message.chars().take(LONGEST_MESSAGE).collect();
        let parts = [named, &message].map(|part| match &self.secret {
            Some(secret) if secret.is_repeated_in(part) => "[left out, since it repeats the key]",
            _ => part,
        });
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let parts: Vec<&str> = std::iter::once("").chain(parts).collect();
        parts.join(", ")
    }

    /// Asked, and nobody knows whether that is paid for.
    pub(super) fn uncertain(&self, why: &str) -> Failure {
        Failure::Uncertain(self.told(why))
    }

    fn told(&self, what: &str) -> String {
        format!("{}: {what}", self.base.host_str().unwrap_or_default())
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Endpoint({})", self.base)
    }
}

/// Whether an address is within this machine.
pub(super) fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// How long a provider asks to be left alone, in seconds or in the milliseconds that some give.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| -> Option<f64> {
        let value: &HeaderValue = headers.get(name)?;
        value.to_str().ok()?.trim().parse().ok()
    };
    let milliseconds = number("retry-after-ms").map(|after| after / 1000.0);
    let seconds = milliseconds.or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}
