//! Who may do what: every route for every kind of caller.

use std::cell::Cell;
use std::fmt::Write as _;

use ql_api::rest;
use ql_app::member::NewMember;
use ql_app::session::SiteRef;
use ql_core::id::{MemberId, ProposalId, RunId};
use ql_core::policy::Policy;
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_testkit::Draft;
use serde_json::{Value, json};

use super::person::{Api, Person};

/// What the routes are tried on.
struct Things {
    api: Api,
    run: RunId,
    live: Draft,
    pending: ProposalId,
    used: Cell<u32>,
}

impl Things {
    async fn new() -> Self {
        let api = Api::new().await;
        let live = api.app.live_article(&api.app.home, "A page").await;
        let agent = api.app.agent().await;
        let run = api.app.begin_run(&agent).await;
        let draft = api.app.draft(&agent, run, "Another").await;
        let pending = api.app.request_publication(&agent, run, &[draft]).await;
        Self {
            api,
            run,
            live,
            pending,
            used: Cell::new(0),
        }
    }

    /// A name that nothing has yet.
    fn fresh(&self) -> String {
        self.used.set(self.used.get() + 1);
        format!("new-{}", self.used.get())
    }

    /// A member who is there only to be changed.
    async fn extra(&self) -> MemberId {
        let site = SiteRef::Id(self.api.app.home.site.id);
        let operator = self.api.app.app.operator_site_context(0, &site).await;
        let (operator, _) = operator.expect("the site");
        let new = NewMember {
            email: format!("{}@acme.example", self.fresh()),
            name: "Extra".to_owned(),
            role: Role::Viewer,
        };
        self.api
            .app
            .app
            .create_member(&operator, new)
            .await
            .expect("a member")
            .id
    }

    /// A caller with a session of its own where it has one, so that nothing one does ends another.
    async fn caller(&self, kind: &str) -> Person {
        let api = &self.api;
        match kind {
            "anonymous" => api.anonymous(),
            "token" => api.bearer(&api.personal_token(Role::Owner).await),
            "agent" => api.bearer(api.app.home.connection.secret.expose()),
            "foreign" => api.member_of(&api.app.foreign, Role::Owner).await,
            role => api.member(role.parse().expect("a role")).await,
        }
    }

    /// The path and the body that a route is tried with. What it would change for good is new each
    /// time; where that can't be, it stops after the authorization.
    async fn attempt(&self, route: &str) -> (String, Option<Value>) {
        let found = match self.on_people(route).await {
            None => self.on_agents(route).or_else(|| self.on_sites(route)),
            found => found,
        };
        let (id, body) = match found.or_else(|| self.on_content(route)) {
            None => (self.on_records(route), None),
            Some(found) => found,
        };
        let path = route.split_once(' ').expect("a route").1;
        let path = path.replace("{site}", "site").replace("{key}", "article");
        (path.replace("{id}", &id), body)
    }

    /// The statuses that a route answers the callers with.
    async fn row(&self, method: &str, path: &str) -> String {
        let (route, mut row) = (format!("{method} {path}"), String::new());
        for caller in CALLERS {
            let person = self.caller(caller).await;
            let (path, body) = self.attempt(&route).await;
            let reply = person.call(method, &path, body).await;
            assert_ne!(reply.status, 500, "{route} {caller}: {}", reply.body);
            let _ = write!(row, "{:>9} ", reply.status.as_u16());
        }
        row + &route + "\n"
    }

    async fn on_people(&self, route: &str) -> Option<Attempt> {
        let nobody = String::new();
        Some(match route {
            "POST /session/reauth" => (nobody, Some(json!({"password": "wrong"}))),
            "PUT /session/password" => (nobody, Some(json!({"password": "short"}))),
            "DELETE /session" => (nobody, None),
            "POST /tokens" => (nobody, Some(json!({"name": "t"}))),
            "DELETE /tokens/{id}" => ("mtk_00000000000000000000000000".to_owned(), None),
            "PATCH /organization" => (nobody, Some(json!({"name": "Acme"}))),
            "POST /members" => {
                let email = format!("{}@acme.example", self.fresh());
                (
                    nobody,
                    Some(json!({"email": email, "name": "N", "role": "viewer"})),
                )
            }
            "PATCH /members/{id}" => {
                let role = json!({"role": "editor"});
                (self.extra().await.to_string(), Some(role))
            }
            "DELETE /members/{id}" | "POST /members/{id}/sign-in-link" => {
                (self.extra().await.to_string(), None)
            }
            _ => return None,
        })
    }

