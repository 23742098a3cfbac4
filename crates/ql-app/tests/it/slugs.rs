//! Addresses: held by live pages and current drafts, one holder per site and language.

use std::sync::Arc;

use ql_app::Result;
use ql_app::draft::{Drafted, NewDraft};
use ql_core::proposal::ProposalState;
use ql_testkit::{Draft, setup};

use crate::drafts::Writer;
use crate::say::{code, outcome, problems};

fn at(slug: &str, title: &str) -> NewDraft {
    NewDraft {
        slug: Some(slug.into()),
        ..setup::new_article(title)
    }
}

fn moved(base: Draft, slug: &str) -> NewDraft {
    NewDraft {
        slug: Some(slug.into()),
        ..setup::revision(base, "Moved")
    }
}

async fn claim(writer: &Writer, slug: &str) -> &'static str {
    outcome(&writer.write(at(slug, "Somebody else")).await)
}

#[tokio::test]
async fn an_address_is_made_from_a_title_in_any_script_and_numbered_when_it_is_taken() {
    let writer = Writer::new().await;
    let mut slugs = Vec::new();
    for title in [
        "First steps!",
        "First steps?",
        "Привет, мир",
        "你好世界",
        "🌱",
        "…",
    ] {
        slugs.push(
            writer
                .write(setup::new_article(title))
                .await
                .expect("written")
                .slug,
        );
    }
    insta::assert_snapshot!(slugs.join(" "), @"first-steps first-steps-2 privet-mir ni-hao-shi-jie seedling page");
}

#[tokio::test]
async fn an_address_that_was_asked_for_is_given_or_refused_but_never_changed() {
    let writer = Writer::new().await;
    assert_eq!(
        writer
            .write(at("guides/one", "One"))
            .await
            .expect("written")
            .slug,
        "guides/one"
    );
    assert_eq!(
        code(writer.write(at("guides/one", "Two")).await),
        "slug_taken"
    );
    insta::assert_snapshot!(problems(writer.write(at("Guides/Two", "Two")).await), @"/slug format: expected a slug: at most 200 of a-z, 0-9 and -, in segments joined by /, such as guides/first-steps");
}

#[tokio::test]
async fn a_page_holds_the_address_it_is_live_at_and_the_one_its_draft_will_have() {
    let writer = Writer::new().await;
    let home = &writer.test.home;
    let first = Draft::from(writer.write(at("old", "Page")).await.expect("written"));
    writer.test.publish(home, first).await;
    let second = Draft::from(writer.write(moved(first, "new")).await.expect("written"));
    assert_eq!(
        writer.test.live(home).await[0].slug.as_str(),
        "old",
        "a live address moves only by approval"
    );
    assert_eq!(claim(&writer, "old").await, "slug_taken");
    assert_eq!(claim(&writer, "new").await, "slug_taken");

    writer.test.publish(home, second).await;

    assert_eq!(writer.test.live(home).await[0].slug.as_str(), "new");
    assert_eq!(claim(&writer, "new").await, "slug_taken");
    assert_eq!(claim(&writer, "old").await, "ok", "the old address is free");
}

#[tokio::test]
async fn a_draft_that_moves_on_gives_its_address_up_and_may_take_it_back() {
    let writer = Writer::new().await;
    let first = Draft::from(writer.write(at("a", "Page")).await.expect("written"));
    let second = Draft::from(writer.write(moved(first, "b")).await.expect("written"));
    let third = writer
        .write(moved(second, "a"))
        .await
        .expect("it takes it back");
    assert_eq!(third.slug, "a");
    assert_eq!(claim(&writer, "b").await, "ok");
    assert_eq!(claim(&writer, "a").await, "slug_taken");
}

#[tokio::test]
async fn an_unpublished_page_gives_its_live_address_up() {
    let writer = Writer::new().await;
    let home = &writer.test.home;
    let first = Draft::from(writer.write(at("old", "Page")).await.expect("written"));
    writer.test.publish(home, first).await;
    writer.write(moved(first, "new")).await.expect("written");
    writer
        .test
        .carry_out(home, setup::publication(vec![first.unpublish()]))
        .await;
    assert_eq!(claim(&writer, "old").await, "ok");
    assert_eq!(
        claim(&writer, "new").await,
        "slug_taken",
        "the draft still holds its own"
    );
}

#[tokio::test]
async fn a_roll_back_needs_the_old_address_to_be_free() {
    let writer = Writer::new().await;
    let home = &writer.test.home;
    let first = Draft::from(writer.write(at("old", "Page")).await.expect("written"));
    writer.test.publish(home, first).await;
    let second = Draft::from(writer.write(moved(first, "new")).await.expect("written"));
    writer.test.publish(home, second).await;
    writer
        .write(at("old", "Somebody else"))
        .await
        .expect("free");

    let owner = writer.test.member(ql_core::role::Role::Owner).await;
    let back = ql_app::decision::NewRollBack {
        content: first.content,
        to: first.revision,
        comment: "It was better.".into(),
    };
    insta::assert_snapshot!(problems(writer.test.app.roll_back(&owner, back).await), @"/to_revision_id slug_taken: another page holds the proposed address now");
    assert_eq!(writer.test.live(home).await[0].revision, second.revision);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_pages_that_want_one_address_at_once_each_gets_its_own_or_one_gets_it() {
    let writer = Arc::new(Writer::new().await);
    let all = |make: fn() -> NewDraft| {
        let started: Vec<_> = (0..20)
            .map(|_| {
                let writer = writer.clone();
                tokio::spawn(async move { writer.write(make()).await })
            })
            .collect();
        async move {
            let mut answers: Vec<Result<Drafted>> = Vec::new();
            for write in started {
                answers.push(write.await.expect("no panic"));
            }
            answers
        }
    };
    let titled = all(|| setup::new_article("Same title")).await;
    let slugs: std::collections::BTreeSet<String> = titled
        .into_iter()
        .map(|d| d.expect("written").slug)
        .collect();
    assert_eq!(slugs.len(), 20, "{slugs:?}");

    let asked = all(|| at("wanted", "Page")).await;
    assert_eq!(asked.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert!(
        asked
            .into_iter()
            .filter(Result::is_err)
            .all(|answer| code(answer) == "slug_taken")
    );
}

#[tokio::test]
async fn languages_have_addresses_of_their_own() {
    let writer = Writer::new().await;
    for locale in ["en", "de", "pt-BR"] {
        let new = NewDraft {
            target: ql_app::draft::DraftTarget::New {
                template: "article".into(),
                locale: Some(locale.into()),
                translation_group: None,
            },
            ..at("welcome", "Welcome")
        };
        let draft = Draft::from(writer.write(new).await.expect("written"));
        let view = writer.test.publish(&writer.test.home, draft).await;
        assert!(
            matches!(view.proposal.state, ProposalState::Executed { .. }),
            "{locale}"
        );
    }
    assert_eq!(writer.test.live(&writer.test.home).await.len(), 3);
}
