//! What the rules refuse, and that nothing is written then.

use insta::assert_snapshot;
use ql_core::scope::Scope;
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::world::{World, shown};

/// Code and problems of a refusal, one line each.
async fn problems(actor: &Actor, tool: &str, arguments: Value) -> String {
    let answer = actor.call(tool, arguments).await.answer();
    assert_eq!(answer["code"], "invalid_arguments", "{answer}");
    let problems = answer["details"]["problems"].as_array().expect("problems");
    let line = |problem: &Value| {
        let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        format!("{} {}: {}", text("pointer"), text("code"), text("message"))
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn drafts_that_say_too_much_or_too_little() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let draft = |arguments: Value| {
        let mut arguments = arguments;
        arguments["run_id"] = json!(run);
        problems(&actor, "querylayer_create_draft", arguments)
    };
    assert_snapshot!(draft(json!({})).await, @r"
    /content_id required: is needed: give template for a new item, content_id for an existing one
    /base_revision_id required: is needed: name the current draft, from which the change starts
    /fields required: is needed: give exactly one of fields, merge_patch and edits
    ");
    assert_snapshot!(draft(json!({ "template": "article", "content_id": "x", "base_revision_id": "y", "edits": [], "merge_patch": {} })).await, @"/edits length: has 0 elements; expected 1 to 200");
    assert_snapshot!(draft(json!({ "template": "article", "content_id": "x", "base_revision_id": "y", "merge_patch": {} })).await, @r"
    /content_id combination: has no meaning beside template; leave it out
    /base_revision_id combination: has no meaning beside template; leave it out
    /merge_patch combination: has no meaning beside a new item; leave it out
    /fields required: is needed: a new item needs all its fields
    ");
    assert_snapshot!(draft(json!({ "content_id": "x", "locale": "en" })).await, @r"
    /locale combination: has no meaning beside content_id; leave it out
    /base_revision_id required: is needed: name the current draft, from which the change starts
    /fields required: is needed: give exactly one of fields, merge_patch and edits
    ");
    assert_snapshot!(draft(json!({ "content_id": "x", "base_revision_id": "y", "fields": {}, "merge_patch": {}, "edits": [{ "pointer": "/a", "find": "b", "replace": "" }] })).await, @r"
    /merge_patch combination: has no meaning beside fields; leave it out
    /edits combination: has no meaning beside fields; leave it out
    ");
    assert_snapshot!(draft(json!({ "template": "article", "slug": "No Slug", "locale": "english", "fields": { "title": "", "extra": 1 } })).await, @r#"
    /slug format: expected a slug: at most 200 of a-z, 0-9 and -, in segments joined by /, such as guides/first-steps
    /locale format: expected a language tag such as en, pt-BR or zh-Hans
    /fields schema: "body" is a required property
    /fields/title schema: "" is shorter than 1 character
    /fields schema: Additional properties are not allowed ('extra' was unexpected)
    "#);
    assert_snapshot!(draft(json!({ "template": "article", "edits": [{ "pointer": "/a", "find": "b", "replace": "", "all": true }] })).await, @"/edits/0/all unknown_field: isn't a field here; the fields are count, find, pointer, replace");
    let listed = actor.done("querylayer_list_content", json!({})).await;
    assert_eq!(listed["items"], json!([]), "nothing is half-written");
}

#[tokio::test]
async fn edits_that_do_not_fit_their_base() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (content, base) = actor.article(&run, "Words").await;
    let edits = json!([
        { "pointer": "/body", "find": "missing", "replace": "" },
        { "pointer": "/nowhere", "find": "a", "replace": "" }
    ]);
    let arguments =
        json!({ "run_id": run, "content_id": content, "base_revision_id": base, "edits": edits });
    assert_snapshot!(problems(&actor, "querylayer_create_draft", arguments).await, @r"
    /edits/0/count count_mismatch: `find` occurs 0 times at `/body`, not 1
    /edits/1/pointer no_such_field: the base has nothing at `/nowhere`
    ");
}

#[tokio::test]
async fn a_moved_draft_is_not_overwritten() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (content, base) = actor.article(&run, "Words").await;
    let write = |body: &str| json!({ "run_id": run, "content_id": content, "base_revision_id": base, "merge_patch": { "body": body } });
    let first = actor.done("querylayer_create_draft", write("One.")).await;
    let answer = actor
        .call("querylayer_create_draft", write("Two."))
        .await
        .answer();
    assert_eq!(
        answer["details"]["current_revision_id"],
        first["revision_id"]
    );
    assert_snapshot!(shown(&answer), @r#"
    code: "stale_revision"
    details: {"current_revision_id":"rev_1"}
    message: "the base revision is not the current draft; somebody wrote a newer one"
    ok: false
    remedy: "Read the current draft, apply your change to it, and call again with its id as the base."
    "#);
    let items = json!([{ "action": "publish", "content_id": content, "revision_id": base }]);
    let request = json!({ "run_id": run, "items": items, "rationale": "r" });
    assert_eq!(
        actor
            .refused("querylayer_request_publish_approval", request)
            .await,
        "stale_revision"
    );
}

#[tokio::test]
async fn an_address_is_held_by_one_page() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    actor.article(&run, "Words").await;
    let draft = json!({ "run_id": run, "template": "article", "slug": "words", "fields": { "title": "Other", "body": "" } });
    let answer = actor.call("querylayer_create_draft", draft).await.answer();
    assert_eq!(
        (&answer["code"], &answer["details"]["slug"]),
        (&json!("slug_taken"), &json!("words"))
    );
}

#[tokio::test]
async fn proposals_whose_payload_is_of_another_kind() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let propose = |kind: &str, payload: Value| {
        let arguments = json!({ "run_id": run, "kind": kind, "title": "t", "rationale": "r", "payload": payload });
        problems(&actor, "querylayer_create_proposal", arguments)
    };
    assert_snapshot!(propose("create_content", json!({ "content_id": "x", "items": [], "edits": [] })).await, @r"
    /payload/edits length: has 0 elements; expected 1 to 200
    /payload/items length: has 0 elements; expected 1 to 100
    ");
    assert_snapshot!(propose("create_content", json!({ "content_id": "x" })).await, @r"
    /payload/content_id combination: has no meaning beside kind create_content; leave it out
    /payload/template required: is needed: create_content names the template of the new item
    /payload/fields required: is needed: a new item needs all its fields
    ");
    assert_snapshot!(propose("content_revision", json!({ "template": "article", "locale": "en" })).await, @r"
    /payload/template combination: has no meaning beside kind content_revision; leave it out
    /payload/locale combination: has no meaning beside kind content_revision; leave it out
    /payload/content_id required: is needed: content_revision names the item
    /payload/base_revision_id required: is needed: name the current draft, from which the change starts
    /payload/fields required: is needed: give exactly one of fields, merge_patch and edits
    ");
    assert_snapshot!(propose("publish_lifecycle", json!({ "slug": "s", "fields": {} })).await, @r"
    /payload/slug combination: has no meaning beside kind publish_lifecycle; leave it out
    /payload/fields combination: has no meaning beside kind publish_lifecycle; leave it out
    /payload/items required: is needed: name the content items
    ");
    assert_snapshot!(propose("publish_lifecycle", json!({ "items": [{ "action": "archive", "content_id": "x", "archived_at": "none" }] })).await, @r"
    /payload/items/0/archived_at combination: has no meaning beside kind publish_lifecycle; leave it out
    /payload/items/0/action required: is needed: here it's publish or unpublish; archive and restore are of content_lifecycle
    ");
    assert_snapshot!(propose("publish_lifecycle", json!({ "items": [{ "action": "publish", "content_id": "x" }] })).await, @"/payload/items/0/revision_id required: is needed: publish names exactly the revision to put live");
    assert_snapshot!(propose("publish_lifecycle", json!({ "items": [{ "action": "unpublish", "content_id": "x", "revision_id": "y", "time_zone": "UTC" }] })).await, @r"
    /payload/items/0/revision_id combination: has no meaning beside action unpublish, which targets what is live; leave it out
    /payload/items/0/time_zone combination: has no meaning beside action unpublish, which targets what is live; leave it out
    ");
    assert_snapshot!(propose("content_lifecycle", json!({ "items": [{ "action": "publish", "content_id": "x", "revision_id": "y" }] })).await, @r"
    /payload/items/0/revision_id combination: has no meaning beside kind content_lifecycle; leave it out
    /payload/items/0/action required: is needed: here it's archive or restore; publish and unpublish are of publish_lifecycle
    /payload/items/0/archived_at required: is needed: say none, or the instant that list_content shows
    ");
    assert_snapshot!(propose("topical_map_change", json!({ "operations": [] })).await, @"/payload/operations length: has 0 elements; expected 1 to 100");
    assert_snapshot!(propose("publish_lifecycle", json!({ "items": [{ "action": "publish", "content_id": "x", "revision": "y", "site": 1 }] })).await, @r"
    /payload/items/0/revision unknown_field: isn't a field here; the fields are action, archived_at, content_id, publish_at, revision_id, time_zone
    /payload/items/0/site unknown_field: isn't a field here; the fields are action, archived_at, content_id, publish_at, revision_id, time_zone
    ");
}

#[tokio::test]
async fn runs_and_artifacts_of_the_wrong_form() {
    let world = World::new().await;
    let actor = world.agent().await;
    let begin = json!({
        "run_type": "Not A Slug", "input": [], "required_outputs": ["a", "A"], "completion_conditions": ["", 5], "site_id": "x"
    });
    assert_snapshot!(problems(&actor, "querylayer_begin_run", begin).await, @"
    /completion_conditions/1 type: is an integer; expected a string
    /input type: is an array; expected an object
    /site_id unknown_field: isn't a field here; the fields are completion_conditions, idempotency_key, input, lease_token, required_outputs, run_type
    ");
    let begin = json!({ "run_type": "Not A Slug", "input": {}, "required_outputs": ["a", "a"], "completion_conditions": [] });
    assert_snapshot!(problems(&actor, "querylayer_begin_run", begin).await, @r"
    /run_type format: expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters
    /required_outputs/1 duplicate: `a` is listed twice
    ");
    let run = actor.run().await;
    let artifact = json!({ "run_id": run, "key": "k", "media_type": "text/plain", "body": "b", "sha256": "0".repeat(64) });
    assert_snapshot!(problems(&actor, "querylayer_record_artifact", artifact).await, @"/sha256 hash_mismatch: the body's SHA-256 is 3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d");
    let finish = json!({ "run_id": run, "outcome": "done", "summary": "", "reasons": ["late", { "code": "x", "because": 1 }] });
    assert_snapshot!(problems(&actor, "querylayer_finish_run", finish).await, @"
    /outcome value: is `done`; expected one of completed, completed_with_warnings, needs_human_input, blocked, failed, cancelled
    /reasons/0 type: is a string; expected an object
    /reasons/1/because unknown_field: isn't a field here; the fields are code, details, message
    ");
}

#[tokio::test]
async fn evidence_of_the_wrong_form() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (_, revision) = actor.article(&run, "Words").await;
    let evidence = json!([
        { "source_url": "ftp://a", "title": "t", "excerpt": "e", "retrieved_at": "2099-01-01T00:00:00Z", "stance": "supports", "sha256": "1".repeat(64) }
    ]);
    let claim =
        json!({ "run_id": run, "revision_id": revision, "claim": "c", "evidence": evidence });
    assert_snapshot!(problems(&actor, "querylayer_record_claim_evidence", claim).await, @r"
    /evidence/0/source_url format: expected an http or https address
    /evidence/0/retrieved_at range: expected an instant that has passed
    /evidence/0/sha256 hash_mismatch: the excerpt's SHA-256 is 3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea
    ");
    let claim = json!({ "run_id": run, "revision_id": revision, "claim": "c", "evidence": [{ "url": "x" }] });
    assert_snapshot!(problems(&actor, "querylayer_record_claim_evidence", claim).await, @r"
    /evidence/0/url unknown_field: isn't a field here; the fields are excerpt, locator, publisher, retrieved_at, sha256, source_url, stance, title
    /evidence/0/excerpt required: is missing; expected a string
    /evidence/0/retrieved_at required: is missing; expected a string
    /evidence/0/source_url required: is missing; expected a string
    /evidence/0/stance required: is missing; expected a string
    /evidence/0/title required: is missing; expected a string
    ");
}

#[tokio::test]
async fn lists_that_are_asked_for_two_things() {
    let world = World::new().await;
    let actor = world.agent().await;
    let both = json!({ "content_id": "x", "status": "draft", "query": "q" });
    assert_snapshot!(problems(&actor, "querylayer_list_content", both).await, @r"
    /status combination: has no meaning beside content_id; leave it out
    /query combination: has no meaning beside content_id; leave it out
    ");
    assert_snapshot!(problems(&actor, "querylayer_list_content", json!({ "revision_id": "x" })).await, @"/revision_id combination: belongs to content_id, which is missing");
    assert_snapshot!(problems(&actor, "querylayer_list_evidence", json!({ "claim_id": "x", "content_id": "y" })).await, @"/content_id combination: has no meaning beside claim_id; leave it out");
    assert_snapshot!(problems(&actor, "querylayer_list_proposals", json!({ "proposal_id": "x", "state": "pending" })).await, @"/state combination: has no meaning beside proposal_id; leave it out");
    assert_snapshot!(problems(&actor, "querylayer_list_proposals", json!({ "state": "waiting", "cursor": "" })).await, @"/state value: is `waiting`; expected one of pending, approved, executed, stale, execution_failed, rejected, changes_requested, withdrawn, expired, superseded, cancelled");
}

#[tokio::test]
async fn bad_cursors_are_errors_on_every_list() {
    let world = World::new().await;
    let actor = world
        .connect("reader", &[Scope::ContentRead, Scope::RunsRead])
        .await
        .actor;
    for tool in [
        "querylayer_list_content",
        "querylayer_list_evidence",
        "querylayer_list_proposals",
    ] {
        for cursor in ["1", "00000000ff", "%"] {
            let found = problems(&actor, tool, json!({ "cursor": cursor })).await;
            assert_eq!(
                found,
                "/cursor format: this cursor wasn't made by this list; leave it out to start again",
                "{tool}"
            );
        }
        assert_eq!(
            actor.refused(tool, json!({ "limit": 101 })).await,
            "invalid_arguments"
        );
    }
}
