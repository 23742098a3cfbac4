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
    /// The revision that makes the claim, as `querylayer_create_draft` returned it.
    #[schemars(schema_with = "argument::id")]
    revision_id: String,
    /// The claim in one sentence that somebody could check.
    #[schemars(length(min = 1, max = 2000))]
    claim: String,
    /// A JSON pointer into the revision's fields to where the claim is made, such as /body.
    #[schemars(length(max = 500))]
    #[serde(default)]
    pointer: Option<String>,
    /// The sources that bear on the claim, also those that contradict it.
    #[schemars(length(min = 1, max = 50))]
    evidence: Vec<Entry>,
}

/// One entry of the evidence.
#[derive(Deserialize, JsonSchema)]
struct Entry {
    /// The source's http or https address.
    #[schemars(length(min = 1, max = 2000))]
    source_url: String,
    /// What the source is called.
    #[schemars(length(min = 1, max = 500))]
    title: String,
    /// Who publishes it.
    #[schemars(length(max = 300))]
    #[serde(default)]
    publisher: Option<String>,
    /// The words of the source that bear on the claim, exactly as they stand there.
    #[schemars(length(min = 1, max = 10_000))]
    excerpt: String,
    /// Where in the source they stand, such as a page or a heading.
    #[schemars(length(max = 500))]
    #[serde(default)]
    locator: Option<String>,
    /// When you read the source.
    #[schemars(schema_with = "argument::instant")]
    retrieved_at: String,
    /// The SHA-256 of the excerpt's UTF-8, to be compared; the server computes it in any case.
    #[schemars(schema_with = "argument::sha256")]
    #[serde(default)]
    sha256: Option<String>,
    /// How the excerpt bears on the claim.
    #[schemars(schema_with = "stance")]
    stance: Stance,
}

fn stance(_: &mut SchemaGenerator) -> Schema {
    argument::one_of([Stance::Supports, Stance::Contradicts, Stance::Context].map(Stance::as_str))
}

impl Tool<Product> for RecordClaimEvidence {
    const NAME: &'static str = "querylayer_record_claim_evidence";
    const TITLE: &'static str = "Record a claim with its evidence";
    const DESCRIPTION: &'static str = "Records one claim that a revision makes together with the sources that bear on it, so that a reviewer can check it and it can be verified again later. Quote excerpts exactly; the server keeps their SHA-256. Record each claim once, after the draft that makes it. Returns claim_id and the evidence_ids in the order given.";
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
