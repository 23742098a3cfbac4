//! What people read or hear of a document, piece by piece.

use crate::envelope::Output;
use crate::envelope::output::{
    HermeneuticsMemo, PassageDossier, ResearchReport, Script, Section, Text,
};

/// One text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece<'o> {
    /// A JSON pointer into the result.
    pub(super) pointer: String,
    /// The words.
    pub(super) text: &'o str,
}

struct Pieces<'o>(Vec<Piece<'o>>);

impl<'o> Pieces<'o> {
    fn add(&mut self, path: &str, text: &'o str) {
        self.0.push(Piece {
            pointer: format!("/output/{path}"),
            text,
        });
    }

    fn maybe(&mut self, path: &str, text: Option<&'o Text>) {
        if let Some(text) = text {
            self.add(path, &text.0);
        }
    }
}

/// Every text of a document.
pub(super) fn of(output: &Output) -> Vec<Piece<'_>> {
    let mut pieces = Pieces(Vec::new());
    match output {
        Output::ResearchReport(report) => pieces.report(report),
        Output::PassageDossier(dossier) => pieces.dossier(dossier),
        Output::HermeneuticsMemo(memo) => pieces.memo(memo),
        Output::Script(script) => pieces.script(script),
        Output::ShotList(list) => {
            for (index, shot) in list.shots.iter().enumerate() {
                pieces.maybe(&format!("shots/{index}/on_screen"), shot.on_screen.as_ref());
            }
        }
        Output::VoiceTrack(track) => {
            for (index, segment) in track.segments.iter().enumerate() {
                pieces.add(&format!("segments/{index}/text"), &segment.text.0);
            }
        }
        Output::Thumbnail(picture) => {
            if let Some(words) = &picture.words {
                pieces.add("words", &words.0);
            }
            pieces.add("alt", &picture.alt.0);
        }
        Output::Metadata(metadata) => {
            pieces.add("title", &metadata.title.0);
            pieces.add("description", &metadata.description.0);
            for (index, chapter) in metadata.chapters.iter().enumerate() {
                pieces.add(&format!("chapters/{index}/title"), &chapter.title.0);
            }
        }
        Output::Shorts(shorts) => {
            for (index, short) in shorts.shorts.iter().enumerate() {
                pieces.add(&format!("shorts/{index}/title"), &short.title.0);
                pieces.add(&format!("shorts/{index}/text"), &short.text.0);
            }
        }
        Output::ReleaseManifest(_) | Output::Metrics(_) => {}
    }
    pieces.0
}

impl<'o> Pieces<'o> {
    fn sections(&mut self, sections: &'o [Section]) {
        for (index, section) in sections.iter().enumerate() {
            self.add(&format!("sections/{index}/heading"), &section.heading.0);
            self.add(&format!("sections/{index}/text"), &section.text.0);
        }
    }

    fn report(&mut self, report: &'o ResearchReport) {
        self.add("title", &report.title.0);
        self.add("summary", &report.summary.0);
        self.sections(&report.sections);
        for (index, question) in report.open_questions.iter().enumerate() {
            self.add(&format!("open_questions/{index}"), &question.0);
        }
    }

    fn dossier(&mut self, dossier: &'o PassageDossier) {
        for (index, study) in dossier.passages.iter().enumerate() {
            let at = |field: &str| format!("passages/{index}/{field}");
            self.add(&at("passage"), &study.passage.0);
            self.add(&at("genre"), &study.genre.0);
            self.add(&at("context"), &study.context.0);
            self.add(&at("setting"), &study.setting.0);
            for (variant, text) in study.variants.iter().enumerate() {
                self.add(&at(&format!("variants/{variant}")), &text.0);
            }
            for (word, note) in study.words.iter().enumerate() {
                self.add(&at(&format!("words/{word}/note")), &note.note.0);
            }
        }
    }

    fn memo(&mut self, memo: &'o HermeneuticsMemo) {
        self.add("thesis", &memo.thesis.0);
        for (index, reading) in memo.readings.iter().enumerate() {
            let at = |field: &str| format!("readings/{index}/{field}");
            self.add(&at("passage"), &reading.passage.0);
            self.add(&at("reading"), &reading.reading.0);
            self.add(&at("rationale"), &reading.rationale.0);
            for (other, text) in reading.alternatives.iter().enumerate() {
                self.add(&at(&format!("alternatives/{other}")), &text.0);
            }
        }
    }

    fn script(&mut self, script: &'o Script) {
        self.add("title", &script.title.0);
        self.add("hook", &script.hook.0);
        self.sections(&script.sections);
        self.maybe("closing", script.closing.as_ref());
    }
}

/// What is spoken of a script, in order; headings aren't.
pub(super) fn spoken(script: &Script) -> impl Iterator<Item = &str> {
    let sections = script
        .sections
        .iter()
        .map(|section| section.text.0.as_str());
    std::iter::once(script.hook.0.as_str())
        .chain(sections)
        .chain(script.closing.iter().map(|closing| closing.0.as_str()))
}

/// The words of a text, in lower case and without punctuation.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| {
            word.trim_matches(['\'', '’'])
                .replace('’', "'")
                .to_lowercase()
        })
        .filter(|word| !word.is_empty())
}

/// Whether `text` has the words of `part` in a row.
pub(super) fn has_words(text: &str, part: &str) -> bool {
    let text: Vec<String> = words(text).collect();
    let part: Vec<String> = words(part).collect();
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}
