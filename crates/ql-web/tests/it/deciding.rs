//! Deciding: what is seen is what happens, and a refusal loses nothing.

use http::StatusCode;

use ql_core::role::Role;
use ql_core::time::minutes;
use ql_testkit::{Draft, TestApp};

use crate::browser::{Browser, Shown};

/// A proposal of the home agent to publish a fresh draft; its page's address.
async fn asked(test: &TestApp, title: &str) -> (Draft, String) {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, title).await;
    let proposed = test.request_publication(&agent, run, &[draft]).await;
    (draft, format!("/sites/site/proposals/{proposed}"))
}

async fn live_titles(test: &TestApp) -> Vec<String> {
    let pages = test.live(&test.home).await;
    pages
        .into_iter()
        .map(|page| page.slug.to_string())
        .collect()
}

fn has_password_field(page: &Shown) -> bool {
    page.elements()
        .iter()
        .any(|e| e.get("name") == Some("password"))
}

#[tokio::test]
async fn the_inbox_leads_to_a_page_that_says_what_approving_does_and_does_it() {
    let test = TestApp::new().await;
    let (_, address) = asked(&test, "Opening hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let inbox = editor.visit("/").await;
    assert!(
        inbox.says("Publish revision #1 of /opening-hours"),
        "{}",
        inbox.words()
    );
    let page = editor.get(&inbox.link("/proposals/")).await;
    assert_eq!(page.heading(), "Publish revision #1 of /opening-hours");
    assert!(
        page.says("Nothing on the site changed.") || page.offers(&format!("{address}/approve"))
    );
    let done = editor
        .submit(&page, &format!("{address}/approve"), &[])
        .await;
    assert!(done.says("Carried out"), "{}", done.words());
    assert!(done.says("Approved by The editor."));
    assert_eq!(live_titles(&test).await, ["opening-hours"]);
    let again = editor
        .post(
            &format!("{address}/approve"),
            &page.filled(&format!("{address}/approve"), &[]),
        )
        .await;
    assert_eq!(again.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn the_differences_and_the_preview_are_two_tabs_of_one_card() {
    let test = TestApp::new().await;
    let live = test.live_article(&test.home, "Opening hours").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let next = test.revise(&agent, run, live, "Winter hours").await;
    let proposed = test.request_publication(&agent, run, &[next]).await;
    let address = format!("/sites/site/proposals/{proposed}");
    let mut reader = Browser::member(&test, Role::Viewer).await;
    let changes = reader.get(&address).await;
    assert!(
        changes.html.contains("<del>Opening</del> hours"),
        "{}",
        changes.html
    );
    assert!(changes.html.contains("<ins>Winter</ins> hours"));
    let preview = reader.get(&changes.link("view=preview")).await;
    let frame = preview
        .elements()
        .into_iter()
        .find(|e| e.tag == "iframe")
        .expect("a frame");
    assert_eq!(frame.get("sandbox"), Some(""));
    let inside = reader.get(frame.get("src").expect("an address")).await;
    assert!(inside.says("Winter hours"));
    assert!(
        inside
            .header("content-security-policy")
            .starts_with("sandbox; default-src 'none'")
    );
}

#[tokio::test]
async fn what_was_not_seen_is_not_approved() {
    let test = TestApp::new().await;
    let (_, address) = asked(&test, "Opening hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let page = editor.get(&address).await;
    let approve = format!("{address}/approve");
    let other = "0".repeat(64);
    let refused = editor.submit(&page, &approve, &[("digest", &other)]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(
        refused.says("isn't what the decision was made on"),
        "{}",
        refused.words()
    );
    assert!(refused.says("Nothing was decided."));
    assert!(live_titles(&test).await.is_empty());
}

#[tokio::test]
async fn rejecting_needs_a_reason_and_keeps_it_when_it_is_refused() {
    let test = TestApp::new().await;
    let (_, address) = asked(&test, "Opening hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let page = editor.get(&address).await;
    let ask = format!("{address}/request-changes");
    let empty = editor.submit(&page, &ask, &[("comment", "")]).await;
    assert_eq!(empty.status, StatusCode::UNPROCESSABLE_ENTITY);
    let long = "x".repeat(4001);
    let kept = editor.submit(&empty, &ask, &[("comment", &long)]).await;
    assert!(kept.html.contains(&long));
    let sent = editor
        .submit(&kept, &ask, &[("comment", "Say which days.")])
        .await;
    assert!(
        sent.says("The editor asked for changes"),
        "{}",
        sent.words()
    );
    assert!(sent.says("Say which days."));
}

#[tokio::test]
async fn several_are_rejected_at_once_and_one_that_changed_is_left() {
    let test = TestApp::new().await;
    let (_, first) = asked(&test, "One").await;
    asked(&test, "Two").await;
    asked(&test, "Three").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let inbox = editor.get("/sites/site/inbox").await;
    let picked: Vec<(String, String)> = inbox
        .elements()
        .iter()
        .filter(|e| e.get("name") == Some("proposal"))
        .map(|e| {
            (
                "proposal".to_owned(),
                e.get("value").expect("a value").to_owned(),
            )
        })
        .collect();
    assert_eq!(picked.len(), 3);
    let page = editor.get(&first).await;
    editor.submit(&page, &format!("{first}/approve"), &[]).await;
    let mut form = inbox.filled("/sites/site/inbox/reject", &[("comment", "Not now.")]);
    form.extend(picked);
    let sent = editor.post("/sites/site/inbox/reject", &form).await;
    let after = editor.get(&sent.location()).await;
    assert!(
        after.says("2 rejected; 1 had changed meanwhile"),
        "{}",
        after.words()
    );
    assert!(after.says("Nothing needs you"));
}

#[tokio::test]
async fn high_risk_asks_for_the_password_again_in_place() {
    let test = TestApp::new().await;
    let draft = test.live_article(&test.home, "Old hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let item = format!("/sites/site/content/{}", draft.content);
    let ask = editor
        .get(&format!("{item}/propose?action=unpublish"))
        .await;
    editor
        .submit(&ask, &format!("{item}/propose"), &[("reason", "Outdated")])
        .await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    let form = owner.get("/password").await;
    let words = [
        ("password", "four unrelated words"),
        ("again", "four unrelated words"),
    ];
    owner.submit(&form, "/password", &words).await;
    let unpublish = owner.get("/sites/site/inbox").await.link("/proposals/");
    let page = owner.get(&unpublish).await;
    owner
        .submit(&page, &format!("{unpublish}/approve"), &[])
        .await;

    let ask = editor.get(&format!("{item}/propose?action=archive")).await;
    editor
        .submit(
            &ask,
            &format!("{item}/propose"),
            &[("reason", "Out of the way")],
        )
        .await;
    let address = owner.get("/sites/site/inbox").await.link("/proposals/");
    test.advance(minutes(6));
    let page = owner.get(&address).await;
    assert!(has_password_field(&page), "{}", page.words());
    let approve = format!("{address}/approve");
    let wrong = owner
        .submit(&page, &approve, &[("password", "something else")])
        .await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert!(wrong.says("This isn't your password."), "{}", wrong.words());
    let none = owner.submit(&wrong, &approve, &[("password", "")]).await;
    assert_eq!(none.status, StatusCode::FORBIDDEN);
    let done = owner
        .submit(&none, &approve, &[("password", "four unrelated words")])
        .await;
    assert!(done.says("Carried out"), "{}", done.words());
}

#[tokio::test]
async fn a_scheduled_publication_can_be_cancelled_before_its_time() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "New year").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let item = format!("/sites/site/content/{}", draft.content);
    let ask = editor.get(&format!("{item}/propose?action=publish")).await;
    let fields = [
        ("reason", "For the new year"),
        ("publish_at", "2027-01-01T00:00"),
    ];
    let proposal = editor
        .submit(&ask, &format!("{item}/propose"), &fields)
        .await;
    assert_eq!(
        proposal.heading(),
        "Publish revision #1 of /new-year at 2027-01-01 00:00 CET"
    );
    let gap = [
        ("reason", "Nobody knows"),
        ("publish_at", "2027-03-28T02:30"),
    ];
    let refused = editor.submit(&ask, &format!("{item}/propose"), &gap).await;
    assert!(
        refused.says("a local date and time that exists"),
        "{}",
        refused.words()
    );
    let mut owner = Browser::member(&test, Role::Owner).await;
    let address = owner.get("/sites/site/inbox").await.link("/proposals/");
    let page = owner.get(&address).await;
    let approved = owner
        .submit(&page, &format!("{address}/approve"), &[])
        .await;
    assert!(
        approved.says("Approved, and waits for its time"),
        "{}",
        approved.words()
    );
    let cancelled = owner
        .submit(&approved, &format!("{address}/cancel"), &[])
        .await;
    assert!(cancelled.says("Cancelled before its time"));
}

#[tokio::test]
async fn a_proposer_withdraws_and_a_viewer_only_looks() {
    let test = TestApp::new().await;
    let draft = test.live_article(&test.home, "Old hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let item = format!("/sites/site/content/{}", draft.content);
    let ask = editor
        .get(&format!("{item}/propose?action=unpublish"))
        .await;
    editor
        .submit(&ask, &format!("{item}/propose"), &[("reason", "Outdated")])
        .await;
    let address = editor.get("/sites/site/inbox").await.link("/proposals/");
    let mut viewer = Browser::member(&test, Role::Viewer).await;
    let seen = viewer.get(&address).await;
    assert!(seen.says("It waits for others") && !seen.offers(&format!("{address}/approve")));
    let page = editor.get(&address).await;
    let forged = page.filled(&format!("{address}/approve"), &[]);
    let forged: Vec<(String, String)> = forged
        .into_iter()
        .filter(|(name, _)| name != "csrf")
        .collect();
    let mut with_own_token = forged.clone();
    with_own_token.extend(seen.filled("/sign-out", &[]));
    let refused = viewer
        .post(&format!("{address}/approve"), &with_own_token)
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let withdrawn = editor
        .submit(&page, &format!("{address}/withdraw"), &[])
        .await;
    assert!(withdrawn.says("Withdrawn by its proposer"));
}

#[tokio::test]
async fn filters_stand_in_the_address_and_new_ones_are_announced() {
    let test = TestApp::new().await;
    asked(&test, "Opening hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let inbox = editor.get("/sites/site/inbox?risk=medium&q=OPENING").await;
    assert!(inbox.says("1 proposal"), "{}", inbox.words());
    let none = editor.get("/sites/site/inbox?risk=high").await;
    assert!(none.says("No proposal matches"));
    let fresh = inbox
        .elements()
        .into_iter()
        .find(|e| e.get("id") == Some("fresh"))
        .expect("a place");
    let poll = fresh
        .get("hx-get")
        .expect("an address")
        .replace("&#38;", "&");
    assert!(!editor.get(&poll).await.says("1 new"));
    asked(&test, "Opening days").await;
    assert!(editor.get(&poll).await.says("1 new"));
    let all = editor
        .get("/sites/site/inbox?state=all&kind=publish_lifecycle")
        .await;
    assert!(all.says("2 proposals"));
}
