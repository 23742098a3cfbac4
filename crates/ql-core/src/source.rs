//! Source packages: what an agent brought to write from, staged in an immutable ledger.
//!
//! Deterministic checks give every record a verdict. Staging writes nothing else: no content, no
//! revision, no proposal, no job. What becomes of a record is a member's disposition.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::hash::Digest;
use crate::id::{MemberId, RunId, SiteId, SourcePackageId};
use crate::proposal::Unknown;
use crate::time::Timestamp;

mod check;
mod instruction;
mod markup;
mod words;

pub use self::check::{Code, Examined, Finding, NewRecord, Verdict, examine};

/// The most records of one package.
pub const MAX_RECORDS: usize = 100;
/// The most bytes of all bodies of one package together; a larger one is refused.
pub const MAX_PACKAGE_BYTES: usize = 4 << 20;
/// The most bytes of one record's body; a larger one is kept and marked `oversized`.
pub const MAX_RECORD_BYTES: usize = 256 << 10;
/// How many bytes of bodies one page of a list of records gives, if one record alone isn't more.
pub const MAX_PAGE_BYTES: usize = 256 << 10;

/// A staged package, without its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePackage {
    /// Identity.
    pub id: SourcePackageId,
    /// The site.
    pub site: SiteId,
    /// What it is called.
    pub name: String,
    /// Where its records come from, in the agent's words.
    pub origin: String,
    /// Who staged it.
    pub author: Actor,
    /// The run it was staged in.
    pub run: RunId,
    /// How many records have which verdict.
    pub counts: Counts,
    /// The bytes of all bodies.
    pub bytes: i64,
    /// When it was staged.
    pub created_at: Timestamp,
    /// What a member decided about the whole of it.
    pub disposition: Disposition,
}

/// How many records of a package have which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Nothing was found.
    pub valid: i64,
    /// Something to look at was found.
    pub warning: i64,
    /// Something was found that keeps the record from being used.
    pub invalid: i64,
}

impl Counts {
    /// Counts verdicts.
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            match verdict {
                Verdict::Valid => counts.valid += 1,
                Verdict::Warning => counts.warning += 1,
                Verdict::Invalid => counts.invalid += 1,
            }
        }
        counts
    }

    /// How many records there are.
    pub const fn total(self) -> i64 {
        self.valid + self.warning + self.invalid
    }
}

/// One record of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRecord {
    /// The package.
    pub package: SourcePackageId,
    /// Its place in the package, from 0.
    pub position: i64,
    /// What the agent calls it.
    pub key: String,
    /// What the agent says it is.
    pub media_type: String,
    /// The body, as it was sent.
    pub body: String,
    /// The SHA-256 that the agent named.
    pub declared_sha256: Option<Digest>,
    /// The SHA-256 of the body's UTF-8.
    pub sha256: Digest,
    /// What the checks say of it.
    pub verdict: Verdict,
    /// What they found.
    pub findings: Vec<Finding>,
    /// What a member decided about it, by itself or with the package.
    pub disposition: Disposition,
    /// Why, in the member's words; empty while nobody decided.
    pub reason: String,
}

/// What a member decided about a package or a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// Nobody decided yet.
    Pending,
    /// It may be used.
    Accepted,
    /// It may not be used.
    Rejected,
    /// Something newer takes its place.
    Superseded,
}

impl Disposition {
    /// Every disposition.
    pub const ALL: [Self; 4] = [
        Self::Pending,
        Self::Accepted,
        Self::Rejected,
        Self::Superseded,
    ];

    /// The disposition's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Superseded => "superseded",
        }
    }
}

impl FromStr for Disposition {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Unknown::find("disposition", &Self::ALL, text, Self::as_str)
    }
}

/// One act of a member, as the ledger of dispositions keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disposal {
    /// Its number in the package, from 1.
    pub seq: i64,
    /// The record it is about; none when it is about the whole package.
    pub position: Option<i64>,
    /// What was decided.
    pub disposition: Disposition,
    /// Why.
    pub reason: String,
    /// By whom.
    pub member: MemberId,
    /// When.
    pub at: Timestamp,
}

/// Why nothing may be written from a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotUsable {
    /// The checks found something that makes it unusable.
    #[error("the checks found this record invalid; stage it again, corrected")]
    Invalid,
    /// A member rejected it.
    #[error("a member rejected this record")]
    Rejected,
    /// A member said that something newer takes its place.
    #[error("a member marked this record as superseded")]
    Superseded,
}

impl NotUsable {
    /// A stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Invalid => "record_invalid",
            Self::Rejected => "record_rejected",
            Self::Superseded => "record_superseded",
        }
    }
}

impl SourceRecord {
    /// Whether a draft may be written from it.
    pub const fn usable(&self) -> Result<(), NotUsable> {
        match (self.verdict, self.disposition) {
            (Verdict::Invalid, _) => Err(NotUsable::Invalid),
            (_, Disposition::Rejected) => Err(NotUsable::Rejected),
            (_, Disposition::Superseded) => Err(NotUsable::Superseded),
            (Verdict::Valid | Verdict::Warning, Disposition::Pending | Disposition::Accepted) => {
                Ok(())
            }
        }
    }
}

/// A record that a revision was written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The package.
    pub package: SourcePackageId,
    /// The record's place in it.
    pub position: i64,
    /// The record's key.
    pub key: String,
    /// The SHA-256 of the record's body.
    pub sha256: Digest,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invalid_rejected_or_superseded_is_not_usable() {
        let mut record = SourceRecord {
            package: SourcePackageId::mint(
                &crate::id::SystemIdGen::default(),
                Timestamp::from_micros(1),
            ),
            position: 0,
            key: "a".into(),
            media_type: "text/plain".into(),
            body: "A.".into(),
            declared_sha256: None,
            sha256: Digest::of(b"A."),
            verdict: Verdict::Valid,
            findings: Vec::new(),
            disposition: Disposition::Pending,
            reason: String::new(),
        };
        let mut lines = Vec::new();
        for verdict in Verdict::ALL {
            for disposition in Disposition::ALL {
                (record.verdict, record.disposition) = (verdict, disposition);
                let usable = record.usable().map_or_else(NotUsable::code, |()| "usable");
                let (verdict, disposition) = (verdict.as_str(), disposition.as_str());
                lines.push(format!("{verdict} {disposition}: {usable}"));
            }
        }
        insta::assert_snapshot!(lines.join("\n"), @"
        valid pending: usable
        valid accepted: usable
        valid rejected: record_rejected
        valid superseded: record_superseded
        warning pending: usable
        warning accepted: usable
        warning rejected: record_rejected
        warning superseded: record_superseded
        invalid pending: record_invalid
        invalid accepted: record_invalid
        invalid rejected: record_invalid
        invalid superseded: record_invalid
        ");
    }
}
