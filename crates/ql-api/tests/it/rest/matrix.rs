//! Who may do what: every route for every kind of caller.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use ql_api::rest::{self, RestConfig};
use ql_app::connection::NewConnection;
use ql_app::member::NewMember;
use ql_app::session::{IssuedToken, SiteRef};
use ql_core::id::{
    EvidenceId, MemberId, ProposalId, ReviewId, RunId, SourcePackageId, SubmissionId,
};
use ql_core::policy::Policy;
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_testkit::{Draft, Place};
use serde_json::{Value, json};

use super::person::{Api, Person};

/// What the routes are tried on.
struct Things {
    api: Api,
    run: RunId,
    live: Draft,
    pending: ProposalId,
    post: SubmissionId,
    package: SourcePackageId,
    evidence: EvidenceId,
    review: ReviewId,
    /// Personal tokens that opened something once, by how they ended.
    ended: BTreeMap<&'static str, String>,
    used: Cell<u32>,
}

impl Things {
    async fn new() -> Self {
        // The clock stands still, and every route has callers who can't be told.
        let unlimited = RestConfig {
            failed_authentications: None,
            ..RestConfig::default()
        };
        let api = Api::with(unlimited).await;
        let live = api.app.live_article(&api.app.home, "A page").await;
        let agent = api.app.agent().await;
        let run = api.app.begin_run(&agent).await;
        let draft = api.app.draft(&agent, run, "Another").await;
        let pending = api.app.request_publication(&agent, run, &[draft]).await;
        let package = api.app.stage(&agent, run).await;
        let evidence = api.app.evidence_of(draft).await;
        let review = api.app.reviewed(&api.app.home, evidence).await;
        Self {
            ended: ended(&api).await,
            post: api.app.post(&api.app.home, "Words of a visitor").await,
            api,
            run,
            live,
            pending,
            package,
            evidence,
            review,
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
            "agent" => api.bearer(api.app.home.connection.secret.expose()),
            "foreign" => api.member_of(&api.app.foreign, Role::Owner).await,
            "no-csrf" => api.owner().await.without("x-csrf-token"),
            "others-csrf" => {
                let viewer = api.member(Role::Viewer).await;
                let csrf = viewer
                    .headers
                    .iter()
                    .find(|(name, _)| *name == "x-csrf-token");
                let (_, csrf) = csrf.expect("a token");
                api.owner().await.with("x-csrf-token", csrf.as_str())
            }
            "junk" => api.bearer("qlp_000000000000000000000000000000000000"),
            "revoked" | "removed" => api.bearer(&self.ended[kind]),
            "foreign-qlp" => {
                let member = api.member_of(&api.app.foreign, Role::Owner).await;
                api.bearer(&member.token().await)
            }
            kind => match kind.strip_suffix("-qlp") {
                Some(role) => {
                    let role = role.parse().expect("a role");
                    api.bearer(&api.personal_token(role).await)
                }
                None => api.member(kind.parse().expect("a role")).await,
            },
        }
    }

    /// The path and the body that a route is tried with. What it would change for good is new each
    /// time; where that can't be, it stops after the authorization.
    async fn attempt(&self, route: &str) -> (String, Option<Value>) {
        let found = match self.on_people(route).await {
            None => self.on_agents(route).or_else(|| self.on_sites(route)),
            found => found,
        };
        let found = match found {
            None => self.on_console(route).await,
            found => found,
        };
        let (id, body) = match found.or_else(|| self.on_content(route)) {
            None => (self.on_records(route), None),
            Some(found) => found,
        };
        let path = route.split_once(' ').expect("a route").1;
        let path = path.replace("{site}", "site").replace("{key}", "article");
        let path = path.replace("{form}", "contact");
        let path = match route {
            "POST /sites/{site}/strategy-imports" => {
                format!("{path}?source=s&tool=t&exported_at=2026-11-01T00:00:00Z")
            }
            _ => path,
        };
        // The one call that names its thing in the query.
        let path = match &*path {
            "/ledger/export" => format!("{path}?run={}", self.run),
            path => path.replace("{id}", &id),
        };
        (path, body)
    }

