//! Proposals are made, followed and decided by people.

use insta::assert_snapshot;
use ql_app::decision::NewDecision;
use ql_core::proposal::Verdict;
use ql_core::role::Role;
use serde_json::{Value, json};

use crate::actor::Actor;
use crate::world::{World, shown, text};

#[tokio::test]
async fn publication_is_asked_for_and_followed() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (content, revision) = actor.article(&run, "Words").await;
    let items = json!([{ "action": "publish", "content_id": content, "revision_id": revision }]);
    let request = json!({ "run_id": run, "items": items, "rationale": "It is ready." });
    let asked = actor
        .done("querylayer_request_publish_approval", request)
        .await;
    assert_snapshot!(shown(&asked), @r#"
    dashboard_url: "https://cms.example/proposals/prop_1"
    digest: "[sha256]"
    expires_at: "2026-12-14T12:00:00.000000Z"
    joined: false
    kind: "publish_lifecycle"
    ok: true
    proposal_id: "prop_1"
    risk: "medium"
    superseded: []
    who_may_approve: "one owner or admin or editor of the site"
    "#);
    let one = json!({ "proposal_id": asked["proposal_id"] });
    assert_snapshot!(shown(&actor.done("querylayer_list_proposals", one).await), @r#"
    ok: true
    proposals: [{"approvals":0,"approvals_needed":1,"created_at":"2026-11-30T12:00:00.000000Z","dashboard_url":"https://cms.example/proposals/prop_1","decisions":[],"digest":"[sha256]","due_at":null,"expires_at":"2026-12-14T12:00:00.000000Z","kind":"publish_lifecycle","payload":{"items":[{"action":"publish","content_id":"cnt_1","revision_id":"rev_1"}]},"preconditions":[{"content_id":"cnt_1","holds":true,"reason":null}],"proposal_id":"prop_1","proposer":{"agent":"agt_1","connection":"con_1","harness":"codex","type":"agent"},"rationale":"It is ready.","reason":null,"resolved":[{"content_id":"cnt_1","locale":"en","revision_id":"rev_1","sha256":"[sha256]","slug":"words","template":"article"}],"risk":"medium","run_id":"run_1","settled_at":null,"state":"pending","title":"Publish “Words”","who_may_approve":"one owner or admin or editor of the site"}]
    "#);
    for filter in [
        json!({ "state": "pending" }),
        json!({ "kind": "publish_lifecycle" }),
        json!({ "run_id": run }),
    ] {
        let listed = actor.done("querylayer_list_proposals", filter).await;
        assert_eq!(listed["proposals"][0]["proposal_id"], asked["proposal_id"]);
        assert_eq!(
            listed["proposals"][0]["payload"],
            Value::Null,
            "payloads can be long"
        );
    }
    let none = actor
        .done("querylayer_list_proposals", json!({ "state": "executed" }))
        .await;
    assert_eq!(none["proposals"], json!([]));
    let read = actor
        .done("querylayer_list_content", json!({ "content_id": content }))
        .await;
    assert_eq!(
        read["items"][0]["published_revision_id"],
        Value::Null,
        "asking publishes nothing"
    );
}

#[tokio::test]
async fn every_kind_of_proposal_can_be_made() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (content, revision) = actor.article(&run, "Words").await;
    for (kind, payload, risk) in [
        (
            "create_content",
            json!({ "template": "article", "slug": "new", "fields": { "title": "New", "body": "" } }),
            "low",
        ),
        (
            "content_revision",
            json!({ "content_id": content, "base_revision_id": revision, "merge_patch": { "body": "Other." } }),
            "low",
        ),
        (
            "publish_lifecycle",
            json!({ "items": [{
                "action": "publish", "content_id": content, "revision_id": revision,
                "publish_at": "2026-12-24T17:00:00Z", "time_zone": "Asia/Kathmandu"
            }] }),
            "medium",
        ),
        (
            "content_lifecycle",
            json!({ "items": [{ "action": "archive", "content_id": content, "archived_at": "none" }] }),
            "high",
        ),
    ] {
        let arguments = json!({ "run_id": run, "kind": kind, "title": "A title", "rationale": "Why.", "payload": payload });
        let proposed = actor.done("querylayer_create_proposal", arguments).await;
        assert_eq!(
            (&proposed["kind"], &proposed["risk"]),
            (&json!(kind), &json!(risk))
        );
    }
    let listed = actor.done("querylayer_list_proposals", json!({})).await;
    assert_eq!(listed["proposals"].as_array().map(Vec::len), Some(4));
}

#[tokio::test]
async fn a_decision_is_read_with_its_words() {
    let world = World::new().await;
    let actor = world.agent().await;
    let editor = world.member(Role::Editor).await;
    let run = actor.run().await;
    let (content, revision) = actor.article(&run, "Words").await;
    let asked = ask(&actor, &run, &content, &revision).await;
    let decide = |asked: &Value, verdict, comment: &str| NewDecision {
        proposal: text(&asked["proposal_id"]).parse().expect("an id"),
        verdict,
        digest: text(&asked["digest"]).parse().expect("a digest"),
        comment: comment.to_owned(),
    };
    let wish = decide(&asked, Verdict::RequestChanges, "Say who wrote them.");
    world.app.decide(&editor, wish).await.expect("decided");
    let one = json!({ "proposal_id": asked["proposal_id"] });
    let read = actor.done("querylayer_list_proposals", one).await["proposals"][0].clone();
    assert_eq!(
        (&read["state"], &read["decisions"][0]["comment"]),
        (&json!("changes_requested"), &json!("Say who wrote them."))
    );
    let again = ask(&actor, &run, &content, &revision).await;
    let approval = decide(&again, Verdict::Approve, "");
    world.app.decide(&editor, approval).await.expect("approved");
    let one = json!({ "proposal_id": again["proposal_id"] });
    let read = actor.done("querylayer_list_proposals", one).await["proposals"][0].clone();
    assert_eq!(
        (&read["state"], &read["decisions"][0]["decision"]),
        (&json!("executed"), &json!("approve"))
    );
    let item = actor
        .done("querylayer_list_content", json!({ "content_id": content }))
        .await;
    assert_eq!(item["items"][0]["published_revision_id"], json!(revision));
    assert_eq!(item["items"][0]["status"], "published");
}

async fn ask(actor: &Actor, run: &str, content: &str, revision: &str) -> Value {
    let items = json!([{ "action": "publish", "content_id": content, "revision_id": revision }]);
    let request = json!({ "run_id": run, "items": items, "rationale": "It is ready." });
    actor
        .done("querylayer_request_publish_approval", request)
        .await
}
