//! Typed identifiers: a `UUIDv7` (RFC 9562) inside, a prefixed, sortable text outside.
//!
//! The text is the prefix, an underscore and 26 characters of lower-case Crockford base 32, most
//! significant first, so texts sort as their creation times do.

use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;

use crate::time::Timestamp;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TEXT_LENGTH: usize = 26;

/// Where identifiers and secrets come from.
pub trait IdGen: Send + Sync {
    /// A new 128-bit value laid out as `UUIDv7` for the instant `now`, strictly greater than every
    /// value this generator made before it.
    fn next(&self, now: Timestamp) -> u128;

    /// Fills `buffer` with unpredictable bytes, for secrets.
    fn fill(&self, buffer: &mut [u8]);
}

/// The machine's own generator.
#[derive(Debug, Default)]
pub struct SystemIdGen {
    last: Mutex<u128>,
}

impl IdGen for SystemIdGen {
    fn next(&self, now: Timestamp) -> u128 {
        let mut random = [0; 16];
        self.fill(&mut random);
        let fresh = uuid_v7(now, u128::from_be_bytes(random));
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = fresh.max(*last + 1);
        *last
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the machine's randomness"
    )]
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system provides randomness");
    }
}

/// Lays out RFC 9562 version 7: 48 bits of milliseconds, version, variant and 74 bits of `random`.
pub fn uuid_v7(now: Timestamp, random: u128) -> u128 {
    let millis = u128::from(now.as_micros().max(0).unsigned_abs() / 1000) & 0xFFFF_FFFF_FFFF;
    let version = 0x7 << 76;
    let variant = 0b10 << 62;
    let keep = !((0xF << 76) | (0b11 << 62)) & ((1 << 80) - 1);
    (millis << 80) | (random & keep) | version | variant
}

fn encode(prefix: &str, value: u128) -> String {
    let mut text = String::with_capacity(prefix.len() + TEXT_LENGTH);
    text.push_str(prefix);
    for position in (0..TEXT_LENGTH).rev() {
        let index = (value >> (position * 5)) & 31;
        text.push(char::from(
            ALPHABET[usize::try_from(index).expect("five bits fit")],
        ));
    }
    text
}

fn decode(prefix: &str, text: &str) -> Option<u128> {
    let digits = text.strip_prefix(prefix)?.as_bytes();
    if digits.len() != TEXT_LENGTH || digits[0] > b'7' {
        return None;
    }
    digits.iter().try_fold(0_u128, |value, digit| {
        let index = ALPHABET.iter().position(|symbol| symbol == digit)?;
        Some((value << 5) | u128::try_from(index).ok()?)
    })
}

/// A text that isn't an identifier of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an identifier that begins with `{prefix}`")]
pub struct InvalidId {
    /// The prefix that the wanted kind carries.
    pub prefix: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u128);

        impl $name {
            /// The text before the digits.
            pub const PREFIX: &'static str = $prefix;

            /// Mints a new identifier.
            pub fn mint(ids: &dyn IdGen, now: Timestamp) -> Self {
                Self(ids.next(now))
            }

            /// The identifier as other systems write it (RFC 9562).
            pub fn to_uuid(self) -> String {
                let hex = format!("{:032x}", self.0);
                let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
                parts.join("-")
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&encode($prefix, self.0))
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                decode($prefix, text).map(Self).ok_or(InvalidId { prefix: $prefix })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// A tenant.
    OrganizationId = "org_";
    /// One website of an organization.
    SiteId = "site_";
    /// A human.
    MemberId = "mem_";
    /// A registered governance identity.
    AgentId = "agt_";
    /// A named credential of one agent on one site.
    ConnectionId = "con_";
    /// A member's personal token.
    MemberTokenId = "mtk_";
    /// A signed-in browser.
    SessionId = "ses_";
    /// A governed run.
    RunId = "run_";
    /// An immutable run artifact.
    ArtifactId = "art_";
    /// A content template.
    TemplateId = "tpl_";
    /// A content item.
    ContentId = "cnt_";
    /// The items that are translations of each other.
    TranslationGroupId = "trg_";
    /// An immutable content revision.
    RevisionId = "rev_";
    /// A typed proposal.
    ProposalId = "prop_";
    /// A member's decision on a proposal.
    DecisionId = "dec_";
    /// A claim made in a revision.
    ClaimId = "clm_";
    /// One source that bears on a claim.
    EvidenceId = "evd_";
    /// A public form.
    FormId = "form_";
    /// A visitor's post to a form.
    SubmissionId = "sub_";
    /// A staged package of source records.
    SourcePackageId = "src_";
    /// One look at whether evidence still stands.
    AttemptId = "att_";
    /// A human's look at evidence that isn't as it was.
    ReviewId = "rvw_";
    /// A ledger entry.
    EntryId = "led_";
    /// A background job.
    JobId = "job_";
    /// A node of a topical map.
    NodeId = "node_";
    /// A content brief.
    BriefId = "brf_";
    /// An import of a strategy artifact.
    ImportId = "imp_";
    /// One opportunity of a strategy artifact.
    OpportunityId = "opp_";
    /// A conversation of people with an agent.
    ConversationId = "cnv_";
    /// A turn of a conversation.
    TurnId = "trn_";
    /// The fencing token of one lease of a turn.
    LeaseToken = "lse_";
    /// A version of a task plan.
    PlanId = "pln_";
    /// A step of a task plan.
    StepId = "stp_";
    /// A production.
    ProductionId = "prd_";
    /// A task that was given to a role.
    TaskId = "tsk_";
    /// A profile of a harness, as it is enrolled on its own machine.
    ProfileId = "prf_";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_and_sorts_by_time() {
        let early = RunId(uuid_v7(Timestamp::from_micros(1_000_000), 7));
        let late = RunId(uuid_v7(Timestamp::from_micros(2_000_000), 3));
        assert!(early.to_string() < late.to_string());
        assert_eq!(early.to_string().parse(), Ok(early));
        assert_eq!(RunId(u128::MAX).to_string().parse(), Ok(RunId(u128::MAX)));
    }

    #[test]
    fn other_kinds_and_damaged_texts_are_refused() {
        let run = RunId(uuid_v7(Timestamp::from_micros(1), 1)).to_string();
        assert!(run.parse::<ProposalId>().is_err());
        assert!(run[..run.len() - 1].parse::<RunId>().is_err());
        assert!(run.to_uppercase().parse::<RunId>().is_err());
        assert!(format!("run_8{}", &run[5..]).parse::<RunId>().is_err());
    }

    #[test]
    fn values_of_one_millisecond_still_grow() {
        let ids = SystemIdGen::default();
        let now = Timestamp::from_micros(5_000_000);
        let values: Vec<u128> = (0..1000).map(|_| ids.next(now)).collect();
        assert!(values.is_sorted_by(|a, b| a < b));
    }
}
