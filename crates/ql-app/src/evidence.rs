//! Claims and the evidence for them.

use ql_core::access::{ReadContent, WriteEvidence};
use ql_core::actor::Actor;
use ql_core::evidence::{Claim, Evidence, Stance};
use ql_core::hash::Digest;
use ql_core::id::{ClaimId, EvidenceId, RevisionId, RunId, SiteId};
use ql_core::page::{Page, PageRequest};
use ql_core::time::Timestamp;
pub use ql_store::evidence::Filter;
use ql_store::{Tx, content, evidence};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::idempotency::IdempotencyKey;
use crate::run::require_open;
use crate::text::Checks;

/// A claim to record.
#[derive(Debug, Clone, PartialEq)]
pub struct NewClaim {
    /// The revision that makes it.
    pub revision: RevisionId,
    /// The statement.
    pub text: String,
    /// A JSON pointer to where the fields make it.
    pub pointer: Option<String>,
    /// What bears on it.
    pub evidence: Vec<NewEvidence>,
}

/// A source to record.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvidence {
    /// Where it is.
    pub source_url: String,
    /// What it is called.
    pub title: String,
    /// Who publishes it.
    pub publisher: Option<String>,
    /// The words that bear on the claim.
    pub excerpt: String,
    /// Where they stand.
    pub locator: Option<String>,
    /// When it was read.
    pub retrieved_at: Timestamp,
    /// The excerpt's hash as the caller computed it, to be compared.
    pub sha256: Option<Digest>,
    /// How it bears on the claim.
    pub stance: Stance,
}

/// A claim that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedClaim {
    /// The claim.
    pub claim_id: ClaimId,
    /// Its evidence, in the order it was given.
    pub evidence_ids: Vec<EvidenceId>,
}

impl NewClaim {
    fn check(&self, now: Timestamp) -> Result<()> {
        let mut checks = Checks::default();
        checks.text("/claim", &self.text, 2000);
        checks.that(
            !self.evidence.is_empty(),
            "/evidence",
            "required",
            "a claim names at least one source",
        );
        checks.that(
            self.evidence.len() <= 50,
            "/evidence",
            "range",
            "expected at most 50 sources",
        );
        for (index, evidence) in self.evidence.iter().enumerate() {
            evidence.check(&mut checks, &format!("/evidence/{index}"), now);
        }
        checks.finish()
    }
}

impl NewEvidence {
    fn check(&self, checks: &mut Checks, at: &str, now: Timestamp) {
        let address = self
            .source_url
            .strip_prefix("https://")
            .or_else(|| self.source_url.strip_prefix("http://"));
        let sound =
            address.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace));
        checks.that(
            sound && self.source_url.len() <= 2000,
            &format!("{at}/source_url"),
            "format",
            "expected an http or https address",
        );
        checks.text(&format!("{at}/title"), &self.title, 500);
        checks.optional_text(
            &format!("{at}/publisher"),
            self.publisher.as_deref().unwrap_or_default(),
            300,
        );
        checks.text(&format!("{at}/excerpt"), &self.excerpt, 10_000);
        checks.optional_text(
            &format!("{at}/locator"),
            self.locator.as_deref().unwrap_or_default(),
            500,
        );
        let day = ql_core::time::days(1);
        checks.that(
            self.retrieved_at <= now.plus(day),
            &format!("{at}/retrieved_at"),
            "range",
            "expected an instant that has passed",
        );
        let hash = Digest::of(self.excerpt.as_bytes());
        let same = self.sha256.is_none_or(|given| given == hash);
        checks.that(
            same,
            &format!("{at}/sha256"),
            "hash_mismatch",
            format!("the excerpt's SHA-256 is {hash}"),
        );
    }

    fn into_evidence(self, id: EvidenceId) -> Evidence {
        Evidence {
            id,
            excerpt_sha256: Digest::of(self.excerpt.as_bytes()),
            source_url: self.source_url,
            title: self.title,
            publisher: self.publisher,
            excerpt: self.excerpt,
            locator: self.locator,
            retrieved_at: self.retrieved_at,
            stance: self.stance,
        }
    }
}

