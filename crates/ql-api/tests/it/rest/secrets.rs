//! No answer carries a secret, but the one that shows it for the first time.

use ql_api::rest;
use ql_core::hash::Digest;
use ql_core::opportunity::Media;
use ql_core::role::Role;
use serde_json::json;

use super::person::Api;

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "everything is read")]
async fn nothing_that_is_read_holds_a_secret_or_what_one_is_known_by() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let password = json!({"password": "correct horse battery"});
    assert_eq!(owner.put("/session/password", password).await.status, 200);
    let token = api.personal_token(Role::Owner).await;
    let connection = api.app.home.connection.secret.expose().to_owned();
    let cookie = owner.headers[0].1.clone();
    let session = cookie.split_once('=').expect("a cookie").1.to_owned();
    let secrets: Vec<String> = [&token, &connection, &session]
        .into_iter()
        .flat_map(|secret| [secret.clone(), Digest::of(secret.as_bytes()).to_string()])
        .chain([
            "argon2".to_owned(),
            "correct horse".to_owned(),
            "07070707".to_owned(),
        ])
        .collect();

    api.app.post(&api.app.home, "Words of a visitor").await;
    let draft = api.app.live_article(&api.app.home, "A page").await;
    let talks = api.app.talk(&api.app.home).await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    let package = api.app.stage(&agent, run).await;
    let evidence = api.app.evidence_of(draft).await;
    let review = api.app.reviewed(&api.app.home, evidence).await;
    let runs = owner.get("/sites/site/runs").await.json();
    let proposals = owner.get("/sites/site/proposals").await.json();
    let pending = proposals["items"][0]["id"].as_str().expect("a proposal");
    let brief = api.app.briefed(&api.app.home, "tea").await;
    let member = api.app.member(Role::Owner).await;
    let node = api.app.app.get_brief(&member, brief).await;
    let node = node.expect("a brief").brief.node;
    let import = api.app.imported(&api.app.home, Media::Csv, b"query\ntea\n");
    let import = import.await.import.id;
    let mut read = String::new();
    for (method, path) in rest::table() {
        if method != "GET" {
            continue;
        }
        let id = if path.contains("/runs/") {
            runs["items"][0]["id"].as_str().expect("a run").to_owned()
        } else if path.contains("/proposals/") {
            proposals["items"][0]["id"]
                .as_str()
                .expect("a proposal")
                .to_owned()
        } else if path.contains("/revisions/") {
            draft.revision.to_string()
        } else if path.contains("/topical-map/") {
            node.to_string()
        } else if path.contains("/strategy-imports/") {
            import.to_string()
        } else if path.contains("/briefs/") {
            brief.to_string()
        } else if path.contains("/console/conversations/") {
            talks.conversation.to_string()
        } else if path.contains("/console/plans/") {
            talks.plan.to_string()
        } else if path.contains("/evidence-reviews/") {
            review.to_string()
        } else if path.contains("/v1/evidence/") {
            evidence.to_string()
        } else if path.contains("/source-packages/") {
            package.to_string()
        } else if path.contains("/agents/") {
            api.app.home.agent.id.to_string()
        } else {
            draft.content.to_string()
        };
        let path = path
            .replace("{site}", "site")
            .replace("{key}", "article")
            .replace("{form}", "contact")
            .replace("{id}", &id)
            .replace("/export", &format!("/export?proposal={pending}"));
        let reply = owner.get(path.trim_start_matches("/api/v1")).await;
        let claim = path.contains("}/evidence/") || path.contains("/site/evidence/");
        assert_eq!(reply.status, if claim { 404 } else { 200 }, "{path}");
        read += &reply.body;
    }
    for secret in &secrets {
        assert!(!read.contains(secret), "{secret}");
    }
    // The negative control: prefixes are read, so the places where secrets belong were seen.
    assert!(read.contains(&connection[..12]) && read.contains(&token[..12]));
    let issued = owner.post("/tokens", json!({"name": "once"})).await;
    assert!(issued.body.contains("qlp_"));
}
