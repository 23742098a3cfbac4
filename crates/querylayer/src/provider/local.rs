//! What needs no model: a picture with the title on it, and a synthetic voice.

mod lettering;
mod program;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use ql_app::director::{Answered, Ask, Asking, Failure, Provider};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::output::{Label, Text, Thumbnail};
use resvg::{tiny_skia, usvg};
use serde_json::json;

use self::lettering::Font;
use self::program::Program;
use super::files::{Files, artifact};
use super::prompt;
use super::result::{self, Maker};
use super::tiers::{Kind, Seat, is_model};
use super::track::{Track, pieces};
use super::wav::Wav;

/// The picture without its words: `{{words}}` stands where they go.
const TEMPLATE: &str = include_str!("local/thumbnail.svg");
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 720;

/// Draws the title of the script.
pub(super) struct Pictures {
    font: Arc<Font>,
    files: Files,
}

impl Pictures {
    pub(super) fn new(seat: &Seat, files: Files) -> Result<Self> {
        let font = match &seat.font {
            None => Font::own(),
            Some(path) => {
                let bytes = std::fs::read(path);
                let bytes = bytes.with_context(|| format!("{} can't be read", path.display()))?;
                Font::parse(bytes).with_context(|| format!("{} isn't a font", path.display()))?
            }
        };
        Ok(Self {
            font: Arc::new(font),
            files,
        })
    }

    async fn draw(&self, ask: &Ask<'_>) -> Result<Answered, Failure> {
        let (task, began) = (prompt::task(ask)?, Instant::now());
        result::only(&task, DocKind::Thumbnail)?;
        let none =
            || Failure::Permanent("the task has no script whose title could be drawn".into());
        let title = result::script(&task).ok_or_else(none)?.title;
        let (font, words) = (Arc::clone(&self.font), title.0.clone());
        let drawn = tokio::task::spawn_blocking(move || drawn(&font, &words)).await;
        let png = drawn.unwrap_or_else(|_| Err("the thumbnail can't be drawn".to_owned()));
        let png = png.map_err(Failure::Permanent)?;
        let file = self.files.made(("thumbnail.png", "image/png"), png).await?;
        let output = Thumbnail {
            picture: Text("The title in white on a dark ground, with a light line.".to_owned()),
            words: Some(Label(title.0.clone())),
            alt: Text(title.0),
            artifact: artifact(&file),
        };
        let maker = maker("thumbnail template", began);
        Ok(result::answered(&task, json!(output), file, maker))
    }
}

fn maker(model: &str, began: Instant) -> Maker<'_> {
    Maker {
        provider: Kind::Local.as_str(),
        model,
        usage: None,
        cost: Some(0),
        began,
    }
}

/// Words on the template as PNG. The drawing is ours, so nothing outside it is looked up.
fn drawn(font: &Font, words: &str) -> Result<Vec<u8>, String> {
    let svg = TEMPLATE.replace("{{words}}", &font.lettering(words)?);
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default());
    let tree = tree.map_err(|error| format!("the thumbnail can't be drawn: {error}"))?;
    let mut map = tiny_skia::Pixmap::new(WIDTH, HEIGHT).ok_or("the thumbnail has no size")?;
    resvg::render(&tree, tiny_skia::Transform::default(), &mut map.as_mut());
    let png = map.encode_png();
    png.map_err(|error| format!("the thumbnail can't be kept as PNG: {error}"))
}

impl Provider for Pictures {
    fn most(&self, _: &Ask<'_>) -> Result<i64, Failure> {
        Ok(0)
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(async move { self.draw(&ask).await })
    }
}

/// Speaks the script with a program of this machine.
pub(super) struct Speech {
    voice: Option<String>,
    path: OsString,
    timeout: Duration,
    files: Files,
}

impl Speech {
    pub(super) fn new(seat: &Seat, path: &OsString, files: Files) -> Self {
        Self {
            voice: seat.voice.clone(),
            path: path.clone(),
            timeout: seat.timeout,
            files,
        }
    }

    /// The program that speaks: Piper where the voice is one of its models, else `espeak-ng`.
    fn program(&self) -> Result<Program, Failure> {
        let model = self.voice.as_deref().filter(|voice| is_model(voice));
        let (name, arguments, remedy) = match model {
            Some(model) => (
                "piper",
                vec!["--model", model, "--output_file", "-"],
                "install Piper, or name a voice of espeak-ng",
            ),
            None => (
                "espeak-ng",
                vec![
                    "-v",
                    self.voice.as_deref().unwrap_or("en"),
                    "--stdin",
                    "--stdout",
                ],
                "install espeak-ng, or Piper with a `voice` that is the path of its .onnx model",
            ),
        };
        let at = std::env::split_paths(&self.path).map(|folder: PathBuf| folder.join(name));
        let at = at.into_iter().find(|path| path.is_file()).ok_or_else(|| {
            Failure::Permanent(format!("{name} isn't installed on the server; {remedy}"))
        })?;
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        let path = self.path.clone();
        Ok(Program {
            name,
            at,
            arguments,
            path,
        })
    }

    async fn speak(&self, ask: Ask<'_>) -> Result<Answered, Failure> {
        let (task, began) = (prompt::task(&ask)?, Instant::now());
        result::only(&task, DocKind::VoiceTrack)?;
        let program = self.program()?;
        let mut track = Track::new(self.voice.as_deref().unwrap_or(program.name));
        for piece in pieces(&task, usize::MAX)? {
            // A new line would begin another recording.
            let line: Vec<&str> = piece.split_whitespace().collect();
            let bytes = program
                .run(&line.join(" "))
                .await
                .map_err(Failure::Permanent)?;
            let failed =
                || Failure::Permanent(format!("{} gave no recording in WAV", program.name));
            let wav = Wav::parse(&bytes).ok_or_else(failed)?;
            track.add(&piece, &wav).ok_or_else(failed)?;
        }
        let (output, file) = track.finish(&self.files).await?;
        let maker = maker(program.name, began);
        Ok(result::answered(&task, json!(output), file, maker))
    }
}

impl Provider for Speech {
    fn most(&self, _: &Ask<'_>) -> Result<i64, Failure> {
        Ok(0)
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        Box::pin(async move {
            let seconds = self.timeout.as_secs();
            let late =
                || Failure::Permanent(format!("the script wasn't spoken within {seconds} s"));
            let speaking = tokio::time::timeout(self.timeout, self.speak(ask));
            speaking.await.unwrap_or_else(|_| Err(late()))
        })
    }
}
