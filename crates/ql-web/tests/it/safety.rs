//! What holds on every route: who may, what comes along, and what never does.

use std::fmt::Write as _;

use axum::body::Body;
use http::header::{CONTENT_TYPE, ORIGIN};
use http::{Method, Request, StatusCode};
use ql_core::role::Role;
use ql_testkit::{Draft, TestApp};

use crate::browser::Browser;

/// The routes as the router states them.
const ROUTES: &str = include_str!("../../src/route/mod.rs");

/// Addresses of the home site that exist, by the route that they belong to.
async fn addresses(test: &TestApp) -> Vec<(&'static str, String)> {
    let draft = test.live_article(&test.home, "Opening hours").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let next = test.revise(&agent, run, draft, "Winter hours").await;
    let record = ql_app::run::RecordArtifact {
        run,
        key: "notes".into(),
        media_type: "text/plain".into(),
        body: "notes".into(),
        sha256: None,
        affected: vec![],
    };
    let artifact = test
        .app
        .record_artifact(&agent, record, None)
        .await
        .expect("an artifact");
    let proposal = test.request_publication(&agent, run, &[next]).await;
    let payload = ql_core::proposal::CreateContent {
        template: "article".into(),
        slug: None,
        locale: None,
        translation_group: None,
        fields: ql_testkit::article("A new page"),
    };
    let payload = ql_core::proposal::Payload::CreateContent(payload);
    let new = test
        .propose(&agent, Some(run), payload)
        .await
        .expect("a proposal")
        .proposal_id;
    let Draft { content, revision } = draft;
    let (agent, connection) = (test.home.agent.id, test.home.connection.connection.id);
    let at = |route: &'static str, path: String| (route, path);
    vec![
        at("/", "/".into()),
        at("/sign-in", "/sign-in".into()),
        at("/password", "/password".into()),
        at("/account", "/account".into()),
        at("/proposals/{id}", format!("/proposals/{proposal}")),
        at("/runs/{id}", format!("/runs/{run}")),
        at("/sites/{site}", "/sites/site".into()),
        at("/sites/{site}/inbox", "/sites/site/inbox".into()),
        at(
            "/sites/{site}/proposals/{id}",
            format!("/sites/site/proposals/{proposal}"),
        ),
        at(
            "/sites/{site}/proposals/{id}/preview",
            format!("/sites/site/proposals/{new}/preview"),
        ),
        at("/sites/{site}/content", "/sites/site/content".into()),
        at(
            "/sites/{site}/content/new",
            "/sites/site/content/new?template=article".into(),
        ),
        at(
            "/sites/{site}/content/{id}",
            format!("/sites/site/content/{content}"),
        ),
        at(
            "/sites/{site}/content/{id}/edit",
            format!("/sites/site/content/{content}/edit"),
        ),
        at(
            "/sites/{site}/content/{id}/compare",
            format!(
                "/sites/site/content/{content}/compare?from={revision}&to={}",
                next.revision
            ),
        ),
        at(
            "/sites/{site}/content/{id}/propose",
            format!("/sites/site/content/{content}/propose?action=publish"),
        ),
        at(
            "/sites/{site}/content/{id}/roll-back",
            format!("/sites/site/content/{content}/roll-back?to={revision}"),
        ),
        at(
            "/sites/{site}/content/{id}/revisions/{part}",
            format!("/sites/site/content/{content}/revisions/{revision}"),
        ),
        at(
            "/sites/{site}/content/{id}/revisions/{part}/preview",
            format!("/sites/site/content/{content}/revisions/{revision}/preview"),
        ),
        at("/sites/{site}/templates", "/sites/site/templates".into()),
        at(
            "/sites/{site}/templates/new",
            "/sites/site/templates/new".into(),
        ),
        at(
            "/sites/{site}/templates/{id}",
            "/sites/site/templates/article".into(),
        ),
        at(
            "/sites/{site}/templates/{id}/new-version",
            "/sites/site/templates/article/new-version".into(),
        ),
        at("/sites/{site}/runs", "/sites/site/runs".into()),
        at("/sites/{site}/runs/{id}", format!("/sites/site/runs/{run}")),
        at(
            "/sites/{site}/runs/{id}/artifacts/{part}",
            format!("/sites/site/runs/{run}/artifacts/{}", artifact.artifact_id),
        ),
        at("/sites/{site}/agents", "/sites/site/agents".into()),
        at("/sites/{site}/agents/new", "/sites/site/agents/new".into()),
        at(
            "/sites/{site}/agents/{id}",
            format!("/sites/site/agents/{agent}"),
        ),
        at(
            "/sites/{site}/agents/{id}/connect",
            format!("/sites/site/agents/{agent}/connect"),
        ),
        at(
            "/sites/{site}/connections/{id}",
            format!("/sites/site/connections/{connection}"),
        ),
        at(
            "/sites/{site}/connections/{id}/revoke",
            format!("/sites/site/connections/{connection}/revoke"),
        ),
        at(
            "/sites/{site}/connections/{id}/rotate",
            format!("/sites/site/connections/{connection}/rotate"),
        ),
        at("/sites/{site}/members", "/sites/site/members".into()),
        at("/sites/{site}/settings", "/sites/site/settings".into()),
        at(
            "/sites/{site}/settings/new-site",
            "/sites/site/settings/new-site".into(),
        ),
        at("/sites/{site}/audit", "/sites/site/audit".into()),
    ]
}

