//! The checks that give a record its verdict: each a small function of the record alone, but for
//! what it repeats of the records before it.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::words::line_at;
use super::{MAX_RECORD_BYTES, instruction, markup};
use crate::hash::Digest;
use crate::proposal::Unknown;

/// What the checks say of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing was found.
    Valid,
    /// Something to look at was found.
    Warning,
    /// Something was found that keeps the record from being used.
    Invalid,
}

impl Verdict {
    /// Every verdict, the best first.
    pub const ALL: [Self; 3] = [Self::Valid, Self::Warning, Self::Invalid];

    /// The verdict's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Warning => "warning",
            Self::Invalid => "invalid",
        }
    }
}

impl FromStr for Verdict {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("verdict", &Self::ALL, text, Self::as_str)
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $verdict:ident, $words:literal;)*) => {
        /// What a check can find.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code's text.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What finding it makes of a record.
            pub const fn verdict(self) -> Verdict {
                match self { $(Self::$name => Verdict::$verdict,)* }
            }

            /// What was found, in words.
            pub const fn describe(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }
        }
    };
}

codes! {
    /// The body isn't what its checksum says.
    ChecksumMismatch = "checksum_mismatch", Invalid, "The body doesn't have the SHA-256 that was named for it.";
    /// No checksum was named.
    ChecksumMissing = "checksum_missing", Warning, "No SHA-256 was named for it, so nothing shows that it arrived whole.";
    /// There is nothing in it.
    Empty = "empty", Invalid, "The body is empty.";
    /// An earlier record has the key.
    DuplicateKey = "duplicate_key", Invalid, "An earlier record of the package has the same key.";
    /// An earlier record has the body.
    DuplicateBody = "duplicate_body", Warning, "An earlier record of the package has the same body.";
    /// The body is too long.
    Oversized = "oversized", Invalid, "The body has more than 262,144 bytes.";
    /// The media type isn't one of those that are checked.
    UnknownMediaType = "unknown_media_type", Invalid, "The media type isn't one that can be checked as text.";
    /// The text was made of bytes that aren't UTF-8.
    InvalidUtf8 = "invalid_utf8", Invalid, "The text has U+FFFD, which stands where bytes weren't UTF-8.";
    /// It says to be JSON and isn't.
    MalformedJson = "malformed_json", Invalid, "The body isn't JSON, as its media type says.";
    /// It is nested deeper than anybody reads.
    NestedTooDeep = "nested_too_deep", Invalid, "The JSON is nested more than 64 levels deep.";
    /// A cell would be computed by a spreadsheet.
    FormulaCell = "formula_cell", Warning, "A cell begins as a formula does; a spreadsheet would compute it.";
    /// Markup would run or load something.
    ActiveMarkup = "active_markup", Warning, "The body has markup that would run or load something.";
    /// It speaks to a model.
    InstructionLikeText = "instruction_like_text", Warning, "The text speaks to a model as instructions do.";
    /// It has characters that people don't see.
    ControlCharacters = "control_characters", Warning, "The text has control or invisible characters.";
}

impl FromStr for Code {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("code", Self::ALL, text, Self::as_str)
    }
}

/// One thing that a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What.
    pub code: Code,
    /// The line of the body, from 1, where it is in one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A record as an agent sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRecord {
    /// What the agent calls it.
    pub key: String,
    /// What the agent says it is.
    pub media_type: String,
    /// The body.
    pub body: String,
    /// The SHA-256 that the agent names for the body.
    pub sha256: Option<Digest>,
}

/// What the checks say of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The SHA-256 of the body's UTF-8.
    pub sha256: Digest,
    /// The verdict: the gravest that a finding makes.
    pub verdict: Verdict,
    /// What was found, in the order of [`Code`].
    pub findings: Vec<Finding>,
}

type Check = fn(&NewRecord) -> Option<Finding>;

/// The checks that look at one record alone.
const CHECKS: [Check; 9] = [
    empty,
    oversized,
    unknown_media_type,
    invalid_utf8,
    json,
    formula_cell,
    active_markup,
    instruction_like_text,
    control_characters,
];

/// Examines the records of a package, in their order.
pub fn examine(records: &[NewRecord]) -> Vec<Examined> {
    let (mut keys, mut bodies) = (HashMap::new(), HashMap::new());
    let mut examined = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let sha256 = Digest::of(record.body.as_bytes());
        let mut findings: Vec<Finding> = checksum(record, &sha256).into_iter().collect();
        if *keys.entry(record.key.as_str()).or_insert(index) != index {
            findings.push(Finding::anywhere(Code::DuplicateKey));
        }
        if !record.body.is_empty() && *bodies.entry(sha256).or_insert(index) != index {
            findings.push(Finding::anywhere(Code::DuplicateBody));
        }
        findings.extend(CHECKS.iter().filter_map(|check| check(record)));
        findings.sort_by_key(|finding| finding.code);
        let gravest = findings.iter().map(|finding| finding.code.verdict()).max();
        examined.push(Examined {
            sha256,
            verdict: gravest.unwrap_or(Verdict::Valid),
            findings,
        });
    }
    examined
}

