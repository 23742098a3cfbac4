//! Preview links: one exact revision, for an hour, signed by the server.

use ql_core::time::{hours, minutes};

use crate::drafts::Writer;
use crate::say::code;

#[tokio::test]
async fn a_link_shows_one_exact_revision_for_an_hour() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let first = writer.draft("One").await;
    writer.revise(first, "Two").await;
    let (link, expires_at) = test
        .app
        .create_preview(&writer.agent, first.revision)
        .await
        .expect("a link");
    assert_eq!(expires_at, test.now().plus(hours(1)));
    test.advance(minutes(59));
    let shown = test.app.open_preview(&link).await.expect("shown");
    assert_eq!(
        (shown.revision.id, shown.site, shown.template.as_str()),
        (first.revision, test.home.site.id, "article")
    );
    assert_eq!(test.live(&test.home).await, [], "it publishes nothing");
    test.advance(minutes(1));
    assert_eq!(code(test.app.open_preview(&link).await), "not_found");
}

#[tokio::test]
async fn a_link_that_was_touched_anywhere_opens_nothing() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    let other = writer.draft("Two").await;
    let app = &writer.test.app;
    let (link, _) = app
        .create_preview(&writer.agent, draft.revision)
        .await
        .expect("a link");
    for place in 0..link.len() {
        let mut bytes = link.clone().into_bytes();
        bytes[place] = if bytes[place] == b'1' { b'2' } else { b'1' };
        let touched = String::from_utf8(bytes).expect("ASCII");
        assert_eq!(
            code(app.open_preview(&touched).await),
            "not_found",
            "{touched}"
        );
    }
    let swapped = link.replace(&draft.revision.to_string(), &other.revision.to_string());
    assert_ne!(swapped, link);
    for forged in [
        swapped.as_str(),
        "",
        ".",
        "a.b.c.d",
        &link[..link.len() - 1],
        &format!("{link}."),
    ] {
        assert_eq!(
            code(app.open_preview(forged).await),
            "not_found",
            "{forged}"
        );
    }
    app.open_preview(&link)
        .await
        .expect("the link itself is good");
}

#[tokio::test]
async fn a_link_is_made_for_ones_own_site_alone() {
    let writer = Writer::new().await;
    let test = &writer.test;
    let foreign = test.agent_of(&test.foreign).await;
    let draft = writer.draft("One").await;
    assert_eq!(
        code(test.app.create_preview(&foreign, draft.revision).await),
        "not_found"
    );
}
