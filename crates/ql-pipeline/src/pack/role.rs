//! Who does what.

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::table::Entry;
use crate::tier::Tier;

/// How far a role may say what a passage means (seed, §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exegesis {
    /// It uses what others attested.
    #[default]
    None,
    /// It gathers evidence and draws no conclusion.
    EvidenceOnly,
    /// It interprets, and gives its reasons.
    WithRationale,
}

/// A role of the pipeline (seed, §3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// Its id, as envelopes name it: `scriptwriting`.
    pub id: String,
    /// Its number, 0 to 99.
    pub number: u8,
    /// Its name for people.
    pub name: String,
    /// What it is asked to do, in a sentence or two.
    pub task: String,
    /// What kind of model it needs.
    pub tier: Tier,
    /// How far it may say what a passage means.
    #[serde(default)]
    pub exegesis: Exegesis,
    /// The rules that it may attest.
    #[serde(default)]
    pub attests: Vec<String>,
    /// Whether it publishes. At most one role of a pack does.
    #[serde(default)]
    pub publishes: bool,
    /// Whether it is given material that comes from outside.
    #[serde(default)]
    pub reads_untrusted: bool,
    /// Whether it is given what isn't public, such as unpublished drafts and figures.
    #[serde(default)]
    pub reads_private: bool,
}

impl Role {
    /// Whether it reads untrusted material and private data and acts outside too. No role may have
    /// all three, since an instruction hidden in the first could send the second away by the third.
    pub const fn has_all_three(&self) -> bool {
        self.reads_untrusted && self.reads_private && self.publishes
    }
}

impl Entry for Role {
    const FILE: &'static str = "roles.toml";
    const NAME: &'static str = "role";

    fn id(&self) -> &str {
        &self.id
    }

    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let (id, number) = (fields.need("id"), fields.need("number"));
        let (name, task) = (fields.words("name"), fields.words("task"));
        let (tier, exegesis) = (fields.need("tier"), fields.or_default("exegesis"));
        let (attests, publishes) = (fields.or_default("attests"), fields.or_default("publishes"));
        let reads_untrusted = fields.or_default("reads_untrusted");
        let reads_private = fields.or_default("reads_private");
        Some(Self {
            id: id?,
            number: number?,
            name: name?,
            task: task?,
            tier: tier?,
            exegesis: exegesis?,
            attests: attests?,
            publishes: publishes?,
            reads_untrusted: reads_untrusted?,
            reads_private: reads_private?,
        })
    }
}
