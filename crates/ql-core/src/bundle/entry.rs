//! One entry as a verifier reads it: its members, borrowed from the line.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of an entry. There are no others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry<'l> {
    #[serde(borrow)]
    pub(super) actor: &'l RawValue,
    #[serde(borrow)]
    pub(super) at: Cow<'l, str>,
    #[expect(dead_code, reason = "it must be there, and nothing depends on it")]
    bytes: i64,
    #[serde(borrow)]
    pub(super) detail: &'l RawValue,
    #[expect(dead_code, reason = "it must be there, and nothing depends on it")]
    #[serde(borrow, rename = "entry")]
    id: Cow<'l, str>,
    #[serde(borrow)]
    pub(super) event: Cow<'l, str>,
    #[serde(borrow)]
    pub(super) organization: Cow<'l, str>,
    #[serde(borrow)]
    pub(super) prev: Cow<'l, str>,
    pub(super) seq: i64,
    #[serde(borrow, deserialize_with = "present")]
    pub(super) site: Option<Cow<'l, str>>,
    #[serde(borrow)]
    pub(super) subject: Cow<'l, str>,
    v: i64,
}

/// A value that may be null and must be there.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// Who acted; a member's is all that is asked for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Actor {
    #[serde(default, rename = "type")]
    pub(super) kind: Value,
    #[serde(default)]
    pub(super) member: Value,
}

/// What the details of an entry say that a verifier compares.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Detail {
    #[serde(default)]
    pub(super) digest: Value,
    #[serde(default)]
    pub(super) kind: Value,
    pub(super) outcome: Option<Value>,
    #[serde(default)]
    pub(super) own_proposal: Value,
    #[serde(default)]
    pub(super) policy_digest: Value,
    #[serde(default)]
    pub(super) proposal: Value,
    #[serde(default)]
    pub(super) run: Value,
}

impl<'l> Entry<'l> {
    /// Reads a line that is in the plain form; none when it isn't an entry.
    pub(super) fn read(line: &'l str) -> Option<Self> {
        let entry: Self = serde_json::from_str(line).ok()?;
        let objects = [entry.actor, entry.detail].map(|value| value.get().starts_with('{'));
        let is_event = |byte| matches!(byte, b'a'..=b'z' | b'_' | b'.');
        let named = !entry.event.is_empty() && entry.event.bytes().all(is_event);
        (objects == [true; 2] && named && entry.v == 1).then_some(entry)
    }

    /// What its details say.
    pub(super) fn detail(&self) -> Detail {
        serde_json::from_str(self.detail.get()).unwrap_or_default()
    }

    /// Who acted.
    pub(super) fn actor(&self) -> Actor {
        serde_json::from_str(self.actor.get()).unwrap_or_default()
    }
}
