//! Topical work on the dashboard: an artifact is imported, picked rows are proposed, the approver
//! sees what becomes of the map, and the map is drawn.

use axum::body::Body;
use http::header::{CONTENT_TYPE, ORIGIN};
use http::{Request, StatusCode};
use ql_app::proposal::Filter;
use ql_core::page::PageRequest;
use ql_core::role::Role;
use ql_testkit::{TestApp, setup};

use crate::browser::{Browser, Shown};

const IMPORT: &str = "/sites/site/opportunities/import";

/// Sends the import form with an artifact, its fields in the order of the page.
async fn import(browser: &mut Browser, csrf: &str, artifact: &str) -> Shown {
    let field = |name: &str, value: &str| {
        format!("--edge\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = [
        field("csrf", csrf),
        field("source", "Winter plan"),
        field("tool", "planner"),
        field("exported_at", "2026-11-28T09:00"),
        format!(
            "--edge\r\ncontent-disposition: form-data; name=\"artifact\"; filename=\"plan.csv\"\r\n\
            content-type: application/vnd.ms-excel\r\n\r\n{artifact}\r\n--edge--\r\n"
        ),
    ];
    let request = Request::post(IMPORT)
        .header(CONTENT_TYPE, "multipart/form-data; boundary=edge")
        .header(ORIGIN, "https://ql.example")
        .body(Body::from(body.concat()));
    let shown = browser.send(request.expect("a request")).await;
    browser.follow(shown).await
}

#[tokio::test]
async fn an_imported_row_becomes_a_page_of_the_map_by_an_approval() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let csrf = editor.token().await.expect("a token");
    let artifact = "query,title,cluster,volume\nsave seed,How to save seed,Growing,=1+1\nragged\n";
    let imported = import(&mut editor, &csrf, artifact).await;
    assert!(imported.says("Rows kept") && imported.says("Refused") && imported.says("Marked"));
    let list = editor.get("/sites/site/opportunities").await;
    assert!(list.says("nothing here was measured on this site"));
    assert!(list.says("No node of the map and no page of the site has this query or address."));
    let ids = test.opportunities(&test.home).await;
    let picked = [
        ("opportunity", ids[0].to_string()),
        ("rationale", "Every spring.".to_owned()),
    ];
    let picked = picked
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let proposed = editor
        .submit(&list, "/sites/site/opportunities/propose", &picked)
        .await;
    assert!(
        proposed.says("What changes on the topical map"),
        "{}",
        proposed.html
    );
    assert!(proposed.says("How to save seed") && proposed.says("commissions one brief"));

    let (filter, page) = (Filter::default(), PageRequest::default());
    let member = test.member(Role::Owner).await;
    let pending = test.app.list_proposals(&member, &filter, &page).await;
    let id = pending.expect("proposals").items[0].proposal.id;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let path = format!("/sites/site/proposals/{id}");
    let page = owner.get(&path).await;
    assert!(page.says("Make version 1 of the topical map: 2 changes, 1 brief"));
    let approved = owner.submit(&page, &format!("{path}/approve"), &[]).await;
    assert!(approved.says("Map changed"), "{}", approved.html);
    let map = owner.get("/sites/site/topical-map").await;
    assert!(map.html.contains("<svg class=\"map map-wide\"") && map.says("1 Briefed"));
    let nothing = owner.get("/sites/site/topical-map?q=nothing").await;
    assert!(nothing.says("No node matches"));
    let part = owner.get("/sites/site/topical-map?under=growing").await;
    assert_eq!(part.heading(), "Growing pillar");
    let briefs = owner.get("/sites/site/briefs").await;
    assert!(briefs.says("How to save seed"));
    let gone = owner.get("/sites/site/topical-map?under=nowhere").await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_artifact_without_the_sessions_token_is_not_read() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let refused = import(&mut editor, &"0".repeat(64), "query\ntea\n").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(test.opportunities(&test.home).await, []);
    let csrf = editor.token().await.expect("a token");
    let unreadable = import(&mut editor, &csrf, "volume\n1\n").await;
    assert_eq!(unreadable.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        unreadable.says("no column is called query"),
        "{}",
        unreadable.html
    );
    assert!(
        unreadable.html.contains("Winter plan"),
        "what was typed is kept"
    );
}

#[tokio::test]
async fn the_approver_sees_a_link_in_its_sentence_and_a_draft_with_its_brief() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let tea = test.draft(&agent, run, "Tea").await;
    let coffee = test.draft(&agent, run, "Coffee").await;
    let links = setup::links(vec![setup::link(tea, coffee.content)]);
    let links = test
        .propose(&agent, Some(run), links)
        .await
        .expect("a proposal");
    let brief = test.briefed(&test.home, "cocoa").await;
    let card = test
        .propose(&agent, Some(run), setup::brief_draft(brief, "Cocoa"))
        .await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let page = owner
        .get(&format!("/sites/site/proposals/{}", links.proposal_id))
        .await;
    assert!(page.html.contains("<mark>About</mark>"), "{}", page.html);
    assert!(page.says("Set 1 link in new drafts of /tea") && page.says("/coffee"));
    let card = card.expect("a card").proposal_id;
    let page = owner.get(&format!("/sites/site/proposals/{card}")).await;
    assert!(
        page.says("It answers the brief cocoa page"),
        "{}",
        page.html
    );
    let preview = owner
        .get(&format!("/sites/site/proposals/{card}/preview"))
        .await;
    assert!(preview.says("About Cocoa."));
}

#[tokio::test]
async fn a_revision_says_what_it_was_made_from() {
    let test = TestApp::new().await;
    let brief = test.briefed(&test.home, "tea").await;
    test.carry_out(&test.home, setup::brief_draft(brief, "Tea"))
        .await;
    let answer = test.answered(&test.home, brief).await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let package = test.stage(&agent, run).await;
    let drawn = test.drawn(&test.home, package).await;
    let mut viewer = Browser::member(&test, Role::Viewer).await;

    let at = |content, revision| format!("/sites/site/content/{content}/revisions/{revision}");
    let page = viewer.get(&at(answer.content, answer.revision)).await;
    assert!(
        page.says("Made from") && page.says("tea page"),
        "{}",
        page.words()
    );
    assert_eq!(page.link("/briefs/"), format!("/sites/site/briefs/{brief}"));

    let content = test
        .app
        .get_revision(&test.member(Role::Viewer).await, drawn)
        .await;
    let page = viewer.get(&at(content.expect("it").content, drawn)).await;
    assert!(
        page.says("Made from") && page.says("hours"),
        "{}",
        page.words()
    );
    assert_eq!(
        page.link("/sources/"),
        format!("/sites/site/sources/{package}")
    );

    let plain = test.draft(&agent, run, "Of its own").await;
    let page = viewer.get(&at(plain.content, plain.revision)).await;
    assert!(!page.says("Made from"));
}
