//! What is sent wrongly is refused by name, all at once, and nothing is half-written.

use std::fmt::Write as _;

use axum::body::Body;
use serde_json::json;

use super::person::{Api, outcome, problems, whole};

#[tokio::test]
async fn every_wrong_field_is_named_at_once_with_its_place() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let connection = json!({
        "name": "", "agent": "x", "scopes": ["content:read", "content:delete"], "expires_in_days": 900,
        "organization": "org_1", "secret": "mine"
    });
    let reply = owner.post("/connections", connection).await;
    insta::assert_snapshot!(whole(&reply), @r#"
    422
    code: "invalid_arguments"
    detail: "the input doesn't fit in 6 place(s): /expires_in_days is 900; expected 1 to 365; /name has 0 characters; expected 1 to 120; /organization isn't a field here; the fields are agent, expires_at, expires_in_days, name, scopes, site"
    problems:
    - {"code":"range","message":"is 900; expected 1 to 365","pointer":"/expires_in_days"}
    - {"code":"value","message":"has 0 characters; expected 1 to 120","pointer":"/name"}
    - {"code":"unknown_field","message":"isn't a field here; the fields are agent, expires_at, expires_in_days, name, scopes, site","pointer":"/organization"}
    - {"code":"value","message":"is `content:delete`; expected one of site:read, content:read, content:write, topical-map:read, topical-map:write, runs:read, runs:write, publish:request","pointer":"/scopes/1"}
    - {"code":"unknown_field","message":"isn't a field here; the fields are agent, expires_at, expires_in_days, name, scopes, site","pointer":"/secret"}
    - {"code":"required","message":"is missing; expected a string","pointer":"/site"}
    remedy: "Correct every listed place and call again; nothing was written."
    status: 422
    title: "Invalid arguments"
    type: "urn:querylayer:problem:invalid_arguments"
    "#);

    let policy = json!({
        "high_risk_items": 0, "self_approval": "always", "note": "",
        "rules": [{"kind": "publish", "risk": [], "approvals": 0, "roles": ["robot"], "valid_hours": 1, "by": "agent"}]
    });
    insta::assert_snapshot!(problems(&owner.put("/sites/site/policy", policy).await), @"
    422 invalid_arguments
      /high_risk_items range: is 0; expected 1 to 100
      /note unknown_field: isn't a field here; the fields are high_risk_items, rules, self_approval
      /rules/0/approvals range: is 0; expected 1 to 5
      /rules/0/by unknown_field: isn't a field here; the fields are approvals, kind, risk, roles, valid_hours
      /rules/0/kind value: is `publish`; expected one of create_content, content_revision, publish_lifecycle, content_lifecycle, topical_map_change, internal_link, topical_strategy, content_brief_draft, content_source_draft
      /rules/0/risk length: has 0 elements; expected 1 to 3
      /rules/0/roles/0 value: is `robot`; expected one of owner, admin, editor, reviewer, viewer
      /self_approval value: is `always`; expected one of forbidden, when_alone
    ");

    let draft = json!({
        "base_revision_id": "rev_1", "fields": {}, "edits": [{"pointer": "/title", "find": "a", "with": "b"}]
    });
    let path = "/sites/site/content/cnt_1/drafts";
    insta::assert_snapshot!(problems(&owner.post(path, draft).await), @"
    422 invalid_arguments
      /edits/0/with unknown_field: isn't a field here; the fields are count, find, pointer, replace
      /edits/0/replace required: is missing; expected a string
    ");
    let proposal = json!({
        "kind": "publish_lifecycle", "rationale": "Ready.",
        "payload": {"items": [{"action": "publish", "content_id": "cnt_1", "now": true}], "slug": "a"}
    });
    insta::assert_snapshot!(problems(&owner.post("/sites/site/proposals", proposal).await), @"
    422 invalid_arguments
      /payload/items/0/now unknown_field: isn't a field here; the fields are action, archived_at, content_id, publish_at, revision_id, time_zone
    ");
}

#[tokio::test]
async fn unknown_and_wrong_query_parameters_are_named_with_the_body_s_faults() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let path = "/sites/site/proposals?state=open&kind=x&limit=1000&sort=age&limit=2";
    insta::assert_snapshot!(problems(&owner.get(path).await), @"
    422 invalid_arguments
      /sort unknown_parameter: isn't a query parameter here; the parameters are cursor, kind, limit, risk, run_id, state
      /limit duplicate: the parameter stands twice
      /kind value: is `x`; expected one of create_content, content_revision, publish_lifecycle, content_lifecycle, topical_map_change, internal_link, topical_strategy, content_brief_draft, content_source_draft
      /limit range: is 1000; expected 1 to 100
      /state value: is `open`; expected one of pending, approved, executed, stale, execution_failed, rejected, changes_requested, withdrawn, expired, superseded, cancelled
    ");
    let path = "/sites/site/content?include_fields=maybe&updated_since=today&limit=many";
    insta::assert_snapshot!(problems(&owner.get(path).await), @"
    422 invalid_arguments
      /include_fields type: is a string; expected a boolean
      /limit type: is a string; expected an integer
      /updated_since value: is `today`; expected an RFC 3339 instant such as 2026-11-30T12:00:00Z
    ");
    let agent = json!({"harness": "claude", "colour": "red"});
    insta::assert_snapshot!(problems(&owner.post("/agents?dry_run=1", agent).await), @"
    422 invalid_arguments
      /dry_run unknown_parameter: isn't a query parameter here; there are none
      /colour unknown_field: isn't a field here; the fields are harness, name, profile_id, profile_name
      /name required: is missing; expected a string
    ");
    let extra = owner
        .post("/connections/con_1/revoke?force=1", json!({"why": "x"}))
        .await;
    insta::assert_snapshot!(problems(&extra), @"
    422 invalid_arguments
      /force unknown_parameter: isn't a query parameter here; there are none
      /why unknown_field: isn't a field here; there are none
    ");
    assert_eq!(
        owner.get("/agents").await.json()["items"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[tokio::test]
async fn cursors_of_other_lists_are_refused() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let audit = owner.get("/sites/site/audit?limit=1").await.json();
    let cursor = audit["next_cursor"].as_str().expect("more");
    assert_eq!(
        owner
            .get(&format!("/sites/site/audit?cursor={cursor}"))
            .await
            .status,
        200
    );
    for list in [
        "content",
        "proposals",
        "runs",
        "evidence",
        "content/cnt_1/revisions",
    ] {
        let reply = owner
            .get(&format!("/sites/site/{list}?cursor={cursor}"))
            .await;
        let expected = "422 invalid_arguments\n  /cursor format: this cursor wasn't made by this list; leave it out to start again";
        assert_eq!(problems(&reply), expected, "{list}");
        let reply = owner.get(&format!("/sites/site/{list}?cursor=zzzz")).await;
        assert_eq!(problems(&reply), expected, "{list}");
    }
}

#[tokio::test]
async fn bodies_that_are_not_one_plain_json_object_are_refused() {
    let api = Api::new().await;
    let owner = api
        .owner()
        .await
        .with("content-type", "application/json; charset=utf-8");
    let deep = format!("{{\"name\": {}{}}}", "[".repeat(80), "]".repeat(80));
    let mut table = String::new();
    for (what, body) in [
        ("nothing", ""),
        ("no JSON", "{\"name\": "),
        ("two values", "{} {}"),
        ("an array", "[{\"name\": \"A\", \"harness\": \"claude\"}]"),
        ("a text", "\"name\""),
        (
            "a name twice",
            "{\"name\": \"A\", \"name\": \"B\", \"harness\": \"claude\"}",
        ),
        ("NUL", "{\"name\": \"A\\u0000\", \"harness\": \"claude\"}"),
        (
            "a lone surrogate",
            "{\"name\": \"\\ud800\", \"harness\": \"claude\"}",
        ),
        ("too deep", deep.as_str()),
    ] {
        let reply = owner.send("POST", "/agents", body.to_owned()).await;
        assert_eq!(
            reply.header("content-type"),
            "application/problem+json",
            "{what}"
        );
        let _ = writeln!(table, "{what}: {}", problems(&reply));
    }
    insta::assert_snapshot!(table, @r"
    nothing: 400 malformed_json
       malformed: EOF while parsing a value at line 1 column 0
    no JSON: 400 malformed_json
      /name malformed: EOF while parsing a value at line 1 column 9
    two values: 400 malformed_json
       malformed: trailing characters at line 1 column 4
    an array: 422 invalid_arguments
       type: is an array; expected an object
    a text: 422 invalid_arguments
       type: is a string; expected an object
    a name twice: 400 refused_json
      /name duplicate_key: the name stands twice in this object
    NUL: 400 refused_json
      /name nul: the string holds NUL (\u0000), which is refused
    a lone surrogate: 400 malformed_json
      /name malformed: unexpected end of hex escape at line 1 column 17
    too deep: 400 refused_json
      /name/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0 too_deep: nesting is deeper than 64 levels
    ");
    assert_eq!(
        owner.get("/agents").await.json()["items"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[tokio::test]
async fn other_content_types_and_large_bodies_are_refused() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let body = || json!({"name": "A", "harness": "claude"}).to_string();
    let none = owner.send("POST", "/agents", body()).await;
    insta::assert_snapshot!(whole(&none), @r#"
    415
    code: "unsupported_media_type"
    detail: "the Content-Type header says something else than application/json, or nothing"
    remedy: "Send the body as application/json."
    status: 415
    title: "Unsupported media type"
    type: "urn:querylayer:problem:unsupported_media_type"
    "#);
    for wrong in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
    ] {
        let person = owner.clone().with("content-type", wrong);
        assert_eq!(
            outcome(&person.send("POST", "/agents", body()).await),
            "415 unsupported_media_type"
        );
    }
    let json = owner.with("content-type", "application/json");
    let large = format!("{{\"name\": \"{}\"}}", "a".repeat(1 << 20));
    insta::assert_snapshot!(whole(&json.send("POST", "/agents", large.clone()).await), @r#"
    413
    code: "body_too_large"
    detail: "the body is larger than 1048576 bytes"
    remedy: "Send a smaller body, at once."
    status: 413
    title: "Body too large"
    type: "urn:querylayer:problem:body_too_large"
    "#);
    let announced = json.clone().with("content-length", "2000000");
    assert_eq!(
        outcome(&announced.send("POST", "/agents", large).await),
        "413 body_too_large"
    );
    let bare = json.without("content-type");
    let bare = bare
        .send("POST", "/connections/con_1/revoke", Body::empty())
        .await;
    assert_eq!(
        outcome(&bare),
        "404 not_found",
        "a call without a body needs no content type"
    );
}

#[tokio::test]
async fn identifiers_that_name_nothing_read_like_those_of_others() {
    let api = Api::new().await;
    let owner = api.owner().await;
    let foreign = &api.app.foreign;
    let proposal = {
        let agent = api.app.agent_of(foreign).await;
        let run = api.app.begin_run(&agent).await;
        let draft = api.app.draft(&agent, run, "Theirs").await;
        api.app.request_publication(&agent, run, &[draft]).await
    };
    let never = "prop_00000000000000000000000000";
    let mut replies = Vec::new();
    for id in [
        never,
        &proposal.to_string(),
        "prop_1",
        "x",
        "%FF",
        "con_00000000000000000000000000",
    ] {
        let reply = owner.get(&format!("/proposals/{id}")).await;
        replies.push(whole(&reply));
    }
    insta::assert_snapshot!(replies[0], @r#"
    404
    code: "not_found"
    detail: "there is no such proposal here"
    remedy: "Check the id; list what there is with the matching list call. What belongs to another site can't be seen from here."
    status: 404
    title: "Not found"
    type: "urn:querylayer:problem:not_found"
    "#);
    assert!(
        replies.iter().all(|reply| *reply == replies[0]),
        "{replies:#?}"
    );
    for site in ["nowhere", "foreign", &foreign.site.id.to_string()] {
        let reply = owner.get(&format!("/sites/{site}/content")).await;
        assert_eq!(outcome(&reply), "404 not_found", "{site}");
    }
}
