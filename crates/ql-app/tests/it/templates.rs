//! Templates: versions that never change, and pages that say which one they were written against.

use ql_app::template::NewTemplate;
use ql_core::edit::Change;
use ql_core::role::Role;
use ql_testkit::{article, setup};
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
