//! Somebody without any credential reads the public site.

use std::fmt::Write as _;

use axum::Router;
use axum::body::Body;
use ql_api::delivery::{self, ROUTES};
use ql_core::edit::Change;
use ql_core::proposal::{Items, LifecycleAction, Payload, PublishItem};
use ql_core::role::Role;
use ql_core::time::hours;
use ql_testkit::{Draft, Place, TestApp};
use serde_json::{Value, json};

use crate::actor::{Actor, Reply};

struct Visitor {
    app: TestApp,
    router: Router,
}

impl Visitor {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let router = delivery::router(app.app.clone());
        Self { app, router }
    }

    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
        let headers: Vec<(&str, String)> = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        let anybody = Actor::on(self.router.clone()).without_token();
        let path = format!("/delivery/v1{path}");
        anybody.send(method, &path, &headers, Body::empty()).await
    }

    async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[]).await
    }

    async fn held(&self, path: &str, etag: &str) -> Reply {
        self.send("GET", path, &[("if-none-match", etag)]).await
    }

    /// A live article in a language.
    async fn live_in(&self, locale: &str, slug: &str, title: &str) -> Draft {
        let owner = self.app.member(Role::Owner).await;
        let new = ql_app::draft::NewDraft {
            target: ql_app::draft::DraftTarget::New {
                template: "article".to_owned(),
                locale: Some(locale.to_owned()),
                translation_group: None,
            },
            slug: Some(slug.to_owned()),
            change: Change::Fields(json!({"title": title, "body": "…"})),
            note: String::new(),
        };
        let drafted = self.app.app.create_draft(&owner, None, new, None).await;
        let draft = Draft::from(drafted.expect("a draft"));
        self.app.publish(&self.app.home, draft).await;
        draft
    }

    async fn unpublish(&self, draft: Draft) {
        let items = vec![PublishItem::Unpublish {
            content_id: draft.content,
        }];
        let payload = Payload::PublishLifecycle(Items { items });
        self.app.carry_out(&self.app.home, payload).await;
    }

    async fn revise(&self, draft: Draft, title: &str) -> Draft {
        let agent = self.app.agent().await;
        let run = self.app.begin_run(&agent).await;
        self.app.revise(&agent, run, draft, title).await
    }
}

/// A whole answer: its status, what caches and browsers read, and its body.
fn whole(reply: &Reply) -> String {
    let mut text = reply.status.as_u16().to_string();
    for name in [
        "allow",
        "etag",
        "cache-tag",
        "cache-control",
        "content-length",
        "content-type",
        "x-robots-tag",
        "referrer-policy",
        "www-authenticate",
        "retry-after",
    ] {
        if !reply.header(name).is_empty() {
            let _ = write!(text, "\n{name}: {}", reply.header(name));
        }
    }
    let body = serde_json::from_str::<Value>(&reply.body)
        .map_or_else(|_| reply.body.clone(), |value| format!("{value:#}"));
    format!("{text}\n{body}")
}

