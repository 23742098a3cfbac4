//! Pictures: `POST /images/generations`.

use std::time::Instant;

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ql_app::director::{Answered, Ask, Asking, Failure, Provider, Usage};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::Task;
use ql_pipeline::envelope::output::{Text, Thumbnail};
use ql_pipeline::price::Price;
use reqwest::Url;
use serde_json::{Value, json};

use super::super::files::{Files, artifact};
use super::super::http::{Asked, Endpoint};
use super::super::result::{self, Maker};
use super::super::tiers::{Kind, Seat};
use super::super::{LONGEST_MEDIA, bounded, count, parsed, prompt};

/// How much of each text goes into the words for a picture.
const LONGEST_PART: usize = 500;

/// A model that draws.
#[derive(Debug)]
pub(in super::super) struct Images {
    endpoint: Endpoint,
    model: String,
    price: Price,
    size: String,
    max_output: u32,
    /// Whether the server must be told to send bytes; newer models send nothing else and refuse to
    /// be told.
    asks_for_bytes: bool,
    files: Files,
}

impl Images {
    pub(in super::super) fn new(seat: &Seat, base: Url, files: Files) -> Result<Self> {
        let asks_for_bytes = base.as_str() != super::BASE || seat.model.starts_with("dall-e");
        Ok(Self {
            endpoint: super::endpoint(seat, base)?,
            model: seat.model.clone(),
            price: seat.price,
            size: seat.size.clone(),
            max_output: seat.max_output_tokens,
            asks_for_bytes,
            files,
        })
    }

    fn body(&self, task: &Task) -> Result<Value, Failure> {
        result::only(task, DocKind::Thumbnail)?;
        let mut body = json!({
            "model": self.model, "prompt": words(task), "size": self.size, "n": 1,
        });
        if self.asks_for_bytes {
            body["response_format"] = "b64_json".into();
        }
        Ok(body)
    }

    async fn exchange(&self, ask: Ask<'_>) -> Result<Answered, Failure> {
        let (task, began) = (prompt::task(&ask)?, Instant::now());
        let body = self.body(&task)?;
        let asked = Asked {
            path: "/images/generations",
            key: ask.key,
            body: &body,
            longest: LONGEST_MEDIA,
        };
        let reply = parsed(&self.endpoint, &self.endpoint.post(asked).await?)?;
        let no_picture = || self.endpoint.uncertain("the answer has no picture");
        let data = reply["data"][0]["b64_json"]
            .as_str()
            .ok_or_else(no_picture)?;
        let bytes = STANDARD.decode(data).map_err(|_| no_picture())?;
        let (media_type, name) = kind(&bytes).ok_or_else(no_picture)?;
        let file = self.files.made((name, media_type), bytes).await?;
        let output = Thumbnail {
            picture: Text(words(&task)),
            words: None,
            alt: Text(format!("Picture for “{}”", title(&task))),
            artifact: artifact(&file),
        };
        let usage = usage(&reply["usage"]);
        let maker = Maker {
            provider: Kind::OpenAi.as_str(),
            model: &self.model,
            usage,
            cost: self.cost(usage),
            began,
        };
        Ok(result::answered(&task, json!(output), file, maker))
    }

    /// By the picture where it has a price so, else by tokens.
    fn cost(&self, usage: Option<Usage>) -> Option<i64> {
        let by_tokens = || self.price.tokens?.cost(usage?);
        self.price.image.or_else(by_tokens)
    }
}

/// What is to be seen, in words for a model.
fn words(task: &Task) -> String {
    let short = |text: &str| text.chars().take(LONGEST_PART).collect::<String>();
    let script = result::script(task);
    let hook = script
        .map(|script| short(&script.hook.0))
        .unwrap_or_default();
    format!(
        "A still picture by which people choose a video called “{}”. What the video does: {} \
         Its first words: {hook} Show one clear scene. No letters, no words, no logos.",
        title(task),
        short(&task.objective),
    )
}

fn title(task: &Task) -> String {
    let script = result::script(task);
    script.map_or_else(
        || task.objective.chars().take(200).collect(),
        |of| of.title.0,
    )
}

fn usage(usage: &Value) -> Option<Usage> {
    Some(Usage {
        input: count(&usage["input_tokens"])?,
        output: count(&usage["output_tokens"])?,
        ..Usage::default()
    })
}

/// The media type and the name of a picture, by its first bytes.
fn kind(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    match bytes {
        _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Some(("image/png", "thumbnail.png")),
        _ if bytes.starts_with(b"\xff\xd8\xff") => Some(("image/jpeg", "thumbnail.jpg")),
        _ if is_webp => Some(("image/webp", "thumbnail.webp")),
        _ => None,
    }
}

impl Provider for Images {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        let bytes = self.body(&prompt::task(ask)?)?.to_string().len();
        let by_tokens = || self.price.tokens?.most(bytes, self.max_output);
        bounded(self.price.image.or_else(by_tokens))
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(self.exchange(ask))
    }
}