impl App {
    /// Records a claim of a revision with its evidence; an agent does so in one of its open runs.
    pub async fn record_claim_evidence(
        &self,
        ctx: &OpContext,
        run: Option<RunId>,
        new: NewClaim,
        key: Option<IdempotencyKey>,
    ) -> Result<RecordedClaim> {
        let authorized = ctx.authorize::<WriteEvidence>()?;
        new.check(self.now())?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let claim_id = ClaimId::mint(scribe.ids(), scribe.at);
        let mint = |evidence: NewEvidence| {
            evidence.into_evidence(EvidenceId::mint(scribe.ids(), scribe.at))
        };
        let (revision_id, text, pointer) = (new.revision, new.text, new.pointer);
        let evidence: Vec<Evidence> = new.evidence.into_iter().map(mint).collect();
        let ctx_inner = ctx.clone();
        self.mutate(ctx, key, scribe.at, move |tx| {
            if let Actor::Agent { .. } = authorized.actor() {
                require_open(tx, &ctx_inner, run.ok_or(Error::NotFound("run"))?)?;
            }
            let revision = content::find_revision(tx, authorized.site(), revision_id)?
                .ok_or(Error::NotFound("revision"))?;
            if let Some(pointer) = pointer
                .as_ref()
                .filter(|pointer| revision.fields.pointer(pointer).is_none())
            {
                return Err(Error::invalid(
                    "/pointer",
                    "no_such_field",
                    format!("the revision has nothing at `{pointer}`"),
                ));
            }
            let claim = Claim {
                id: claim_id,
                content: revision.content,
                revision: revision_id,
                text: text.clone(),
                pointer: pointer.clone(),
                author: authorized.actor(),
                run,
                created_at: scribe.at,
                evidence: evidence.clone(),
            };
            evidence::insert(tx, &authorized, &claim)?;
            let bytes = claim.text.len()
                + claim
                    .evidence
                    .iter()
                    .map(|e| e.excerpt.len())
                    .sum::<usize>();
            scribe.work(tx, run, ("claim.recorded", claim_detail(&claim)), bytes)?;
            Ok(RecordedClaim {
                claim_id,
                evidence_ids: claim.evidence.iter().map(|e| e.id).collect(),
            })
        })
        .await
    }

    /// The site's claims with their evidence, newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`] where the filter names an item or a revision that isn't the site's.
    pub async fn list_evidence(
        &self,
        ctx: &OpContext,
        filter: evidence::Filter,
        page: &PageRequest,
    ) -> Result<Page<Claim>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let page = page.clone();
        self.store()
            .read(move |tx| {
                require(tx, site, filter)?;
                Ok(evidence::list(tx, site, filter, &page)?)
            })
            .await
    }

    /// One claim with its evidence.
    pub async fn get_claim(&self, ctx: &OpContext, id: ClaimId) -> Result<Claim> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| evidence::find(tx, site, id)?.ok_or(Error::NotFound("claim")))
            .await
    }
}

/// Checks that what a list is narrowed to is there.
fn require(tx: &mut Tx<'_>, site: SiteId, filter: Filter) -> Result<()> {
    match filter {
        Filter::All => Ok(()),
        Filter::Content(id) => content::find(tx, site, id)?
            .map(drop)
            .ok_or(Error::NotFound("content item")),
        Filter::Revision(id) => content::find_revision(tx, site, id)?
            .map(drop)
            .ok_or(Error::NotFound("revision")),
    }
}

fn claim_detail(claim: &Claim) -> serde_json::Value {
    let evidence: Vec<_> = claim
        .evidence
        .iter()
        .map(|e| json!({"evidence": e.id, "excerpt_sha256": e.excerpt_sha256, "stance": e.stance}))
        .collect();
    json!({
        "claim": claim.id, "content": claim.content, "revision": claim.revision,
        "text_sha256": Digest::of(claim.text.as_bytes()), "evidence": evidence,
    })
}
