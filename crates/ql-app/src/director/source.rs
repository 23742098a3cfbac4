//! Material from outside: asked for by people, retrieved by a job, given to agents as data.

use ql_core::access::{ActAsServer, DirectProductions, Principal};
use ql_core::address::{DEFAULT_PORTS, Destination, Name, Refused, check_public};
use ql_core::canon;
use ql_core::hash::Digest;
use ql_core::id::{JobId, ProductionId};
use ql_core::reverification::{MAX_RETRIES, backoff};
use ql_pipeline::finding::{Code, Finding};
use ql_pipeline::injection::{self, Detector};
use ql_pipeline::untrusted::{Provenance, Untrusted};
use ql_store::job::{self, Lease, NewJob};
use ql_store::production_source::{self, ProductionSource};
use ql_store::{Tx, production};
use serde_json::json;

use super::Director;
use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::fetch::{FetchFailure, Fetched, Fetcher};
use crate::job::finish;
use crate::text::Checks;

/// The kind of job that retrieves a page for a production.
pub(crate) const RETRIEVE_JOB: &str = "fetch.source";

/// The most bytes of a piece of material.
const MAX_BYTES: usize = 1 << 20;

impl Director {
    /// Keeps a piece of material for a production, with what was found in it; false where its
    /// origin has one already.
    ///
    /// # Errors
    /// [`Error::Invalid`] for material that is too large or an origin that can't be told.
    pub async fn add_source(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        (origin, media_type, body): (&str, &str, &[u8]),
    ) -> Result<bool> {
        let authorized = ctx.authorize::<DirectProductions>()?;
        let mut checks = Checks::default();
        checks.text("/origin", origin, 2000);
        checks.that(
            body.len() <= MAX_BYTES,
            "/body",
            "range",
            "expected at most 1 MiB",
        );
        checks.finish()?;
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        let source = examined((origin, media_type, body), &scribe)?;
        let server = Self::server(authorized.place())?;
        self.app
            .store()
            .write(move |tx| {
                production::find(tx, authorized.site(), id)?
                    .ok_or(Error::NotFound("production"))?;
                let is_new = production_source::insert(tx, &server, id, &source)?;
                if is_new {
                    told(tx, (id, &source), &scribe)?;
                }
                Ok(is_new)
            })
            .await
    }

    /// Has a page retrieved by the server, as re-verification retrieves its pages: from public
    /// addresses alone. Agents name addresses, they never fetch.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an address that the rules forbid already as it's written.
    pub async fn request_source(&self, ctx: &OpContext, id: ProductionId, url: &str) -> Result<()> {
        let authorized = ctx.authorize::<DirectProductions>()?;
        let destination = destination(url)
            .map_err(|refused| Error::invalid("/url", refused.code(), refused.to_string()))?;
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        let job = JobId::mint(scribe.ids(), scribe.at);
        let subject = format!("{id} {destination}");
        self.app
            .store()
            .write(move |tx| {
                production::find(tx, authorized.site(), id)?
                    .ok_or(Error::NotFound("production"))?;
                let job = NewJob {
                    id: job,
                    kind: RETRIEVE_JOB,
                    subject: &subject,
                    site: authorized.site(),
                    due_at: scribe.at,
                };
                job::insert(tx, job, scribe.at)?;
                let detail =
                    json!({"production": id, "subject_sha256": Digest::of(subject.as_bytes())});
                scribe.administration(tx, "production.source_requested", detail)
            })
            .await
    }

    /// Takes a piece of material out: no agent is given it any more.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is none that is given.
    pub async fn exclude_source(
        &self,
        ctx: &OpContext,
        id: ProductionId,
        origin: &str,
    ) -> Result<()> {
        let authorized = ctx.authorize::<DirectProductions>()?;
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        let origin = origin.to_owned();
        self.app
            .store()
            .write(move |tx| {
                production::find(tx, authorized.site(), id)?
                    .ok_or(Error::NotFound("production"))?;
                if !production_source::exclude(tx, &authorized, (id, &origin), scribe.actor)? {
                    return Err(Error::NotFound("source"));
                }
                let detail =
                    json!({"production": id, "origin_sha256": Digest::of(origin.as_bytes())});
                scribe.administration(tx, "production.source_excluded", detail)
            })
            .await
    }
}