/// Forms that only change something, with the fields that get them past reading.
async fn actions(test: &TestApp) -> Vec<(&'static str, String, Vec<(&'static str, &'static str)>)> {
    let draft = test.live_article(&test.home, "Closing hours").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let next = test.revise(&agent, run, draft, "Late hours").await;
    let proposal = test.request_publication(&agent, run, &[next]).await;
    let (agent, connection) = (test.home.agent.id, test.home.connection.connection.id);
    let member = test.home.members[&Role::Viewer];
    let digest = (
        "digest",
        "0000000000000000000000000000000000000000000000000000000000000000",
    );
    let on = |route: &'static str, path: String, fields: &[(&'static str, &'static str)]| {
        (route, path, fields.to_vec())
    };
    let decided = |what: &str| format!("/sites/site/proposals/{proposal}/{what}");
    vec![
        on(
            "/sites/{site}/inbox/reject",
            "/sites/site/inbox/reject".into(),
            &[("comment", "x")],
        ),
        on(
            "/sites/{site}/proposals/{id}/approve",
            decided("approve"),
            &[digest],
        ),
        on(
            "/sites/{site}/proposals/{id}/reject",
            decided("reject"),
            &[digest, ("comment", "x")],
        ),
        on(
            "/sites/{site}/proposals/{id}/request-changes",
            decided("request-changes"),
            &[digest, ("comment", "x")],
        ),
        on(
            "/sites/{site}/proposals/{id}/withdraw",
            decided("withdraw"),
            &[],
        ),
        on(
            "/sites/{site}/proposals/{id}/cancel",
            decided("cancel"),
            &[],
        ),
        on(
            "/sites/{site}/agents/{id}/rename",
            format!("/sites/site/agents/{agent}/rename"),
            &[("name", "Scribe")],
        ),
        on(
            "/sites/{site}/agents/{id}/permissions",
            format!("/sites/site/agents/{agent}/permissions"),
            &[("scope", "site:read")],
        ),
        on(
            "/sites/{site}/members/{id}/role",
            format!("/sites/site/members/{member}/role"),
            &[("role", "viewer")],
        ),
        on(
            "/sites/{site}/members/{id}/link",
            format!("/sites/site/members/{member}/link"),
            &[],
        ),
        on(
            "/sites/{site}/members/{id}/remove",
            "/sites/site/members/mem_00000000000000000000000000/remove".into(),
            &[],
        ),
        on(
            "/sites/{site}/settings/policy",
            "/sites/site/settings/policy".into(),
            &[("high_risk_items", "x")],
        ),
        on(
            "/sites/{site}/settings",
            "/sites/site/settings".into(),
            &[("run_idle_hours", "24"), ("console_lease_seconds", "600")],
        ),
        on(
            "/sites/{site}/content/{id}/propose",
            format!("/sites/site/content/{}/propose", draft.content),
            &[("action", "unpublish"), ("reason", "x")],
        ),
        on(
            "/sites/{site}/content/{id}/edit",
            format!("/sites/site/content/{}/edit", draft.content),
            &[("base", "rev_00000000000000000000000000")],
        ),
        on(
            "/sites/{site}/templates/new",
            "/sites/site/templates/new".into(),
            &[("schema", "{}")],
        ),
        on(
            "/sites/{site}/agents/new",
            "/sites/site/agents/new".into(),
            &[("harness", "codex")],
        ),
        on(
            "/sites/{site}/connections/{id}/revoke",
            format!("/sites/site/connections/{connection}/revoke"),
            &[],
        ),
        on(
            "/sites/{site}/audit/verify",
            "/sites/site/audit/verify".into(),
            &[],
        ),
    ]
}

