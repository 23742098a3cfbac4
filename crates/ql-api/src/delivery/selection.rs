//! Which fields of a page are wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ql_app::{Error, Result};
use ql_core::hash::Digest;
use serde_json::value::RawValue;

use crate::query::Parameters;

/// The most fields one call may name.
const MOST: usize = 100;

/// All fields, or only those of some names.
#[derive(Debug, Default)]
pub(super) struct Selection(Option<BTreeSet<String>>);

impl Selection {
    /// Reads the parameter `fields`: names with commas between them.
    pub(super) fn read(parameters: &mut Parameters) -> Self {
        let Some(text) = parameters.text("fields") else {
            return Self::default();
        };
        let names: BTreeSet<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        if names.len() > MOST || names.contains("") {
            let message = format!("expected 1 to {MOST} names of fields with commas between them");
            parameters.note("fields", "format", message);
        }
        Self(Some(names))
    }

    /// Adds what tells this selection's answers from others to a version.
    pub(super) fn mark(&self, version: &mut String) {
        if let Some(names) = &self.0 {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let digest = Digest::of(names.join(",").as_bytes());
            write!(version, ".{}", digest.short()).expect("writing to a string");
        }
    }

    /// The wanted ones of a page's fields, each as it is stored.
    pub(super) fn apply(&self, fields: String) -> Result<Box<RawValue>> {
        let Some(names) = &self.0 else {
            return RawValue::from_string(fields).map_err(Error::from);
        };
        let mut all: BTreeMap<String, &RawValue> = serde_json::from_str(&fields)?;
        all.retain(|name, _| names.contains(name));
        Ok(serde_json::value::to_raw_value(&all)?)
    }
}
