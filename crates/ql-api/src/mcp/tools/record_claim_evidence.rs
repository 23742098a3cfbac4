//! `querylayer_record_claim_evidence`: records a claim of a revision and what bears on it.

use ql_app::evidence::{NewClaim, NewEvidence, RecordedClaim};
use ql_core::evidence::Stance;
use ql_core::scope::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::input::argument::{self, parsed};
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct RecordClaimEvidence;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// The revision that makes the claim.
    #[schemars(schema_with = "argument::id")]
    revision_id: String,
    /// One sentence that somebody could check.
    claim: String,
    /// JSON pointer to where it is made, such as /body.
    #[schemars(length(max = 500))]
    #[serde(default)]
    pointer: Option<String>,
    /// What bears on it, also what contradicts it.
    #[schemars(length(min = 1, max = 50))]
    evidence: Vec<Entry>,
}

/// One entry of the evidence.
#[derive(Deserialize, JsonSchema)]
struct Entry {
    /// http or https.
    source_url: String,
    /// What the source is called.
    title: String,
    /// Who publishes it.
    #[serde(default)]
    publisher: Option<String>,
    /// The source's own words, exactly.
    excerpt: String,
    /// Where it stands, such as a page.
    #[serde(default)]
    locator: Option<String>,
    /// When you read it.
    #[schemars(schema_with = "argument::instant")]
    retrieved_at: String,
    /// Of the excerpt, in hex, to be compared.
    #[schemars(schema_with = "argument::sha256")]
    #[serde(default)]
    sha256: Option<String>,
    /// How it bears on the claim.
    #[schemars(schema_with = "stance")]
    stance: Stance,
}

fn stance(_: &mut SchemaGenerator) -> Schema {
    argument::one_of([Stance::Supports, Stance::Contradicts, Stance::Context].map(Stance::as_str))
}

impl Tool<Product> for RecordClaimEvidence {
    const NAME: &'static str = "querylayer_record_claim_evidence";
    const TITLE: &'static str = "Record a claim with its evidence";
    const DESCRIPTION: &'static str = "Records one claim that a revision makes, with the sources that bear on it, so that a reviewer can check it. Quote exactly; the server keeps the SHA-256. Record each claim once, after the draft that makes it. Returns claim_id and evidence_ids in the order given.";
    const SCOPES: &'static [Scope] = &[Scope::ContentWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = RecordedClaim;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<RecordedClaim, Failure> {
        let run = argument::named("run", &params.run_id)?;
        let evidence = params.evidence.into_iter().enumerate();
        let claim = NewClaim {
            revision: argument::named("revision", &params.revision_id)?,
            text: params.claim,
            pointer: params.pointer,
            evidence: evidence
                .map(|(index, entry)| entry.read(index))
                .collect::<Result<_, _>>()?,
        };
        let key = idempotency::<Self>(repeat);
        Ok(product
            .app
            .record_claim_evidence(caller.ctx(), Some(run), claim, key)
            .await?)
    }
}

impl Entry {
    fn read(self, index: usize) -> Result<NewEvidence, Failure> {
        let place = |name: &str| format!("/evidence/{index}/{name}");
        let sha256 = self.sha256.map(|text| parsed(&place("sha256"), &text));
        Ok(NewEvidence {
            source_url: self.source_url,
            title: self.title,
            publisher: self.publisher,
            excerpt: self.excerpt,
            locator: self.locator,
            retrieved_at: parsed(&place("retrieved_at"), &self.retrieved_at)?,
            sha256: sha256.transpose()?,
            stance: self.stance,
        })
    }
}
