//! What the operator can ask for.

use std::path::PathBuf;

use crate::cmd::connection_test::TestArgs;
use clap::Subcommand;
use ql_core::actor::Harness;
use ql_core::id::{AgentId, ConnectionId, OrganizationId};
use ql_core::role::Role;
use serde::{Deserialize, Serialize};

/// A request of the operator.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// About organizations.
    Org(Org),
    /// About sites.
    Site(SiteCommand),
    /// About members.
    Member(MemberCommand),
    /// About agents.
    Agent(AgentCommand),
    /// About connections.
    Connection(ConnectionCommand),
    /// Check every chain of the ledger, and its tree.
    VerifyLedger,
    /// About the ledger.
    Ledger(super::LedgerRequest),
    /// About productions.
    Director(super::DirectorRequest),
    /// The connection whose secret begins so, or null.
    FindConnection(String),
    /// Copy the database into a file.
    Backup(PathBuf),
}

/// Organizations: the tenants.
#[derive(Debug, Clone, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Org {
    /// Create an organization
    Create {
        /// Its name
        name: String,
    },
    /// List the organizations
    List,
    /// Give an organization another name
    Rename {
        /// The organization's id
        organization: OrganizationId,
        /// Its new name
        name: String,
    },
}

/// Sites: the websites of an organization.
#[derive(Debug, Clone, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteCommand {
    /// Create a site with the sample templates
    Create {
        /// Its name
        name: String,
        /// Its name in addresses
        #[arg(long)]
        slug: String,
        /// Where its pages are
        #[arg(long, value_name = "URL")]
        base_url: String,
        /// The language of pages that name none
        #[arg(long, default_value = "en")]
        locale: String,
        /// The zone that its people think in
        #[arg(long, default_value = "UTC", value_name = "ZONE")]
        time_zone: String,
        /// The organization; the first one when not given
        #[arg(long)]
        organization: Option<OrganizationId>,
    },
    /// List the sites of every organization
    List,
    /// Show a site
    Show {
        /// Its id or slug
        site: String,
    },
    /// Give a site another name
    Rename {
        /// Its id or slug
        site: String,
        /// Its new name
        name: String,
    },
}

/// Members: the people of an organization.
#[derive(Debug, Clone, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberCommand {
    /// Add a member
    Create {
        /// Its e-mail address
        email: String,
        /// Its name
        #[arg(long)]
        name: String,
        /// What it may do: owner, admin, editor, reviewer or viewer
        #[arg(long)]
        role: Role,
        /// The organization; the first one when not given
        #[arg(long)]
        organization: Option<OrganizationId>,
    },
    /// List the members
    List {
        /// The organization; the first one when not given
        #[arg(long)]
        organization: Option<OrganizationId>,
    },
    /// Give a member another role
    Role {
        /// Its id or e-mail address
        member: String,
        /// What it may do: owner, admin, editor, reviewer or viewer
        role: Role,
    },
    /// Remove a member; its sessions and tokens end at once
    Remove {
        /// Its id or e-mail address
        member: String,
    },
    /// Make a one-time sign-in link, good for a day
    SignInLink {
        /// Its id or e-mail address
        member: String,
    },
}

/// Agents: registered identities.
#[derive(Debug, Clone, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentCommand {
    /// Register an agent
    Create {
        /// Its name
        name: String,
        /// The program it runs in: hermes, codex, chatgpt, claude, grok or other
        #[arg(long)]
        harness: Harness,
        /// For Hermes, the immutable profile id
        #[arg(long)]
        profile_id: Option<String>,
        /// For Hermes, the profile's current name
        #[arg(long)]
        profile_name: Option<String>,
        /// The organization; the first one when not given
        #[arg(long)]
        organization: Option<OrganizationId>,
    },
    /// List the agents
    List {
        /// The organization; the first one when not given
        #[arg(long)]
        organization: Option<OrganizationId>,
    },
    /// Show an agent with its permissions and connections
    Show {
        /// Its id
        agent: AgentId,
    },
    /// Give an agent another name
    Rename {
        /// Its id
        agent: AgentId,
        /// Its new name
        name: String,
    },
    /// Set what an agent may do on a site at most
    Permit {
        /// Its id
        agent: AgentId,
        /// The site's id or slug
        #[arg(long)]
        site: String,
        /// Scopes, or `all`; none takes everything away
        #[arg(long, value_delimiter = ',', num_args = 0..)]
        scopes: Vec<String>,
    },
}

/// Connections: an agent's credentials on a site.
#[derive(Debug, Clone, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionCommand {
    /// Issue a connection; its secret is shown this once
    Create {
        /// Its name
        name: String,
        /// The agent's id
        #[arg(long)]
        agent: AgentId,
        /// The site's id or slug
        #[arg(long)]
        site: String,
        /// Scopes, or `all`; what the agent is permitted when not given
        #[arg(long, value_delimiter = ',')]
        scopes: Vec<String>,
        /// After how many days it ends, 1 to 365
        #[arg(long, default_value_t = 90, value_name = "DAYS")]
        expires_in_days: u32,
    },
    /// List a site's connections
    List {
        /// The site's id or slug
        #[arg(long)]
        site: String,
    },
    /// Show a connection
    Show {
        /// Its id
        connection: ConnectionId,
    },
    /// End a connection at once
    Revoke {
        /// Its id
        connection: ConnectionId,
    },
    /// End a connection at once and issue a new one of the same name
    Rotate {
        /// Its id
        connection: ConnectionId,
    },
    /// Print ready configuration for each client
    Snippets {
        /// The address of the MCP endpoint
        #[arg(long, default_value = "http://127.0.0.1:8090/mcp")]
        url: String,
        /// Only for this client, such as codex
        #[arg(long)]
        client: Option<String>,
    },
    /// Say in words what is wrong between here and the MCP endpoint
    #[command(after_help = "Examples:
  querylayer connection test --url https://cms.example.com/mcp
  querylayer connection test --url https://cms.example.com/mcp --token-env CODEX_TOKEN --tool querylayer_create_draft
  querylayer connection test --data ./data      beside the server: says why a token is refused")]
    #[serde(skip)]
    Test(TestArgs),
}
