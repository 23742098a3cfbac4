//! The product over a throw-away database: one organization, two sites, agents and an owner.

use std::sync::Arc;

use axum::Router;
use ql_api::mcp::{McpConfig, router};
use ql_app::agent::NewAgent;
use ql_app::connection::NewConnection;
use ql_app::member::NewMember;
use ql_app::session::{SignedIn, SiteRef};
use ql_app::site::NewSite;
use ql_app::template::NewTemplate;
use ql_app::{App, AppConfig, OpContext};
use ql_core::actor::Harness;
use ql_core::id::{AgentId, ConnectionId};
use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};

use ql_testkit::{CountingIds, FixedClock, FreshDatabase};
use serde_json::{Value, json};

use crate::actor::Actor;

/// A running product without a network.
pub(crate) struct World {
    pub(crate) app: App,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) router: Router,
    /// The operator on the site that tests work on.
    pub(crate) home: OpContext,
    /// The operator on the site next door, of the same organization.
    pub(crate) other: OpContext,
    agent: AgentId,
    // Dropped last: the database.
    _database: FreshDatabase,
}

/// A connection with an actor that uses it.
pub(crate) struct Connected {
    pub(crate) id: ConnectionId,
    pub(crate) actor: Actor,
    pub(crate) token: String,
}

const HOME: &str = "home";
const OTHER: &str = "other";

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(McpConfig {
            calls: None,
            ..McpConfig::default()
        })
        .await
    }

    pub(crate) async fn with(config: McpConfig) -> Self {
        let database = FreshDatabase::chosen();
        let clock = Arc::new(FixedClock::default());
        let deployment = AppConfig {
            public_url: "https://cms.example".to_owned(),
            preview_key: [7; 32],
        };
        let ids = Arc::new(CountingIds::default());
        let app = App::new(
            database.store().clone(),
            Arc::clone(&clock) as _,
            ids,
            deployment,
        );
        let organization = app
            .create_organization(0, "Acme")
            .await
            .expect("an organization");
        let operator = app
            .operator_context(0, Some(organization.id))
            .await
            .expect("an operator");
        for (name, slug) in [("Home", HOME), ("Next door", OTHER)] {
            let site = NewSite {
                name: name.to_owned(),
                slug: slug.to_owned(),
                base_url: format!("https://{slug}.example"),
                locale: "en".to_owned(),
                time_zone: "Europe/Amsterdam".to_owned(),
            };
            app.create_site(&operator, site).await.expect("a site");
        }
        let new = NewAgent {
            name: "Writer".to_owned(),
            harness: Harness::Codex,
            profile_id: None,
            profile_name: None,
        };
        let agent = app.create_agent(&operator, new).await.expect("an agent").id;
        let home = on_site(&app, HOME).await;
        let other = on_site(&app, OTHER).await;
        for site in [&home, &other] {
            app.save_template(site, article())
                .await
                .expect("a template");
            app.set_permissions(site, agent, ScopeSet::ALL)
                .await
                .expect("permissions");
        }
        let router = router(app.clone(), config);
        Self {
            app,
            clock,
            router,
            home,
            other,
            agent,
            _database: database,
        }
    }

    /// A new connection of the agent to the site.
    pub(crate) async fn connect(&self, name: &str, scopes: &[Scope]) -> Connected {
        self.connect_on(&self.home, name, scopes.iter().copied().collect())
            .await
    }

    /// A new connection of the same agent to the site next door, with every scope.
    pub(crate) async fn connect_next_door(&self) -> Connected {
        self.connect_on(&self.other, "next door", ScopeSet::ALL)
            .await
    }

    async fn connect_on(&self, site: &OpContext, name: &str, scopes: ScopeSet) -> Connected {
        let new = NewConnection {
            agent: self.agent,
            name: name.to_owned(),
            scopes,
            expires_at: None,
        };
        let issued = self
            .app
            .create_connection(site, new)
            .await
            .expect("a connection");
        let token = issued.secret.expose().to_owned();
        let actor = Actor::on(self.router.clone()).token(&token);
        Connected {
            id: issued.connection.id,
            actor,
            token,
        }
    }

    /// An actor with every scope on the site.
    pub(crate) async fn agent(&self) -> Actor {
        self.connect("main", &Scope::ALL).await.actor
    }

    /// Sets what the agent may do on the site at most.
    pub(crate) async fn permit(&self, scopes: &[Scope]) {
        let scopes = scopes.iter().copied().collect();
        self.app
            .set_permissions(&self.home, self.agent, scopes)
            .await
            .expect("permissions");
    }

    /// A member of that role, signed in on the site.
    pub(crate) async fn member(&self, role: Role) -> OpContext {
        let new = NewMember {
            email: format!("{role}@acme.example"),
            name: format!("The {role}"),
            role,
        };
        let member = self
            .app
            .create_member(&self.home, new)
            .await
            .expect("a member");
        let link = self
            .app
            .create_sign_in_link(&self.home, member.id)
            .await
            .expect("a link");
        let session = self.app.sign_in_with_link(&link).await.expect("a session");
        let signed_in: SignedIn = self
            .app
            .authenticate_session(&session.secret)
            .await
            .expect("signed in");
        let site = SiteRef::Slug(HOME.to_owned());
        self.app
            .member_context(&signed_in, &site)
            .await
            .expect("a context")
            .0
    }
}