impl Finding {
    const fn anywhere(code: Code) -> Self {
        Self { code, line: None }
    }

    fn at(code: Code, text: &str, byte: usize) -> Self {
        Self {
            code,
            line: Some(line_at(text, byte)),
        }
    }
}

fn checksum(record: &NewRecord, found: &Digest) -> Option<Finding> {
    match &record.sha256 {
        None => Some(Finding::anywhere(Code::ChecksumMissing)),
        Some(named) if named != found => Some(Finding::anywhere(Code::ChecksumMismatch)),
        Some(_) => None,
    }
}

fn empty(record: &NewRecord) -> Option<Finding> {
    let empty = record.body.trim().is_empty();
    empty.then_some(Finding::anywhere(Code::Empty))
}

fn oversized(record: &NewRecord) -> Option<Finding> {
    (record.body.len() > MAX_RECORD_BYTES).then_some(Finding::anywhere(Code::Oversized))
}

/// The media types whose bodies are text that the checks can read.
const MEDIA_TYPES: &[&str] = &[
    "text/plain",
    "text/markdown",
    "text/html",
    "text/csv",
    "text/tab-separated-values",
    "text/xml",
    "application/xml",
    "application/xhtml+xml",
    "image/svg+xml",
    "application/json",
    "application/ld+json",
];

/// The media type without its parameters.
fn essence(record: &NewRecord) -> String {
    let essence = record.media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

fn unknown_media_type(record: &NewRecord) -> Option<Finding> {
    let known = MEDIA_TYPES.contains(&essence(record).as_str());
    (!known).then_some(Finding::anywhere(Code::UnknownMediaType))
}

fn invalid_utf8(record: &NewRecord) -> Option<Finding> {
    let at = record.body.find('\u{FFFD}')?;
    Some(Finding::at(Code::InvalidUtf8, &record.body, at))
}

/// How deep JSON may be nested.
const DEPTH: usize = 64;

fn json(record: &NewRecord) -> Option<Finding> {
    let essence = essence(record);
    if !(essence == "application/json" || essence.ends_with("+json")) {
        return None;
    }
    if let Some(at) = too_deep(&record.body) {
        return Some(Finding::at(Code::NestedTooDeep, &record.body, at));
    }
    let error = serde_json::from_str::<serde::de::IgnoredAny>(&record.body).err()?;
    Some(Finding {
        code: Code::MalformedJson,
        line: u32::try_from(error.line()).ok().filter(|line| *line > 0),
    })
}

/// The byte at which JSON goes deeper than [`DEPTH`].
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return Some(at);
        }
    }
    None
}

fn formula_cell(record: &NewRecord) -> Option<Finding> {
    let separator = match essence(record).as_str() {
        "text/csv" => ',',
        "text/tab-separated-values" => '\t',
        _ => return None,
    };
    let formula = |cell: &str| {
        let cell = cell.trim_start_matches([' ', '"']);
        let mut characters = cell.chars();
        match characters.next() {
            Some('=' | '@') => true,
            Some('+' | '-') => cell.trim_end_matches('"').parse::<f64>().is_err(),
            Some(_) | None => false,
        }
    };
    let line = (record.body.lines()).position(|line| line.split(separator).any(formula))?;
    Some(Finding {
        code: Code::FormulaCell,
        line: u32::try_from(line + 1).ok(),
    })
}

fn active_markup(record: &NewRecord) -> Option<Finding> {
    let at = markup::find(&record.body)?;
    Some(Finding::at(Code::ActiveMarkup, &record.body, at))
}

fn instruction_like_text(record: &NewRecord) -> Option<Finding> {
    let at = instruction::find(&record.body)?;
    Some(Finding::at(Code::InstructionLikeText, &record.body, at))
}

fn control_characters(record: &NewRecord) -> Option<Finding> {
    let unseen = |(at, character): &(usize, char)| match character {
        '\t' | '\n' | '\r' => false,
        // A byte order mark is lawful where a text begins.
        '\u{FEFF}' => *at > 0,
        // What changes the direction, takes no room, or spells in tags.
        '\u{200B}'
        | '\u{2060}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}'
        | '\u{E0000}'..='\u{E007F}' => true,
        other => other.is_control(),
    };
    let (at, _) = record.body.char_indices().find(unseen)?;
    Some(Finding::at(Code::ControlCharacters, &record.body, at))
}
