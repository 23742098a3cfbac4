//! An editor reads and writes content by hand.

use ql_core::role::Role;
use serde_json::{Value, json};

use super::person::{Api, outcome, problems, whole};

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn an_item_is_written_and_revised_by_hand() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let new = json!({"template": "article", "fields": {"title": "Élan", "body": "One."}, "change_note": "First."});
    let created = editor.post("/sites/site/content", new).await;
    insta::assert_snapshot!(whole(&created), @r#"
    201
    changes:
    - {"change":"added","pointer":"/body"}
    - {"change":"added","pointer":"/title"}
    content_id: "cnt_01m8p570g0e00800000000001p"
    number: 1
    revision_id: "rev_01m8p570g0e00800000000001q"
    sha256: "637501c95e9a7116d2d8ddc6dc7e27e6838a19930d3dd8f1b916e43f010764b4"
    slug: "elan"
    unchanged: false
    "#);
    let (id, first) = (
        text(&created.json()["content_id"]),
        text(&created.json()["revision_id"]),
    );
    let drafts = format!("/sites/site/content/{id}/drafts");
    let edit = json!({"base_revision_id": first, "edits": [{"pointer": "/body", "find": "One", "replace": "Two"}]});
    let revised = editor.post(&drafts, edit.clone()).await;
    insta::assert_snapshot!(whole(&revised), @r#"
    201
    changes:
    - {"change":"changed","pointer":"/body"}
    content_id: "cnt_01m8p570g0e00800000000001p"
    number: 2
    revision_id: "rev_01m8p570g0e00800000000001v"
    sha256: "b7d559e9f288f812c9af40af22d6a6d8aa6dce9d7e001e998fc1905f9da283dd"
    slug: "elan"
    unchanged: false
    "#);
    insta::assert_snapshot!(whole(&editor.post(&drafts, edit).await), @r#"
    409
    code: "stale_revision"
    detail: "the base revision is not the current draft; somebody wrote a newer one"
    details: {"current_revision_id":"rev_01m8p570g0e00800000000001v"}
    remedy: "Read the current draft, apply your change to it, and call again with its id as the base."
    status: 409
    title: "Stale revision"
    type: "urn:querylayer:problem:stale_revision"
    "#);
    let patch =
        json!({"base_revision_id": revised.json()["revision_id"], "merge_patch": {"body": "Two."}});
    assert_eq!(editor.post(&drafts, patch).await.json()["unchanged"], true);
}

#[tokio::test]
async fn an_item_is_read_with_its_history() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let live = api.app.live_article(&api.app.home, "One").await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    api.app.revise(&agent, run, live, "Two").await;
    let path = format!("/sites/site/content/{}", live.content);
    let item = editor.get(&path).await;
    insta::assert_snapshot!(whole(&item), @r#"
    200
    archived_at: null
    created_at: "2026-11-30T12:00:00.000000Z"
    current_draft_number: 2
    current_draft_revision_id: "rev_01m8p570g0e00800000000002h"
    draft: {"author":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"change_note":"","content_id":"cnt_01m8p570g0e00800000000001r","created_at":"2026-11-30T12:00:00.000000Z","fields":{"body":"About Two.","title":"Two"},"id":"rev_01m8p570g0e00800000000002h","number":2,"parent_revision_id":"rev_01m8p570g0e00800000000001s","run_id":"run_01m8p570g0e00800000000002e","sha256":"3136a7700e6d97e54026306441ea3b60453bed1f1d92dae9667108bf82a91cf7","slug":"one","template_version":1}
    id: "cnt_01m8p570g0e00800000000001r"
    live: {"author":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"change_note":"","content_id":"cnt_01m8p570g0e00800000000001r","created_at":"2026-11-30T12:00:00.000000Z","fields":{"body":"About One.","title":"One"},"id":"rev_01m8p570g0e00800000000001s","number":1,"parent_revision_id":null,"run_id":"run_01m8p570g0e00800000000001p","sha256":"ef8e935bced3652130e7e1941a023674a2006c6f103126f92e430f669ec1d8a8","slug":"one","template_version":1}
    live_slug: "one"
    locale: "en"
    proposals:
    - {"created_at":"2026-11-30T12:00:00.000000Z","due_at":null,"expires_at":"2026-12-14T12:00:00.000000Z","id":"prop_01m8p570g0e00800000000001y","kind":"publish_lifecycle","proposer":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"reason":null,"risk":"medium","run_id":"run_01m8p570g0e00800000000001w","settled_at":"2026-11-30T12:00:00.000000Z","site":"site_01m8p570g0e00800000000000h","state":"executed","title":"Publish “One”"}
    published_revision_id: "rev_01m8p570g0e00800000000001s"
    slug: "one"
    status: "published_with_draft"
    template: "article"
    title: "Two"
    translation_group_id: "trg_01m8p570g0e00800000000001t"
    updated_at: "2026-11-30T12:00:00.000000Z"
    "#);
    let revisions = editor.get(&format!("{path}/revisions")).await.json()["items"].clone();
    assert_eq!(
        (&revisions[0], &revisions[1]),
        (&item.json()["draft"], &item.json()["live"])
    );
    let one = editor
        .get(&format!("/sites/site/revisions/{}", live.revision))
        .await;
    assert_eq!(one.json(), revisions[1]);
}

#[tokio::test]
async fn fields_that_do_not_fit_are_named() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let new = json!({"template": "article", "slug": "A B", "locale": "english", "fields": {"title": "", "extra": 1}});
    insta::assert_snapshot!(problems(&editor.post("/sites/site/content", new).await), @r#"
    422 invalid_arguments
      /slug format: expected a slug: at most 200 of a-z, 0-9 and -, in segments joined by /, such as guides/first-steps
      /locale format: expected a language tag such as en, pt-BR or zh-Hans
      /fields schema: "body" is a required property
      /fields/title schema: "" is shorter than 1 character
      /fields schema: Additional properties are not allowed ('extra' was unexpected)
    "#);
    let new = json!({"template": "none", "fields": {}});
    assert_eq!(
        outcome(&editor.post("/sites/site/content", new).await),
        "404 not_found"
    );
    assert_eq!(
        editor.get("/sites/site/content").await.json(),
        json!({"items": []})
    );
}

#[tokio::test]
async fn items_are_listed_and_narrowed() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    api.app.live_article(&api.app.home, "Café in spring").await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    api.app.draft(&agent, run, "Second").await;
    let all = editor.get("/sites/site/content?limit=1").await;
    insta::assert_snapshot!(whole(&all), @r#"
    200
    items:
    - {"archived_at":null,"created_at":"2026-11-30T12:00:00.000000Z","current_draft_number":1,"current_draft_revision_id":"rev_01m8p570g0e00800000000002h","id":"cnt_01m8p570g0e00800000000002g","live_slug":null,"locale":"en","published_revision_id":null,"slug":"second","status":"draft","template":"article","title":"Second","translation_group_id":"trg_01m8p570g0e00800000000002j","updated_at":"2026-11-30T12:00:00.000000Z"}
    next_cursor: "ca20f8dc313739363034303030303030303030302e636e745f30316d3870353730673065303038303030303030303030303267"
    "#);
    let cursor = text(&all.json()["next_cursor"]);
    let rest = editor
        .get(&format!(
            "/sites/site/content?limit=1&cursor={cursor}&include_fields=true"
        ))
        .await
        .json();
    assert_eq!(rest["items"][0]["fields"]["title"], "Café in spring");
    for (query, found) in [
        ("status=published", 1),
        ("status=archived", 0),
        ("query=CAFE", 1),
        ("slug=second", 1),
        ("locale=fr", 0),
        ("template=article", 2),
        ("updated_since=2027-01-01T00:00:00Z", 0),
    ] {
        let list = editor
            .get(&format!("/sites/site/content?{query}"))
            .await
            .json();
        assert_eq!(
            list["items"].as_array().map(Vec::len),
            Some(found),
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_template_is_made_and_gets_versions() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let schema =
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let new = json!({"key": "person", "title": "Person", "schema": schema, "display": {"title_field": "name", "preview": []}});
    let saved = editor.post("/sites/site/templates", new.clone()).await;
    insta::assert_snapshot!(whole(&saved), @r#"
    201
    created_at: "2026-11-30T12:00:00.000000Z"
    description: ""
    display: {"preview":[],"title_field":"name"}
    id: "tpl_01m8p570g0e00800000000001p"
    key: "person"
    schema: {"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}
    title: "Person"
    version: 1
    "#);
    assert_eq!(
        editor
            .post("/sites/site/templates", new.clone())
            .await
            .json()["version"],
        1
    );
    let mut newer = new;
    newer["title"] = json!("A person");
    assert_eq!(
        editor.post("/sites/site/templates", newer).await.json()["version"],
        2
    );
    let versions = editor
        .get("/sites/site/templates/person/versions")
        .await
        .json();
    assert_eq!(versions["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        outcome(&editor.get("/sites/site/templates/none/versions").await),
        "404 not_found"
    );
    let bad = json!({"key": "Bad Key", "title": "x", "schema": {"type": "array"}, "display": {"title_field": "none"}});
    insta::assert_snapshot!(problems(&editor.post("/sites/site/templates", bad).await), @r#"
    422 invalid_arguments
      /key format: expected a key: a-z, 0-9, _ and -, beginning with a letter, at most 64 characters
      /schema/type type: a template's schema has `"type": "object"` at its root
      /schema/properties required: a template's schema names at least one field under `properties`
      /display/title_field no_such_field: the schema has no field `none`
    "#);
}

#[tokio::test]
async fn a_preview_link_shows_a_draft_to_whoever_holds_it() {
    let api = Api::new().await;
    let viewer = api.member(Role::Viewer).await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    let draft = api.app.draft(&agent, run, "Not live").await;
    let path = format!("/sites/site/revisions/{}/preview", draft.revision);
    let link = viewer.post(&path, json!({})).await;
    assert_eq!(link.status, 201);
    assert_eq!(link.json()["expires_at"], "2026-11-30T13:00:00.000000Z");
    let url = text(&link.json()["url"]);
    let path = url
        .strip_prefix("https://ql.example")
        .expect("a link of this server");
    let delivery = ql_api::delivery::router(api.app.app.clone());
    let anybody = crate::actor::Actor::on(delivery).without_token();
    let page = anybody
        .send("GET", path, &[], axum::body::Body::empty())
        .await;
    assert_eq!(page.json()["fields"]["title"], "Not live");
}

#[tokio::test]
async fn a_run_is_read_with_its_events_and_artifacts() {
    let api = Api::new().await;
    let viewer = api.member(Role::Viewer).await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    let draft = api.app.draft(&agent, run, "A page").await;
    let artifact = ql_app::run::RecordArtifact {
        run,
        key: "notes".to_owned(),
        media_type: "text/plain".to_owned(),
        body: "What I found.".to_owned(),
        sha256: None,
        affected: vec![draft.content],
    };
    api.app
        .app
        .record_artifact(&agent, artifact, None)
        .await
        .expect("an artifact");
    let listed = viewer.get("/sites/site/runs").await.json();
    assert_eq!(listed["items"][0]["state"], "open");
    let shown = viewer.get(&format!("/runs/{run}")).await;
    insta::assert_snapshot!(whole(&shown), @r#"
    200
    agent: "agt_01m8p570g0e00800000000000n"
    artifacts:
    - {"affected_content_ids":["cnt_01m8p570g0e00800000000001r"],"body":"What I found.","id":"art_01m8p570g0e00800000000001w","key":"notes","media_type":"text/plain","recorded_at":"2026-11-30T12:00:00.000000Z","sha256":"bab1d0990485fed21e2e6fcc437c269660a55783e1f8422b395b2b15d65866bd","version":1}
    begun_at: "2026-11-30T12:00:00.000000Z"
    completion_conditions: ["The article says what is true."]
    connection: "con_01m8p570g0e00800000000000s"
    events:
    - {"actor":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"at":"2026-11-30T12:00:00.000000Z","detail":{"completion_conditions":["The article says what is true."],"input_sha256":"98d65242b18f93ee640649da626722eb8fc4e07349c2a999b1e85a318846ad56","required_outputs":[],"run_type":"write-article"},"id":"led_01m8p570g0e00800000000001q","kind":"run.begun","seq":1,"subject":"run_01m8p570g0e00800000000001p"}
    - {"actor":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"at":"2026-11-30T12:00:00.000000Z","detail":{"content":"cnt_01m8p570g0e00800000000001r","number":1,"parent":null,"revision":"rev_01m8p570g0e00800000000001s","sha256":"678f66e83c645b6159f3ab3579f3c13c9bc5f92a15d205c8f9e08e5e34bd7414","slug":"a-page","template_version":1},"id":"led_01m8p570g0e00800000000001v","kind":"draft.created","seq":2,"subject":"run_01m8p570g0e00800000000001p"}
    - {"actor":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"at":"2026-11-30T12:00:00.000000Z","detail":{"affected":["cnt_01m8p570g0e00800000000001r"],"artifact":"art_01m8p570g0e00800000000001w","bytes":13,"key":"notes","media_type":"text/plain","sha256":"bab1d0990485fed21e2e6fcc437c269660a55783e1f8422b395b2b15d65866bd","version":1},"id":"led_01m8p570g0e00800000000001x","kind":"artifact.recorded","seq":3,"subject":"run_01m8p570g0e00800000000001p"}
    finished_at: null
    harness: "codex"
    id: "run_01m8p570g0e00800000000001p"
    input: {"topic":"tests"}
    missing_outputs: []
    outcome: null
    reasons: []
    requested_outcome: null
    required_outputs: []
    run_type: "write-article"
    site: "site_01m8p570g0e00800000000000h"
    state: "open"
    summary: ""
    "#);
}

#[tokio::test]
async fn claims_are_read_with_their_evidence() {
    let api = Api::new().await;
    let viewer = api.member(Role::Viewer).await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    let draft = api.app.draft(&agent, run, "A page").await;
    let claim = ql_app::evidence::NewClaim {
        revision: draft.revision,
        text: "Bees sleep.".to_owned(),
        pointer: Some("/body".to_owned()),
        evidence: vec![ql_app::evidence::NewEvidence {
            source_url: "https://bees.example/sleep".to_owned(),
            title: "On sleep".to_owned(),
            publisher: None,
            excerpt: "They sleep five hours.".to_owned(),
            locator: Some("p. 3".to_owned()),
            retrieved_at: api.app.now(),
            sha256: None,
            stance: ql_core::evidence::Stance::Supports,
        }],
    };
    let recorded = api
        .app
        .app
        .record_claim_evidence(&agent, Some(run), claim, None)
        .await;
    let id = recorded.expect("a claim").claim_id;
    let path = format!("/sites/site/evidence?content_id={}", draft.content);
    let claims = viewer.get(&path).await;
    insta::assert_snapshot!(whole(&claims), @r#"
    200
    items:
    - {"author":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"claim":"Bees sleep.","content_id":"cnt_01m8p570g0e00800000000001r","created_at":"2026-11-30T12:00:00.000000Z","evidence":[{"excerpt":"They sleep five hours.","id":"evd_01m8p570g0e00800000000001x","locator":"p. 3","publisher":null,"retrieved_at":"2026-11-30T12:00:00.000000Z","sha256":"9b1133bcd7c1a1e1ca2216710b77567c44573386f53e441ffe01883caffb79cd","source_url":"https://bees.example/sleep","stance":"supports","title":"On sleep"}],"id":"clm_01m8p570g0e00800000000001w","pointer":"/body","revision_id":"rev_01m8p570g0e00800000000001s","run_id":"run_01m8p570g0e00800000000001p"}
    "#);
    let one = viewer.get(&format!("/sites/site/evidence/{id}")).await;
    assert_eq!(one.json(), claims.json()["items"][0]);
    let both = format!("{path}&revision_id={}", draft.revision);
    insta::assert_snapshot!(problems(&viewer.get(&both).await), @"
    422 invalid_arguments
      /content_id combination: has no meaning beside revision_id; leave it out
    ");
}