    /// The statuses that a route answers the callers with.
    async fn row(&self, method: &str, path: &str) -> String {
        let (route, mut row) = (format!("{method} {path}"), String::new());
        for caller in CALLERS {
            let person = self.caller(caller).await;
            let (path, body) = self.attempt(&route).await;
            let reply = person.call(method, &path, body).await;
            assert_ne!(reply.status, 500, "{route} {caller}: {}", reply.body);
            let _ = write!(row, "{:>11} ", reply.status.as_u16());
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

    /// The home site with a connection that no other route has ended.
    async fn connected(&self) -> Place {
        let home = &self.api.app.home;
        let new = NewConnection {
            agent: home.agent.id,
            name: self.fresh(),
            scopes: ScopeSet::ALL,
            expires_at: None,
        };
        let operator = self.api.app.operator().await;
        let permitted = (self.api.app.app)
            .set_permissions(&operator, home.agent.id, ScopeSet::ALL)
            .await;
        permitted.expect("permissions");
        let issued = self.api.app.app.create_connection(&operator, new).await;
        Place {
            connection: issued.expect("a connection"),
            ..home.clone()
        }
    }

    async fn on_console(&self, route: &str) -> Option<Attempt> {
        let (_, path) = route.split_once(' ').expect("a route");
        if !path.starts_with("/console") {
            return None;
        }
        let talks = self.api.app.talk(&self.connected().await).await;
        let message = || Some(json!({"message": "More."}));
        Some(match route {
            "POST /console/conversations" => {
                let agent = self.api.app.home.agent.id;
                (String::new(), Some(json!({"agent": agent, "site": "site"})))
            }
            "POST /console/conversations/{id}/turns" => (talks.conversation.to_string(), message()),
            "POST /console/turns/{id}/reopen" => (talks.failed.to_string(), None),
            "POST /console/turns/{id}/cancel" => (talks.queued.to_string(), None),
            "POST /console/steps/{id}/answer" => (talks.asking.to_string(), message()),
            "POST /console/steps/{id}/reopen" => (talks.stopped.to_string(), None),
            "POST /console/steps/{id}/cancel" => (talks.offered.to_string(), None),
            _ if path.starts_with("/console/plans") => (talks.plan.to_string(), None),
            _ => (talks.conversation.to_string(), None),
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
            "POST /sites/{site}/forms" => {
                json!({"key": "contact", "fields": [{"key": "message", "type": "long_text"}]})
            }
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
            "POST /sites/{site}/submissions/{id}/mark" => {
                let mark = json!({"mark": "marked_ham"});
                (self.post.to_string(), Some(mark))
            }
            "POST /sites/{site}/strategy-imports" => {
                let row = json!([{"query": self.fresh()}]);
                (String::new(), Some(row))
            }
            "PUT /evidence/{id}/reverification" => {
                let cadence = json!({"cadence_days": 30});
                (self.evidence.to_string(), Some(cadence))
            }
            // Stops after the authorization, since a review is closed once.
            "POST /evidence-reviews/{id}/resolution" => {
                let wordless = json!({"resolution": "holds", "note": ""});
                (self.review.to_string(), Some(wordless))
            }
            "POST /source-packages/{id}/dispositions" => {
                let accept = json!({"disposition": "accepted", "reason": "Ours."});
                (self.package.to_string(), Some(accept))
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
            Some("/source-packages") => self.package.to_string(),
            Some("/evidence") => self.evidence.to_string(),
            Some("/evidence-reviews") => self.review.to_string(),
            Some("/runs") => self.run.to_string(),
            Some("/proposals") => self.pending.to_string(),
            Some("/sites/{site}/topical-map") => "node_00000000000000000000000000".to_owned(),
            Some("/sites/{site}/strategy-imports") => "imp_00000000000000000000000000".to_owned(),
            Some("/sites/{site}/briefs") => "brf_00000000000000000000000000".to_owned(),
            _ => {
                let known = route.starts_with("GET ") || route.ends_with("/ledger/verify");
                assert!(known && !path.contains("{id}"), "{route} isn't tried");
                String::new()
            }
        }
    }
}

/// Personal tokens that were revoked, and of a member who was removed.
async fn ended(api: &Api) -> BTreeMap<&'static str, String> {
    let app = &api.app.app;
    let owner = api.app.sign_in(&api.app.home, Role::Owner).await;
    let context = app.organization_context(&owner);
    let revoked = app.issue_personal_token(&owner, "revoked").await;
    let revoked = revoked.expect("a token");
    let done = app.revoke_personal_token(&owner, revoked.token.id).await;
    done.expect("revoked");
    let new = NewMember {
        email: "gone@acme.example".to_owned(),
        name: "Gone".to_owned(),
        role: Role::Admin,
    };
    let gone = app.create_member(&context, new).await.expect("a member").id;
    let link = app.create_sign_in_link(&context, gone).await;
    let opened = app.sign_in_with_link(&link.expect("a link")).await;
    let member = app.authenticate_session(&opened.expect("in").secret).await;
    let removed = app
        .issue_personal_token(&member.expect("in"), "removed")
        .await;
    let removed = removed.expect("a token");
    app.remove_member(&context, gone).await.expect("removed");
    let secret = |issued: &IssuedToken| issued.secret.expose().to_owned();
    BTreeMap::from([("revoked", secret(&revoked)), ("removed", secret(&removed))])
}

/// What stands for `{id}`, and the body.
type Attempt = (String, Option<Value>);

/// Everybody who may try: members by their role with a session, by a personal token, and without
/// the session's CSRF token; those whose credential opens nothing here; another organization's owner.
const CALLERS: [&str; 19] = [
    "anonymous",
    "viewer",
    "reviewer",
    "editor",
    "admin",
    "owner",
    "viewer-qlp",
    "reviewer-qlp",
    "editor-qlp",
    "admin-qlp",
    "owner-qlp",
    "no-csrf",
    "others-csrf",
    "junk",
    "revoked",
    "removed",
    "agent",
    "foreign",
    "foreign-qlp",
];

#[tokio::test]
async fn every_route_answers_every_kind_of_caller_as_the_contract_says() {
    let things = Things::new().await;
    let mut table = CALLERS.map(|caller| format!("{caller:>11} ")).concat() + "route\n";
    for (method, path) in rest::table() {
        table += &things
            .row(&method, path.trim_start_matches("/api/v1"))
            .await;
    }
    insta::assert_snapshot!("routes", table);
}
