//! The schema: numbered steps, forward only, each remembered by its hash.

use ql_core::hash::Digest;

use crate::error::{Result, StoreError};

/// One step of the schema, in the words of one engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    pub(crate) number: i64,
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

/// One step that a database has.
#[derive(Debug, Clone)]
pub(crate) struct Applied {
    pub(crate) number: i64,
    pub(crate) name: String,
    pub(crate) sha256: Vec<u8>,
}

/// A list of steps of one engine from the files in `migrations/`.
macro_rules! migrations {
    ($engine:literal: $($number:literal $name:literal),+ $(,)?) => {
        &[$(Migration {
            number: $number,
            name: $name,
            sql: include_str!(concat!("../../../migrations/", $name, ".", $engine, ".sql")),
        }),+]
    };
}

/// The steps of the embedded engine.
pub(crate) const SQLITE: &[Migration] = migrations!("sqlite":
    1 "0001_foundation",
    2 "0002_ledger_tree",
    3 "0003_let_in_by",
    4 "0004_proposed_by_link",
    5 "0005_topical",
    6 "0006_sources",
    7 "0007_reverification",
    8 "0008_forms",
    9 "0009_console",
    10 "0010_productions",
    11 "0011_money",
);

/// The same steps on PostgreSQL.
pub(crate) const POSTGRES: &[Migration] = migrations!("postgres":
    1 "0001_foundation",
    2 "0002_ledger_tree",
    3 "0003_let_in_by",
    4 "0004_proposed_by_link",
    5 "0005_topical",
    6 "0006_sources",
    7 "0007_reverification",
    8 "0008_forms",
    9 "0009_console",
    10 "0010_productions",
    11 "0011_money",
);

impl Migration {
    /// What the step is remembered by.
    pub(crate) fn sha256(&self) -> Digest {
        Digest::of(self.sql.as_bytes())
    }
}

/// The steps that a database lacks, in order.
///
/// # Errors
/// [`StoreError::Unsupported`] when the database has a step that this program doesn't know, or
/// knows otherwise.
pub(crate) fn missing(
    known: &'static [Migration],
    applied: &[Applied],
) -> Result<&'static [Migration]> {
    for (place, step) in applied.iter().enumerate() {
        let same = known.get(place).is_some_and(|known| {
            known.number == step.number && known.sha256().as_bytes()[..] == step.sha256[..]
        });
        if !same {
            return Err(StoreError::Unsupported(format!(
                "the database has the schema step {} ({}), which this version of querylayer doesn't know; use the version that made it, or a newer one",
                step.number, step.name
            )));
        }
    }
    Ok(&known[applied.len()..])
}
