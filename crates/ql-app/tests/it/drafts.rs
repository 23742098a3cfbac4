//! Drafts: one way of writing for agents and members, never live, never written blindly.

use std::sync::Arc;

use ql_app::OpContext;
use ql_app::draft::{DraftTarget, Drafted, NewDraft};
use ql_app::{Error, Result};
use ql_core::content::ContentStatus;
use ql_core::edit::{Change, TextEdit};
use ql_core::id::RunId;
use ql_core::page::PageRequest;
use ql_core::role::Role;
use ql_store::content::Filter;
use ql_testkit::{Draft, TestApp, article, setup};
use serde_json::{Value, json};

use crate::say::{code, problems};

/// Somebody who started in an open run of the home site.
pub(crate) struct Writer {
    pub(crate) test: TestApp,
    pub(crate) agent: OpContext,
    pub(crate) run: RunId,
}

impl Writer {
    pub(crate) async fn new() -> Self {
        Self::of(TestApp::new().await).await
    }

    pub(crate) async fn of(test: TestApp) -> Self {
        let agent = test.agent().await;
        let run = test.begin_run(&agent).await;
        Self { test, agent, run }
    }

    pub(crate) async fn draft(&self, title: &str) -> Draft {
        self.test.draft(&self.agent, self.run, title).await
    }

    pub(crate) async fn revise(&self, base: Draft, title: &str) -> Draft {
        self.test.revise(&self.agent, self.run, base, title).await
    }

    pub(crate) async fn write(&self, new: NewDraft) -> Result<Drafted> {
        self.test
            .app
            .create_draft(&self.agent, Some(self.run), new, None)
            .await
    }

    async fn change(&self, base: Draft, change: Change) -> Result<Drafted> {
        let new = NewDraft {
            change,
            ..setup::revision(base, "unused")
        };
        self.write(new).await
    }

    async fn fields(&self, draft: Draft) -> Value {
        let view = self
            .test
            .app
            .get_content(&self.agent, draft.content, Some(draft.revision))
            .await;
        view.expect("the item")
            .revision
            .expect("the revision")
            .fields
    }

    async fn numbers(&self, draft: Draft) -> Vec<i64> {
        let page = PageRequest::default();
        let revisions = self
            .test
            .app
            .list_revisions(&self.agent, draft.content, &page)
            .await;
        revisions
            .expect("a list")
            .items
            .iter()
            .map(|revision| revision.number)
            .collect()
    }
}

/// Sanity #2121 and Payload #2923: a blind write orphaned the newer draft, another tab's autosave
/// overwrote it.
#[tokio::test]
async fn a_draft_on_an_old_base_is_refused_and_the_newer_draft_stays() {
    let writer = Writer::new().await;
    let first = writer.draft("One").await;
    let second = writer.revise(first, "Two").await;

    let blind = writer.write(setup::revision(first, "Three")).await;

    assert_eq!(
        blind,
        Err(Error::StaleRevision {
            current: second.revision
        })
    );
    assert_eq!(writer.numbers(first).await, [2, 1]);
    assert_eq!(writer.fields(second).await, article("Two"));
}

/// Wagtail #13563: saving without a change reset the approvals.
#[tokio::test]
async fn saving_without_a_change_makes_no_revision_and_keeps_the_approval_asked_for() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    let proposal = writer
        .test
        .request_publication(&writer.agent, writer.run, &[draft])
        .await;
    let editor = writer.test.member(Role::Editor).await;
    let before = writer
        .test
        .app
        .get_proposal(&editor, proposal)
        .await
        .expect("it")
        .digest;

    let saved = writer
        .write(setup::revision(draft, "One"))
        .await
        .expect("answered");

    assert!(saved.unchanged);
    assert_eq!(
        (saved.revision_id, saved.number, saved.changes),
        (draft.revision, 1, Vec::new())
    );
    assert_eq!(writer.numbers(draft).await, [1]);
    let after = writer
        .test
        .app
        .get_proposal(&editor, proposal)
        .await
        .expect("it")
        .digest;
    assert_eq!(after, before);
    writer
        .test
        .approve(&editor, proposal)
        .await
        .expect("still good");
}

