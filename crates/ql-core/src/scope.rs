//! Scopes: the closed vocabulary of what an agent may be allowed to do.

use std::fmt;
use std::str::FromStr;

/// One permission of an agent on a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Scope {
    /// Read the site's own description and aggregate figures.
    SiteRead = 1,
    /// Read content, evidence, briefs and sources.
    ContentRead = 1 << 1,
    /// Write drafts and evidence, and propose content changes.
    ContentWrite = 1 << 2,
    /// Read the topical map and its opportunities.
    TopicalMapRead = 1 << 3,
    /// Propose changes of the topical map.
    TopicalMapWrite = 1 << 4,
    /// Read runs and proposals.
    RunsRead = 1 << 5,
    /// Work in governed runs.
    RunsWrite = 1 << 6,
    /// Ask for publication, unpublication, archiving and restoring.
    PublishRequest = 1 << 7,
}

impl Scope {
    /// Every scope, in the order of the contract.
    pub const ALL: [Self; 8] = [
        Self::SiteRead,
        Self::ContentRead,
        Self::ContentWrite,
        Self::TopicalMapRead,
        Self::TopicalMapWrite,
        Self::RunsRead,
        Self::RunsWrite,
        Self::PublishRequest,
    ];

    /// The scope's text, such as `content:write`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SiteRead => "site:read",
            Self::ContentRead => "content:read",
            Self::ContentWrite => "content:write",
            Self::TopicalMapRead => "topical-map:read",
            Self::TopicalMapWrite => "topical-map:write",
            Self::RunsRead => "runs:read",
            Self::RunsWrite => "runs:write",
            Self::PublishRequest => "publish:request",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no scope; the scopes are site:read content:read content:write topical-map:read topical-map:write runs:read runs:write publish:request"
)]
pub struct UnknownScope(pub String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// A set of scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ScopeSet(u16);

impl ScopeSet {
    /// No scope.
    pub const EMPTY: Self = Self(0);
    /// All eight.
    pub const ALL: Self = Self(255);

    /// The set with these bits; unknown bits are dropped.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// One bit per scope, as stored.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether `scope` is in the set.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope as u16 != 0
    }

    /// What is in both sets.
    #[must_use]
    pub const fn intersect(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this set and not in `other`.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether no scope is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes in the order of the contract.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |scope| self.contains(*scope))
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(
            scopes
                .into_iter()
                .fold(0, |bits, scope| bits | scope as u16),
        )
    }
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Scope::as_str).collect();
        f.write_str(&names.join(" "))
    }
}

impl serde::Serialize for ScopeSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Scope::as_str))
    }
}

impl<'de> serde::Deserialize<'de> for ScopeSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names
            .iter()
            .map(|name| name.parse::<Scope>())
            .collect::<Result<Self, _>>()
            .map_err(serde::de::Error::custom)
    }
}
