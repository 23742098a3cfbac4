//! The kinds of documents that stages make.

use serde::{Deserialize, Serialize};

/// The kind of document that a stage makes. Each has an output schema of its own.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DocKind {
    /// What is known of a topic, with its sources.
    ResearchReport,
    /// The passages of a topic: text, setting, words.
    PassageDossier,
    /// What the passages mean, with reasons and attestations.
    HermeneuticsMemo,
    /// What is spoken.
    Script,
    /// What is seen while it's spoken.
    ShotList,
    /// The spoken recording.
    VoiceTrack,
    /// The picture by which a video is chosen.
    Thumbnail,
    /// Title, description, tags and chapters.
    Metadata,
    /// Short pieces cut from the script.
    Shorts,
    /// What is published, file by file.
    ReleaseManifest,
    /// How it was received.
    Metrics,
}

impl DocKind {
    /// Every kind, in the order of the pipeline.
    pub const ALL: [Self; 11] = [
        Self::ResearchReport,
        Self::PassageDossier,
        Self::HermeneuticsMemo,
        Self::Script,
        Self::ShotList,
        Self::VoiceTrack,
        Self::Thumbnail,
        Self::Metadata,
        Self::Shorts,
        Self::ReleaseManifest,
        Self::Metrics,
    ];

    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ResearchReport => "research_report",
            Self::PassageDossier => "passage_dossier",
            Self::HermeneuticsMemo => "hermeneutics_memo",
            Self::Script => "script",
            Self::ShotList => "shot_list",
            Self::VoiceTrack => "voice_track",
            Self::Thumbnail => "thumbnail",
            Self::Metadata => "metadata",
            Self::Shorts => "shorts",
            Self::ReleaseManifest => "release_manifest",
            Self::Metrics => "metrics",
        }
    }
}
