//! What stages make: one type for each kind of document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::attestation::Attestation;

/// A text of some length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Text(#[schemars(length(min = 1, max = 100_000))] pub String);

/// A title, a name, a label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Label(#[schemars(length(min = 1, max = 300))] pub String);

macro_rules! documents {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields)]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
        )*
    };
}

documents! {
    /// What is known of a topic.
    ResearchReport {
        /// Its title.
        title: Label,
        /// What matters, in a paragraph.
        summary: Text,
        /// The report.
        #[schemars(length(max = 100))]
        sections: Vec<Section>,
        /// What stays open.
        #[serde(default)]
        #[schemars(length(max = 100))]
        open_questions: Vec<Text>,
    }
    /// A piece with a heading.
    Section {
        /// The heading.
        heading: Label,
        /// The words.
        text: Text,
    }
    /// The passages of a topic.
    PassageDossier {
        /// The passages.
        #[schemars(length(min = 1, max = 100))]
        passages: Vec<PassageStudy>,
        /// What the role attests.
        #[serde(default)]
        #[schemars(length(max = 100))]
        attestations: Vec<Attestation>,
    }
    /// Evidence about one passage.
    PassageStudy {
        /// The passage.
        passage: Label,
        /// What kind of text it is.
        genre: Text,
        /// What stands around it.
        context: Text,
        /// When, where and for whom it was written.
        setting: Text,
        /// Where manuscripts differ.
        #[serde(default)]
        #[schemars(length(max = 100))]
        variants: Vec<Text>,
        /// Words that need explaining.
        #[serde(default)]
        #[schemars(length(max = 100))]
        words: Vec<WordNote>,
    }
    /// A note on a word.
    WordNote {
        /// The word.
        word: Label,
        /// What is known of it.
        note: Text,
    }
    /// What the passages mean.
    HermeneuticsMemo {
        /// What is held, in a paragraph.
        thesis: Text,
        /// The readings.
        #[schemars(length(min = 1, max = 100))]
        readings: Vec<Reading>,
        /// What the role attests.
        #[schemars(length(max = 100))]
        attestations: Vec<Attestation>,
    }
    /// How a passage is read.
    Reading {
        /// The passage.
        passage: Label,
        /// What it means.
        reading: Text,
        /// Why.
        rationale: Text,
        /// How else it is read, and by whom.
        #[serde(default)]
        #[schemars(length(max = 20))]
        alternatives: Vec<Text>,
    }
    /// What is spoken.
    Script {
        /// The title.
        title: Label,
        /// The first words, for which people stay.
        hook: Text,
        /// The script.
        #[schemars(length(min = 1, max = 100))]
        sections: Vec<Section>,
        /// The last words.
        #[serde(default)]
        closing: Option<Text>,
    }
    /// What is seen.
    ShotList {
        /// Shot by shot.
        #[schemars(length(min = 1, max = 1000))]
        shots: Vec<Shot>,
    }
    /// One shot.
    Shot {
        /// The section of the script, from 0.
        section: u16,
        /// How long it stands.
        seconds: u16,
        /// What is seen.
        picture: Text,
        /// Words on the screen.
        #[serde(default)]
        on_screen: Option<Text>,
    }
    /// The recording.
    VoiceTrack {
        /// The voice.
        voice: Label,
        /// What is said, piece by piece.
        #[schemars(length(min = 1, max = 1000))]
        segments: Vec<Segment>,
        /// The recording, where there is one.
        #[serde(default)]
        artifact: Option<Artifact>,
    }
    /// A spoken piece.
    Segment {
        /// The words, as the script has them.
        text: Text,
        /// How long it takes.
        seconds: u16,
    }
    /// The picture by which a video is chosen.
    Thumbnail {
        /// What is seen.
        picture: Text,
        /// The words on it.
        #[serde(default)]
        words: Option<Label>,
        /// What it shows, for those who don't see it.
        alt: Text,
        /// The picture, where there is one.
        #[serde(default)]
        artifact: Option<Artifact>,
    }
    /// A file.
    Artifact {
        /// Its SHA-256.
        #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
        sha256: String,
        /// Its length.
        bytes: u32,
        /// Its media type.
        media_type: Label,
    }
    /// How a video is found.
    Metadata {
        /// The title.
        title: Label,
        /// What it's about, with notices and qualifications.
        description: Text,
        /// Words by which it's found.
        #[serde(default)]
        #[schemars(length(max = 100))]
        tags: Vec<Label>,
        /// Where its parts begin.
        #[serde(default)]
        #[schemars(length(max = 100))]
        chapters: Vec<Chapter>,
    }
    /// Where a part begins.
    Chapter {
        /// When, from the start.
        at_seconds: u32,
        /// Its title.
        title: Label,
    }
    /// Short pieces from the script.
    Shorts {
        /// The pieces.
        #[schemars(length(min = 1, max = 50))]
        shorts: Vec<Short>,
    }
    /// A short piece.
    Short {
        /// Its title.
        title: Label,
        /// The words, as the script has them.
        text: Text,
    }
    /// What was published.
    ReleaseManifest {
        /// The digest of the sealed manifest.
        #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
        manifest_sha256: String,
        /// Where it went.
        #[schemars(length(min = 1, max = 20))]
        destinations: Vec<Label>,
    }
    /// How it was received.
    Metrics {
        /// The first day, `YYYY-MM-DD`.
        #[schemars(extend("format" = "date"))]
        from: String,
        /// The last day, `YYYY-MM-DD`.
        #[schemars(extend("format" = "date"))]
        to: String,
        /// Counts by name.
        #[schemars(length(max = 200))]
        figures: Vec<Figure>,
        /// What they suggest.
        #[serde(default)]
        #[schemars(length(max = 50))]
        ideas: Vec<Text>,
    }
    /// A count.
    Figure {
        /// Of what.
        name: Label,
        /// How many.
        value: u32,
    }
}

/// A document of any kind, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// What is known of a topic.
    ResearchReport(ResearchReport),
    /// The passages of a topic.
    PassageDossier(PassageDossier),
    /// What the passages mean.
    HermeneuticsMemo(HermeneuticsMemo),
    /// What is spoken.
    Script(Script),
    /// What is seen.
    ShotList(ShotList),
    /// The recording.
    VoiceTrack(VoiceTrack),
    /// The picture by which a video is chosen.
    Thumbnail(Thumbnail),
    /// How a video is found.
    Metadata(Metadata),
    /// Short pieces from the script.
    Shorts(Shorts),
    /// What was published.
    ReleaseManifest(ReleaseManifest),
    /// How it was received.
    Metrics(Metrics),
}

impl Output {
    /// What the document attests.
    pub fn attestations(&self) -> &[Attestation] {
        match self {
            Self::PassageDossier(dossier) => &dossier.attestations,
            Self::HermeneuticsMemo(memo) => &memo.attestations,
            Self::ResearchReport(_)
            | Self::Script(_)
            | Self::ShotList(_)
            | Self::VoiceTrack(_)
            | Self::Thumbnail(_)
            | Self::Metadata(_)
            | Self::Shorts(_)
            | Self::ReleaseManifest(_)
            | Self::Metrics(_) => &[],
        }
    }
}
