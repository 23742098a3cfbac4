//! `querylayer_site_context`: where the agent is and what it may do.

use ql_app::site::SiteDescription;
use ql_core::actor::Harness;
use ql_core::id::{AgentId, ConnectionId, OrganizationId, SiteId};
use ql_core::page::PageRequest;
use ql_core::proposal::MAX_ITEMS;
use ql_core::run::{MAX_EVENTS, MAX_INLINE_BYTES};
use ql_core::scope::{Scope, ScopeSet};
use ql_core::template::Template;
use ql_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::edge::rate::Rate;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product};
use crate::mcp::tool::{Call, Effect, Tool};

/// The contract that these tools keep, by its date.
const CONTRACT_VERSION: &str = "2026-09-01";

/// The tool.
pub(crate) struct SiteContext;

/// It takes none.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

/// Its answer.
#[derive(Serialize)]
pub(crate) struct Output {
    contract_version: &'static str,
    organization: OrganizationView,
    site: SiteView,
    agent: Option<AgentView>,
    connection: Option<ConnectionView>,
    templates: Vec<TemplateView>,
    approval_policy: Vec<String>,
    limits: Limits,
}

#[derive(Serialize)]
struct OrganizationView {
    organization_id: OrganizationId,
    name: String,
}

#[derive(Serialize)]
struct SiteView {
    site_id: SiteId,
    name: String,
    slug: String,
    base_url: String,
    locale: String,
    time_zone: String,
}

#[derive(Serialize)]
struct AgentView {
    agent_id: AgentId,
    name: String,
    harness: Harness,
}

#[derive(Serialize)]
struct ConnectionView {
    connection_id: ConnectionId,
    name: String,
    prefix: String,
    expires_at: Timestamp,
    effective_scopes: ScopeSet,
}

#[derive(Serialize)]
struct TemplateView {
    key: String,
    version: i64,
    title: String,
    description: String,
    schema: Value,
}

#[derive(Serialize)]
struct Limits {
    body_bytes: usize,
    calls_per_minute: Option<u32>,
    burst_of_calls: Option<u32>,
    list_items: u32,
    proposal_items: usize,
    run_events: i64,
    run_bytes: i64,
    run_idle_hours: i64,
}

impl Tool<Product> for SiteContext {
    const NAME: &'static str = "querylayer_site_context";
    const TITLE: &'static str = "Site context";
    const DESCRIPTION: &'static str = "Says where you are and what you may do: organization, site, agent, connection and its scopes, content templates with the JSON Schema of their fields, approval policy and limits. Call it first. Site and identity come from your token and can't be chosen.";
    const SCOPES: &'static [Scope] = &[Scope::SiteRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = Params;
    type Output = Output;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        _: Call<Params>,
    ) -> Result<Output, Failure> {
        let description = product.app.describe_site(caller.ctx()).await?;
        Ok(Output::of(description, product))
    }
}

impl Output {
    fn of(description: SiteDescription, product: &Product) -> Self {
        let SiteDescription {
            organization,
            site,
            agent,
            templates,
            policy,
        } = description;
        let limits = Limits::of(product, site.run_idle_hours);
        let (agent, connection) = agent
            .map(|(agent, connection, scopes)| {
                let view = ConnectionView {
                    connection_id: connection.id,
                    name: connection.name,
                    prefix: connection.prefix,
                    expires_at: connection.expires_at,
                    effective_scopes: scopes,
                };
                (
                    AgentView {
                        agent_id: agent.id,
                        name: agent.name,
                        harness: agent.harness,
                    },
                    view,
                )
            })
            .unzip();
        Self {
            contract_version: CONTRACT_VERSION,
            organization: OrganizationView {
                organization_id: organization.id,
                name: organization.name,
            },
            site: SiteView {
                site_id: site.id,
                name: site.name,
                slug: site.slug,
                base_url: site.base_url,
                locale: site.locale,
                time_zone: site.time_zone,
            },
            agent,
            connection,
            templates: templates.into_iter().map(TemplateView::of).collect(),
            approval_policy: policy.policy.describe(),
            limits,
        }
    }
}

impl TemplateView {
    fn of(template: Template) -> Self {
        Self {
            key: template.key,
            version: template.version,
            title: template.title,
            description: template.description,
            schema: template.schema,
        }
    }
}

impl Limits {
    fn of(product: &Product, run_idle_hours: i64) -> Self {
        Self {
            body_bytes: product.body_bytes,
            calls_per_minute: product.calls.map(|rate: Rate| rate.per_minute),
            burst_of_calls: product.calls.map(|rate| rate.burst),
            list_items: PageRequest::MAX,
            proposal_items: MAX_ITEMS,
            run_events: MAX_EVENTS,
            run_bytes: MAX_INLINE_BYTES,
            run_idle_hours,
        }
    }
}
