//! A script as a recording, piece by piece.

use ql_app::director::{Failure, MadeFile};
use ql_pipeline::envelope::Task;
use ql_pipeline::envelope::output::{Label, Segment, Text, VoiceTrack};

use super::files::{Files, artifact};
use super::result::script;
use super::wav::Wav;

/// What is spoken of the script, in pieces of at most so many characters that end where a sentence
/// does, or a word, wherever that is possible.
pub(super) fn pieces(task: &Task, longest: usize) -> Result<Vec<String>, Failure> {
    let none = || Failure::Permanent("the task has no script to speak".to_owned());
    let script = script(task).ok_or_else(none)?;
    let sections = script.sections.iter().map(|section| &section.text);
    let texts = std::iter::once(&script.hook)
        .chain(sections)
        .chain(&script.closing);
    let pieces: Vec<String> = texts.flat_map(|text| split(&text.0, longest)).collect();
    if pieces.is_empty() {
        Err(none())
    } else {
        Ok(pieces)
    }
}

fn split(text: &str, longest: usize) -> Vec<String> {
    let (mut pieces, mut rest) = (Vec::new(), text.trim());
    while let Some((end, _)) = rest.char_indices().nth(longest) {
        let head = &rest[..end];
        let sentence = head.rfind(['.', '!', '?', ';']).map(|at| at + 1);
        let word = head.rfind(char::is_whitespace);
        let cut = sentence.or(word).filter(|at| *at > 0).unwrap_or(end);
        pieces.push(rest[..cut].trim().to_owned());
        rest = rest[cut..].trim();
    }
    pieces.push(rest.to_owned());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// A recording on its way.
pub(super) struct Track {
    voice: String,
    segments: Vec<Segment>,
    whole: Option<Wav>,
}

impl Track {
    pub(super) fn new(voice: &str) -> Self {
        Self {
            voice: voice.to_owned(),
            segments: Vec::new(),
            whole: None,
        }
    }

    /// Adds a piece; none where it's of another form than those before it.
    pub(super) fn add(&mut self, text: &str, wav: &Wav) -> Option<()> {
        self.segments.push(Segment {
            text: Text(text.to_owned()),
            seconds: wav.seconds(),
        });
        match &mut self.whole {
            Some(whole) => whole.append(wav),
            whole @ None => {
                *whole = Some(wav.clone());
                Some(())
            }
        }
    }

    /// The document, and the file that it's about.
    pub(super) async fn finish(self, files: &Files) -> Result<(VoiceTrack, MadeFile), Failure> {
        let bytes = self.whole.and_then(|whole| whole.to_bytes());
        let too_long = || Failure::Uncertain("the recording is too long for a file".to_owned());
        let bytes = bytes.ok_or_else(too_long)?;
        let file = files.made(("voice.wav", "audio/wav"), bytes).await?;
        let track = VoiceTrack {
            voice: Label(self.voice.chars().take(300).collect()),
            segments: self.segments,
            artifact: artifact(&file),
        };
        Ok((track, file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_sentences_then_at_words_and_keeps_every_word() {
        let text = "Thomas asks. He is given a person! A very long sentence without any end";
        insta::assert_snapshot!(split(text, 24).join("\n"), @"
        Thomas asks.
        He is given a person!
        A very long sentence
        without any end
        ");
        assert_eq!(split("αβγδεζ", 4), ["αβγδ", "εζ"]);
        assert!(split("  \n ", 4).is_empty());
    }
}