    fn on_agents(&self, route: &str) -> Option<Attempt> {
        let agent = self.api.app.home.agent.id;
        let connection = self.api.app.home.connection.connection.id;
        Some(match route {
            "POST /agents" => {
                let new = json!({"name": self.fresh(), "harness": "other"});
                (String::new(), Some(new))
            }
            "GET /agents/{id}" => (agent.to_string(), None),
            "PATCH /agents/{id}" => (agent.to_string(), Some(json!({"name": "Same"}))),
            "PUT /agents/{id}/permissions/{site}" => {
                (agent.to_string(), Some(json!({"scopes": ScopeSet::ALL})))
            }
            "POST /connections" => {
                let new =
                    json!({"name": "c", "agent": agent, "site": "site", "scopes": ["site:read"]});
                (String::new(), Some(new))
            }
            "POST /connections/{id}/revoke" | "POST /connections/{id}/rotate" => {
                (connection.to_string(), None)
            }
            _ => return None,
        })
    }

    fn on_sites(&self, route: &str) -> Option<Attempt> {
        let body = match route {
            "POST /sites" => json!({
                "name": "S", "slug": self.fresh(), "base_url": "https://s.example", "locale": "en",
                "time_zone": "UTC"
            }),
            "PATCH /sites/{site}" => json!({"name": "Same"}),
            "PUT /sites/{site}/policy" => serde_json::to_value(Policy::default()).expect("JSON"),
            "POST /sites/{site}/templates" => {
                let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
                json!({"key": "t", "title": "T", "schema": schema})
            }
            _ => return None,
        };
        Some((String::new(), Some(body)))
    }

    fn on_content(&self, route: &str) -> Option<Attempt> {
        let (content, revision) = (self.live.content, self.live.revision);
        Some(match route {
            "POST /sites/{site}/content" => {
                let fields = json!({"title": self.fresh(), "body": ""});
                (
                    String::new(),
                    Some(json!({"template": "article", "fields": fields})),
                )
            }
            "POST /sites/{site}/content/{id}/drafts" => {
                let new = json!({"base_revision_id": revision, "merge_patch": {}});
                (content.to_string(), Some(new))
            }
            "POST /sites/{site}/content/{id}/rollback" => {
                let back = json!({"to_revision_id": revision, "comment": "Back."});
                (content.to_string(), Some(back))
            }
            "POST /sites/{site}/proposals" => {
                let payload = json!({"items": [{"action": "unpublish", "content_id": content}]});
                let new =
                    json!({"kind": "publish_lifecycle", "rationale": "Off.", "payload": payload});
                (String::new(), Some(new))
            }
            "POST /proposals/{id}/decisions" => {
                let decision = json!({"decision": "approve", "digest": "0".repeat(64)});
                (self.pending.to_string(), Some(decision))
            }
            _ => return None,
        })
    }

    /// The identifier in the path of a call without a body.
    fn on_records(&self, route: &str) -> String {
        let (_, path) = route.split_once(' ').expect("a route");
        match path.split("/{id}").next() {
            Some("/sites/{site}/content") => self.live.content.to_string(),
            Some("/sites/{site}/revisions") => self.live.revision.to_string(),
            Some("/sites/{site}/evidence") => "clm_00000000000000000000000000".to_owned(),
            Some("/runs") => self.run.to_string(),
            Some("/proposals") => self.pending.to_string(),
            _ => {
                let known = route.starts_with("GET ") || route.ends_with("/ledger/verify");
                assert!(known && !path.contains("{id}"), "{route} isn't tried");
                String::new()
            }
        }
    }
}

/// What stands for `{id}`, and the body.
type Attempt = (String, Option<Value>);

