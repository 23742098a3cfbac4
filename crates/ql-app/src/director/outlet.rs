//! Where what was published goes beside the site: exactly the sealed bytes, and a record before the
//! first of them.

use std::future::Future;
use std::pin::Pin;

use ql_core::access::OnSite;
use ql_core::canon;
use ql_core::hash::Digest;
use ql_core::id::ProductionId;
use ql_store::production_exit::{self, ParcelRecord};
use ql_store::stage_task::Release;
use serde_json::{Value, json};

use super::Director;
use super::made::Made;
use crate::error::{Error, Result};

/// What is sent at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// The production.
    pub production: ProductionId,
    /// The number of the release.
    pub release: i64,
    /// `release` or `withdrawal`.
    pub kind: &'static str,
    /// The files, by their names.
    pub files: Vec<(String, Vec<u8>)>,
    /// The SHA-256 of files that providers made, which are sent too.
    pub made_files: Vec<Digest>,
}

impl Parcel {
    /// The digest of what is in it: the canonical list of names with hashes.
    pub fn digest(&self) -> Digest {
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|(name, bytes)| json!([name, Digest::of(bytes)]))
            .collect();
        canon::digest(&json!([files, self.made_files]))
    }
}

/// A parcel on its way; the text says why it couldn't be sent.
pub type Sending<'p> = Pin<Box<dyn Future<Output = std::result::Result<(), String>> + Send + 'p>>;

/// A place that publications are sent to. Sending the same parcel again leaves it as it is, so that
/// whoever takes over from a worker that died can send it without asking.
pub trait Outlet: Send + Sync {
    /// What it's called.
    fn name(&self) -> &'static str;

    /// Sends a parcel: all of it or nothing is there afterwards.
    fn send<'p>(&'p self, parcel: &'p Parcel) -> Sending<'p>;
}

impl Director {
    /// Sends a parcel to the outlet, if there is one; answers where it went.
    pub(super) async fn send(
        &self,
        place: OnSite,
        parcel: &Parcel,
    ) -> Result<std::result::Result<Option<String>, String>> {
        let Some(outlet) = &self.outlet else {
            return Ok(Ok(None));
        };
        let record = ParcelRecord {
            release: parcel.release,
            kind: parcel.kind.to_owned(),
            outlet: outlet.name().to_owned(),
            sha256: parcel.digest(),
            planned_at: self.app.now(),
            sent_at: None,
        };
        let (server, id, planned) = (Self::server(place)?, parcel.production, record.clone());
        let store = self.app.store();
        store
            .write(move |tx| {
                Ok::<_, Error>(production_exit::plan_parcel(tx, &server, id, &planned)?)
            })
            .await?;
        if let Err(why) = outlet.send(parcel).await {
            return Ok(Err(why));
        }
        let (server, at) = (Self::server(place)?, self.app.now());
        store
            .write(move |tx| {
                Ok::<_, Error>(production_exit::parcel_sent(tx, &server, id, &record, at)?)
            })
            .await?;
        Ok(Ok(Some(outlet.name().to_owned())))
    }
}

/// What goes out of a release: its manifest and every document in it, in canonical form, so that
/// each file's SHA-256 is the one that was sealed.
pub(super) fn release_parcel<'m>(
    production: ProductionId,
    release: &Release,
    documents: impl Iterator<Item = &'m Made>,
) -> Parcel {
    let manifest = canon::to_string(&release.manifest).into_bytes();
    let mut files = vec![("manifest.json".to_owned(), manifest)];
    let mut made_files = Vec::new();
    for made in documents {
        let name = format!("{}.json", made.task.stage.to_lowercase());
        let text = canon::to_string(&made.result.output);
        made_files.extend(hashes(&made.result.output));
        files.push((name, text.into_bytes()));
    }
    Parcel {
        production,
        release: release.number,
        kind: "release",
        files,
        made_files,
    }
}

/// The files that a document names by their `sha256`.
fn hashes(document: &Value) -> Vec<Digest> {
    match document {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match value.as_str() {
                Some(text) if name == "sha256" => text.parse().into_iter().collect(),
                Some(_) | None => hashes(value),
            })
            .collect(),
        Value::Array(elements) => elements.iter().flat_map(hashes).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
