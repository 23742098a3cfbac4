//! What keeps a pack from being used, and where it stands.

use std::fmt;

use serde::Serialize;

/// What is wrong, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A file that every pack has isn't there.
    MissingFile,
    /// A file that no pack has.
    UnexpectedFile,
    /// A path that was given twice.
    DuplicateFile,
    /// Bytes that aren't text.
    NotUtf8,
    /// More bytes than a file or a pack may have.
    TooLarge,
    /// Text that isn't TOML.
    Syntax,
    /// A field that the table doesn't have.
    UnknownField,
    /// A field or a text that is missing.
    Required,
    /// A value that the field can't have.
    Value,
    /// A name that isn't an identifier.
    Id,
    /// Something that stands there twice.
    Duplicate,
    /// A role that isn't in the pack.
    UnknownRole,
    /// A rule that isn't in the pack.
    UnknownRule,
    /// A stage that isn't in the pack.
    UnknownStage,
    /// Stages that wait for each other.
    Cycle,
    /// A stage that no production comes to.
    Unreachable,
    /// A stage that publishes what nobody and nothing let through.
    Ungated,
    /// A stage of an agent that makes nothing.
    NoDocument,
    /// A stage that makes a document and isn't an agent's.
    DocumentOfNoAgent,
    /// More than one role that publishes.
    Publishers,
    /// A role that publishes with a model or reads untrusted material.
    PublisherNotBare,
    /// A role that reads untrusted material and private data, and publishes.
    RuleOfTwo,
    /// A rule that has to be attested and that no role attests.
    NobodyAttests,
    /// A role that attests what the engine decides.
    NotAttestable,
    /// A role that may say of a rule that it doesn't apply, and doesn't attest it.
    NotItsRule,
    /// A rule that no role can have attested by the time it is required.
    AttestedTooLate,
    /// A passage that doesn't exist or can't be read.
    Reference,
    /// Terms of a translation that can't be applied.
    UnfitGrant,
}

/// One thing that keeps a pack from being used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file, by its path in the pack.
    pub file: String,
    /// The line of the file, from 1, where one can be told.
    pub line: Option<usize>,
    /// A JSON pointer (RFC 6901) to the place in the file's table; empty for the whole.
    pub pointer: String,
    /// What is wrong, for programs.
    pub code: Code,
    /// What is wrong and what to do, for people.
    pub message: String,
}

/// The problem with its place: `roles.toml, line 4: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Everything that keeps a pack from being used, file by file from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What there is to mend; never empty.
    pub problems: Vec<Problem>,
}

impl std::error::Error for Unfit {}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.problems.len();
        write!(f, "the pack isn't fit for use; {number} to mend")?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

/// The problems that were found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// Adds one at a place of a file; its line is found later.
    pub(crate) fn add(&mut self, at: &At<'_>, code: Code, message: impl Into<String>) {
        self.0.push(Problem {
            file: at.file.to_owned(),
            line: at.line,
            pointer: at.pointer.clone(),
            code,
            message: message.into(),
        });
    }

    /// All of them.
    pub(crate) fn into_vec(self) -> Vec<Problem> {
        self.0
    }
}

/// A place in a file.
#[derive(Clone, Debug)]
pub(crate) struct At<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// The pointer.
    pub(crate) pointer: String,
    /// The line, where it is known already.
    pub(crate) line: Option<usize>,
}

impl<'a> At<'a> {
    /// A whole file.
    pub(crate) const fn file(file: &'a str) -> Self {
        Self {
            file,
            pointer: String::new(),
            line: None,
        }
    }

    /// A place within this one.
    pub(crate) fn within(&self, step: impl fmt::Display) -> Self {
        Self {
            file: self.file,
            pointer: format!("{}/{step}", self.pointer),
            line: None,
        }
    }

    /// The same place, where its line is known.
    pub(crate) fn on_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }
}