const CALLERS: [&str; 9] = [
    "anonymous",
    "viewer",
    "reviewer",
    "editor",
    "admin",
    "owner",
    "token",
    "agent",
    "foreign",
];

#[tokio::test]
async fn every_route_answers_every_kind_of_caller_as_the_contract_says() {
    let things = Things::new().await;
    let mut table = CALLERS.map(|caller| format!("{caller:>9} ")).concat() + "route\n";
    for (method, path) in rest::table() {
        table += &things
            .row(&method, path.trim_start_matches("/api/v1"))
            .await;
    }
    insta::assert_snapshot!(table, @"
    anonymous    viewer  reviewer    editor     admin     owner     token     agent   foreign route
          401       200       200       200       200       200       200       401       200 GET /session
          401       403       403       403       403       403       403       401       403 POST /session/reauth
          401       422       422       422       422       422       422       401       422 PUT /session/password
          401       204       204       204       204       204       204       401       204 DELETE /session
          401       200       200       200       200       200       200       401       200 GET /tokens
          401       201       201       201       201       201       403       401       201 POST /tokens
          401       404       404       404       404       404       404       401       404 DELETE /tokens/{id}
          401       200       200       200       200       200       200       401       200 GET /organization
          401       403       403       403       403       200       403       401       200 PATCH /organization
          401       200       200       200       200       200       200       401       200 GET /organization/audit
          401       200       200       200       200       200       200       401       200 GET /members
          401       403       403       403       201       201       403       401       201 POST /members
          401       403       403       403       200       200       403       401       404 PATCH /members/{id}
          401       403       403       403       204       204       403       401       404 DELETE /members/{id}
          401       403       403       403       201       201       403       401       404 POST /members/{id}/sign-in-link
          401       200       200       200       200       200       200       401       200 GET /agents
          401       403       403       403       201       201       201       401       201 POST /agents
          401       200       200       200       200       200       200       401       404 GET /agents/{id}
          401       403       403       403       200       200       200       401       404 PATCH /agents/{id}
          401       403       403       403       200       200       403       401       404 PUT /agents/{id}/permissions/{site}
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/connections
          401       403       403       403       201       201       201       401       404 POST /connections
          401       403       403       403       200       200       200       401       404 POST /connections/{id}/revoke
          401       403       403       403       201       201       201       401       404 POST /connections/{id}/rotate
          401       200       200       200       200       200       200       401       200 GET /sites
          401       403       403       403       201       201       201       401       201 POST /sites
          401       200       200       200       200       200       200       401       404 GET /sites/{site}
          401       403       403       403       200       200       200       401       404 PATCH /sites/{site}
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/policy
          401       403       403       403       200       200       403       401       404 PUT /sites/{site}/policy
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/templates
          401       403       403       201       201       201       201       401       404 POST /sites/{site}/templates
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/templates/{key}/versions
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/content
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/content/{id}
          401       403       422       422       422       422       403       401       404 POST /sites/{site}/content/{id}/rollback
          401       403       403       201       201       201       201       401       404 POST /sites/{site}/content
          401       403       403       201       201       201       201       401       404 POST /sites/{site}/content/{id}/drafts
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/content/{id}/revisions
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/revisions/{id}
          401       201       201       201       201       201       201       401       404 POST /sites/{site}/revisions/{id}/preview
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/evidence
          401       404       404       404       404       404       404       401       404 GET /sites/{site}/evidence/{id}
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/runs
          401       200       200       200       200       200       200       401       404 GET /runs/{id}
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/proposals
          401       403       403       201       201       201       201       401       404 POST /sites/{site}/proposals
          401       200       200       200       200       200       200       401       404 GET /proposals/{id}
          401       403       409       409       409       409       403       401       404 POST /proposals/{id}/decisions
          401       403       409       409       409       409       403       401       404 POST /proposals/{id}/cancel
          401       403       403       404       404       404       404       401       404 POST /proposals/{id}/withdraw
          401       200       200       200       200       200       200       401       404 GET /sites/{site}/audit
          401       200       200       200       200       200       200       401       404 POST /sites/{site}/ledger/verify
    ");
}
