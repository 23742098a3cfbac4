//! What members decide about staged packages and their records.

use ql_core::access::{Denied, DisposeSources};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::SourcePackageId;
use ql_core::source::{Disposal, Disposition, MAX_RECORDS, Verdict};
use ql_store::{Tx, source};
use serde_json::json;

use super::usable::no_such_record;
use super::{PackageView, require_package, view_package};
use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

/// What a member decides about a package or some of its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDisposal {
    /// The package.
    pub package: SourcePackageId,
    /// The records; the whole package when none is named.
    pub record_keys: Option<Vec<String>>,
    /// What is decided.
    pub disposition: Disposition,
    /// Why.
    pub reason: String,
}

impl App {
    /// Keeps what a member decides about a package, or about some of its records.
    pub async fn dispose_sources(&self, ctx: &OpContext, new: NewDisposal) -> Result<PackageView> {
        let authorized = ctx.authorize::<DisposeSources>()?;
        let Actor::Member(member) = authorized.actor() else {
            return Err(Error::Denied(Denied::MembersOnly));
        };
        let mut checks = Checks::default();
        checks.text("/reason", &new.reason, 2000);
        let keys = new.record_keys.as_ref().map_or(1, Vec::len);
        checks.that(
            (1..=MAX_RECORDS).contains(&keys),
            "/record_keys",
            "range",
            format!("expected 1 to {MAX_RECORDS} keys, or none for the whole package"),
        );
        checks.finish()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| {
                require_package(tx, authorized.site(), new.package)?;
                let positions = disposed(tx, &new)?;
                let last = source::last_disposal(tx, new.package)?;
                for (seq, position) in (last + 1..).zip(&positions) {
                    let disposal = Disposal {
                        seq,
                        position: *position,
                        disposition: new.disposition,
                        reason: new.reason.clone(),
                        member,
                        at: scribe.at,
                    };
                    source::dispose(tx, &authorized, new.package, &disposal)?;
                }
                let records: Option<Vec<i64>> = positions.into_iter().collect();
                let detail = json!({
                    "package": new.package, "records": records, "disposition": new.disposition,
                    "reason_sha256": Digest::of(new.reason.as_bytes()),
                });
                scribe.administration(tx, "source_package.disposed", detail)?;
                view_package(tx, authorized.site(), new.package)
            })
            .await
    }
}

/// The places of the records that a decision is about; `None` is the whole package.
fn disposed(tx: &mut Tx<'_>, new: &NewDisposal) -> Result<Vec<Option<i64>>> {
    let Some(keys) = &new.record_keys else {
        return Ok(vec![None]);
    };
    let mut checks = Checks::default();
    let mut positions = Vec::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        let at = format!("/record_keys/{index}");
        checks.that(
            !keys[..index].contains(key),
            &at,
            "duplicate",
            "this record is named twice",
        );
        match source::find_record(tx, new.package, key)? {
            None => checks.add(no_such_record(at)),
            Some(record) => {
                let lawful =
                    new.disposition != Disposition::Accepted || record.verdict != Verdict::Invalid;
                let message = "the checks found this record invalid, so it can't be accepted; have it staged again, corrected";
                checks.that(lawful, &at, "record_invalid", message);
                positions.push(Some(record.position));
            }
        }
    }
    checks.finish()?;
    Ok(positions)
}
