//! Lists of content: found by words, addresses, templates, languages, states and dates.

use ql_app::OpContext;
use ql_core::content::ContentStatus;
use ql_core::page::PageRequest;
use ql_core::time::minutes;
use ql_store::content::Filter;
use ql_testkit::{TestApp, setup};

use crate::drafts::Writer;

async fn titles(test: &TestApp, reader: &OpContext, filter: Filter) -> Vec<String> {
    let page = PageRequest::new(Some(100), None);
    let items = test
        .app
        .list_content(reader, &filter, &page, false)
        .await
        .expect("a list");
    items
        .items
        .into_iter()
        .map(|view| view.stored.item.title)
        .collect()
}

#[tokio::test]
async fn words_are_found_whatever_their_case_and_accents_and_signs_are_no_pattern() {
    let writer = Writer::new().await;
    for title in [
        "Crème brûlée",
        "100 % rye",
        "Snake_case",
        "Wow!",
        "Привет, мир",
    ] {
        writer.draft(title).await;
    }
    let by = async |query: &str| {
        let filter = Filter {
            query: Some(query.into()),
            ..Filter::default()
        };
        titles(&writer.test, &writer.agent, filter).await
    };
    assert_eq!(by("CREME").await, ["Crème brûlée"]);
    assert_eq!(by("brûlée").await, ["Crème brûlée"]);
    assert_eq!(
        by("creme-brulee").await,
        ["Crème brûlée"],
        "the address is searched too"
    );
    assert_eq!(by("привет").await, ["Привет, мир"]);
    assert_eq!(by("%").await, ["100 % rye"]);
    assert_eq!(by("_").await, ["Snake_case"]);
    assert_eq!(by("!").await, ["Wow!"]);
    assert_eq!(by("nothing like it").await, [""; 0]);
}

#[tokio::test]
async fn items_are_found_by_state_address_language_template_and_date() {
    let writer = Writer::new().await;
    let test = &writer.test;
    test.live_article(&test.home, "Live").await;
    let changed = test.live_article(&test.home, "Changed").await;
    writer.revise(changed, "Changed since").await;
    let archived = writer.draft("Archived").await;
    test.carry_out(&test.home, setup::archive(archived.content))
        .await;
    test.advance(minutes(1));
    writer.draft("Draft").await;
    let by = async |filter| titles(test, &writer.agent, filter).await;
    let status = |status| Filter {
        status: Some(status),
        ..Filter::default()
    };

    assert_eq!(
        by(Filter::default()).await,
        ["Draft", "Changed since", "Live"],
        "without what was put away"
    );
    assert_eq!(by(status(ContentStatus::Draft)).await, ["Draft"]);
    assert_eq!(by(status(ContentStatus::Published)).await, ["Live"]);
    assert_eq!(
        by(status(ContentStatus::PublishedWithDraft)).await,
        ["Changed since"]
    );
    assert_eq!(by(status(ContentStatus::Archived)).await, ["Archived"]);
    let filters = [
        Filter {
            slug: Some("live".into()),
            ..Filter::default()
        },
        Filter {
            updated_since: Some(test.now()),
            ..Filter::default()
        },
        Filter {
            template: Some("recipe".into()),
            ..Filter::default()
        },
        Filter {
            locale: Some("de".parse().expect("a language")),
            ..Filter::default()
        },
    ];
    let mut found = Vec::new();
    for filter in filters {
        found.push(by(filter).await);
    }
    assert_eq!(found, [vec!["Live"], vec!["Draft"], vec![], vec![]]);
    let view = test
        .app
        .get_content(&writer.agent, archived.content, None)
        .await
        .expect("in any state");
    assert_eq!(view.stored.item.status(), ContentStatus::Archived);
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap_while_items_are_added() {
    let writer = Writer::new().await;
    for number in 0..7 {
        writer.draft(&format!("Page {number}")).await;
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest::new(Some(3), after);
        let list = writer
            .test
            .app
            .list_content(&writer.agent, &Filter::default(), &page, true)
            .await;
        let list = list.expect("a list");
        assert!(list.items.iter().all(|view| view.revision.is_some()));
        seen.extend(list.items.into_iter().map(|view| view.stored.item.title));
        writer.draft("Added meanwhile").await;
        after = list.next;
        if after.is_none() {
            break;
        }
    }
    let expected: Vec<String> = (0..7)
        .rev()
        .map(|number| format!("Page {number}"))
        .collect();
    assert_eq!(seen, expected);
}
