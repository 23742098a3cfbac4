//! What belongs to others, on every route of the dashboard: of another site, of another
//! organization, and of nobody are answered alike, byte for byte.

use std::fmt::Write as _;

use ql_core::role::Role;
use ql_testkit::TestApp;

use crate::browser::{Browser, Shown};
use crate::routes::{FORMS, PAGES, Scene};

/// Everything about an answer but what was named.
fn without(shown: &Shown, scene: &Scene) -> String {
    let whole = format!("{} {:?} {}", shown.status, shown.headers, shown.html);
    let names = scene.names();
    names
        .iter()
        .fold(whole, |text, name| text.replace(name, "[it]"))
}

/// A route of the tables with its fields, where it is a form.
async fn go(browser: &mut Browser, (route, fields): (&str, Option<&str>), scene: &Scene) -> Shown {
    let Some(fields) = fields else {
        return browser.get(&scene.fill(route)).await;
    };
    let mut form = scene.fields(fields);
    let token = browser.token().await;
    form.extend(token.map(|token| ("csrf".to_owned(), token)));
    browser.post(&scene.fill(route), &form).await
}

/// What a member of the home organization is answered where each of these is looked for: the same,
/// every time.
async fn alike(browser: &Browser, route: (&str, Option<&str>), scenes: &[Scene]) -> u16 {
    let mut first: Option<String> = None;
    let mut status = 0;
    for scene in scenes {
        let shown = go(&mut browser.clone(), route, scene).await;
        let whole = without(&shown, scene);
        let expected = first.get_or_insert_with(|| whole.clone());
        assert_eq!(&whole, expected, "{route:?}");
        status = shown.status.as_u16();
    }
    status
}

#[tokio::test]
async fn what_belongs_to_others_is_answered_as_what_never_was() {
    let test = TestApp::new().await;
    let home = Scene::of(&test, &test.home).await;
    let sibling = Scene::of(&test, &test.sibling).await;
    let foreign = Scene::of(&test, &test.foreign).await;
    let nobody = Scene::never(&test, "nowhere");
    let owner = Browser::member(&test, Role::Owner).await;
    let viewer = Browser::member(&test, Role::Viewer).await;
    let pages = PAGES.map(|(route, query)| (format!("{route}{query}"), None));
    let forms = FORMS.map(|(route, fields)| (route.to_owned(), Some(fields)));
    let mut table = String::from(
        "another organization's or nobody's site / thing on the own site, by owner and by viewer\n",
    );
    for (route, fields) in pages.into_iter().chain(forms) {
        let method = if fields.is_some() { "POST" } else { "GET" };
        let tried = (route.as_str(), fields);
        let mut cells = Vec::new();
        for browser in [&owner, &viewer] {
            let sites = [foreign.clone(), nobody.clone(), home.at("nowhere")];
            let site = if route.contains("{site}") {
                alike(browser, tried, &sites).await.to_string()
            } else {
                "-".to_owned()
            };
            let things = [foreign.at("site"), nobody.at("site"), sibling.at("site")];
            // An organization's members and agents are its sites' together.
            let shared = ["/members/{id}", "/agents/{id}"]
                .iter()
                .any(|part| route.contains(part))
                || route.starts_with("/proposals/")
                || route.starts_with("/runs/")
                || route.starts_with("/console/");
            let things = if shared { &things[..2] } else { &things[..] };
            let thing = if route.contains("{id}")
                && !route.contains("/templates/")
                && !route.contains("/forms/")
            {
                alike(browser, tried, things).await.to_string()
            } else {
                "-".to_owned()
            };
            cells.push(format!("{site:>3} {thing:>3}"));
        }
        let _ = writeln!(table, "{} {method} {route}", cells.join("  "));
    }
    insta::assert_snapshot!("relations", table);
}