/// Routes that the tables leave out, and why: this list only gets shorter.
const LEFT_OUT: [&str; 6] = [
    "/assets/{file}",              // the same for everybody
    "/sign-in/{id}",               // opens a session itself
    "/sign-out",                   // ends the session that the table needs
    "/account/tokens",             // about the caller alone
    "/account/tokens/{id}/revoke", // about the caller alone
    "/sites/{site}/never",         // stands for a route that doesn't exist
];

fn routes() -> Vec<String> {
    let quoted = ROUTES.split('"').skip(1).step_by(2);
    quoted
        .filter(|text| text.starts_with('/'))
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn every_route_answers_each_role_as_it_should() {
    let test = TestApp::new().await;
    let (pages, forms) = (addresses(&test).await, actions(&test).await);
    let covered: Vec<&str> = pages
        .iter()
        .map(|p| p.0)
        .chain(forms.iter().map(|f| f.0))
        .chain(LEFT_OUT)
        .collect();
    for route in routes() {
        assert!(
            covered.contains(&route.as_str()),
            "{route} stands in no table"
        );
    }
    let mut table = format!(
        "{:<60} none owner admin editor reviewer viewer foreign
",
        "GET"
    );
    for (route, path) in &pages {
        let mut row = format!("{route:<60}");
        row += &format!(" {}", Browser::new(&test).get(path).await.status.as_u16());
        for role in Role::ALL {
            let mut browser = Browser::member(&test, role).await;
            row += &format!(" {}", browser.get(path).await.status.as_u16());
        }
        let mut foreign = Browser::of(&test, &test.foreign, Role::Owner).await;
        row += &format!(" {}", foreign.get(path).await.status.as_u16());
        writeln!(table, "{row}").expect("a text");
    }
    writeln!(
        table,
        "{:<60} none viewer reviewer editor admin owner foreign",
        "POST"
    )
    .expect("a text");
    for (route, path, fields) in &forms {
        let mut row = format!("{route:<60}");
        let plain: Vec<(String, String)> = fields
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        row += &format!(
            " {}",
            Browser::new(&test).post(path, &plain).await.status.as_u16()
        );
        let mut people = Vec::new();
        for role in [
            Role::Viewer,
            Role::Reviewer,
            Role::Editor,
            Role::Admin,
            Role::Owner,
        ] {
            people.push(Browser::member(&test, role).await);
        }
        people.push(Browser::of(&test, &test.foreign, Role::Owner).await);
        for browser in &mut people {
            let home = browser.visit("/").await;
            let mut signed = home.filled("/sign-out", &[]);
            signed.extend(plain.clone());
            row += &format!(" {}", browser.post(path, &signed).await.status.as_u16());
        }
        writeln!(table, "{row}").expect("a text");
    }
    insta::assert_snapshot!("routes", table);
}

#[tokio::test]
async fn a_form_without_the_sessions_own_token_changes_nothing() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let page = owner.get("/sites/site/settings").await;
    let mut form = page.filled("/sites/site/settings", &[("name", "Stolen")]);
    form.retain(|(name, _)| name != "csrf");
    let without = owner.post("/sites/site/settings", &form).await;
    assert_eq!(without.status, StatusCode::FORBIDDEN);
    assert!(without.says("The form is out of date") && without.says("Nothing was changed."));
    form.push(("csrf".into(), "0".repeat(64)));
    assert_eq!(
        owner.post("/sites/site/settings", &form).await.status,
        StatusCode::FORBIDDEN
    );
    let right = page.filled("/sites/site/settings", &[("name", "Stolen")]);
    let body: Vec<String> = right.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let foreign = Request::post("/sites/site/settings")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ORIGIN, "https://elsewhere.example")
        .body(Body::from(body.join("&")));
    let refused = owner.send(foreign.expect("a request")).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(
        !owner
            .get("/sites/site/settings")
            .await
            .html
            .contains("Stolen")
    );
    assert!(
        owner
            .submit(&page, "/sites/site/settings", &[("name", "Mine")])
            .await
            .says("Saved.")
    );
}

