//! Writing by hand: on a base, against the template, with nothing lost.

use http::StatusCode;
use ql_core::role::Role;
use ql_core::time::minutes;
use ql_testkit::TestApp;

use crate::browser::Browser;

#[tokio::test]
async fn a_page_is_written_revised_compared_and_asked_to_be_published() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let form = editor.visit("/sites/site/content/new").await;
    assert_eq!(form.heading(), "New article");
    let action = "/sites/site/content/new?template=article";
    let wrong = editor
        .submit(&form, action, &[("field:/body", "Words.")])
        .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        wrong.says("Nothing was saved: 1 place needs another look"),
        "{}",
        wrong.words()
    );
    assert!(wrong.says("Title: It is required."));
    assert!(wrong.html.contains("aria-invalid=\"true\""));
    let item = editor
        .submit(&wrong, action, &[("field:/title", "Opening hours")])
        .await;
    assert!(
        item.says("Saved as a draft. Nothing went live by it."),
        "{}",
        item.words()
    );
    assert!(item.says("/opening-hours is not on the site"));

    let address = item.link("/edit").trim_end_matches("/edit").to_owned();
    let form = editor.get(&format!("{address}/edit")).await;
    let edit = format!("{address}/edit");
    let same = editor.submit(&form, &edit, &[]).await;
    assert!(same.says("Nothing was saved, since nothing changed."));
    let fields = [
        ("field:/body", "Every day.\nFrom ten."),
        ("note", "Which days"),
    ];
    let item = editor.submit(&form, &edit, &fields).await;
    assert!(item.says("Which days"), "{}", item.words());
    let picked = item.filled(&format!("{address}/compare"), &[]);
    let query: Vec<String> = picked.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let compared = editor
        .get(&format!("{address}/compare?{}", query.join("&")))
        .await;
    assert_eq!(compared.heading(), "#1 and #2 of /opening-hours");
    assert!(compared.html.contains("Every day."), "{}", compared.words());

    let ask = editor.get(&item.link("propose?action=publish")).await;
    let asked = editor
        .submit(
            &ask,
            &format!("{address}/propose"),
            &[("reason", "It is time.")],
        )
        .await;
    assert_eq!(asked.heading(), "Publish revision #2 of /opening-hours");
    assert!(asked.says("It is time."));
}

#[tokio::test]
async fn on_a_base_that_moved_the_words_are_kept_and_the_other_change_is_shown() {
    let test = TestApp::new().await;
    let draft = test.live_article(&test.home, "Opening hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let edit = format!("/sites/site/content/{}/edit", draft.content);
    let form = editor.get(&edit).await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    test.revise(&agent, run, draft, "Winter hours").await;
    let mine = [("field:/body", "My own words."), ("note", "Mine")];
    let stale = editor.submit(&form, &edit, &mine).await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert!(
        stale.says("The draft has moved on from #1"),
        "{}",
        stale.words()
    );
    assert!(stale.html.contains("<ins>Winter</ins>"));
    assert!(stale.html.contains("My own words."));
    let item = editor.submit(&stale, &edit, &[]).await;
    assert!(item.says("Saved as a draft"), "{}", item.words());
    assert!(item.says("Mine"));
}

#[tokio::test]
async fn json_is_another_way_to_write_and_is_checked_as_well() {
    let test = TestApp::new().await;
    let draft = test.live_article(&test.home, "Opening hours").await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let edit = format!("/sites/site/content/{}/edit", draft.content);
    let form = editor
        .get(&editor.clone().get(&edit).await.link("mode=json"))
        .await;
    let broken = editor
        .submit(&form, &edit, &[("raw", "{\"title\": ")])
        .await;
    assert!(broken.says("This is no JSON"), "{}", broken.words());
    let odd = editor
        .submit(
            &broken,
            &edit,
            &[("raw", r#"{"title": "A", "body": "b", "odd": 1}"#)],
        )
        .await;
    assert_eq!(odd.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fine = editor
        .submit(&odd, &edit, &[("raw", r#"{"title": "A", "body": "b"}"#)])
        .await;
    assert!(fine.says("Saved as a draft"), "{}", fine.words());
}

#[tokio::test]
async fn a_live_page_is_rolled_back_with_a_reason_and_a_fresh_password() {
    let test = TestApp::new().await;
    let first = test.live_article(&test.home, "Opening hours").await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let second = test.revise(&agent, run, first, "Winter hours").await;
    test.publish(&test.home, second).await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let form = editor.get("/password").await;
    let words = [
        ("password", "four unrelated words"),
        ("again", "four unrelated words"),
    ];
    editor.submit(&form, "/password", &words).await;
    let item = editor
        .get(&format!("/sites/site/content/{}", first.content))
        .await;
    let page = editor.get(&item.link("roll-back")).await;
    assert_eq!(page.heading(), "Roll /opening-hours back to #1");
    assert!(page.html.contains("<del>Winter</del>"), "{}", page.html);
    let action = format!("/sites/site/content/{}/roll-back", first.content);
    let none = editor.submit(&page, &action, &[("reason", "")]).await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    test.advance(minutes(6));
    let late = editor
        .submit(&none, &action, &[("reason", "Too early")])
        .await;
    assert_eq!(late.status, StatusCode::FORBIDDEN);
    assert!(late.html.contains("Too early"));
    let done = [("password", "four unrelated words")];
    let back = editor.submit(&late, &action, &done).await;
    assert!(back.says("Rolled back."), "{}", back.words());
    let live = test.live(&test.home).await;
    assert_eq!(live[0].revision, first.revision);
}

#[tokio::test]
async fn templates_are_made_from_a_form_or_a_file_and_versioned() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let form = editor.get("/sites/site/templates/new").await;
    let wrong = [
        ("key", "event"),
        ("title", "Event"),
        ("schema", r#"{"type": "string"}"#),
    ];
    let refused = editor
        .submit(&form, "/sites/site/templates/new", &wrong)
        .await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.says("schema/properties"), "{}", refused.words());
    let file = r#"{"schema": {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}}, "display": {"title_field": "day"}}"#;
    let made = editor
        .submit(&refused, "/sites/site/templates/new", &[("file", file)])
        .await;
    assert_eq!(made.heading(), "Event");
    assert!(made.says("Day"), "{}", made.words());
    let form = editor.get("/sites/site/templates/event/new-version").await;
    let next = editor
        .submit(
            &form,
            "/sites/site/templates/event/new-version",
            &[("description", "With a day.")],
        )
        .await;
    assert!(next.says("Version 2"), "{}", next.words());
    let list = editor.get("/sites/site/templates").await;
    assert!(list.says("With a day."));
}
