//! Who the identifiers in history stand for.

use std::collections::HashMap;

use ql_app::OpContext;
use ql_core::actor::{Actor, Harness};
use ql_core::id::{AgentId, ConnectionId, MemberId};

use crate::config::Web;
use crate::edge::error::WebError;
use crate::part::Who;

/// The names of an organization's members, agents and connections.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    site: String,
    members: HashMap<MemberId, String>,
    agents: HashMap<AgentId, (String, Harness)>,
    connections: HashMap<ConnectionId, (String, String)>,
}

impl Names {
    /// Reads them.
    pub(crate) async fn read(web: &Web, ctx: &OpContext, site: &str) -> Result<Self, WebError> {
        let mut names = Self {
            site: site.to_owned(),
            ..Self::default()
        };
        for member in web.app.list_members(ctx).await? {
            names.members.insert(member.id, member.name);
        }
        for record in web.app.list_agents(ctx).await? {
            for connection in record.connections {
                let shown = (connection.name, connection.prefix);
                names.connections.insert(connection.id, shown);
            }
            let agent = record.agent;
            names.agents.insert(agent.id, (agent.name, agent.harness));
        }
        Ok(names)
    }

    /// An actor's badge.
    pub(crate) fn who(&self, actor: Actor) -> Who {
        match actor {
            Actor::Agent { agent, .. } => self.agent(agent),
            Actor::Member(id) => match self.members.get(&id) {
                Some(name) => Who::person(name.as_str()),
                None => Who::person(id.to_string()),
            },
            Actor::Operator { uid } => Who::system("Operator").with(format!("uid {uid}")),
            Actor::System => Who::system("QueryLayer"),
        }
    }

    /// An agent's badge.
    pub(crate) fn agent(&self, id: AgentId) -> Who {
        let badge = match self.agents.get(&id) {
            Some((name, _)) => Who::agent(name.as_str()),
            None => Who::agent(id.to_string()),
        };
        badge.to(format!("/sites/{}/agents/{id}", self.site))
    }

    /// The badge of the connection that an actor came by.
    pub(crate) fn via(&self, actor: Actor) -> Option<Who> {
        match actor {
            Actor::Agent { connection, .. } => Some(self.connection(connection)),
            Actor::Member(_) | Actor::Operator { .. } | Actor::System => None,
        }
    }

    /// A connection's badge.
    pub(crate) fn connection(&self, id: ConnectionId) -> Who {
        let badge = match self.connections.get(&id) {
            Some((name, prefix)) => Who::connection(name.as_str()).with(prefix.as_str()),
            None => Who::connection(id.to_string()),
        };
        badge.to(format!("/sites/{}/connections/{id}", self.site))
    }

    /// The agents by name, to choose from.
    pub(crate) fn agents(&self) -> Vec<(AgentId, String)> {
        let mut all: Vec<(AgentId, String)> = self
            .agents
            .iter()
            .map(|(id, (name, _))| (*id, name.clone()))
            .collect();
        all.sort_by(|a, b| a.1.cmp(&b.1));
        all
    }
}
