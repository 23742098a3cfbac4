//! What never comes out, to whom: a text of each kind is planted, everything is asked of every
//! surface by everybody, well and badly, and each answer is searched for each text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::body::Body;
use ql_api::health::Metrics;
use ql_api::mcp::McpConfig;
use ql_api::rest::{self, RestConfig};
use ql_api::{ApiConfig, delivery, router};
use ql_core::role::Role;
use ql_testkit::{Planted, TestApp};
use serde_json::{Value, json};

use crate::actor::{Actor, Reply};
use crate::authority::rows::ROWS as TOOLS;
use crate::belongings::Belongings;
use crate::rest::relations::{ROWS as ROUTES, belongings};

/// Who may be told what. Whatever isn't listed is never told; whatever is listed is told somewhere,
/// which shows that the search finds what is there.
const MAY: [(&str, &[&str]); 6] = [
    ("the public", &[]),
    (
        "an agent",
        &[
            "a conversation",
            "a draft",
            "a plan",
            "a reviewer's words",
            "a source record",
        ],
    ),
    (
        "a viewer",
        &[
            "a conversation",
            "a draft",
            "a plan",
            "a reviewer's note",
            "a reviewer's words",
            "a sibling site",
            "a source record",
            "an address",
            "an artifact",
            "an observation",
        ],
    ),
    (
        "an owner",
        &[
            "a conversation",
            "a draft",
            "a plan",
            "a reviewer's note",
            "a reviewer's words",
            "a sibling site",
            "a source record",
            "a visitor's words",
            "an address",
            "an artifact",
            "an observation",
            "the owner's form token",
        ],
    ),
    (
        "anybody, of a server whose tables are gone",
        &["a sibling site", "an address", "the owner's form token"],
    ),
    ("anybody, of a server whose database is gone", &[]),
];

/// Everything behind one router, and what was planted in it.
struct Searched {
    test: TestApp,
    planted: Planted,
    actor: Actor,
    owner: Actor,
    viewer: Actor,
    /// What the caller has, and what it hasn't.
    places: Vec<Belongings>,
}

impl Searched {
    async fn new() -> Self {
        let test = TestApp::embedded().await;
        let planted = test.plant().await;
        let config = ApiConfig {
            mcp: McpConfig {
                calls: None,
                failed_authentications: None,
                ..McpConfig::default()
            },
            rest: RestConfig::default(),
        };
        let actor = Actor::on(router(&test.app, config, &Arc::new(Metrics::default())));
        let actor = actor.without_token();
        let session = |secret: &str, csrf: &str| {
            let signed_in = actor
                .clone()
                .header("cookie", &format!("__Host-ql_session={secret}"));
            signed_in.header("x-csrf-token", csrf)
        };
        let owner = session(&planted.session, &planted.csrf);
        let viewer = {
            let operator = test.operator().await;
            let member = test.home.members[&Role::Viewer];
            let link = test.app.create_sign_in_link(&operator, member).await;
            let opened = test.app.sign_in_with_link(&link.expect("a link")).await;
            let opened = opened.expect("a session");
            session(&opened.secret, &opened.session.csrf)
        };
        let home = belongings(&test, &test.home, Role::Editor).await;
        let foreign = belongings(&test, &test.foreign, Role::Owner).await;
        let never = foreign.never();
        Self {
            test,
            planted,
            actor,
            owner,
            viewer,
            places: vec![home, foreign, never],
        }
    }

