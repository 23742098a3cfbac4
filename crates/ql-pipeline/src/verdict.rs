//! What a result is worth.

use serde::{Deserialize, Serialize};

/// What a result is worth, from worst to best. An agent claims one; the engine only lowers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[derive(schemars::JsonSchema)]
pub enum Verdict {
    /// Not of this task, policy or constitution.
    Rejected,
    /// A reviewer found that it fails a rule.
    Conflict,
    /// A blocking finding is open, or a required attestation is missing.
    Blocked,
    /// A person or the role that the policy names must look at it.
    NeedsReview,
    /// A quotation couldn't be verified.
    DraftUnverified,
    /// Every quotation is what it claims to be.
    ScriptureVerified,
    /// Every required rule is attested, some with a qualification that must be shown.
    TheologyVerifiedWithQualifications,
    /// Every required rule is attested.
    TheologyVerified,
}

impl Verdict {
    /// Every verdict, from worst to best.
    pub const ALL: [Self; 8] = [
        Self::Rejected,
        Self::Conflict,
        Self::Blocked,
        Self::NeedsReview,
        Self::DraftUnverified,
        Self::ScriptureVerified,
        Self::TheologyVerifiedWithQualifications,
        Self::TheologyVerified,
    ];

    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "REJECTED",
            Self::Conflict => "CONFLICT",
            Self::Blocked => "BLOCKED",
            Self::NeedsReview => "NEEDS_REVIEW",
            Self::DraftUnverified => "DRAFT_UNVERIFIED",
            Self::ScriptureVerified => "SCRIPTURE_VERIFIED",
            Self::TheologyVerifiedWithQualifications => "THEOLOGY_VERIFIED_WITH_QUALIFICATIONS",
            Self::TheologyVerified => "THEOLOGY_VERIFIED",
        }
    }

    /// The verdict of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == name)
    }
}
