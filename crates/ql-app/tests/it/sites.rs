//! Sites: created, described and set up.

use ql_app::site::{NewSite, SitePatch};
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_testkit::TestApp;

use crate::say::{code, problems};

#[tokio::test]
async fn an_agent_is_told_where_it_is_and_what_it_may_do() {
    let test = TestApp::new().await;
    let told = test
        .app
        .describe_site(&test.agent().await)
        .await
        .expect("told");
    assert_eq!(
        (told.organization.name.as_str(), &told.site),
        ("Acme", &test.home.site)
    );
    let (agent, connection, scopes) = told.agent.expect("it calls itself");
    assert_eq!((&agent, scopes), (&test.home.agent, ScopeSet::ALL));
    assert_eq!(connection.prefix, test.home.connection.secret.prefix());
    let keys: Vec<&str> = told
        .templates
        .iter()
        .map(|template| template.key.as_str())
        .collect();
    assert_eq!((keys, told.policy.version), (vec!["article"], 0));
}

#[tokio::test]
async fn a_sites_settings_are_checked_all_at_once() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let bad = SitePatch {
        name: Some(" ".into()),
        base_url: Some("ftp://site.example".into()),
        locale: Some("English".into()),
        time_zone: Some("UTC+1:30".into()),
        run_idle_hours: Some(0),
        console_lease_seconds: Some(1),
    };
    insta::assert_snapshot!(problems(test.app.update_site(&admin, bad).await), @"
    /name required: expected a text that isn't empty
    /base_url format: expected an http or https address
    /locale format: expected a language tag such as en, pt-BR or zh-Hans
    /time_zone format: expected an IANA time zone such as Europe/Amsterdam or Asia/Kathmandu
    /run_idle_hours range: expected 1 to 720
    /console_lease_seconds range: expected 30 to 86400
    ");

    let good = SitePatch {
        name: Some(" The site ".into()),
        base_url: Some("https://www.site.example/".into()),
        ..SitePatch::default()
    };
    let site = test.app.update_site(&admin, good).await.expect("changed");
    assert_eq!(
        (site.name.as_str(), site.base_url.as_str()),
        ("The site", "https://www.site.example")
    );
}

#[tokio::test]
async fn a_sites_name_in_addresses_is_its_own_on_the_whole_server() {
    let test = TestApp::new().await;
    let admin = test.organization_member(Role::Admin).await;
    let new = |slug: &str| NewSite {
        name: "New".into(),
        slug: slug.into(),
        base_url: "https://new.example".into(),
        locale: "en".into(),
        time_zone: "UTC".into(),
    };
    assert_eq!(
        code(test.app.create_site(&admin, new("foreign")).await),
        "name_taken"
    );
    let refused = problems(test.app.create_site(&admin, new("a/b")).await);
    assert_eq!(
        refused,
        "/slug format: expected a slug: a-z, 0-9 and -, at most 63 characters"
    );
}
