//! Speech: `POST /audio/speech`, piece by piece, since a request speaks a few thousand characters.

use std::time::Instant;

use anyhow::Result;
use ql_app::director::{Answered, Ask, Asking, Failure, Provider};
use ql_pipeline::document::DocKind;
use ql_pipeline::price::Price;
use reqwest::Url;
use serde_json::json;

use super::super::files::Files;
use super::super::http::{Asked, Endpoint};
use super::super::result::{self, Maker};
use super::super::tiers::{Kind, Seat};
use super::super::track::{Track, pieces};
use super::super::wav::Wav;
use super::super::{LONGEST_MEDIA, bounded, prompt};

/// The most characters of one request.
const LONGEST_PIECE: usize = 4000;
const DEFAULT_VOICE: &str = "alloy";

/// A model that speaks.
#[derive(Debug)]
pub(in super::super) struct Speech {
    endpoint: Endpoint,
    model: String,
    voice: String,
    price: Price,
    files: Files,
    timeout: std::time::Duration,
}

impl Speech {
    pub(in super::super) fn new(seat: &Seat, base: Url, files: Files) -> Result<Self> {
        let voice = seat.voice.as_deref().unwrap_or(DEFAULT_VOICE);
        Ok(Self {
            endpoint: super::endpoint(seat, base)?,
            model: seat.model.clone(),
            voice: voice.to_owned(),
            price: seat.price,
            files,
            timeout: seat.timeout,
        })
    }

    fn pieces(ask: &Ask<'_>) -> Result<Vec<String>, Failure> {
        let task = prompt::task(ask)?;
        result::only(&task, DocKind::VoiceTrack)?;
        pieces(&task, LONGEST_PIECE)
    }

    fn cost(&self, pieces: &[String]) -> Option<i64> {
        let characters = pieces.iter().map(|piece| piece.chars().count());
        self.price.spoken(characters.sum())
    }

    async fn exchange(&self, ask: Ask<'_>) -> Result<Answered, Failure> {
        let (task, pieces, began) = (prompt::task(&ask)?, Self::pieces(&ask)?, Instant::now());
        let mut track = Track::new(&self.voice);
        for (number, piece) in pieces.iter().enumerate() {
            let wav = self.speak(&ask, (number, piece)).await;
            // From the second on, something was paid, whatever became of the others.
            let wav = wav.map_err(|failure| match failure {
                Failure::Transient { why, .. } | Failure::Permanent(why) if number > 0 => {
                    let all = pieces.len();
                    Failure::Uncertain(format!("piece {} of {all}: {why}", number + 1))
                }
                failure => failure,
            })?;
            let other_form = || self.endpoint.uncertain("the pieces are of different forms");
            track.add(piece, &wav).ok_or_else(other_form)?;
        }
        let (output, file) = track.finish(&self.files).await?;
        let maker = Maker {
            provider: Kind::OpenAi.as_str(),
            model: &self.model,
            usage: None,
            cost: self.cost(&pieces),
            began,
        };
        Ok(result::answered(&task, json!(output), file, maker))
    }

    async fn speak(&self, ask: &Ask<'_>, (number, piece): (usize, &str)) -> Result<Wav, Failure> {
        let body = json!({
            "model": self.model, "voice": self.voice, "input": piece, "response_format": "wav",
        });
        let asked = Asked {
            path: "/audio/speech",
            key: &format!("{}:{number}", ask.key),
            body: &body,
            longest: LONGEST_MEDIA,
        };
        let bytes = self.endpoint.post(asked).await?;
        Wav::parse(&bytes).ok_or_else(|| self.endpoint.uncertain("the answer isn't WAV"))
    }
}

impl Provider for Speech {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        bounded(self.cost(&Self::pieces(ask)?))
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(async move {
            // The time of a tier is that of the whole recording.
            let speaking = tokio::time::timeout(self.timeout, self.exchange(ask)).await;
            speaking
                .unwrap_or_else(|_| Err(self.endpoint.uncertain("no whole recording came in time")))
        })
    }
}
