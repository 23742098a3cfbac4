//! The person of the story: signs in with a link, looks and decides over the API of the dashboard.

use anyhow::{Context as _, Result, bail};
use reqwest::header::{CONTENT_TYPE, COOKIE, ETAG, SET_COOKIE};
use reqwest::{Client, StatusCode, redirect};
use serde_json::{Value, json};

use crate::trust;

/// A signed-in member.
pub(super) struct Person {
    http: Client,
    url: String,
    cookie: String,
    csrf: String,
}

/// What the public sees at an address.
pub(super) struct Seen {
    pub(super) status: StatusCode,
    pub(super) etag: Option<String>,
    pub(super) body: Value,
}

impl Person {
    /// Opens a session with a one-time link.
    pub(super) async fn sign_in(url: &str, link: &str) -> Result<Self> {
        let http = trust::http()?.redirect(redirect::Policy::none()).build()?;
        let landing = http.get(link).send().await?;
        let cookie = landing
            .headers()
            .get(SET_COOKIE)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split(';').next())
            .context("the sign-in link opened no session")?
            .to_owned();
        let mut person = Self {
            http,
            url: url.to_owned(),
            cookie,
            csrf: String::new(),
        };
        let session = person.get("/session").await?;
        let csrf = session["csrf_token"].as_str();
        csrf.context("the session has no csrf_token")?
            .clone_into(&mut person.csrf);
        Ok(person)
    }

    /// Reads from the API.
    pub(super) async fn get(&self, path: &str) -> Result<Value> {
        let request = self
            .http
            .get(format!("{}/api/v1{path}", self.url))
            .header(COOKIE, &self.cookie);
        answer(request.send().await?).await
    }

    /// Changes something over the API.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let request = self
            .http
            .post(format!("{}/api/v1{path}", self.url))
            .header(COOKIE, &self.cookie)
            .header("x-csrf-token", &self.csrf)
            .json(body);
        answer(request.send().await?).await
    }

    /// Sets something over the API.
    pub(super) async fn put(&self, path: &str, body: &Value) -> Result<Value> {
        let request = self
            .http
            .put(format!("{}/api/v1{path}", self.url))
            .header(COOKIE, &self.cookie)
            .header("x-csrf-token", &self.csrf)
            .json(body);
        answer(request.send().await?).await
    }

    /// Sends a body of some media type to the API.
    pub(super) async fn send(&self, path: &str, media: &str, body: String) -> Result<Value> {
        let request = self
            .http
            .post(format!("{}/api/v1{path}", self.url))
            .header(COOKIE, &self.cookie)
            .header("x-csrf-token", &self.csrf)
            .header(CONTENT_TYPE, media)
            .body(body);
        answer(request.send().await?).await
    }

    /// The token of a form, as a visitor's browser fetches it.
    pub(super) async fn form_token(&self, site: &str, form: &str) -> Result<String> {
        let address = format!("{}/forms/{site}/{form}/token", self.url);
        let told = answer(self.http.get(address).send().await?).await?;
        let token = told["token"].as_str().context("the form has no token")?;
        Ok(token.to_owned())
    }

    /// Sends a form as a visitor does, without any credential.
    pub(super) async fn send_form(
        &self,
        site: &str,
        form: &str,
        post: &Value,
    ) -> Result<(StatusCode, Value)> {
        let address = format!("{}/forms/{site}/{form}", self.url);
        let sent = self.http.post(address).json(post).send().await?;
        Ok((sent.status(), sent.json().await?))
    }

    /// Approves exactly what a proposal shows.
    pub(super) async fn approve(&self, proposal: &str) -> Result<Value> {
        let shown = self.get(&format!("/proposals/{proposal}")).await?;
        let decision =
            json!({"decision": "approve", "digest": shown["digest"], "comment": "As shown."});
        self.post(&format!("/proposals/{proposal}/decisions"), &decision)
            .await
    }

    /// Reads a page as the public does, without any credential.
    pub(super) async fn visit(&self, site: &str, slug: &str) -> Result<Seen> {
        let answer = self
            .http
            .get(format!(
                "{}/delivery/v1/sites/{site}/items/{slug}",
                self.url
            ))
            .send()
            .await?;
        let etag = answer
            .headers()
            .get(ETAG)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let status = answer.status();
        Ok(Seen {
            status,
            etag,
            body: answer.json().await.unwrap_or(Value::Null),
        })
    }
}

async fn answer(response: reqwest::Response) -> Result<Value> {
    let (status, url) = (response.status(), response.url().path().to_owned());
    let text = response.text().await?;
    if !status.is_success() {
        bail!("{url} answered {status}: {text}");
    }
    Ok(serde_json::from_str(&text)?)
}
