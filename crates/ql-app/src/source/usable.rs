//! Which staged records a draft may be written from.

use ql_core::canon;
use ql_core::hash::Digest;
use ql_core::id::SiteId;
use ql_core::problem::Problem;
use ql_core::proposal::ContentSourceDraft;
use ql_core::source::{MAX_RECORDS, SourceRecord};
use ql_store::{Tx, source};
use serde_json::json;

use super::require_package;
use crate::error::Result;

pub(super) fn no_such_record(at: String) -> Problem {
    Problem::new(
        at,
        "no_such_record",
        "the package has no record of this key",
    )
}

/// The digest that a proposal and the ledger name records by.
pub(crate) fn sources_digest(records: &[SourceRecord]) -> Digest {
    let named: Vec<_> = (records.iter())
        .map(|record| json!({"key": record.key, "sha256": record.sha256}))
        .collect();
    canon::digest(&json!(named))
}

/// The records that a draft would be written from; the inner error says what keeps it from being.
pub(crate) fn usable_records(
    tx: &mut Tx<'_>,
    site: SiteId,
    draft: &ContentSourceDraft,
) -> Result<std::result::Result<Vec<SourceRecord>, Vec<Problem>>> {
    require_package(tx, site, draft.package_id)?;
    let keys = &draft.record_keys;
    let mut problems = Vec::new();
    if !(1..=MAX_RECORDS).contains(&keys.len()) {
        let message = format!("expected 1 to {MAX_RECORDS} keys");
        problems.push(Problem::new("/record_keys", "range", message));
    }
    let mut usable = Vec::with_capacity(keys.len());
    for (index, key) in keys.iter().take(MAX_RECORDS).enumerate() {
        let at = format!("/record_keys/{index}");
        if keys[..index].contains(key) {
            problems.push(Problem::new(at, "duplicate", "this record is named twice"));
            continue;
        }
        match source::find_record(tx, draft.package_id, key)? {
            None => problems.push(no_such_record(at)),
            Some(record) => match record.usable() {
                Ok(()) => usable.push(record),
                Err(why) => problems.push(Problem::new(at, why.code(), why.to_string())),
            },
        }
    }
    Ok(if problems.is_empty() {
        Ok(usable)
    } else {
        Err(problems)
    })
}