#[tokio::test]
async fn every_answer_carries_the_headers_that_keep_it_safe() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    for path in [
        "/sites/site/inbox",
        "/sign-in",
        "/nowhere",
        "/sites/foreign/inbox",
    ] {
        let shown = owner.get(path).await;
        let policy = shown.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'; script-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(shown.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(shown.header("cache-control"), "no-store", "{path}");
    }
    let asset = ql_web::assets::STYLES.to_string();
    let styles = owner.get(&asset).await;
    assert_eq!(
        styles.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(
        owner.get("/assets/ql.0000000000000000.css").await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_on_a_page() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let nowhere = owner.get("/sites/site/nowhere").await;
    assert_eq!(
        (nowhere.status, nowhere.heading()),
        (StatusCode::NOT_FOUND, "There is nothing here".into())
    );
    let method = owner.request(Method::DELETE, "/sites/site/inbox").await;
    assert_eq!(
        (method.status, method.heading()),
        (
            StatusCode::METHOD_NOT_ALLOWED,
            "That address doesn't take this".into()
        )
    );
    let json = Request::post("/sites/site/settings")
        .header(CONTENT_TYPE, "application/json")
        .body(Body::from("{}"));
    let json = owner.send(json.expect("a request")).await;
    assert!(
        json.status.is_client_error() && json.heading() == "The form can't be read",
        "{}",
        json.html
    );
    let large = owner
        .post(
            "/sites/site/settings",
            &[("name".into(), "x".repeat(3 << 20))],
        )
        .await;
    assert!(large.status.is_client_error() && large.heading() == "The form can't be read");
    let bad = owner.get("/sites/site/content/cnt_nonsense").await;
    assert_eq!(bad.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn markup_that_an_agent_writes_is_only_ever_text() {
    let test = TestApp::new().await;
    let hostile = "<img src=x onerror=alert(1)> & \"quoted\"";
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, hostile).await;
    let proposal = test.request_publication(&agent, run, &[draft]).await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let content = draft.content;
    for path in [
        "/sites/site/inbox".to_owned(),
        "/sites/site/content".to_owned(),
        format!("/sites/site/proposals/{proposal}"),
        format!("/sites/site/content/{content}"),
        format!("/sites/site/content/{content}/edit"),
        format!("/sites/site/content/{content}/revisions/{}", draft.revision),
        format!(
            "/sites/site/content/{content}/revisions/{}/preview",
            draft.revision
        ),
        format!("/sites/site/runs/{run}"),
    ] {
        let shown = owner.get(&path).await;
        assert_eq!(shown.status, StatusCode::OK, "{path}");
        assert!(!shown.html.contains("<img"), "{path}");
        crate::html::read(&shown.html).unwrap_or_else(|problem| panic!("{path}: {problem}"));
    }
}

#[tokio::test]
async fn every_page_of_a_real_site_is_sound() {
    let test = TestApp::new().await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    for (route, path) in addresses(&test).await {
        let shown = owner.visit(&path).await;
        assert_eq!(shown.status, StatusCode::OK, "{route}");
        if !route.ends_with("/preview") {
            assert_eq!(
                crate::html::problems(&shown.html),
                Vec::<String>::new(),
                "{route}"
            );
        }
    }
}
