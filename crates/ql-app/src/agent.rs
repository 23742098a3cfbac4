//! Agents: registered identities and what each may do on a site at most.

use ql_core::access::{Administer, ChangeAuthority, ReadAdministration, ReadOrganization};
use ql_core::actor::Harness;
use ql_core::connection::{Agent, Connection};
use ql_core::id::{AgentId, SiteId};
use ql_core::problem::Problem;
use ql_core::scope::ScopeSet;
use ql_store::{agent, connection};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

/// An agent to register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAgent {
    /// The name people see, unique in the organization.
    pub name: String,
    /// The program it runs in.
    pub harness: Harness,
    /// For Hermes, the immutable profile it is bound to.
    pub profile_id: Option<String>,
    /// For Hermes, the profile's current name.
    pub profile_name: Option<String>,
}

/// What to change of an agent; its harness and profile id never change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentPatch {
    /// Another name.
    pub name: Option<String>,
    /// The profile's new name: a routing attribute, nothing else moves with it.
    pub profile_name: Option<String>,
}

/// An agent with what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRecord {
    /// The agent.
    pub agent: Agent,
    /// What it may do at most, site by site.
    pub permissions: Vec<(SiteId, ScopeSet)>,
    /// Its connections on every site, newest first.
    pub connections: Vec<Connection>,
}

impl App {
    /// Registers an agent. It may do nothing until it is given permissions on a site.
    pub async fn create_agent(&self, ctx: &OpContext, new: NewAgent) -> Result<Agent> {
        let authorized = ctx.authorize_organization::<Administer>()?;
        let mut checks = Checks::default();
        checks.text("/name", &new.name, 120);
        checks.optional_text(
            "/profile_id",
            new.profile_id.as_deref().unwrap_or_default(),
            200,
        );
        checks.optional_text(
            "/profile_name",
            new.profile_name.as_deref().unwrap_or_default(),
            200,
        );
        let profile = new.profile_id.is_some() || new.profile_name.is_some();
        if profile && new.harness != Harness::Hermes {
            checks.add(Problem::new(
                "/profile_id",
                "harness",
                "only a Hermes agent is bound to a profile",
            ));
        }
        checks.finish()?;
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        let agent = Agent {
            id: AgentId::mint(scribe.ids(), scribe.at),
            organization: authorized.organization(),
            name: new.name.trim().to_owned(),
            harness: new.harness,
            profile_id: new.profile_id,
            profile_name: new.profile_name,
            created_at: scribe.at,
        };
        let registered = agent.clone();
        self.store()
            .write(move |tx| {
                if agent::list(tx, agent.organization)?.iter().any(|other| other.name == agent.name) {
                    return Err(Error::NameTaken("agent"));
                }
                agent::insert(tx, &authorized, &agent)?;
                let detail = json!({"agent": agent.id, "name": agent.name, "harness": agent.harness, "profile_id": agent.profile_id});
                scribe.administration(tx, "agent.created", detail)
            })
            .await?;
        Ok(registered)
    }

    /// Changes an agent's name or its profile's name; permissions, bindings and history stay.
    pub async fn update_agent(
        &self,
        ctx: &OpContext,
        id: AgentId,
        patch: AgentPatch,
    ) -> Result<Agent> {
        let authorized = ctx.authorize_organization::<Administer>()?;
        let mut checks = Checks::default();
        if let Some(name) = &patch.name {
            checks.text("/name", name, 120);
        }
        checks.optional_text(
            "/profile_name",
            patch.profile_name.as_deref().unwrap_or_default(),
            200,
        );
        checks.finish()?;
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        self.store()
            .write(move |tx| {
                let all = agent::list(tx, authorized.organization())?;
                let before = all
                    .iter()
                    .find(|agent| agent.id == id)
                    .ok_or(Error::NotFound("agent"))?;
                let mut after = before.clone();
                if let Some(name) = &patch.name {
                    name.trim().clone_into(&mut after.name);
                }
                if let Some(profile_name) = &patch.profile_name {
                    after.profile_name = Some(profile_name.clone());
                }
                if after == *before {
                    return Ok(after);
                }
                if all
                    .iter()
                    .any(|other| other.id != id && other.name == after.name)
                {
                    return Err(Error::NameTaken("agent"));
                }
                agent::update(tx, &authorized, &after)?;
                let detail =
                    json!({"agent": id, "name": after.name, "profile_name": after.profile_name});
                scribe.administration(tx, "agent.renamed", detail)?;
                Ok(after)
            })
            .await
    }

    /// Sets what an agent may do on the site at most; it holds from its very next call on.
    pub async fn set_permissions(
        &self,
        ctx: &OpContext,
        id: AgentId,
        scopes: ScopeSet,
    ) -> Result<()> {
        let authorized = ctx.authorize::<ChangeAuthority>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| {
                agent::find(tx, id)?
                    .filter(|agent| agent.organization == authorized.organization())
                    .ok_or(Error::NotFound("agent"))?;
                let before = agent::permissions(tx, id, authorized.site())?;
                if before == scopes {
                    return Ok(());
                }
                agent::set_permissions(tx, &authorized, id, scopes)?;
                let detail = json!({"agent": id, "before": before, "after": scopes});
                scribe.administration(tx, "agent.permissions_set", detail)
            })
            .await
    }

    /// What an agent may do on the site at most.
    pub async fn get_permissions(&self, ctx: &OpContext, id: AgentId) -> Result<ScopeSet> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        self.store()
            .read(move |tx| Ok(agent::permissions(tx, id, site)?))
            .await
    }

    /// The organization's agents with what they hold.
    pub async fn list_agents(&self, ctx: &OpContext) -> Result<Vec<AgentRecord>> {
        let organization = ctx
            .authorize_organization::<ReadOrganization>()?
            .organization();
        self.store()
            .read(move |tx| {
                let mut records = Vec::new();
                for agent in agent::list(tx, organization)? {
                    records.push(AgentRecord {
                        permissions: agent::list_permissions(tx, agent.id)?,
                        connections: connection::list_by_agent(tx, agent.id)?,
                        agent,
                    });
                }
                Ok(records)
            })
            .await
    }

    /// One of the organization's agents with what it holds.
    pub async fn get_agent(&self, ctx: &OpContext, id: AgentId) -> Result<AgentRecord> {
        let organization = ctx
            .authorize_organization::<ReadOrganization>()?
            .organization();
        self.store()
            .read(move |tx| {
                let agent = agent::find(tx, id)?
                    .filter(|agent| agent.organization == organization)
                    .ok_or(Error::NotFound("agent"))?;
                let permissions = agent::list_permissions(tx, id)?;
                Ok(AgentRecord {
                    agent,
                    permissions,
                    connections: connection::list_by_agent(tx, id)?,
                })
            })
            .await
    }
}
