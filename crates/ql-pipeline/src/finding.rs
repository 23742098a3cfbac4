//! What was found in a result, with its evidence.

use ql_core::canon;
use ql_core::hash::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::verdict::Verdict;

/// The version of the engine's rules. It changes whenever the same input may give other findings.
pub const ENGINE: &str = "1";

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// For the record.
    Info,
    /// Somebody should look.
    Warning,
    /// It must be mended, or waived where that is possible.
    Blocking,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $ceiling:expr, $severity:ident, $waivable:literal;)*) => {
        /// What was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name for programs.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The best verdict that a result can have while such a finding stands; none where it
            /// changes nothing.
            pub const fn ceiling(self) -> Option<Verdict> {
                match self { $(Self::$name => $ceiling,)* }
            }

            /// How much it weighs.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Whether a person may waive it. What the server knows for certain can't be waived.
            pub const fn is_waivable(self) -> bool {
                match self { $(Self::$name => $waivable,)* }
            }
        }
    };
}

codes! {
    /// The result names another constitution than its task.
    ConstitutionHashMismatch = "CONSTITUTION_HASH_MISMATCH", Some(Verdict::Rejected), Blocking, false;
    /// The result names another policy pack than its task.
    PolicyPackHashMismatch = "POLICY_PACK_HASH_MISMATCH", Some(Verdict::Rejected), Blocking, false;
    /// What would go out isn't what the gate sealed.
    ArtifactChangedAfterGate = "ARTIFACT_CHANGED_AFTER_GATE", Some(Verdict::Rejected), Blocking, false;
    /// A reviewer says that a rule isn't kept.
    AttestationFailed = "ATTESTATION_FAILED", Some(Verdict::Conflict), Blocking, false;
    /// A required rule isn't attested.
    AttestationMissing = "ATTESTATION_MISSING", Some(Verdict::Blocked), Blocking, true;
    /// Somebody attests what isn't theirs to attest. It doesn't count.
    AttestationUnauthorized = "ATTESTATION_UNAUTHORIZED", Some(Verdict::NeedsReview), Warning, true;
    /// A claim without a source (seed, §2 rule 2).
    HistoricalClaimUnverified = "HISTORICAL_CLAIM_UNVERIFIED", Some(Verdict::Blocked), Blocking, true;
    /// A source is cited that nobody retrieved.
    CitedSourceNotRetrieved = "CITED_SOURCE_NOT_RETRIEVED", Some(Verdict::NeedsReview), Warning, true;
    /// The words aren't the passage's.
    ScriptureQuoteMismatch = "SCRIPTURE_QUOTE_MISMATCH", Some(Verdict::DraftUnverified), Blocking, false;
    /// The reference can't be read, or names no verse that exists.
    ScriptureReferenceInvalid = "SCRIPTURE_REFERENCE_INVALID", Some(Verdict::DraftUnverified), Blocking, false;
    /// The edition doesn't have the verse.
    ScriptureVerseAbsentInEdition = "SCRIPTURE_VERSE_ABSENT_IN_EDITION", Some(Verdict::DraftUnverified), Blocking, false;
    /// The words stand elsewhere in the edition.
    QuoteReferenceMismatch = "QUOTE_REFERENCE_MISMATCH", Some(Verdict::DraftUnverified), Blocking, false;
    /// The words are those of another edition.
    QuoteTranslationMismatch = "QUOTE_TRANSLATION_MISMATCH", Some(Verdict::DraftUnverified), Blocking, false;
    /// The words of an edition, without being declared as a quotation.
    UndeclaredScriptureQuote = "UNDECLARED_SCRIPTURE_QUOTE", Some(Verdict::DraftUnverified), Blocking, true;
    /// Words in quotation marks beside a reference that no edition has.
    ParaphraseAsQuote = "PARAPHRASE_AS_QUOTE", Some(Verdict::DraftUnverified), Blocking, false;
    /// The reference means different verses in different numberings.
    VersificationAmbiguous = "VERSIFICATION_AMBIGUOUS", Some(Verdict::DraftUnverified), Blocking, true;
    /// The policy doesn't allow the translation.
    TranslationNotLicensed = "TRANSLATION_NOT_LICENSED", Some(Verdict::Blocked), Blocking, false;
    /// More of a translation is quoted than its terms allow.
    TranslationQuotaExceeded = "TRANSLATION_QUOTA_EXCEEDED", Some(Verdict::Blocked), Blocking, false;
    /// The notice that a translation's terms ask for is missing.
    CopyrightNoticeMissing = "COPYRIGHT_NOTICE_MISSING", Some(Verdict::Blocked), Blocking, false;
    /// A disputed passage is treated without saying what is uncertain (seed, §2 rule 4).
    OverconfidentDisputedPassage = "OVERCONFIDENT_DISPUTED_PASSAGE", Some(Verdict::NeedsReview), Warning, true;
    /// A doctrine is cited that the policy doesn't have.
    DoctrineUnknown = "DOCTRINE_UNKNOWN", Some(Verdict::Blocked), Blocking, true;
    /// A role interprets that may not.
    ExegesisUnauthorized = "EXEGESIS_UNAUTHORIZED", Some(Verdict::Blocked), Blocking, true;
    /// An agent says that its own quotation is verified (seed, §2 rule 1).
    AgentSelfVerified = "AGENT_SELF_VERIFIED", Some(Verdict::DraftUnverified), Warning, true;
    /// A reviewer's qualification isn't shown where people read it.
    QualificationNotShown = "QUALIFICATION_NOT_SHOWN", Some(Verdict::Blocked), Blocking, false;
    /// A piece made from the script says what the script doesn't.
    DerivativeUnfaithful = "DERIVATIVE_UNFAITHFUL", Some(Verdict::Blocked), Blocking, true;
    /// The result isn't what its schema asks for, also after a repair.
    SchemaViolation = "SCHEMA_VIOLATION", Some(Verdict::NeedsReview), Blocking, false;
    /// More was spent than the task may cost.
    BudgetExceeded = "BUDGET_EXCEEDED", Some(Verdict::Blocked), Blocking, true;
    /// Nobody knows what was spent.
    CostUnknown = "COST_UNKNOWN", Some(Verdict::NeedsReview), Warning, true;
    /// The agent states another cost than what was measured.
    CostMisstated = "COST_MISSTATED", None, Info, true;
    /// Material tells its reader what to do.
    InjectionSuspected = "INJECTION_SUSPECTED", Some(Verdict::NeedsReview), Warning, true;
    /// Material asks for secrets or for data to be sent away.
    ExfiltrationRequest = "EXFILTRATION_REQUEST", Some(Verdict::NeedsReview), Warning, true;
    /// Material asks for commands to be run.
    CommandRequest = "COMMAND_REQUEST", Some(Verdict::NeedsReview), Warning, true;
    /// The status that was claimed is above what the result is worth (seed, §2 rule 3).
    StatusDowngraded = "STATUS_DOWNGRADED", None, Info, true;
}

