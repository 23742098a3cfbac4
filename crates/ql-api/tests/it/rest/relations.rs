//! What belongs to others, on every route that names something: of another site where the route is
//! of one site, of another organization, and of nobody are answered alike, byte for byte.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ql_api::rest;
use ql_app::connection::NewConnection;
use ql_app::member::NewMember;
use ql_core::policy::Policy;
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_testkit::{Place, TestApp};
use serde_json::Value;

use super::person::{Api, Person, outcome};
use crate::actor::Reply;
use crate::belongings::Belongings;

/// A route, its query, and a body; `{content}` and the like stand for identifiers.
pub(crate) type Row = (&'static str, &'static str, &'static str);

pub(crate) const ROWS: [Row; 85] = [
    ("DELETE", "/tokens/{token}", ""),
    ("PATCH", "/members/{member}", r#"{"role": "editor"}"#),
    ("DELETE", "/members/{member}", ""),
    ("POST", "/members/{member}/sign-in-link", ""),
    ("GET", "/agents/{agent}", ""),
    ("PATCH", "/agents/{agent}", r#"{"name": "Agent {agent}"}"#),
    (
        "PUT",
        "/agents/{agent}/permissions/{site}",
        r#"{"scopes": ["site:read", "content:read", "content:write", "topical-map:read", "topical-map:write", "runs:read", "runs:write", "publish:request"]}"#,
    ),
    ("GET", "/sites/{site}/connections", ""),
    (
        "POST",
        "/connections",
        r#"{"name": "c", "agent": "{agent}", "site": "{site}", "scopes": ["site:read"]}"#,
    ),
    ("POST", "/connections/{connection}/rotate", ""),
    ("POST", "/connections/{connection}/revoke", ""),
    ("GET", "/sites/{site}", ""),
    ("PATCH", "/sites/{site}", r#"{"name": "Renamed"}"#),
    ("GET", "/sites/{site}/policy", ""),
    ("PUT", "/sites/{site}/policy", "{policy}"),
    ("GET", "/sites/{site}/templates", ""),
    (
        "POST",
        "/sites/{site}/templates",
        r#"{"key": "t", "title": "T", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}"#,
    ),
    ("GET", "/sites/{site}/templates/{key}/versions", ""),
    ("GET", "/sites/{site}/content", ""),
    (
        "POST",
        "/sites/{site}/content",
        r#"{"template": "article", "fields": {"title": "New", "body": ""}}"#,
    ),
    ("GET", "/sites/{site}/content/{content}", ""),
    (
        "POST",
        "/sites/{site}/content/{content}/rollback",
        r#"{"to_revision_id": "{revision}", "comment": "Back."}"#,
    ),
    (
        "POST",
        "/sites/{site}/content/{content}/drafts",
        r#"{"base_revision_id": "{revision}", "merge_patch": {"body": "x"}}"#,
    ),
    ("GET", "/sites/{site}/content/{content}/revisions", ""),
    ("GET", "/sites/{site}/revisions/{revision}", ""),
    ("POST", "/sites/{site}/revisions/{revision}/preview", ""),
    ("GET", "/sites/{site}/evidence", ""),
    ("GET", "/sites/{site}/evidence?content_id={content}", ""),
    ("GET", "/sites/{site}/evidence?revision_id={revision}", ""),
    ("GET", "/sites/{site}/evidence/{claim}", ""),
    ("GET", "/sites/{site}/forms", ""),
    (
        "POST",
        "/sites/{site}/forms",
        r#"{"key": "contact", "fields": [{"key": "message", "type": "long_text"}]}"#,
    ),
    ("GET", "/sites/{site}/forms/{form}", ""),
    ("GET", "/sites/{site}/forms/{form}/submissions", ""),
    (
        "POST",
        "/sites/{site}/submissions/{submission}/mark",
        r#"{"mark": "marked_ham"}"#,
    ),
    ("GET", "/sites/{site}/form-metrics?form=contact", ""),
    ("GET", "/sites/{site}/reverification", ""),
    ("GET", "/sites/{site}/evidence-reviews", ""),
    ("GET", "/evidence-reviews/{review}", ""),
    (
        "PUT",
        "/evidence/{evidence}/reverification",
        r#"{"cadence_days": 7}"#,
    ),
    ("POST", "/evidence/{evidence}/reverification/run-now", ""),
    ("GET", "/evidence/{evidence}/reverification/attempts", ""),
    (
        "POST",
        "/evidence-reviews/{review}/resolution",
        r#"{"resolution": "holds", "note": "n"}"#,
    ),
    ("DELETE", "/evidence/{evidence}/reverification", ""),
    ("GET", "/sites/{site}/source-packages", ""),
    ("GET", "/source-packages/{package}", ""),
    ("GET", "/source-packages/{package}/records", ""),
    (
        "POST",
        "/source-packages/{package}/dispositions",
        r#"{"disposition": "accepted", "reason": "r"}"#,
    ),
    ("GET", "/sites/{site}/runs", ""),
    ("GET", "/runs/{run}", ""),
    ("GET", "/sites/{site}/proposals", ""),
    ("GET", "/sites/{site}/proposals?run_id={run}", ""),
    (
        "POST",
        "/sites/{site}/proposals",
        r#"{"kind": "content_revision", "rationale": "r", "payload": {"content_id": "{content}", "base_revision_id": "{revision}", "merge_patch": {"body": "x"}}}"#,
    ),
    (
        "POST",
        "/sites/{site}/proposals",
        r#"{"kind": "publish_lifecycle", "rationale": "r", "payload": {"items": [{"action": "publish", "content_id": "{content}", "revision_id": "{revision}"}]}}"#,
    ),
    (
        "POST",
        "/sites/{site}/proposals",
        r#"{"kind": "content_lifecycle", "rationale": "r", "payload": {"items": [{"action": "archive", "content_id": "{content}", "archived_at": "none"}]}}"#,
    ),
    (
        "POST",
        "/sites/{site}/proposals",
        r#"{"kind": "content_source_draft", "rationale": "r", "payload": {"package_id": "{package}", "record_keys": ["hours"], "template": "article", "fields": {"title": "New", "body": ""}}}"#,
    ),
    ("GET", "/ledger/export?run={run}", ""),
    ("GET", "/ledger/export?proposal={proposal}", ""),
    ("GET", "/ledger/export?site={site}", ""),
    ("GET", "/proposals/{proposal}", ""),
    (
        "POST",
        "/proposals/{proposal}/decisions",
        r#"{"decision": "approve", "digest": "0000000000000000000000000000000000000000000000000000000000000000"}"#,
    ),
    ("POST", "/proposals/{proposal}/cancel", ""),
    ("POST", "/proposals/{proposal}/withdraw", ""),
    ("GET", "/sites/{site}/topical-map", ""),
    ("GET", "/sites/{site}/topical-map/{node}", ""),
    ("GET", "/sites/{site}/opportunities", ""),
    ("GET", "/sites/{site}/strategy-imports", ""),
    ("GET", "/sites/{site}/strategy-imports/{import}", ""),
    (
        "POST",
        "/sites/{site}/strategy-imports?source=s&tool=t&exported_at=2026-11-01T00:00:00Z",
        r#"[{"query": "tea"}]"#,
    ),
    (
        "POST",
        "/sites/{site}/proposals",
        r#"{"kind": "topical_strategy", "rationale": "r", "payload": {"opportunity_ids": ["{opportunity}"]}}"#,
    ),
    ("GET", "/sites/{site}/briefs", ""),
    ("GET", "/sites/{site}/briefs/{brief}", ""),
    ("GET", "/sites/{site}/audit", ""),
    ("GET", "/sites/{site}/console/conversations", ""),
    (
        "POST",
        "/console/conversations",
        r#"{"agent": "{agent}", "site": "{site}"}"#,
    ),
    ("GET", "/console/conversations/{conversation}", ""),
    (
        "POST",
        "/console/conversations/{conversation}/turns",
        r#"{"message": "More."}"#,
    ),
    ("POST", "/console/turns/{failed}/reopen", ""),
    ("POST", "/console/turns/{queued}/cancel", ""),
    ("GET", "/console/plans/{plan}", ""),
    ("POST", "/console/plans/{plan}/cancel", ""),
    ("POST", "/console/steps/{stopped}/reopen", ""),
    (
        "POST",
        "/console/steps/{asking}/answer",
        r#"{"message": "Yes."}"#,
    ),
    ("POST", "/console/steps/{offered}/cancel", ""),
    ("POST", "/sites/{site}/ledger/verify", ""),
];

/// What can be named at all, and those of it that an organization's members reach on any of its
/// sites, so that a sibling's is theirs too.
const SLOTS: [&str; 25] = [
    "conversation",
    "failed",
    "queued",
    "plan",
    "asking",
    "stopped",
    "offered",
    "site",
    "agent",
    "connection",
    "member",
    "token",
    "run",
    "content",
    "revision",
    "claim",
    "proposal",
    "submission",
    "node",
    "import",
    "opportunity",
    "brief",
    "package",
    "evidence",
    "review",
];
const ACROSS_SITES: [&str; 16] = [
    "site",
    "agent",
    "connection",
    "member",
    "run",
    "proposal",
    "package",
    "evidence",
    "review",
    "conversation",
    "failed",
    "queued",
    "plan",
    "asking",
    "stopped",
    "offered",
];

/// One of everything on a place's site, and a member and a personal token of its organization.
pub(crate) async fn belongings(test: &TestApp, place: &Place, token_of: Role) -> Belongings {
    let holder = test.sign_in(place, token_of).await;
    let token = test.app.issue_personal_token(&holder, "script").await;
    let context = test
        .app
        .organization_context(&test.sign_in(place, Role::Owner).await);
    let token = token.expect("a token").token.id;
    let new = NewMember {
        email: format!("extra-{token}@acme.example"),
        name: "Extra".to_owned(),
        role: Role::Viewer,
    };
    let member = test.app.create_member(&context, new).await;
    let spare = NewConnection {
        agent: place.agent.id,
        name: "spare".to_owned(),
        scopes: ScopeSet::ALL,
        expires_at: None,
    };
    let site = test.member_of(place, Role::Owner).await;
    let spare = test.app.create_connection(&site, spare).await;
    let all = Belongings::of(test, place).await;
    all.and("token", &token)
        .and("member", &member.expect("a member").id)
        .and("connection", &spare.expect("one").connection.id)
}

async fn call(person: &Person, (method, path, body): Row, named: &Belongings) -> Reply {
    let path = named.write(path).replace("{key}", "article");
    let path = path.replace("{form}", "contact");
    let policy = serde_json::to_string(&Policy::default()).expect("JSON");
    let body = body.replace("{policy}", &policy);
    let body = (!body.is_empty()).then(|| named.fill(&body));
    person.call(method, &path, body).await
}

/// Everything about an answer but the identifier that was named.
fn without(reply: &Reply, id: &str) -> String {
    let headers = format!("{:?}", reply.headers);
    format!("{} {headers} {}", reply.status, reply.body).replace(id, "[id]")
}

/// The answers to one row: with everything its own, and for each slot with what isn't.
async fn answers(api: &Api, row: Row, others: &[Belongings; 3]) -> String {
    let own = belongings(&api.app, &api.app.home, Role::Owner).await;
    let owner = api.owner().await;
    let slots = SLOTS.into_iter().filter(|slot| {
        let slot = format!("{{{slot}}}");
        row.1.contains(&slot) || row.2.contains(&slot)
    });
    let mut line = String::new();
    for slot in slots {
        let mut shown = Vec::new();
        for other in others {
            let reply = call(&owner, row, &own.with(slot, other)).await;
            shown.push((without(&reply, other.get(slot)), outcome(&reply)));
        }
        let [sibling, foreign, never] = shown.try_into().expect("three");
        assert_eq!(foreign, never, "{row:?} {slot}");
        let across = ACROSS_SITES.contains(&slot);
        if !across {
            assert_eq!(sibling, never, "{row:?} {slot}");
        }
        let sibling = if across { &sibling.1 } else { "the same" };
        let _ = write!(line, ", {slot}: {} (sibling: {sibling})", never.1);
    }
    let reply = call(&owner, row, &own).await;
    format!("{}{line}", outcome(&reply))
}

#[tokio::test]
async fn what_belongs_to_others_is_answered_as_what_never_was() {
    let api = Api::new().await;
    let sibling = belongings(&api.app, &api.app.sibling, Role::Editor).await;
    let foreign = belongings(&api.app, &api.app.foreign, Role::Owner).await;
    let never = foreign.never();
    let others = [sibling, foreign, never];
    let mut table = String::new();
    for row in ROWS {
        let answer = answers(&api, row, &others).await;
        let _ = writeln!(table, "{} {} {}\n    {answer}", row.0, row.1, row.2);
    }
    insta::assert_snapshot!("relations", table);
}

/// A route as the table of the API writes it.
fn generic((method, path, _): &Row) -> (String, String) {
    let path = path.split('?').next().unwrap_or_default();
    let named = SLOTS.iter().filter(|slot| **slot != "site");
    let path = named.fold(path.to_owned(), |path, slot| {
        path.replace(&format!("{{{slot}}}"), "{id}")
    });
    ((*method).to_owned(), format!("/api/v1{path}"))
}

/// What a query or a body may name.
fn identifiers(operation: &Value) -> BTreeSet<String> {
    let query = operation["parameters"].as_array().into_iter().flatten();
    let query = query
        .filter(|parameter| parameter["in"] == "query")
        .filter_map(|parameter| parameter["name"].as_str());
    let body = &operation["requestBody"]["content"]["application/json"]["schema"]["properties"];
    let body = body.as_object().into_iter().flatten();
    query
        .chain(body.map(|(name, _)| name.as_str()))
        .filter(|name| name.ends_with("_id") || ["agent", "site", "run", "proposal"].contains(name))
        .map(str::to_owned)
        .collect()
}

/// Identifiers that no row tries, and why. This list only gets shorter.
const NOT_TRIED: [&str; 3] = [
    "post /agents profile_id", // the harness's own name for itself
    "post /sites/{site}/content translation_group_id", // anybody may coin one; it reaches nothing
    "post /sites/{site}/proposals translation_group_id",
];

/// A route that is new, and an identifier that one takes, must be put into the table.
#[test]
fn every_route_that_names_something_stands_in_the_table() {
    let rows: BTreeSet<(String, String)> = ROWS.iter().map(generic).collect();
    let names = |path: &str| path.contains("{id}") || path.contains("{site}");
    let missing: Vec<(String, String)> = rest::table()
        .into_iter()
        .filter(|(_, path)| names(path))
        .filter(|route| !rows.contains(route))
        .collect();
    assert_eq!(missing, []);
    let document = rest::openapi();
    let mut untried = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let route = (method.to_uppercase(), format!("/api/v1{path}"));
            let rows = ROWS.iter().filter(|row| generic(row) == route);
            let text: Vec<&str> = rows.flat_map(|row| [row.1, row.2]).collect();
            let text = text.join(" ");
            let untold = identifiers(operation).into_iter().filter(|name| {
                !text.contains(&format!("{name}=")) && !text.contains(&format!("\"{name}\": \"{{"))
            });
            untried.extend(untold.map(|name| format!("{method} {path} {name}")));
        }
    }
    untried.retain(|name| !NOT_TRIED.contains(&name.as_str()));
    assert_eq!(untried, [""; 0]);
}
