//! One entry as a verifier reads it: its members, borrowed from the line.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::present;

/// The members of an entry. There are no others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry<'l> {
    #[serde(borrow)]
    pub(super) actor: Actor<'l>,
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
    pub(super) seq: u64,
    #[serde(borrow, deserialize_with = "present")]
    pub(super) site: Option<Cow<'l, str>>,
    #[serde(borrow)]
    pub(super) subject: Cow<'l, str>,
    pub(super) v: u64,
}

/// Who acted. What else is said of it depends on the kind.
#[derive(Debug, Deserialize)]
pub(super) struct Actor<'l> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'l, str>,
    #[serde(borrow, default)]
    pub(super) member: Option<Cow<'l, str>>,
}

/// What the details of an entry say that a verifier compares.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Detail<'l> {
    #[serde(borrow, default)]
    pub(super) digest: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    pub(super) kind: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    pub(super) outcome: Option<Cow<'l, str>>,
    #[serde(default)]
    pub(super) own_proposal: bool,
    #[serde(borrow, default)]
    pub(super) policy_digest: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    pub(super) proposal: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    pub(super) run: Option<Cow<'l, str>>,
}

impl<'l> Entry<'l> {
    /// Reads a line that is in the plain form; none when it isn't an entry.
    pub(super) fn read(line: &'l str) -> Option<Self> {
        let entry: Self = serde_json::from_str(line).ok()?;
        let is_object = entry.detail.get().starts_with('{');
        (is_object && entry.v == 1).then_some(entry)
    }

    /// What its details say; none when they say it in another form.
    pub(super) fn detail(&self) -> Option<Detail<'l>> {
        serde_json::from_str(self.detail.get()).ok()
    }
}
