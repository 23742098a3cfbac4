//! `querylayer_form_screening_metrics`: counts of screened form posts, and nothing else of them.

use ql_app::form::{Day, MetricsQuery, ScreeningMetrics};
use ql_core::scope::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::input::argument::parsed;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct FormScreeningMetrics;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The first UTC day to count, such as 2026-12-01; an instant means its day. 30 days up to the
    /// last when left out.
    #[schemars(schema_with = "day")]
    #[serde(default)]
    from: Option<String>,
    /// The last UTC day to count, itself included; today when left out. At most 92 days in all.
    #[schemars(schema_with = "day")]
    #[serde(default)]
    to: Option<String>,
    /// The key of one form; every form of the site when left out.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    form: Option<String>,
}

fn day(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?$" })
}

impl Tool<Product> for FormScreeningMetrics {
    const NAME: &'static str = "querylayer_form_screening_metrics";
    const TITLE: &'static str = "Count screened form posts";
    const DESCRIPTION: &'static str = "Counts the posts that visitors sent to the site's forms, by UTC day, form, decision (accepted, held, rejected, marked_ham, marked_spam) and reason of the screening. What isn't listed is zero. `rejected_kept_days` names for how many days rejected posts are kept: older ones are gone and their totals with them. Messages, addresses and networks are never shown to agents.";
    const SCOPES: &'static [Scope] = &[Scope::SiteRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = ScreeningMetrics;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, .. }: Call<Params>,
    ) -> Result<ScreeningMetrics, Failure> {
        let day =
            |at: &str, text: Option<String>| text.map(|text| parsed::<Day>(at, &text)).transpose();
        let query = MetricsQuery {
            from: day("/from", params.from)?,
            to: day("/to", params.to)?,
            form: params.form,
        };
        Ok(product.app.form_metrics(caller.ctx(), query).await?)
    }
}