    /// The kinds that an answer tells.
    fn told(&self, asked: &str, reply: &Reply) -> BTreeSet<&'static str> {
        let answer = format!("{:?}\n{}", reply.headers, reply.body);
        let found = self.planted.found(asked, &answer);
        found.into_iter().map(|canary| canary.kind).collect()
    }

    /// What the public is told.
    async fn public(&self) -> BTreeSet<&'static str> {
        let mut told = BTreeSet::new();
        let mut paths: Vec<String> = ["/healthz", "/readyz", "/metrics", "/mcp", "/nowhere"]
            .map(str::to_owned)
            .to_vec();
        for route in delivery::ROUTES {
            for (site, slug) in [("site", "words"), ("nowhere", "planted-draft-of-site")] {
                let path = route.replace("{site}", site).replace("{slug}", slug);
                paths.push(path.replace("{token}", "nonsense"));
            }
        }
        for (_, path) in rest::table() {
            paths.push(path.replace("{site}", "site").replace("{id}", "nonsense"));
        }
        for path in paths {
            for method in ["GET", "POST"] {
                let reply = self.actor.send(method, &path, &[], Body::empty()).await;
                told.extend(self.told(&path, &reply));
            }
        }
        told
    }

    /// What an agent with every scope is told, by tools and by what goes wrong before one.
    async fn agent(&self) -> BTreeSet<&'static str> {
        let agent = self.actor.clone();
        let agent = agent.token(self.test.home.connection.secret.expose());
        let mut told = BTreeSet::new();
        for row in TOOLS {
            for place in &self.places {
                let arguments = place.fill(row.arguments);
                let reply = agent.call(row.tool, arguments.clone()).await;
                told.extend(self.told(&arguments.to_string(), &reply));
            }
            let reply = agent.call(row.tool, json!({"nonsense": 1})).await;
            told.extend(self.told("", &reply));
        }
        let package = self.planted.package.expect("a package");
        let (_, session) = self.planted.conversation.as_ref().expect("a conversation");
        let lists = [
            (
                "querylayer_claim_console_task",
                json!({"session_id": session}),
            ),
            (
                "querylayer_list_content_source_records",
                json!({"package_id": package, "include_body": true}),
            ),
            (
                "querylayer_list_content",
                json!({"include_fields": true, "limit": 100}),
            ),
            ("querylayer_list_proposals", json!({"limit": 100})),
            (
                "querylayer_list_evidence_reverification",
                json!({"limit": 100}),
            ),
            ("querylayer_list_evidence", json!({"limit": 100})),
            ("querylayer_list_topical_map", json!({"limit": 100})),
            (
                "querylayer_list_topical_strategy_opportunities",
                json!({"limit": 100}),
            ),
            ("querylayer_list_content_briefs", json!({"limit": 100})),
            ("nonsense", json!({})),
        ];
        for (tool, arguments) in lists {
            told.extend(self.told("", &agent.call(tool, arguments).await));
        }
        for method in ["tools/list", "initialize", "resources/list", "nonsense"] {
            told.extend(self.told("", &agent.request(method, json!({})).await));
        }
        for body in ["", "{", "[]", "null", r#"{"jsonrpc":"2.0","id":1,"id":2}"#] {
            told.extend(self.told("", &agent.post(body).await));
        }
        told
    }

    async fn anybody(&self) -> BTreeSet<&'static str> {
        let mut told = self.public().await;
        told.extend(self.agent().await);
        told.extend(self.member(&self.owner).await);
        told
    }

    /// Takes away what nearly every statement needs, so that the engine has something to say.
    fn lose_tables(&self) {
        let file = rusqlite::Connection::open(self.test.database()).expect("the database");
        for table in [
            "content_items",
            "runs",
            "proposals",
            "claims",
            "form_submissions",
            "topical_nodes",
            "strategy_imports",
            "content_briefs",
            "source_packages",
            "reverification_reviews",
            "templates",
            "ledger_heads",
            "conversations",
        ] {
            let lost = format!("ALTER TABLE {table} RENAME TO lost_{table}");
            file.execute_batch(&lost).expect("lost");
        }
    }

    /// What a signed-in member is told by the API.
    async fn member(&self, member: &Actor) -> BTreeSet<&'static str> {
        let mut told = BTreeSet::new();
        for (method, path, body) in self.requests() {
            let json = [("content-type", "application/json".to_owned())];
            let asked = format!("{path} {body}");
            let path = format!("/api/v1{path}");
            let reply = member.send(method, &path, &json, body.into()).await;
            told.extend(self.told(&asked, &reply));
        }
        told
    }

    /// Every route for everything that the caller has and hasn't, those that end something last.
    fn requests(&self) -> Vec<(&'static str, String, String)> {
        let policy = serde_json::to_string(&ql_core::policy::Policy::default()).expect("JSON");
        let mut requests = Vec::new();
        for path in rest::table() {
            let (method, path) = path;
            let path = path.trim_start_matches("/api/v1").to_owned();
            if method == "GET" && !path.contains('{') {
                requests.push(("GET", path, String::new()));
            }
        }
        let (run, proposal) = self.planted.work.expect("work");
        for path in [format!("/runs/{run}"), format!("/proposals/{proposal}")] {
            requests.push(("GET", path, String::new()));
        }
        let package = self.planted.package.expect("a package");
        let review = self.planted.review.expect("a review");
        let (talk, _) = self.planted.conversation.as_ref().expect("a conversation");
        let path = format!("/console/conversations/{talk}");
        requests.push(("GET", path, String::new()));
        requests.push(("GET", format!("/evidence-reviews/{review}"), String::new()));
        let path = format!("/source-packages/{package}/records?include_body=true");
        requests.push(("GET", path, String::new()));
        for place in &self.places {
            for (method, path, body) in ROUTES {
                if method == "DELETE" {
                    continue;
                }
                let path = place.write(path).replace("{key}", "article");
                let path = path.replace("{form}", "contact");
                let body = place.write(&body.replace("{policy}", &policy));
                requests.push((method, path.clone(), body));
                requests.push((method, path, r#"{"nonsense": 1}"#.to_owned()));
            }
        }
        requests
    }
}

#[tokio::test]
async fn nobody_is_told_what_they_may_not_know() {
    let searched = Searched::new().await;
    let mut told = BTreeMap::from([
        ("the public", searched.public().await),
        ("an agent", searched.agent().await),
        ("a viewer", searched.member(&searched.viewer).await),
        ("an owner", searched.member(&searched.owner).await),
    ]);
    searched.lose_tables();
    let body = searched
        .owner
        .send("GET", "/api/v1/sites/site/content", &[], Body::empty());
    assert_eq!(body.await.status, 500, "there are faults to be told about");
    told.insert(
        "anybody, of a server whose tables are gone",
        searched.anybody().await,
    );
    searched.test.app.store().close();
    let ready = searched.actor.send("GET", "/readyz", &[], Body::empty());
    assert_eq!(ready.await.status, 503);
    told.insert(
        "anybody, of a server whose database is gone",
        searched.anybody().await,
    );
    for (whom, may) in MAY {
        let told: Vec<&str> = told[whom].iter().copied().collect();
        assert_eq!(told, may, "{whom}");
    }
}

/// The tools' list is an agent's alone; nothing of it is known to whoever asks without a token.
#[tokio::test]
async fn who_has_no_token_learns_no_tool() {
    let searched = Searched::new().await;
    let reply = searched.actor.request("tools/list", json!({})).await;
    let body: Value = reply.json();
    assert_eq!(body["result"], Value::Null);
    assert!(
        TOOLS.iter().all(|row| !reply.body.contains(row.tool)),
        "{reply}"
    );
}
