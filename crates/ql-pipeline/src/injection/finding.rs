//! What the detector says.

use serde::Serialize;

/// What a passage asks for, as a code of the audit's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The text speaks to the machine that reads it, or hides that it does.
    InjectionSuspected,
    /// The text asks for instructions, secrets or personal data.
    ExfiltrationRequest,
    /// The text asks to call a tool, run a command, delete something or give rights.
    CommandRequest,
}

impl Code {
    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InjectionSuspected => "INJECTION_SUSPECTED",
            Self::ExfiltrationRequest => "EXFILTRATION_REQUEST",
            Self::CommandRequest => "COMMAND_REQUEST",
        }
    }
}

/// The kind of attack that a passage resembles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Earlier instructions are taken away, or new ones announced.
    Override,
    /// The data pretends to have ended, or to be another voice.
    ContextTermination,
    /// A persona or a mode that has no limits.
    Jailbreak,
    /// Somebody is said to have approved, or to be in charge.
    Authority,
    /// The machine that reads is spoken to.
    Addressed,
    /// Words are to stand in the answer or stay in the memory.
    Planting,
    /// Instructions, secrets or personal data are asked for.
    Exfiltration,
    /// A tool, a command, a deletion or a right is asked for.
    Command,
    /// Text that a person who looks doesn't see.
    HiddenText,
    /// Text that has to be decoded.
    EncodedText,
    /// Letters of one script in the place of those of another.
    Homoglyphs,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 11] = [
        Self::Override,
        Self::ContextTermination,
        Self::Jailbreak,
        Self::Authority,
        Self::Addressed,
        Self::Planting,
        Self::Exfiltration,
        Self::Command,
        Self::HiddenText,
        Self::EncodedText,
        Self::Homoglyphs,
    ];

    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::ContextTermination => "context_termination",
            Self::Jailbreak => "jailbreak",
            Self::Authority => "authority",
            Self::Addressed => "addressed",
            Self::Planting => "planting",
            Self::Exfiltration => "exfiltration",
            Self::Command => "command",
            Self::HiddenText => "hidden_text",
            Self::EncodedText => "encoded_text",
            Self::Homoglyphs => "homoglyphs",
        }
    }

    /// The family of that name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.as_str() == name)
    }
}

/// Where in a text something was found, or what had to be undone to find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// As a person reads it.
    PlainText,
    /// In an HTML comment.
    HtmlComment,
    /// In an element that isn't shown.
    HiddenElement,
    /// In an attribute's value, such as `alt`, or in `<meta>` and `<title>`.
    Metadata,
    /// Behind base64 or base32.
    Base64,
    /// Behind hexadecimal digits.
    Hexadecimal,
    /// Behind percent encoding.
    Percent,
    /// Behind character references or escapes, such as `&#105;` or `\u0069`.
    Escapes,
    /// Behind groups of zeros and ones.
    Binary,
    /// Behind decimal character codes.
    Decimal,
    /// Behind Morse code.
    Morse,
    /// Behind letters moved along the alphabet, such as ROT13, or mirrored in it.
    ShiftedLetters,
    /// Written backwards.
    Reversed,
    /// Letters with something between each.
    SpacedLetters,
    /// Words without anything between them.
    JoinedWords,
    /// Figures in the place of letters.
    Leetspeak,
    /// Words with characters inside that aren't seen.
    InvisibleCharacters,
    /// Tag characters or variation selectors, which aren't seen at all.
    TagCharacters,
    /// Letters that look like others.
    HomoglyphFolded,
}

/// One passage that the detector points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it asks for.
    pub code: Code,
    /// What it resembles.
    pub family: Family,
    /// Where it was found.
    pub layer: Layer,
    /// Where it begins, in bytes of the text as given.
    pub start: usize,
    /// The byte after its end. Of decoded text, the span is that of its encoded form.
    pub end: usize,
    /// What it does, in a few words.
    pub explanation: &'static str,
}