impl App {
    /// Retrieves the page that a job names, and keeps it or why it wasn't.
    pub(crate) async fn retrieve(&self, lease: Lease, fetcher: &dyn Fetcher) -> Result<()> {
        let (id, url) = lease
            .subject
            .split_once(' ')
            .ok_or(Error::NotFound("source"))?;
        let id: ProductionId = id.parse().map_err(|_| Error::NotFound("production"))?;
        let place = self.place_of(&lease).await?;
        let scribe = Scribe::on_site(self, Principal::System.actor(), place);
        let found = fetcher
            .fetch(url)
            .await
            .map_err(Missed::of)
            .and_then(Missed::unless_whole);
        let source = match &found {
            Ok(page) => Ok(examined((url, media_type(page), &page.body), &scribe)?),
            Err(missed) => Err(*missed),
        };
        let again = JobId::mint(scribe.ids(), scribe.at);
        let server = Principal::System.authorize::<ActAsServer>(place)?;
        self.store()
            .write(move |tx| {
                match &source {
                    Ok(source) => {
                        if production_source::insert(tx, &server, id, source)? {
                            told(tx, (id, source), &scribe)?;
                        }
                    }
                    Err(missed) if missed.may_pass && lease.attempts <= MAX_RETRIES => {
                        // The lease runs out later than this, and the job's next claim counts.
                        let due_at = scribe.at.plus(backoff(lease.attempts));
                        let (kind, subject) = (RETRIEVE_JOB, lease.subject.as_str());
                        let job = NewJob {
                            id: again,
                            kind,
                            subject,
                            site: lease.site,
                            due_at,
                        };
                        job::insert(tx, job, scribe.at)?;
                    }
                    Err(missed) => {
                        let detail = json!({"production": id, "reason": missed.code});
                        scribe.administration(tx, "production.source_failed", detail)?;
                    }
                }
                finish(
                    tx,
                    &lease,
                    &scribe,
                    source.as_ref().err().map(|missed| missed.code),
                )
            })
            .await
    }
}

/// An address as far as the rules can be judged by it alone; names are judged once they are resolved.
fn destination(url: &str) -> std::result::Result<Destination, Refused> {
    let destination = Destination::parse(url, &DEFAULT_PORTS)?;
    if let Name::Address(address) = destination.name() {
        check_public(address).map_err(Refused::Address)?;
    }
    Ok(destination)
}

/// Why a page wasn't retrieved.
#[derive(Debug, Clone, Copy)]
struct Missed {
    code: &'static str,
    may_pass: bool,
}

impl Missed {
    fn of(failure: FetchFailure) -> Self {
        let may_pass = matches!(failure, FetchFailure::Unreachable | FetchFailure::TimedOut);
        Self {
            code: failure.code(),
            may_pass,
        }
    }

    /// A page that was answered whole.
    fn unless_whole(page: Fetched) -> std::result::Result<Fetched, Self> {
        match page.status {
            200..=299 if page.body.len() <= MAX_BYTES => Ok(page),
            200..=299 => Err(Self {
                code: "too_large",
                may_pass: false,
            }),
            429 | 500..=599 => Err(Self {
                code: "status",
                may_pass: true,
            }),
            _ => Err(Self {
                code: "status",
                may_pass: false,
            }),
        }
    }
}

/// The media type of a page, without parameters.
fn media_type(page: &Fetched) -> &str {
    let named = page
        .content_type
        .as_deref()
        .unwrap_or("application/octet-stream");
    named.split(';').next().unwrap_or(named).trim()
}

/// Material with what was found in it.
fn examined(
    (origin, media_type, body): (&str, &str, &[u8]),
    scribe: &Scribe,
) -> Result<ProductionSource> {
    let mut source = ProductionSource {
        origin: origin.to_owned(),
        media_type: media_type.to_owned(),
        sha256: Digest::of(body),
        findings: json!([]),
        body: body.to_vec(),
        retrieved_at: scribe.at,
        excluded_by: None,
    };
    source.findings = json!(found_in(&material(&source)?, origin));
    Ok(source)
}

fn told(
    tx: &mut Tx<'_>,
    (id, source): (ProductionId, &ProductionSource),
    scribe: &Scribe,
) -> Result<()> {
    let detail = json!({
        "production": id, "sha256": source.sha256, "bytes": source.body.len(),
        "findings_sha256": canon::digest(&source.findings),
    });
    scribe.administration(tx, "production.source_added", detail)
}

/// Material as it was kept.
pub(super) fn material(source: &ProductionSource) -> Result<Untrusted> {
    let provenance = Provenance {
        origin: source.origin.clone(),
        fetched_at: source.retrieved_at,
        media_type: source.media_type.clone(),
    };
    Untrusted::new(source.body.clone(), provenance)
        .map_err(|error| Error::invalid("/body", "unfit", error.to_string()))
}

/// What the detector finds in material, once for each kind of thing. No word of the material is in
/// it, since findings are told to agents.
fn found_in(material: &Untrusted, origin: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for found in material.scan(&Detector::new()).findings {
        let code = match found.code {
            injection::Code::InjectionSuspected => Code::InjectionSuspected,
            injection::Code::ExfiltrationRequest => Code::ExfiltrationRequest,
            injection::Code::CommandRequest => Code::CommandRequest,
        };
        let evidence = json!({
            "origin": origin, "sha256": material.sha256(), "family": found.family,
            "layer": found.layer, "from": found.start, "to": found.end,
        });
        findings.push(Finding::new(code, "/sources", found.explanation).with(evidence));
    }
    findings
}
