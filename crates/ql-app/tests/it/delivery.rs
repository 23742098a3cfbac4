//! Delivery: published content by construction, a feed that a site can follow, tombstones.

use ql_app::Error;
use ql_app::delivery::{FeedItem, Wanted};
use ql_app::draft::DraftTarget;
use ql_app::session::SiteRef;
use ql_core::content::Locale;
use ql_core::id::RevisionId;
use ql_core::slug::Slug;
use ql_core::time::hours;
use ql_testkit::{Draft, TestApp, setup};

use crate::drafts::Writer;
use crate::say::{code, problems};

/// The revision that is live at an address.
pub(crate) async fn at(
    test: &TestApp,
    slug: &str,
    locales: (&str, Option<&str>),
) -> Option<RevisionId> {
    let locale = |text: &str| -> Locale { text.parse().expect("a language") };
    let (first, fallback) = (locale(locales.0), locales.1.map(locale));
    let slug: Slug = slug.parse().expect("a slug");
    let site = SiteRef::Id(test.home.site.id);
    let wanted = Wanted {
        site,
        slug,
        locale: Some(first),
        fallback,
    };
    let head = test
        .app
        .live_head(wanted.clone())
        .await
        .expect("a readable database");
    let head = head.map(|head| head.revision);
    let page = match test.app.live_page(wanted).await {
        Ok((_, page)) => Some(page.revision),
        Err(error) => {
            assert_eq!(error, Error::NotFound("page"));
            None
        }
    };
    assert_eq!(head, page, "the quick look and the page say the same");
    page
}

/// What a feed says of each page, in order: `+` live, `-` gone.
fn say(items: &[FeedItem]) -> Vec<String> {
    let lines = items.iter().map(|item| match item {
        FeedItem::Upsert { seq, page } => format!("{seq} +{}", page.slug),
        FeedItem::Tombstone { seq, slug, .. } => format!("{seq} -{slug}"),
    });
    lines.collect()
}

#[tokio::test]
async fn a_page_is_read_in_the_language_asked_for_or_the_one_to_fall_back_on() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let mut new = setup::new_article("Welcome");
    new.target = DraftTarget::New {
        template: "article".into(),
        locale: Some("de".into()),
        translation_group: None,
    };
    let german = Draft::from(writer.write(new).await.expect("written"));
    let english = writer.draft("Welcome").await;
    assert_eq!(
        at(test, "welcome", ("de", Some("en"))).await,
        None,
        "drafts are nowhere"
    );

    test.publish(&test.home, english).await;
    assert_eq!(
        at(test, "welcome", ("de", Some("en"))).await,
        Some(english.revision)
    );
    assert_eq!(at(test, "welcome", ("de", None)).await, None);

    test.publish(&test.home, german).await;
    assert_eq!(
        at(test, "welcome", ("de", Some("en"))).await,
        Some(german.revision)
    );
    assert_eq!(
        at(test, "welcome", ("en", None)).await,
        Some(english.revision)
    );
}

#[tokio::test]
async fn one_site_never_serves_anothers_pages() {
    let test = TestApp::new().await;
    test.live_article(&test.sibling, "Theirs").await;
    test.live_article(&test.foreign, "Theirs").await;
    assert_eq!(test.live(&test.home).await, []);
    assert_eq!(at(&test, "theirs", ("en", None)).await, None);
    let changes = test
        .app
        .changes(&test.home.site, 0, 100)
        .await
        .expect("the feed");
    assert_eq!((changes.items, changes.next), (Vec::new(), 0));
}

#[tokio::test]
async fn the_feed_gives_each_page_once_at_its_last_move_and_tombstones_for_what_is_gone() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let a = test.live_article(&test.home, "A").await;
    let b = test.live_article(&test.home, "B").await;
    let changes = async |since, limit| {
        test.app
            .changes(&test.home.site, since, limit)
            .await
            .expect("the feed")
    };
    let first = changes(0, 100).await;
    assert_eq!(
        (say(&first.items), first.next, first.more),
        (vec!["1 +a".into(), "2 +b".into()], 2, false)
    );

    let again = writer.revise(a, "A, again").await;
    test.publish(&test.home, again).await;
    test.carry_out(&test.home, setup::publication(vec![b.unpublish()]))
        .await;

    let since = changes(first.next, 100).await;
    assert_eq!(say(&since.items), ["3 +a", "4 -b"]);
    let whole = changes(0, 100).await;
    assert_eq!(
        say(&whole.items),
        ["3 +a", "4 -b"],
        "nobody gets a page that is gone"
    );
    assert_eq!(changes(since.next, 100).await.items, []);

    let step = changes(0, 1).await;
    assert_eq!(
        (say(&step.items), step.next, step.more),
        (vec!["3 +a".into()], 3, true)
    );
    let step = changes(step.next, 1).await;
    assert_eq!(
        (say(&step.items), step.next, step.more),
        (vec!["4 -b".into()], 4, false)
    );
}

#[tokio::test]
async fn a_page_that_moved_is_found_at_its_new_address_alone() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let first = test.live_article(&test.home, "Old").await;
    let mut moved = setup::revision(first, "New");
    moved.slug = Some("new".into());
    let moved = Draft::from(writer.write(moved).await.expect("written"));
    assert_eq!(
        at(test, "new", ("en", None)).await,
        None,
        "not before it is approved"
    );
    test.publish(&test.home, moved).await;
    assert_eq!(at(test, "new", ("en", None)).await, Some(moved.revision));
    assert_eq!(at(test, "old", ("en", None)).await, None);
}

#[tokio::test]
async fn a_place_that_the_feed_never_had_is_refused() {
    let test = TestApp::new().await;
    test.live_article(&test.home, "A").await;
    for since in [-1, 2, i64::MAX] {
        let refused = test.app.changes(&test.home.site, since, 10).await;
        assert!(problems(refused).starts_with("/since range"), "{since}");
    }
    let nowhere = test.app.public_site(&SiteRef::parse("nowhere")).await;
    assert_eq!(code(nowhere), "not_found");
}

#[tokio::test]
async fn what_waits_for_people_or_for_its_instant_is_nowhere_to_be_read() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let (asked, later) = (writer.draft("Asked").await, writer.draft("Later").await);
    writer
        .propose(setup::publication(vec![asked.publish()]))
        .await;
    let due = test.now().plus(hours(1));
    let id = writer
        .propose(setup::publication(vec![later.publish_at(due, None)]))
        .await;
    let editor = test.member(ql_core::role::Role::Editor).await;
    test.approve(&editor, id).await.expect("scheduled");
    assert_eq!(test.live(&test.home).await, []);
    for slug in ["asked", "later"] {
        assert_eq!(at(test, slug, ("en", None)).await, None);
    }
    let changes = test
        .app
        .changes(&test.home.site, 0, 10)
        .await
        .expect("the feed");
    assert_eq!(changes.items, []);
    let addresses = test
        .app
        .live_addresses(&test.home.site, (10, 0))
        .await
        .expect("a list");
    assert_eq!((addresses.items.len(), addresses.total), (0, 0));
}