/// Payload #21748: promoting one version changed another, since versions were stored as differences.
#[tokio::test]
async fn a_revision_is_a_full_snapshot_that_nothing_changes() {
    let writer = Writer::new().await;
    let first = writer.draft("One").await;
    writer.test.publish(&writer.test.home, first).await;
    let patch = Change::MergePatch(json!({"title": "Two"}));
    let second = Draft::from(writer.change(first, patch).await.expect("written"));
    writer.test.publish(&writer.test.home, second).await;

    assert_eq!(writer.fields(first).await, article("One"));
    assert_eq!(
        writer.fields(second).await,
        json!({"title": "Two", "body": "About One."})
    );
}

#[tokio::test]
async fn a_merge_patch_changes_what_it_names() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    let patched = writer
        .change(draft, Change::MergePatch(json!({"body": "New."})))
        .await
        .expect("written");
    let changes: Vec<&str> = patched
        .changes
        .iter()
        .map(|change| change.pointer.as_str())
        .collect();
    assert_eq!(changes, ["/body"]);
    assert_eq!(
        writer.fields(patched.into()).await,
        json!({"title": "One", "body": "New."})
    );
}

#[tokio::test]
async fn a_merge_patch_that_breaks_the_template_is_refused() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    let refused = writer
        .change(
            draft,
            Change::MergePatch(json!({"body": null, "colour": "red"})),
        )
        .await;
    insta::assert_snapshot!(problems(refused), @r#"
    /fields schema: "body" is a required property
    /fields schema: Additional properties are not allowed ('colour' was unexpected)
    "#);
    assert_eq!(writer.numbers(draft).await, [1]);
}

#[tokio::test]
async fn text_edits_replace_exactly_as_many_places_as_they_say() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    let edit = |find: &str, count| TextEdit {
        pointer: "/body".into(),
        find: find.into(),
        replace: "On".into(),
        count,
    };
    let refused = writer
        .change(
            draft,
            Change::Edits(vec![edit("About", 2), edit("Nowhere", 1)]),
        )
        .await;
    insta::assert_snapshot!(problems(refused), @"
    /edits/0/count count_mismatch: `find` occurs 1 times at `/body`, not 2
    /edits/1/count count_mismatch: `find` occurs 0 times at `/body`, not 1
    ");

    let edited = writer
        .change(draft, Change::Edits(vec![edit("About", 1)]))
        .await
        .expect("written");
    assert_eq!(
        writer.fields(edited.into()).await,
        json!({"title": "One", "body": "On One."})
    );
}

/// Payload #5895: two started at once left no row marked as the latest, and the document vanished
/// from every list.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_drafts_from_one_base_exactly_one_wins_and_the_item_is_always_listed() {
    let writer = Arc::new(Writer::new().await);
    let base = writer.draft("One").await;
    let mut started = Vec::new();
    for number in 0..100 {
        let writer = writer.clone();
        started.push(tokio::spawn(async move {
            let written = writer
                .write(setup::revision(base, &format!("Title {number}")))
                .await;
            let page = PageRequest::default();
            let filter = Filter::default();
            let listed = writer
                .test
                .app
                .list_content(&writer.agent, &filter, &page, true)
                .await;
            let listed = listed.expect("a list").items;
            assert_eq!(listed.len(), 1, "the item is listed at every moment");
            assert!(listed[0].revision.is_some());
            written
        }));
    }
    let mut won = Vec::new();
    for write in started {
        match write.await.expect("no panic") {
            Ok(drafted) => won.push(drafted),
            Err(error) => assert_eq!(error.code(), "stale_revision"),
        }
    }
    assert_eq!(won.len(), 1);
    assert_eq!(writer.numbers(base).await, [2, 1]);
    let current = writer
        .test
        .app
        .get_content(&writer.agent, base.content, None)
        .await
        .expect("it");
    assert_eq!(current.stored.item.current_draft, won[0].revision_id);
    writer.test.verify_ledger().await;
}

