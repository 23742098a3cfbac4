//! An owner sets up sites, agents, connections, members and tokens.

use ql_core::bundle::{Held, verify};
use ql_core::role::Role;
use ql_core::time::days;
use serde_json::{Value, json};

use super::person::{Api, outcome, problems, whole};

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn a_connection_is_issued_once_and_within_its_agent_s_permissions() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let agent = json!({"name": "Helper", "harness": "hermes", "profile_id": "p1", "profile_name": "helper"});
    let agent = owner.post("/agents", agent).await;
    insta::assert_snapshot!(whole(&agent), @r#"
    201
    created_at: "2026-11-30T12:00:00.000000Z"
    harness: "hermes"
    id: "agt_01m8p570g0e00800000000001p"
    name: "Helper"
    profile_id: "p1"
    profile_name: "helper"
    "#);
    let id = text(&agent.json()["id"]);
    let new = json!({
        "name": "laptop", "agent": id, "site": "site", "scopes": ["content:read", "runs:write"], "expires_in_days": 30
    });
    let early = owner.post("/connections", new.clone()).await;
    insta::assert_snapshot!(whole(&early), @r#"
    422
    code: "scope_exceeds_permission"
    detail: "the connection would have scopes that its agent lacks on this site: content:read runs:write"
    details: {"missing":["content:read","runs:write"]}
    remedy: "Grant the permissions to the agent first, or leave those scopes out."
    status: 422
    title: "Scope exceeds permission"
    type: "urn:querylayer:problem:scope_exceeds_permission"
    "#);

    let permissions = format!("/agents/{id}/permissions/site");
    let set = owner
        .put(
            &permissions,
            json!({"scopes": ["runs:write", "content:read"]}),
        )
        .await;
    insta::assert_snapshot!(whole(&set), @r#"
    200
    agent: "agt_01m8p570g0e00800000000001p"
    scopes: ["content:read","runs:write"]
    site: "site_01m8p570g0e00800000000000h"
    "#);
    let issued = owner.post("/connections", new).await;
    insta::assert_snapshot!(whole(&issued), @r#"
    201
    id: "con_01m8p570g0e00800000000001w"
    prefix: "qla_MdKdDwqY"
    token: "qla_MdKdDwqYIovdNfEjNN8xqQ31mwoogb20yhfo"
    "#);
    let token = text(&issued.json()["token"]);
    assert!(api.app.app.authenticate_connection(&token).await.is_ok());
}

#[tokio::test]
async fn a_rotated_or_revoked_connection_is_out_at_once() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let token = api.app.home.connection.secret.expose();
    let connection = api.app.home.connection.connection.id;
    let rotated = owner
        .post(&format!("/connections/{connection}/rotate"), json!({}))
        .await;
    assert_eq!(rotated.status, 201);
    assert!(api.app.app.authenticate_connection(token).await.is_err());
    let (token, id) = (text(&rotated.json()["token"]), text(&rotated.json()["id"]));
    let revoke = format!("/connections/{id}/revoke");
    let revoked = owner.post(&revoke, json!({})).await;
    insta::assert_snapshot!(whole(&revoked), @r#"
    200
    agent: "agt_01m8p570g0e00800000000000n"
    created_at: "2026-11-30T12:00:00.000000Z"
    expires_at: "2027-02-28T12:00:00.000000Z"
    id: "con_01m8p570g0e00800000000001q"
    last_used_at: null
    name: "laptop"
    prefix: "qla_MNSyWFFS"
    revoked_at: "2026-11-30T12:00:00.000000Z"
    scopes: ["site:read","content:read","content:write","topical-map:read","topical-map:write","runs:read","runs:write","publish:request"]
    site: "site_01m8p570g0e00800000000000h"
    "#);
    assert!(api.app.app.authenticate_connection(&token).await.is_err());
    assert_eq!(owner.post(&revoke, json!({})).await.body, revoked.body);
    let agent = format!("/agents/{}", api.app.home.agent.id);
    let held = owner.get(&agent).await.json()["connections"].clone();
    assert_eq!(held.as_array().map(Vec::len), Some(2));
    assert_eq!(held[0], revoked.json());
}

#[tokio::test]
async fn a_connection_ends_when_it_is_told_to() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let agent = api.app.home.agent.id;
    let new = |more: Value| {
        let mut new = json!({"name": "c", "agent": agent, "site": api.app.home.site.id, "scopes": ["site:read"]});
        new.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("one").clone());
        new
    };
    let both = new(json!({"expires_in_days": 1, "expires_at": "2027-01-01T00:00:00Z"}));
    insta::assert_snapshot!(problems(&owner.post("/connections", both).await), @"
    422 invalid_arguments
      /expires_in_days combination: has no meaning beside expires_at; leave one of them out
    ");
    let soon = new(json!({"expires_at": "2026-11-30T12:00:59Z"}));
    insta::assert_snapshot!(problems(&owner.post("/connections", soon).await), @"
    422 invalid_arguments
      /expires_at range: expected an instant from a minute to 365 days ahead
    ");
    let none = new(json!({"scopes": []}));
    insta::assert_snapshot!(problems(&owner.post("/connections", none).await), @"
    422 invalid_arguments
      /scopes required: expected at least one scope
    ");
    assert_eq!(
        owner
            .post(
                "/connections",
                new(json!({"expires_at": "2026-11-30T12:01:00Z"}))
            )
            .await
            .status,
        201
    );
    assert_eq!(owner.post("/connections", new(json!({}))).await.status, 201);
    let listed = owner.get("/sites/site/connections").await.json();
    let ends: Vec<&str> = listed["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|connection| connection["expires_at"].as_str().expect("an instant"))
        .collect();
    let ninety = api.app.now().plus(days(90)).to_string();
    assert_eq!(
        ends,
        [
            ninety.as_str(),
            "2026-11-30T12:01:00.000000Z",
            ninety.as_str()
        ]
    );
}

#[tokio::test]
async fn an_agent_is_renamed_and_nothing_else_of_it_moves() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let path = format!("/agents/{}", api.app.home.agent.id);
    let before = owner.get(&path).await.json();
    let renamed = owner.patch(&path, json!({"name": "Author"})).await;
    assert_eq!(renamed.json()["name"], "Author");
    let mut after = owner.get(&path).await.json();
    after["name"] = before["name"].clone();
    assert_eq!(after, before);
    let taken = owner
        .patch(&path, json!({"name": "Writer of sibling"}))
        .await;
    assert_eq!(outcome(&taken), "409 name_taken");
    let harness = owner
        .patch(&path, json!({"harness": "claude", "profile_id": "p"}))
        .await;
    insta::assert_snapshot!(problems(&harness), @"
    422 invalid_arguments
      /harness unknown_field: isn't a field here; the fields are name, profile_name
      /profile_id unknown_field: isn't a field here; the fields are name, profile_name
    ");
}

#[tokio::test]
async fn a_new_site_starts_with_the_sample_templates() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let site = json!({
        "name": "Second", "slug": "second", "base_url": "https://second.example/", "locale": "fr", "time_zone": "Europe/Paris"
    });
    let created = owner.post("/sites", site.clone()).await;
    insta::assert_snapshot!(whole(&created), @r#"
    201
    base_url: "https://second.example"
    console_lease_seconds: 600
    created_at: "2026-11-30T12:00:00.000000Z"
    id: "site_01m8p570g0e00800000000001p"
    locale: "fr"
    name: "Second"
    run_idle_hours: 24
    slug: "second"
    time_zone: "Europe/Paris"
    "#);
    let templates = owner.get("/sites/second/templates").await.json();
    let keys: Vec<&str> = templates["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|template| template["key"].as_str().expect("a key"))
        .collect();
    assert_eq!(keys, ["article", "author", "landing_page"]);
    assert_eq!(outcome(&owner.post("/sites", site).await), "409 name_taken");
    let wrong = json!({"name": "X", "slug": "Not A Slug", "base_url": "ftp://x", "locale": "french", "time_zone": "Paris"});
    insta::assert_snapshot!(problems(&owner.post("/sites", wrong).await), @"
    422 invalid_arguments
      /slug format: expected a slug: a-z, 0-9 and -, at most 63 characters
      /base_url format: expected an http or https address
      /locale format: expected a language tag such as en, pt-BR or zh-Hans
      /time_zone format: expected an IANA time zone such as Europe/Amsterdam or Asia/Kathmandu
    ");

    let settings = json!({"console_lease_seconds": 60, "run_idle_hours": 2, "name": "Deuxième"});
    let changed = owner.patch("/sites/second", settings).await.json();
    assert_eq!(
        (
            &changed["name"],
            &changed["console_lease_seconds"],
            &changed["run_idle_hours"]
        ),
        (&json!("Deuxième"), &json!(60), &json!(2))
    );
    assert_eq!(owner.get("/sites/second").await.json(), changed);
    let slug = owner
        .patch(
            "/sites/second",
            json!({"slug": "third", "run_idle_hours": 0}),
        )
        .await;
    insta::assert_snapshot!(problems(&slug), @"
    422 invalid_arguments
      /run_idle_hours range: is 0; expected 1 to 720
      /slug unknown_field: isn't a field here; the fields are base_url, console_lease_seconds, locale, name, run_idle_hours, time_zone
    ");
    assert_eq!(
        owner.get("/sites").await.json()["items"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

#[tokio::test]
async fn the_approval_policy_is_read_and_replaced_whole() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let policy = owner.get("/sites/site/policy").await;
    insta::assert_snapshot!(whole(&policy), @r#"
    200
    created_at: null
    digest: "c940035b620cf7dc4c41a6d25e9e2435b4f45b49dfe9d6efdb81894b0efcaa6a"
    in_words: ["create_content (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_revision (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","publish_lifecycle (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_lifecycle (low, medium, high risk): 1 approval by owner or admin, within 336 hours.","topical_map_change (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","internal_link (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","topical_strategy (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_brief_draft (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","content_source_draft (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.","Publishing 10 or more pages at once is high risk; archiving and restoring always are, and need a re-authentication in the last five minutes.","Nobody approves their own proposal, unless nobody else on the site could.","Nothing is published without a member's approval; no agent can approve."]
    policy: {"high_risk_items":10,"rules":[{"approvals":1,"kind":"create_content","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336},{"approvals":1,"kind":"content_revision","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336},{"approvals":1,"kind":"publish_lifecycle","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336},{"approvals":1,"kind":"content_lifecycle","risk":["low","medium","high"],"roles":["owner","admin"],"valid_hours":336},{"approvals":1,"kind":"topical_map_change","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336},{"approvals":1,"kind":"internal_link","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336},{"approvals":1,"kind":"topical_strategy","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336},{"approvals":1,"kind":"content_brief_draft","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336},{"approvals":1,"kind":"content_source_draft","risk":["low","medium","high"],"roles":["owner","admin","editor"],"valid_hours":336}],"self_approval":"when_alone"}
    version: 0
    "#);
    let mut document = policy.json()["policy"].clone();
    document["high_risk_items"] = json!(2);
    let set = owner
        .put("/sites/site/policy", document.clone())
        .await
        .json();
    assert_eq!((&set["version"], &set["policy"]), (&json!(1), &document));
    assert_ne!(set["digest"], policy.json()["digest"]);
    document["rules"][0]["roles"] = json!(["viewer"]);
    document["rules"].as_array_mut().expect("rules").pop();
    insta::assert_snapshot!(problems(&owner.put("/sites/site/policy", document).await), @"
    422 invalid_arguments
      /rules/0/roles/0 role: the role viewer may not decide proposals
      /rules coverage: expected exactly one rule for content_source_draft at low risk, found 0
      /rules coverage: expected exactly one rule for content_source_draft at medium risk, found 0
      /rules coverage: expected exactly one rule for content_source_draft at high risk, found 0
    ");
}

#[tokio::test]
async fn members_come_by_link_change_roles_and_go() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let new = json!({"email": "Ida@Acme.example", "name": "Ida", "role": "viewer"});
    let added = owner.post("/members", new.clone()).await;
    insta::assert_snapshot!(whole(&added), @r#"
    201
    created_at: "2026-11-30T12:00:00.000000Z"
    email: "ida@acme.example"
    has_password: false
    id: "mem_01m8p570g0e00800000000001p"
    name: "Ida"
    removed_at: null
    role: "viewer"
    "#);
    assert_eq!(
        outcome(&owner.post("/members", new).await),
        "409 name_taken"
    );
    let path = format!("/members/{}", text(&added.json()["id"]));
    let link = owner.post(&format!("{path}/sign-in-link"), json!({})).await;
    assert_eq!(link.status, 201);
    let url = text(&link.json()["url"]);
    let secret = url
        .strip_prefix("https://ql.example/sign-in/")
        .expect("a link of this server");
    assert!(api.app.app.sign_in_with_link(secret).await.is_ok());
    assert!(
        api.app.app.sign_in_with_link(secret).await.is_err(),
        "a link works once"
    );

    assert_eq!(
        owner.patch(&path, json!({"role": "editor"})).await.json()["role"],
        "editor"
    );
    let admin = api.member(Role::Admin).await;
    let owners = format!("/members/{}", api.app.home.members[&Role::Owner]);
    assert_eq!(
        outcome(&admin.patch(&owners, json!({"role": "viewer"})).await),
        "403 role_denied"
    );
    assert_eq!(outcome(&admin.delete(&owners).await), "403 role_denied");
    assert_eq!(outcome(&owner.delete(&owners).await), "409 last_owner");
    assert_eq!(outcome(&admin.delete(&path).await), "204");
    assert_eq!(outcome(&admin.delete(&path).await), "404 not_found");
    let listed = owner.get("/members").await.json();
    let last = listed["items"]
        .as_array()
        .expect("items")
        .last()
        .expect("Ida")
        .clone();
    assert_eq!(last["removed_at"], api.app.now().to_string());
}

#[tokio::test]
async fn a_personal_token_is_shown_once_and_ends_at_once() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let issued = editor.post("/tokens", json!({"name": "nightly"})).await;
    insta::assert_snapshot!(whole(&issued), @r#"
    201
    expires_at: "2027-02-28T12:00:00.000000Z"
    id: "mtk_01m8p570g0e00800000000001q"
    prefix: "qlp_MNSyWFFS"
    token: "qlp_MNSyWFFSGbgtK63IrGKKIvsdpvVHxF1hd3GZ"
    "#);
    let script = api.bearer(&text(&issued.json()["token"]));
    let listed = script.get("/tokens").await;
    insta::assert_snapshot!(whole(&listed), @r#"
    200
    items:
    - {"created_at":"2026-11-30T12:00:00.000000Z","expires_at":"2027-02-28T12:00:00.000000Z","id":"mtk_01m8p570g0e00800000000001q","name":"nightly","prefix":"qlp_MNSyWFFS","revoked_at":null}
    "#);
    let path = format!("/tokens/{}", text(&issued.json()["id"]));
    let other = api.owner().await.delete(&path).await;
    assert_eq!(
        outcome(&other),
        "404 not_found",
        "another member's token isn't there"
    );
    assert_eq!(outcome(&editor.delete(&path).await), "204");
    assert_eq!(script.get("/tokens").await.status, 401);
}

#[tokio::test]
async fn the_audit_trail_is_read_and_verified() {
    let api = Api::new().await;
    let owner = api.owner().await;
    assert_eq!(
        owner
            .patch("/sites/site", json!({"name": "Renamed"}))
            .await
            .status,
        200
    );
    let newest = owner.get("/sites/site/audit?limit=1").await;
    insta::assert_snapshot!(whole(&newest), @r#"
    200
    items:
    - {"actor":{"member":"mem_01m8p570g0e008000000000005","type":"member"},"at":"2026-11-30T12:00:00.000000Z","detail":{"base_url":"https://site.example","console_lease_seconds":600,"locale":"en","name":"Renamed","run_idle_hours":24,"time_zone":"Europe/Amsterdam"},"id":"led_01m8p570g0e00800000000001p","kind":"site.updated","seq":5,"subject":"site_01m8p570g0e00800000000000h"}
    next_cursor: "ff01e6ff313739363034303030303030303030302e6c65645f30316d3870353730673065303038303030303030303030303170"
    "#);
    let kinds = owner
        .get("/sites/site/audit?kind=connection.&actor=operator")
        .await
        .json();
    let kinds: Vec<&str> = kinds["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|entry| entry["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(kinds, ["connection.created"]);
    let verified = owner.post("/sites/site/ledger/verify", json!({})).await;
    assert_eq!(verified.json()["sound"], true);
    assert_eq!(verified.json()["broken"], json!([]));
    let organization = owner.get("/organization/audit?limit=1").await.json();
    assert_eq!(organization["items"][0]["kind"], "member.signed_in");
}

#[tokio::test]
async fn a_part_of_the_ledger_is_exported_as_a_file_that_proves_itself() {
    let api = Api::new().await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    let viewer = api.member(Role::Viewer).await;
    let exported = viewer.get(&format!("/ledger/export?run={run}")).await;
    assert_eq!(exported.status, 200);
    assert_eq!(exported.header("content-type"), "application/jsonl");
    let held = Held {
        key: Some(api.app.vault.key().public()),
        checkpoint: None,
    };
    let report = verify(exported.body.as_bytes(), &held).expect("sound");
    assert_eq!(
        (report.subject, &*report.outcome),
        (run.to_string(), "open")
    );
    let site = viewer.get("/ledger/export?site=site").await;
    assert!(verify(site.body.as_bytes(), &held).is_ok());

    let refusals = [
        "/ledger/export".to_owned(),
        format!("/ledger/export?run={run}&site=site"),
        "/ledger/export?run=nonsense".to_owned(),
        format!("/ledger/export?run={run}&since=1000000"),
        format!("/ledger/export?run={run}&since=0"),
    ];
    let mut said = Vec::new();
    for path in refusals {
        let refused = viewer.get(&path).await;
        let code = refused.json()["code"].as_str().map(str::to_owned);
        said.push(format!(
            "{} {}",
            refused.status.as_u16(),
            code.expect("a code")
        ));
    }
    assert_eq!(
        said,
        [
            "422 invalid_arguments",
            "422 invalid_arguments",
            "404 not_found",
            "422 invalid_arguments",
            "422 invalid_arguments"
        ]
    );
}