async fn on_site(app: &App, slug: &str) -> OpContext {
    let site = SiteRef::Slug(slug.to_owned());
    app.operator_site_context(0, &site).await.expect("a site").0
}

fn article() -> NewTemplate {
    NewTemplate {
        key: "article".to_owned(),
        title: "Article".to_owned(),
        description: "A page of prose.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "title": { "type": "string", "minLength": 1 },
                "body": { "type": "string" }
            },
            "required": ["title", "body"],
            "additionalProperties": false
        }),
        display: ql_core::template::Display::default(),
    }
}

/// Work that many tests begin with.
impl Actor {
    /// Calls a tool that must succeed.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments).await.answer();
        assert_eq!(answer["ok"], true, "{tool}: {answer}");
        answer
    }

    /// Calls a tool that must refuse; gives its code.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await.answer();
        assert_eq!(answer["ok"], false, "{tool}: {answer}");
        answer["code"].as_str().expect("a code").to_owned()
    }

    /// Begins a run without required outputs.
    pub(crate) async fn run(&self) -> String {
        let arguments = json!({
            "run_type": "write", "input": {}, "required_outputs": [], "completion_conditions": []
        });
        text(&self.done("querylayer_begin_run", arguments).await["run_id"])
    }

    /// Writes a new article in a run; gives content and revision.
    pub(crate) async fn article(&self, run: &str, title: &str) -> (String, String) {
        let arguments = json!({
            "run_id": run, "template": "article", "fields": { "title": title, "body": "First words." }
        });
        let drafted = self.done("querylayer_create_draft", arguments).await;
        (text(&drafted["content_id"]), text(&drafted["revision_id"]))
    }
}

/// One source, as a claim's evidence.
pub(crate) fn evidence() -> Value {
    json!([{
        "source_url": "https://source.example/report",
        "title": "Report",
        "publisher": "The Source",
        "excerpt": "Words were first written down.",
        "locator": "p. 3",
        "retrieved_at": "2026-11-29T10:00:00Z",
        "stance": "supports"
    }])
}

/// A JSON string's text.
pub(crate) fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("no text: {value}"))
        .to_owned()
}

/// An answer for a snapshot, a line for each member: identifiers numbered by kind, digests and
/// secrets named.
pub(crate) fn shown(answer: &Value) -> String {
    let mut seen: Vec<String> = Vec::new();
    let pattern = regex::Regex::new(
        r"\b(?P<kind>org|site|agt|con|mem|run|art|cnt|trg|rev|prop|clm|evd|node|brf|imp|opp)_[0-9a-z]{26}\b|\b[0-9a-f]{64}\b|qla_[0-9A-Za-z]{8}",
    );
    let members = answer.as_object().expect("an object");
    let lines: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let pretty = lines.join(
        "
",
    );
    let named = pattern
        .expect("a pattern")
        .replace_all(&pretty, |found: &regex::Captures<'_>| {
            let Some(kind) = found.name("kind") else {
                return if found[0].starts_with("qla_") {
                    "qla_[prefix]"
                } else {
                    "[sha256]"
                }
                .to_owned();
            };
            if !seen.contains(&found[0].to_owned()) {
                seen.push(found[0].to_owned());
            }
            let same_kind = seen.iter().filter(|id| id.starts_with(kind.as_str()));
            let number = same_kind.take_while(|id| **id != found[0]).count() + 1;
            format!("{}_{number}", kind.as_str())
        });
    named.into_owned()
}