#[tokio::test]
async fn a_live_page_is_read_by_its_address_and_not_again_while_it_stands() {
    let visitor = Visitor::new().await;
    visitor
        .app
        .live_article(&visitor.app.home, "First steps")
        .await;
    let page = visitor.get("/sites/site/items/first-steps").await;
    insta::assert_snapshot!(whole(&page), @r#"
    200
    etag: "rev_01m8p570g0e00800000000001j"
    cache-tag: ql:site:site_01m8p570g0e00800000000000h,ql:item:cnt_01m8p570g0e00800000000001h,ql:template:article
    cache-control: public, max-age=0, must-revalidate
    content-length: 304
    content-type: application/json
    {
      "fields": {
        "body": "About First steps.",
        "title": "First steps"
      },
      "id": "cnt_01m8p570g0e00800000000001h",
      "locale": "en",
      "published_at": "2026-11-30T12:00:00.000000Z",
      "revision_id": "rev_01m8p570g0e00800000000001j",
      "slug": "first-steps",
      "template": "article",
      "translation_group_id": "trg_01m8p570g0e00800000000001k"
    }
    "#);
    assert_eq!(page.header("access-control-allow-origin"), "*");

    let unchanged = visitor
        .held("/sites/site/items/first-steps", page.header("etag"))
        .await;
    insta::assert_snapshot!(whole(&unchanged), @r#"
    304
    etag: "rev_01m8p570g0e00800000000001j"
    cache-tag: ql:site:site_01m8p570g0e00800000000000h,ql:item:cnt_01m8p570g0e00800000000001h,ql:template:article
    cache-control: public, max-age=0, must-revalidate
    "#);

    let by_id = format!("/sites/{}/items/first-steps", visitor.app.home.site.id);
    assert_eq!(visitor.get(&by_id).await.body, page.body);
    let head = visitor
        .send("HEAD", "/sites/site/items/first-steps", &[])
        .await;
    insta::assert_snapshot!(whole(&head), @r#"
    200
    etag: "rev_01m8p570g0e00800000000001j"
    cache-tag: ql:site:site_01m8p570g0e00800000000000h,ql:item:cnt_01m8p570g0e00800000000001h,ql:template:article
    cache-control: public, max-age=0, must-revalidate
    content-length: 304
    content-type: application/json
    "#);
}

#[tokio::test]
async fn a_draft_is_not_there_until_it_is_approved_and_not_after_it_is_taken_off() {
    let visitor = Visitor::new().await;
    let agent = visitor.app.agent().await;
    let run = visitor.app.begin_run(&agent).await;
    let draft = visitor.app.draft(&agent, run, "Secret plan").await;
    let path = "/sites/site/items/secret-plan";
    insta::assert_snapshot!(whole(&visitor.get(path).await), @r#"
    404
    cache-control: no-store
    content-length: 260
    content-type: application/problem+json
    {
      "code": "not_found",
      "detail": "there is no such page here",
      "remedy": "Check the id; list what there is with the matching list call. What belongs to another site can't be seen from here.",
      "status": 404,
      "title": "Not found",
      "type": "urn:querylayer:problem:not_found"
    }
    "#);
    visitor.app.publish(&visitor.app.home, draft).await;
    let first = visitor.get(path).await;
    assert_eq!(first.json()["fields"]["title"], "Secret plan");

    let second = visitor.revise(draft, "Secret plan, the second").await;
    let still = visitor.held(path, first.header("etag")).await;
    assert_eq!(still.status, 304, "the newer draft isn't live");
    visitor.app.publish(&visitor.app.home, second).await;
    let moved = visitor.held(path, first.header("etag")).await;
    assert_eq!(moved.json()["revision_id"], second.revision.to_string());

    visitor.unpublish(second).await;
    assert_eq!(visitor.held(path, moved.header("etag")).await.status, 404);
}

#[tokio::test]
async fn the_same_revision_reads_the_same_when_it_is_live_again() {
    let visitor = Visitor::new().await;
    let draft = visitor
        .app
        .live_article(&visitor.app.home, "Now and then")
        .await;
    let before = visitor.get("/sites/site/items/now-and-then").await;
    visitor.unpublish(draft).await;
    visitor.app.advance(hours(1));
    visitor.app.publish(&visitor.app.home, draft).await;
    let after = visitor.get("/sites/site/items/now-and-then").await;
    assert_eq!(after.header("etag"), before.header("etag"));
    assert_eq!(
        after.body, before.body,
        "a strong entity tag names these bytes"
    );
}

#[tokio::test]
async fn only_wanted_fields_are_sent_and_have_an_entity_tag_of_their_own() {
    let visitor = Visitor::new().await;
    visitor
        .app
        .live_article(&visitor.app.home, "First steps")
        .await;
    let path = "/sites/site/items/first-steps";
    let whole_page = visitor.get(path).await;
    let title = visitor.get(&format!("{path}?fields=title,nothing")).await;
    assert_eq!(title.json()["fields"], json!({"title": "First steps"}));
    let swapped = visitor
        .get(&format!("{path}?fields=nothing,title,title"))
        .await;
    assert_eq!(swapped.header("etag"), title.header("etag"));
    assert_ne!(title.header("etag"), whole_page.header("etag"));
    let narrowed = format!("{path}?fields=title");
    let narrowed = visitor.held(&narrowed, whole_page.header("etag")).await;
    assert_eq!(narrowed.status, 200);
}

#[tokio::test]
async fn a_language_is_chosen_and_another_one_stands_in() {
    let visitor = Visitor::new().await;
    visitor.live_in("en", "visit", "Visit us").await;
    visitor.live_in("fr", "visite/jardin", "Visitez-nous").await;
    let title = async |path: &str| {
        let reply = visitor.get(&format!("/sites/site/items/{path}")).await;
        (
            reply.status.as_u16(),
            reply.json()["fields"]["title"].clone(),
        )
    };
    assert_eq!(title("visit").await, (200, json!("Visit us")));
    assert_eq!(
        title("visite/jardin?locale=fr").await,
        (200, json!("Visitez-nous"))
    );
    assert_eq!(title("visite/jardin").await, (404, Value::Null));
    assert_eq!(title("visit?locale=fr").await, (404, Value::Null));
    assert_eq!(
        title("visit?locale=fr&fallback=en").await,
        (200, json!("Visit us"))
    );
    assert_eq!(
        title("visit?locale=fr&fallback=de").await,
        (404, Value::Null)
    );
}

#[tokio::test]
async fn live_pages_are_listed_in_pages_and_filtered() {
    let visitor = Visitor::new().await;
    for (locale, slug) in [("en", "one"), ("en", "two"), ("fr", "trois")] {
        visitor.live_in(locale, slug, slug).await;
    }
    let slugs = |reply: &Reply| -> Vec<String> {
        let items = reply.json()["items"].as_array().expect("items").clone();
        items
            .iter()
            .map(|item| item["slug"].as_str().expect("a slug").to_owned())
            .collect()
    };
    let first = visitor.get("/sites/site/items?limit=2").await;
    assert_eq!(slugs(&first), ["trois", "two"]);
    let cursor = first.json()["next_cursor"]
        .as_str()
        .expect("more")
        .to_owned();
    let rest = visitor
        .get(&format!("/sites/site/items?limit=2&cursor={cursor}"))
        .await;
    assert_eq!(slugs(&rest), ["one"]);
    assert_eq!(rest.json().get("next_cursor"), None);
    assert_eq!(
        slugs(&visitor.get("/sites/site/items?locale=fr").await),
        ["trois"]
    );
    let articles = visitor
        .get("/sites/site/items?template=article&fields=title&limit=1")
        .await;
    insta::assert_snapshot!(whole(&articles), @r#"
    200
    etag: "seq-3"
    cache-tag: ql:site:site_01m8p570g0e00800000000000h,ql:template:article
    cache-control: public, max-age=0, must-revalidate
    content-length: 395
    content-type: application/json
    {
      "items": [
        {
          "fields": {
            "title": "trois"
          },
          "id": "cnt_01m8p570g0e008000000000032",
          "locale": "fr",
          "published_at": "2026-11-30T12:00:00.000000Z",
          "revision_id": "rev_01m8p570g0e008000000000033",
          "slug": "trois",
          "template": "article",
          "translation_group_id": "trg_01m8p570g0e008000000000034"
        }
      ],
      "next_cursor": "c83a6ce6313739363034303030303030303030302e636e745f30316d3870353730673065303038303030303030303030303332"
    }
    "#);

    let held = visitor
        .held("/sites/site/items?limit=2", first.header("etag"))
        .await;
    assert_eq!(held.status, 304);
    visitor.live_in("en", "four", "four").await;
    let moved = visitor
        .held("/sites/site/items?limit=2", first.header("etag"))
        .await;
    assert_eq!(slugs(&moved), ["four", "trois"]);
}

#[tokio::test]
async fn a_copy_of_the_site_follows_what_appears_and_what_goes() {
    let visitor = Visitor::new().await;
    let kept = visitor.live_in("en", "kept", "Kept").await;
    let gone = visitor.live_in("en", "gone", "Gone").await;
    let all = visitor.get("/sites/site/sync").await.json();
    assert_eq!(all["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(all["more"], false);

    let next = all["next"].as_str().expect("a token").to_owned();
    let nothing = visitor.get(&format!("/sites/site/sync?since={next}")).await;
    assert_eq!(nothing.json()["items"], json!([]));
    visitor.unpublish(gone).await;
    let newer = visitor.revise(kept, "Kept, and better").await;
    visitor.app.publish(&visitor.app.home, newer).await;
    let path = format!("/sites/site/sync?since={next}");
    let news = visitor.held(&path, nothing.header("etag")).await;
    insta::assert_snapshot!(whole(&news), @r#"
    200
    etag: "seq-4"
    cache-tag: ql:site:site_01m8p570g0e00800000000000h
    cache-control: public, max-age=0, must-revalidate
    content-length: 575
    content-type: application/json
    {
      "items": [
        {
          "at": "2026-11-30T12:00:00.000000Z",
          "id": "cnt_01m8p570g0e00800000000002c",
          "locale": "en",
          "slug": "gone",
          "template": "article",
          "type": "tombstone"
        },
        {
          "fields": {
            "body": "About Kept, and better.",
            "title": "Kept, and better"
          },
          "id": "cnt_01m8p570g0e00800000000001p",
          "locale": "en",
          "published_at": "2026-11-30T12:00:00.000000Z",
          "revision_id": "rev_01m8p570g0e00800000000003q",
          "slug": "kept",
          "template": "article",
          "translation_group_id": "trg_01m8p570g0e00800000000001r",
          "type": "upsert"
        }
      ],
      "more": false,
      "next": "a8dac344342e736974655f30316d3870353730673065303038303030303030303030303068"
    }
    "#);

    let first = visitor.get(&format!("{path}&limit=1")).await.json();
    assert_eq!(first["more"], true);
    let then = first["next"].as_str().expect("a token");
    let rest = visitor
        .get(&format!("/sites/site/sync?since={then}"))
        .await
        .json();
    assert_eq!(rest["next"], news.json()["next"]);
    assert_eq!(rest["items"][0], news.json()["items"][1]);
}

#[tokio::test]
async fn search_engines_get_every_live_page_with_its_translations() {
    let visitor = Visitor::new().await;
    let home = visitor.app.home.clone();
    let agent = visitor.app.agent().await;
    let run = visitor.app.begin_run(&agent).await;
    visitor.app.draft(&agent, run, "A draft").await;
    let english = visitor.live_in("en", "visit", "Visit").await;
    let owner = visitor.app.member(Role::Owner).await;
    let stored = visitor
        .app
        .app
        .get_content(&owner, english.content, None)
        .await;
    let new = ql_app::draft::NewDraft {
        target: ql_app::draft::DraftTarget::New {
            template: "article".to_owned(),
            locale: Some("fr".to_owned()),
            translation_group: Some(stored.expect("it").stored.item.translation_group),
        },
        slug: Some("visite".to_owned()),
        change: Change::Fields(json!({"title": "Visite", "body": "…"})),
        note: String::new(),
    };
    let french = visitor.app.app.create_draft(&owner, None, new, None).await;
    visitor
        .app
        .publish(&home, french.expect("a draft").into())
        .await;
    let sitemap = visitor.get("/sites/site/sitemap").await;
    insta::assert_snapshot!(whole(&sitemap), @r#"
    200
    etag: "seq-2.01cd2cf2"
    cache-tag: ql:site:site_01m8p570g0e00800000000000h
    cache-control: public, max-age=0, must-revalidate
    content-length: 663
    content-type: application/xml
    <?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
    <url><loc>https://site.example/visit</loc><lastmod>2026-11-30T12:00:00.000000Z</lastmod><xhtml:link rel="alternate" hreflang="en" href="https://site.example/visit"/><xhtml:link rel="alternate" hreflang="fr" href="https://site.example/fr/visite"/></url>
    <url><loc>https://site.example/fr/visite</loc><lastmod>2026-11-30T12:00:00.000000Z</lastmod><xhtml:link rel="alternate" hreflang="en" href="https://site.example/visit"/><xhtml:link rel="alternate" hreflang="fr" href="https://site.example/fr/visite"/></url>
    </urlset>
    "#);
    let beyond = visitor.get("/sites/site/sitemap?part=2").await;
    assert!(!beyond.body.contains("<url>"), "{}", beyond.body);
}

#[tokio::test]
async fn a_preview_link_opens_one_revision_for_an_hour() {
    let visitor = Visitor::new().await;
    let agent = visitor.app.agent().await;
    let run = visitor.app.begin_run(&agent).await;
    let draft = visitor.app.draft(&agent, run, "Not yet").await;
    let owner = visitor.app.member(Role::Owner).await;
    let link = visitor.app.app.create_preview(&owner, draft.revision).await;
    let (token, _) = link.expect("a link");
    let path = format!("/preview/{token}");
    insta::assert_snapshot!(whole(&visitor.get(&path).await), @r#"
    200
    cache-control: no-store
    content-length: 394
    content-type: application/json
    x-robots-tag: noindex, nofollow
    referrer-policy: no-referrer
    {
      "created_at": "2026-11-30T12:00:00.000000Z",
      "expires_at": "2026-11-30T13:00:00.000000Z",
      "fields": {
        "body": "About Not yet.",
        "title": "Not yet"
      },
      "id": "cnt_01m8p570g0e00800000000001h",
      "number": 1,
      "revision_id": "rev_01m8p570g0e00800000000001j",
      "sha256": "2e86cfb9e37e4e93bbc47568161efe52fe4983851438fcecddaac6f8cac5d1f6",
      "site_id": "site_01m8p570g0e00800000000000h",
      "slug": "not-yet",
      "template": "article"
    }
    "#);

    let other = visitor.revise(draft, "Another").await;
    let forged = token.replace(&draft.revision.to_string(), &other.revision.to_string());
    for bad in [
        forged.as_str(),
        &token[..token.len() - 1],
        "x",
        "a.b.c.d",
        "",
    ] {
        let reply = visitor.get(&format!("/preview/{bad}")).await;
        assert_eq!(
            (reply.status.as_u16(), reply.json()["code"].clone()),
            (404, json!("not_found")),
            "{bad}"
        );
        assert_eq!(reply.header("cache-control"), "no-store");
    }
    visitor.app.advance(hours(1));
    assert_eq!(visitor.get(&path).await.status, 404);
}

/// The code of a refusal with every place that it names.
fn refusal(reply: &Reply) -> String {
    assert_eq!(reply.header("content-type"), "application/problem+json");
    let body = reply.json();
    let code = body["code"].as_str().unwrap_or_default();
    let mut text = format!("  {} {code}\n", reply.status.as_u16());
    for problem in body["problems"].as_array().into_iter().flatten() {
        let word = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
        let _ = writeln!(text, "  {}: {}", word("pointer"), word("message"));
    }
    text
}

const ASKED_WRONGLY: [&str; 15] = [
    "/sites/site/items?colour=red&limit=0&cursor=1&fields=",
    "/sites/site/items/first-steps?locale=EN&fallback=x",
    "/sites/site/items/first-steps?since=1",
    "/sites/site/sync?since=0",
    "/sites/site/sync?since=TOKEN",
    "/sites/site/sitemap?part=0",
    "/preview/x?full=1",
    "/sites/nowhere/items",
    "/sites/nowhere/items/first-steps",
    "/sites/site/items/First-Steps",
    "/sites/site/items/first%2Dsteps",
    "/sites/site/items/ID",
    "/sites/site/things",
    "/sites/site",
    "",
];

#[tokio::test]
async fn what_is_asked_wrongly_is_refused_by_name() {
    let visitor = Visitor::new().await;
    let home = &visitor.app.home;
    let draft = visitor.app.live_article(home, "First steps").await;
    let foreign = visitor.get("/sites/foreign/sync").await.json();
    let foreign = foreign["next"].as_str().expect("a token of another site");
    let mut table = String::new();
    for path in ASKED_WRONGLY {
        let _ = writeln!(table, "{path}");
        let path = path
            .replace("TOKEN", foreign)
            .replace("ID", &draft.content.to_string());
        table += &refusal(&visitor.get(&path).await);
    }
    insta::assert_snapshot!(table, @"
    /sites/site/items?colour=red&limit=0&cursor=1&fields=
      422 invalid_arguments
      /colour: isn't a query parameter here; the parameters are template, locale, limit, cursor, fields
      /limit: expected a whole number from 1 to 100
      /cursor: this cursor wasn't made by this list; leave it out to start again
      /fields: expected 1 to 100 names of fields with commas between them
    /sites/site/items/first-steps?locale=EN&fallback=x
      422 invalid_arguments
      /locale: expected a language tag such as en, pt-BR or zh-Hans
      /fallback: expected a language tag such as en, pt-BR or zh-Hans
    /sites/site/items/first-steps?since=1
      422 invalid_arguments
      /since: isn't a query parameter here; the parameters are locale, fallback, fields
    /sites/site/sync?since=0
      422 invalid_arguments
      /since: this token wasn't made by this site; leave it out to start again
    /sites/site/sync?since=TOKEN
      422 invalid_arguments
      /since: this token wasn't made by this site; leave it out to start again
    /sites/site/sitemap?part=0
      422 invalid_arguments
      /part: expected a whole number from 1
    /preview/x?full=1
      422 invalid_arguments
      /full: isn't a query parameter here; there are none
    /sites/nowhere/items
      404 not_found
    /sites/nowhere/items/first-steps
      404 not_found
    /sites/site/items/First-Steps
      404 not_found
    /sites/site/items/first%2Dsteps
      404 not_found
    /sites/site/items/ID
      404 not_found
    /sites/site/things
      404 no_such_route
    /sites/site
      404 no_such_route

      404 no_such_route
    ");
    insta::assert_snapshot!(whole(&visitor.send("POST", "/sites/site/items", &[]).await), @r#"
    405
    allow: GET, HEAD, OPTIONS
    cache-control: no-store
    content-length: 229
    content-type: application/problem+json
    {
      "code": "method_not_allowed",
      "detail": "delivery is only read",
      "remedy": "Use GET or HEAD. Content is changed over /api/v1 and over MCP.",
      "status": 405,
      "title": "Method not allowed",
      "type": "urn:querylayer:problem:method_not_allowed"
    }
    "#);
}

#[tokio::test]
async fn nothing_that_is_not_live_is_ever_sent() {
    const CANARY: &str = "canary-in-a-draft";
    let visitor = Visitor::new().await;
    let home: &Place = &visitor.app.home;
    let live = visitor.app.live_article(home, "In the open").await;
    visitor.revise(live, CANARY).await;
    let gone = visitor
        .app
        .live_article(home, &format!("{CANARY} gone"))
        .await;
    visitor.unpublish(gone).await;
    let agent = visitor.app.agent().await;
    let run = visitor.app.begin_run(&agent).await;
    let archived = visitor
        .app
        .draft(&agent, run, &format!("{CANARY} archived"))
        .await;
    let item = ql_core::proposal::LifecycleItem {
        action: LifecycleAction::Archive,
        content_id: archived.content,
        archived_at: ql_core::proposal::ArchivedAt(None),
    };
    let payload = Payload::ContentLifecycle(Items { items: vec![item] });
    visitor.app.carry_out(home, payload).await;
    let scheduled = visitor
        .app
        .draft(&agent, run, &format!("{CANARY} scheduled"))
        .await;
    let item = PublishItem::Publish {
        content_id: scheduled.content,
        revision_id: scheduled.revision,
        publish_at: Some(visitor.app.now().plus(hours(1))),
        time_zone: None,
    };
    let payload = Payload::PublishLifecycle(Items { items: vec![item] });
    visitor.app.carry_out(home, payload).await;

    let mut slugs = vec!["in-the-open".to_owned()];
    for kind in ["", "-gone", "-archived", "-scheduled"] {
        slugs.push(format!("{CANARY}{kind}"));
    }
    let mut seen = 0;
    for route in ROUTES {
        for slug in &slugs {
            let path = route
                .replace("{site}", "site")
                .replace("{slug}", slug)
                .replace("{token}", slug);
            let reply = visitor.get(path.trim_start_matches("/delivery/v1")).await;
            let body = reply
                .body
                .replace(&format!("\"slug\":\"{CANARY}-gone\""), "");
            assert!(!body.contains(CANARY), "{path}: {body}");
            seen += usize::from(
                reply.body.contains("In the open") || reply.body.contains("/in-the-open<"),
            );
        }
    }
    // The negative control: what is live was found by list, item, sync and sitemap.
    assert_eq!(seen, 3 * slugs.len() + 1);
}