/// Strapi #24547 and #24860: creating or updating by the API published at once.
#[tokio::test]
async fn writing_a_draft_never_publishes() {
    let writer = Writer::new().await;
    let first = writer.draft("One").await;
    assert_eq!(writer.test.live(&writer.test.home).await, []);
    writer.test.publish(&writer.test.home, first).await;
    let second = writer.revise(first, "Two").await;

    let live = writer.test.live(&writer.test.home).await;

    assert_eq!(live[0].revision, first.revision);
    let view = writer
        .test
        .app
        .get_content(&writer.agent, first.content, None)
        .await
        .expect("it");
    assert_eq!(view.stored.item.status(), ContentStatus::PublishedWithDraft);
    assert_eq!(view.stored.item.current_draft, second.revision);
}

fn in_language(locale: &str, title: &str) -> NewDraft {
    NewDraft {
        target: DraftTarget::New {
            template: "article".into(),
            locale: Some(locale.into()),
            translation_group: None,
        },
        slug: Some("welcome".into()),
        ..setup::new_article(title)
    }
}

/// Strapi #24298 and #26116: saving one locale marked all others as modified, publishing one looked
/// at another's draft.
#[tokio::test]
async fn writing_or_publishing_one_language_touches_no_other() {
    let writer = Writer::new().await;
    let english = Draft::from(
        writer
            .write(in_language("en", "Welcome"))
            .await
            .expect("written"),
    );
    let german = Draft::from(
        writer
            .write(in_language("de", "Willkommen"))
            .await
            .expect("written"),
    );
    writer.test.publish(&writer.test.home, english).await;
    let app = &writer.test.app;
    let before = app
        .get_content(&writer.agent, english.content, None)
        .await
        .expect("it");

    writer.revise(german, "Herzlich willkommen").await;
    let after = app
        .get_content(&writer.agent, english.content, None)
        .await
        .expect("it");
    assert_eq!(after, before);

    let live = writer.test.live(&writer.test.home).await;
    let locales: Vec<&str> = live.iter().map(|page| page.locale.as_str()).collect();
    assert_eq!(
        locales,
        ["en"],
        "only what was approved is live, at the same address"
    );
}

#[tokio::test]
async fn an_archived_item_takes_no_draft() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    writer
        .test
        .carry_out(&writer.test.home, setup::archive(draft.content))
        .await;
    assert_eq!(
        code(writer.write(setup::revision(draft, "Two")).await),
        "archived"
    );
    assert_eq!(writer.numbers(draft).await, [1]);
}

#[tokio::test]
async fn a_member_writes_by_hand_under_the_same_rules_and_without_a_run() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    let editor = writer.test.member(Role::Editor).await;
    let app = &writer.test.app;

    let written = app
        .create_draft(&editor, None, setup::revision(draft, "Two"), None)
        .await
        .expect("written");
    let again = app
        .create_draft(&editor, None, setup::revision(draft, "Three"), None)
        .await;
    assert_eq!(code(again), "stale_revision");

    let revision = app
        .get_revision(&editor, written.revision_id)
        .await
        .expect("it");
    assert_eq!(revision.author, editor.principal().actor());
    assert_eq!(
        (revision.run, revision.parent),
        (None, Some(draft.revision))
    );
}

#[tokio::test]
async fn an_agent_writes_in_a_run_or_not_at_all() {
    let writer = Writer::new().await;
    let without = writer
        .test
        .app
        .create_draft(&writer.agent, None, setup::new_article("One"), None)
        .await;
    assert_eq!(code(without), "not_found");
}

#[tokio::test]
async fn everything_wrong_with_a_draft_is_said_at_once() {
    let writer = Writer::new().await;
    let bad = NewDraft {
        target: DraftTarget::New {
            template: "article".into(),
            locale: Some("English".into()),
            translation_group: None,
        },
        slug: Some("Not A Slug".into()),
        change: Change::Fields(json!({"title": "", "body": 3, "colour": "red"})),
        note: "x".repeat(1001),
    };
    insta::assert_snapshot!(problems(writer.write(bad).await), @r#"
    /change_note too_long: expected at most 1000 characters, found 1001
    /slug format: expected a slug: at most 200 of a-z, 0-9 and -, in segments joined by /, such as guides/first-steps
    /locale format: expected a language tag such as en, pt-BR or zh-Hans
    /fields/body schema: 3 is not of type "string"
    /fields/title schema: "" is shorter than 1 character
    /fields schema: Additional properties are not allowed ('colour' was unexpected)
    "#);
}
