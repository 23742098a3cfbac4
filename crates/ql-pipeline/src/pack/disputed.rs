//! Passages on which readers differ.

use serde::{Deserialize, Serialize};

/// Passages whose meaning or text is disputed. Whoever touches them says what is uncertain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disputed {
    /// Its id: `DIS-03`.
    pub id: String,
    /// The passages, in the English versification.
    pub passages: Vec<String>,
    /// What is disputed.
    pub matter: String,
}
