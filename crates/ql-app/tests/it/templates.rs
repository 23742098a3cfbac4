//! Templates: versions that never change, and pages that say which one they were written against.

use std::sync::{Arc, Mutex, mpsc};

use ql_app::template::NewTemplate;
use ql_core::edit::Change;
use ql_core::role::Role;
use ql_store::{Store, StoreError, Tx};
use ql_testkit::{TestApp, article, setup};
use serde_json::json;

use crate::drafts::Writer;
use crate::say::{code, problems};

/// The article with a field more, which every article must have.
pub(crate) fn with_summary() -> NewTemplate {
    let mut template = setup::article_template();
    template.schema["properties"]["summary"] = json!({"type": "string"});
    template.schema["required"] = json!(["title", "body", "summary"]);
    template
}

#[tokio::test]
async fn a_saved_change_is_a_new_version_and_no_change_is_none() {
    let writer = Writer::new().await;
    let (app, editor) = (&writer.test.app, writer.test.member(Role::Editor).await);
    let same = app
        .save_template(&editor, setup::article_template())
        .await
        .expect("saved");
    assert_eq!(same.version, 1);
    let next = app
        .save_template(&editor, with_summary())
        .await
        .expect("saved");
    assert_eq!(next.version, 2);

    let versions = app
        .list_template_versions(&editor, "article")
        .await
        .expect("a list");
    let numbers: Vec<i64> = versions.iter().map(|version| version.version).collect();
    assert_eq!(numbers, [2, 1]);
    assert_eq!(
        versions[1].schema,
        setup::article_template().schema,
        "the first stays as it was"
    );
}

#[tokio::test]
async fn a_draft_names_the_version_it_was_written_against_and_the_next_must_fit_the_latest() {
    let writer = Writer::new().await;
    let (app, editor) = (&writer.test.app, writer.test.member(Role::Editor).await);
    let draft = writer.draft("One").await;
    app.save_template(&editor, with_summary())
        .await
        .expect("saved");

    insta::assert_snapshot!(problems(writer.write(setup::revision(draft, "Two")).await), @r#"/fields schema: "summary" is a required property"#);

    let mut fields = article("Two");
    fields["summary"] = json!("In short.");
    let mut next = setup::revision(draft, "Two");
    next.change = Change::Fields(fields);
    let next = writer.write(next).await.expect("written");
    let version = |id| async move {
        app.get_revision(&editor.clone(), id)
            .await
            .expect("it")
            .template_version
    };
    assert_eq!(version(next.revision_id).await, 2);
    let first = app
        .get_revision(&writer.agent, draft.revision)
        .await
        .expect("it");
    assert_eq!(first.template_version, 1);
}

#[tokio::test]
async fn a_template_that_cannot_serve_is_refused_with_every_reason() {
    let writer = Writer::new().await;
    let editor = writer.test.member(Role::Editor).await;
    let mut bad = setup::article_template();
    bad.key = "An Article".into();
    bad.title = String::new();
    bad.schema = json!({"type": "array", "items": {"$ref": "https://elsewhere.example/schema"}});
    bad.display.title_field = Some("headline".into());
    insta::assert_snapshot!(problems(writer.test.app.save_template(&editor, bad).await), @r#"
    /key format: expected a key: a-z, 0-9, _ and -, beginning with a letter, at most 64 characters
    /title required: expected a text that isn't empty
    /schema/type type: a template's schema has `"type": "object"` at its root
    /schema/properties required: a template's schema names at least one field under `properties`
    /schema/items/$ref remote_reference: a template's schema refers only to itself, as in `#/$defs/…`
    /display/title_field no_such_field: the schema has no field `headline`
    "#);
}

#[tokio::test]
async fn a_template_that_nobody_made_is_not_found() {
    let writer = Writer::new().await;
    let mut new = setup::new_article("One");
    new.target = ql_app::draft::DraftTarget::New {
        template: "recipe".into(),
        locale: None,
        translation_group: None,
    };
    assert_eq!(code(writer.write(new).await), "not_found");
}

/// Strapi #27722 once more, where it is hardest to see: a version that was lost with everything that
/// was committed together leaves nothing behind that later drafts are checked against.
#[tokio::test]
async fn a_version_that_was_lost_with_its_commit_checks_nothing() {
    let writer = Arc::new(Writer::of(TestApp::embedded().await).await);
    let store = writer.test.app.store().clone();
    let trigger = |tx: &mut Tx<'_>| {
        tx.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON organizations BEGIN SELECT RAISE(ROLLBACK, 'full'); END",
            &[],
        )
    };
    store.write(trigger).await.expect("the trigger");
    let editor = writer.test.member(Role::Editor).await;
    let release = hold_the_writer(&store).await;
    let (saver, proposer) = (writer.clone(), writer.clone());
    let member = editor.clone();
    let saved =
        tokio::spawn(async move { saver.test.app.save_template(&member, with_summary()).await });
    queued(&store, 1).await;
    let payload = setup::creation("Page");
    let compiled = tokio::spawn(async move {
        proposer
            .test
            .propose(&proposer.agent, Some(proposer.run), payload)
            .await
    });
    queued(&store, 2).await;
    let ruin = |tx: &mut Tx<'_>| tx.execute("UPDATE organizations SET name = 'x'", &[]);
    let last = store.clone();
    let lost = tokio::spawn(async move { last.write(ruin).await });
    queued(&store, 3).await;
    release.send(()).expect("the writer waits");
    saved.await.expect("no panic").expect_err("lost");
    compiled.await.expect("no panic").expect_err("lost");
    lost.await.expect("no panic").expect_err("what ruined it");

    let mut other = setup::article_template();
    other.description = "Another second version.".into();
    assert_eq!(
        writer
            .test
            .app
            .save_template(&editor, other)
            .await
            .expect("saved")
            .version,
        2
    );
    writer.draft("Page").await;
}

/// Keeps the writer busy until the answer is used, so that what comes meanwhile is committed together.
async fn hold_the_writer(store: &Store) -> mpsc::Sender<()> {
    let ((release, held), (started, begins)) = (mpsc::channel(), mpsc::channel());
    let ends = Mutex::new((started, held));
    let store = store.clone();
    tokio::spawn(async move {
        let wait = move |_: &mut Tx<'_>| {
            let ends = ends.lock().expect("no panic");
            ends.0.send(()).expect("somebody waits");
            ends.1
                .recv()
                .map_err(|error| StoreError::Bug(error.to_string()))
        };
        store.write(wait).await
    });
    while begins.try_recv().is_err() {
        tokio::task::yield_now().await;
    }
    release
}

/// Waits until that many transactions wait for the writer.
async fn queued(store: &Store, count: usize) {
    while store.waiting() < count {
        tokio::task::yield_now().await;
    }
}