impl Code {
    /// The code of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found.
    pub code: Code,
    /// A JSON pointer (RFC 6901) into the result, empty for the whole.
    pub pointer: String,
    /// The policy's rule, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What was expected and what was found, in words.
    pub message: String,
    /// For programs: what was expected and found, differences, the hash of the edition.
    pub evidence: Value,
}

impl Finding {
    /// A finding at `pointer`.
    pub fn new(code: Code, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            pointer: pointer.into(),
            rule: None,
            message: message.into(),
            evidence: Value::Null,
        }
    }

    /// The same with its evidence.
    #[must_use]
    pub fn with(mut self, evidence: Value) -> Self {
        self.evidence = evidence;
        self
    }

    /// The same about a rule of the policy.
    #[must_use]
    pub fn under(mut self, rule: &str) -> Self {
        self.rule = Some(rule.to_owned());
        self
    }

    /// What makes it this finding and no other. A waiver names it, so it ends when the text that it
    /// was about changes.
    pub fn fingerprint(&self) -> Digest {
        canon::digest(&json!({
            "code": self.code.as_str(),
            "engine": ENGINE,
            "evidence": self.evidence,
            "message": self.message,
            "pointer": self.pointer,
            "rule": self.rule,
        }))
    }
}

/// Puts findings into the one order that they have, each once.
pub(crate) fn settle(findings: &mut Vec<Finding>) {
    findings.sort_by_cached_key(|finding| {
        (
            finding.code,
            finding.pointer.clone(),
            finding.rule.clone(),
            finding.fingerprint(),
        )
    });
    findings.dedup();
}
