//! What never comes out on the dashboard, to whom: a text of each kind is planted, every page and
//! form is tried by everybody, and each answer is searched for each text.

use std::collections::BTreeSet;

use ql_core::role::Role;
use ql_testkit::{Planted, TestApp};

use crate::browser::{Browser, Shown};
use crate::routes::{FORMS, PAGES, Scene};

/// Who may be told what. Whatever isn't listed is never told; whatever is listed is told somewhere,
/// which shows that the search finds what is there.
const MAY: [(&str, &[&str]); 4] = [
    ("nobody", &[]),
    (
        "viewer",
        &[
            "a conversation",
            "a draft",
            "a plan",
            "a reviewer's words",
            "a sibling site",
            "an address",
            "an artifact",
        ],
    ),
    (
        "owner",
        &[
            "a conversation",
            "a draft",
            "a plan",
            "a reviewer's words",
            "a sibling site",
            "a visitor's words",
            "an address",
            "an artifact",
            "the owner's form token",
        ],
    ),
    (
        "somebody of another organization",
        &["another organization"],
    ),
];

/// The kinds that a page tells.
fn told(planted: &Planted, asked: &str, shown: &Shown) -> BTreeSet<&'static str> {
    let answer = format!("{:?}\n{}", shown.headers, shown.html);
    let found = planted.found(asked, &answer);
    found.into_iter().map(|canary| canary.kind).collect()
}

/// What a browser is told by every page and every form, on its own site and where it has no right
/// to be.
async fn everything(
    (test, planted): (&TestApp, &Planted),
    browser: &Browser,
    artifact: &str,
    scenes: &[Scene],
) -> Vec<&'static str> {
    let mut all = BTreeSet::new();
    let (run, proposal) = planted.work.expect("work");
    let (conversation, _) = planted.conversation.as_ref().expect("a conversation");
    let mut paths = vec![
        format!("/sites/site/console/{conversation}"),
        format!("/sites/site/runs/{run}"),
        format!("/sites/site/proposals/{proposal}"),
        artifact.to_owned(),
        "/account".to_owned(),
        "/sites/site/audit?limit=100".to_owned(),
    ];
    for scene in scenes {
        paths.extend(PAGES.map(|(route, query)| scene.fill(&format!("{route}{query}"))));
    }
    for path in paths {
        let shown = browser.clone().get(&path).await;
        all.extend(told(planted, &path, &shown));
    }
    let token = browser.clone().token().await;
    for scene in scenes {
        for (route, fields) in FORMS {
            let mut form = scene.fields(fields);
            form.extend(token.clone().map(|token| ("csrf".to_owned(), token)));
            let path = scene.fill(route);
            let asked = format!("{path} {form:?}");
            let shown = browser.clone().post(&path, &form).await;
            all.extend(told(planted, &asked, &shown));
        }
    }
    test.verify_ledger().await;
    all.into_iter().collect()
}

#[tokio::test]
async fn nobody_is_told_what_they_may_not_know() {
    let test = TestApp::new().await;
    let planted = test.plant().await;
    let home = Scene::of(&test, &test.home).await;
    let foreign = Scene::of(&test, &test.foreign).await;
    let nobody = Scene::never(&test, "nowhere");
    let scenes = [home, foreign.at("site"), foreign, nobody];
    let (run, _) = planted.work.expect("work");
    let mut owner = Browser::with_session(&test, &planted.session);
    let work = owner.get(&format!("/sites/site/runs/{run}")).await;
    let artifact = work.link("/artifacts/");
    for (whom, may) in MAY {
        let browser = match whom {
            "nobody" => Browser::new(&test),
            "owner" => Browser::with_session(&test, &planted.session),
            "viewer" => Browser::member(&test, Role::Viewer).await,
            _ => Browser::of(&test, &test.foreign, Role::Owner).await,
        };
        let told = everything((&test, &planted), &browser, &artifact, &scenes).await;
        assert_eq!(told, may, "{whom}");
    }
}
