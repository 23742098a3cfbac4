//! Material from outside that productions are made from.

use ql_core::access::{ActAsServer, Authorized, DirectProductions};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::ProductionId;
use ql_core::time::Timestamp;
use serde_json::Value;

use crate::row::json;
use crate::{Arg, Result, Tx};

statements! {
    INSERT = "INSERT INTO production_sources (production_id, origin, media_type, sha256, body, findings, retrieved_at, \
        excluded_by) VALUES ($1, $2, $3, $4, $5, $6, $7, NULL) ON CONFLICT (production_id, origin) DO NOTHING";
    LIST = "SELECT origin, media_type, sha256, body, findings, retrieved_at, excluded_by FROM production_sources \
        WHERE production_id = $1 ORDER BY origin";
    EXCLUDE = "UPDATE production_sources SET excluded_by = $3 WHERE production_id = $1 AND origin = $2 AND excluded_by IS NULL";
}

/// A piece of material.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductionSource {
    /// Where it's from: an address, or a name.
    pub origin: String,
    /// Its media type.
    pub media_type: String,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// Its bytes.
    pub body: Vec<u8>,
    /// What was found in it.
    pub findings: Value,
    /// When it was retrieved.
    pub retrieved_at: Timestamp,
    /// Who excluded it, where somebody did.
    pub excluded_by: Option<Actor>,
}

/// Keeps a piece of material; false where its origin has one.
pub fn insert(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    production: ProductionId,
    source: &ProductionSource,
) -> Result<bool> {
    let args = [
        Arg::text(production),
        (&source.origin).into(),
        (&source.media_type).into(),
        (&source.sha256).into(),
        Arg::Blob(source.body.as_slice().into()),
        json(&source.findings)?.into(),
        source.retrieved_at.into(),
    ];
    Ok(tx.execute(INSERT, &args)? == 1)
}

/// All material of a production.
pub fn list(tx: &mut Tx<'_>, production: ProductionId) -> Result<Vec<ProductionSource>> {
    tx.list(LIST, &[Arg::text(production)], |row| {
        Ok(ProductionSource {
            origin: row.text()?,
            media_type: row.text()?,
            sha256: row.digest()?,
            body: row.blob()?,
            findings: row.json()?,
            retrieved_at: row.time()?,
            excluded_by: row.opt_actor()?,
        })
    })
}

/// Keeps a piece of material from being given to anybody; false where there's none that is given.
pub fn exclude(
    tx: &mut Tx<'_>,
    _: &Authorized<DirectProductions>,
    (production, origin): (ProductionId, &str),
    by: Actor,
) -> Result<bool> {
    let args = [Arg::text(production), origin.into(), by.to_text().into()];
    Ok(tx.execute(EXCLUDE, &args)? == 1)
}
