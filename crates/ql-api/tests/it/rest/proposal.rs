//! People decide what agents and others proposed.

use ql_core::proposal::{Items, Payload, PublishItem};
use ql_core::role::Role;
use ql_core::time::{hours, minutes};
use ql_testkit::Draft;
use serde_json::{Value, json};

use super::person::{Api, Person, outcome, problems, whole};

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

impl Api {
    /// A draft that the home agent asks to have published, and the path of its proposal.
    async fn requested(&self, title: &str) -> (Draft, String) {
        let agent = self.app.agent().await;
        let run = self.app.begin_run(&agent).await;
        let draft = self.app.draft(&agent, run, title).await;
        let id = self.app.request_publication(&agent, run, &[draft]).await;
        (draft, format!("/proposals/{id}"))
    }
}

impl Person {
    /// Decides on the digest that a proposal shows now.
    async fn decide(&self, path: &str, decision: &str, comment: &str) -> crate::actor::Reply {
        let digest = self.get(path).await.json()["digest"].clone();
        let body = json!({"decision": decision, "digest": digest, "comment": comment});
        self.post(&format!("{path}/decisions"), body).await
    }
}

#[tokio::test]
async fn exactly_what_is_shown_is_approved_and_goes_live() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let (draft, path) = api.requested("Ready").await;
    let listed = editor
        .get("/sites/site/proposals?state=pending&kind=publish_lifecycle&risk=medium")
        .await;
    insta::assert_snapshot!(whole(&listed), @r#"
    200
    items:
    - {"approvals":0,"approvals_needed":1,"created_at":"2026-11-30T12:00:00.000000Z","digest":"644c3f08bf00fc946db794ed8154d1b73bf9a3ea5d9776a8a2c395f8eb2323b9","due_at":null,"expires_at":"2026-12-14T12:00:00.000000Z","id":"prop_01m8p570g0e00800000000001w","kind":"publish_lifecycle","preconditions_hold":true,"proposer":{"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"},"reason":null,"risk":"medium","run_id":"run_01m8p570g0e00800000000001p","settled_at":null,"site":"site_01m8p570g0e00800000000000h","state":"pending","title":"Publish “Ready”"}
    "#);
    let shown = editor.get(&path).await;
    insta::assert_snapshot!(whole(&shown), @r#"
    200
    approvals: 0
    approvals_needed: 1
    created_at: "2026-11-30T12:00:00.000000Z"
    dashboard_url: "https://ql.example/proposals/prop_01m8p570g0e00800000000001w"
    decisions: []
    digest: "644c3f08bf00fc946db794ed8154d1b73bf9a3ea5d9776a8a2c395f8eb2323b9"
    due_at: null
    expires_at: "2026-12-14T12:00:00.000000Z"
    id: "prop_01m8p570g0e00800000000001w"
    kind: "publish_lifecycle"
    payload: {"items":[{"action":"publish","content_id":"cnt_01m8p570g0e00800000000001r","revision_id":"rev_01m8p570g0e00800000000001s"}]}
    preconditions:
    - {"content_id":"cnt_01m8p570g0e00800000000001r","holds":true,"message":null,"reason":null}
    preconditions_hold: true
    proposer: {"agent":"agt_01m8p570g0e00800000000000n","connection":"con_01m8p570g0e00800000000000s","harness":"codex","type":"agent"}
    rationale: "The site is better with it."
    reason: null
    resolved:
    - {"content_id":"cnt_01m8p570g0e00800000000001r","locale":"en","revision_id":"rev_01m8p570g0e00800000000001s","sha256":"635d6c9189cc5d9d20d47e1fe595fcace4171bc1df6c5aa0827dd79120b3bede","slug":"ready","template":"article"}
    risk: "medium"
    run_id: "run_01m8p570g0e00800000000001p"
    settled_at: null
    site: "site_01m8p570g0e00800000000000h"
    state: "pending"
    title: "Publish “Ready”"
    who_may_approve: "one owner or admin or editor of the site"
    "#);
    let decided = editor.decide(&path, "approve", "").await.json();
    assert_eq!(decided["state"], "executed");
    assert_eq!(decided["decisions"][0]["digest"], shown.json()["digest"]);
    assert_eq!(
        api.app.live(&api.app.home).await[0].revision,
        draft.revision
    );
    let again = editor.decide(&path, "approve", "").await;
    insta::assert_snapshot!(whole(&again), @r#"
    409
    code: "invalid_transition"
    detail: "the proposal is executed and can't be changed that way"
    details: {"state":"executed"}
    remedy: "Look at its state; make a new proposal if the change is still wanted."
    status: 409
    title: "Invalid transition"
    type: "urn:querylayer:problem:invalid_transition"
    "#);
    let none = editor
        .get("/sites/site/proposals?state=pending")
        .await
        .json();
    assert_eq!(none, json!({"items": []}));
}

#[tokio::test]
async fn a_decision_on_something_else_is_refused_with_what_stands() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let (_, path) = api.requested("Ready").await;
    let body = json!({"decision": "approve", "digest": "0".repeat(64)});
    let refused = editor.post(&format!("{path}/decisions"), body).await;
    assert_eq!(outcome(&refused), "409 digest_mismatch");
    assert_eq!(
        refused.json()["details"]["current_digest"],
        editor.get(&path).await.json()["digest"]
    );
    let body = json!({"decision": "yes", "digest": "ABC", "note": ""});
    insta::assert_snapshot!(problems(&editor.post(&format!("{path}/decisions"), body).await), @"
    422 invalid_arguments
      /decision value: is `yes`; expected one of approve, reject, request_changes
      /digest value: is `ABC`; expected a text that matches ^[0-9a-f]{64}$
      /note unknown_field: isn't a field here; the fields are comment, decision, digest
    ");
}

#[tokio::test]
async fn a_refusal_says_why() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let (_, path) = api.requested("Too early").await;
    let silent = editor.decide(&path, "reject", "").await;
    insta::assert_snapshot!(problems(&silent), @"
    422 invalid_arguments
      /comment required: expected a text that isn't empty
    ");
    let rejected = editor
        .decide(&path, "reject", "Not before the launch.")
        .await
        .json();
    assert_eq!(
        (&rejected["state"], &rejected["decisions"][0]["comment"]),
        (&json!("rejected"), &json!("Not before the launch."))
    );
    let (_, path) = api.requested("Nearly").await;
    let changes = editor
        .decide(&path, "request_changes", "Name the date.")
        .await
        .json();
    assert_eq!(changes["state"], "changes_requested");
}

#[tokio::test]
async fn what_moved_on_is_shown_as_stale_and_changes_nothing() {
    let api = Api::new().await;
    let editor = api.member(Role::Editor).await;
    let (draft, path) = api.requested("Moving").await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    api.app.revise(&agent, run, draft, "Moved").await;
    let shown = editor.get(&path).await.json();
    assert_eq!(shown["preconditions_hold"], false);
    insta::assert_snapshot!(format!("{:#}", shown["preconditions"]), @r#"
    [
      {
        "content_id": "cnt_01m8p570g0e00800000000001r",
        "holds": false,
        "message": "a newer draft than the proposed revision was written",
        "reason": "draft_moved"
      }
    ]
    "#);
    let decided = editor.decide(&path, "approve", "").await.json();
    assert_eq!(
        (&decided["state"], &decided["reason"]),
        (&json!("stale"), &json!("draft_moved"))
    );
    assert!(api.app.live(&api.app.home).await.is_empty());
}

#[tokio::test]
async fn high_risk_needs_a_fresh_proof_and_the_right_role() {
    let api = Api::new().await;
    let (owner, editor) = (api.owner().await, api.member(Role::Editor).await);
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    let draft = api.app.draft(&agent, run, "Old page").await;
    let items = json!({"items": [{"action": "archive", "content_id": draft.content, "archived_at": "none"}]});
    let proposal =
        json!({"kind": "content_lifecycle", "rationale": "It is wrong.", "payload": items});
    let made = editor.post("/sites/site/proposals", proposal.clone()).await;
    insta::assert_snapshot!(whole(&made), @r#"
    201
    dashboard_url: "https://ql.example/proposals/prop_01m8p570g0e008000000000023"
    digest: "bc845c5acdfc0f98083d05bff225dc98a3d78f37f80b98703c5db634cc95f3ab"
    expires_at: "2026-12-14T12:00:00.000000Z"
    id: "prop_01m8p570g0e008000000000023"
    joined: false
    kind: "content_lifecycle"
    risk: "high"
    superseded: []
    who_may_approve: "one owner or admin of the site"
    "#);
    assert_eq!(
        editor.post("/sites/site/proposals", proposal).await.json()["joined"],
        true
    );
    let path = format!("/proposals/{}", text(&made.json()["id"]));
    assert_eq!(
        outcome(&editor.decide(&path, "approve", "").await),
        "403 role_denied"
    );
    let token = api.bearer(&api.personal_token(Role::Owner).await);
    assert_eq!(
        outcome(&token.decide(&path, "approve", "").await),
        "403 session_required"
    );
    api.app.advance(minutes(6));
    insta::assert_snapshot!(whole(&owner.decide(&path, "approve", "").await), @r#"
    403
    code: "reauthentication_required"
    detail: "this needs a re-authentication in the last five minutes"
    remedy: "Enter your password again, then decide."
    status: 403
    title: "Reauthentication required"
    type: "urn:querylayer:problem:reauthentication_required"
    "#);
    let fresh = api.owner().await;
    assert_eq!(
        fresh.decide(&path, "approve", "").await.json()["state"],
        "executed"
    );
    let listed = fresh
        .get("/sites/site/content?status=archived")
        .await
        .json();
    assert_eq!(listed["items"][0]["id"], draft.content.to_string());
}

#[tokio::test]
async fn a_scheduled_publication_is_cancelled_by_people_and_a_request_withdrawn_by_its_author() {
    let api = Api::new().await;
    let (owner, editor) = (api.owner().await, api.member(Role::Editor).await);
    let (draft, _) = api.requested("Later").await;
    let at = api.app.now().plus(hours(5));
    let item = PublishItem::Publish {
        content_id: draft.content,
        revision_id: draft.revision,
        publish_at: Some(at),
        time_zone: Some("Europe/Amsterdam".to_owned()),
    };
    let view = api
        .app
        .carry_out(
            &api.app.home,
            Payload::PublishLifecycle(Items { items: vec![item] }),
        )
        .await;
    let path = format!("/proposals/{}", view.proposal.id);
    let scheduled = owner.get(&path).await.json();
    assert_eq!(
        (&scheduled["state"], &scheduled["due_at"]),
        (&json!("approved"), &json!(at))
    );
    let cancelled = editor
        .post(&format!("{path}/cancel"), json!({}))
        .await
        .json();
    assert_eq!(cancelled["state"], "cancelled");
    api.app.advance(hours(6));
    api.app.run_due_work().await;
    assert!(api.app.live(&api.app.home).await.is_empty());
    assert_eq!(
        outcome(&editor.post(&format!("{path}/cancel"), json!({})).await),
        "409 invalid_transition"
    );

    let item =
        json!({"action": "publish", "content_id": draft.content, "revision_id": draft.revision});
    let new =
        json!({"kind": "publish_lifecycle", "rationale": "Now.", "payload": {"items": [item]}});
    let made = editor.post("/sites/site/proposals", new).await.json();
    let path = format!("/proposals/{}", text(&made["id"]));
    assert_eq!(
        outcome(&owner.post(&format!("{path}/withdraw"), json!({})).await),
        "404 not_found"
    );
    let withdrawn = editor
        .post(&format!("{path}/withdraw"), json!({}))
        .await
        .json();
    assert_eq!(withdrawn["state"], "withdrawn");
}

#[tokio::test]
async fn a_page_is_rolled_back_to_what_was_live_before() {
    let api = Api::new().await;
    let first = api.app.live_article(&api.app.home, "One").await;
    let agent = api.app.agent().await;
    let run = api.app.begin_run(&agent).await;
    let second = api.app.revise(&agent, run, first, "Two").await;
    api.app.publish(&api.app.home, second).await;
    let owner = api.owner().await;
    let path = format!("/sites/site/content/{}/rollback", first.content);
    let body = json!({"to_revision_id": first.revision, "comment": "Two was wrong."});
    let token = api.bearer(&api.personal_token(Role::Owner).await);
    assert_eq!(
        outcome(&token.post(&path, body.clone()).await),
        "403 session_required"
    );
    let rolled = owner.post(&path, body.clone()).await;
    insta::assert_snapshot!(whole(&rolled), @r#"
    200
    approvals: 1
    approvals_needed: 1
    created_at: "2026-11-30T12:00:00.000000Z"
    dashboard_url: "https://ql.example/proposals/prop_01m8p570g0e00800000000003f"
    decisions:
    - {"at":"2026-11-30T12:00:00.000000Z","comment":"Two was wrong.","decision":"approve","digest":"f45c19eeaaf4b05bdbd07d6ba91156f4eebc16f607535935d111b95d0ddb2f38","let_in_by":"operator:0","member":"mem_01m8p570g0e008000000000005","own_proposal":true}
    digest: "f45c19eeaaf4b05bdbd07d6ba91156f4eebc16f607535935d111b95d0ddb2f38"
    due_at: null
    expires_at: "2026-12-14T12:00:00.000000Z"
    id: "prop_01m8p570g0e00800000000003f"
    kind: "publish_lifecycle"
    payload: {"items":[{"action":"publish","content_id":"cnt_01m8p570g0e00800000000001h","revision_id":"rev_01m8p570g0e00800000000001j"}]}
    preconditions: []
    preconditions_hold: true
    proposer: {"member":"mem_01m8p570g0e008000000000005","type":"member"}
    rationale: "Two was wrong."
    reason: null
    resolved:
    - {"content_id":"cnt_01m8p570g0e00800000000001h","live_revision_id":"rev_01m8p570g0e00800000000002a","locale":"en","revision_id":"rev_01m8p570g0e00800000000001j","sha256":"ef8e935bced3652130e7e1941a023674a2006c6f103126f92e430f669ec1d8a8","slug":"one","template":"article"}
    risk: "medium"
    run_id: null
    settled_at: "2026-11-30T12:00:00.000000Z"
    site: "site_01m8p570g0e00800000000000h"
    state: "executed"
    title: "Roll “Two” back to revision 1"
    who_may_approve: "one owner or admin or editor of the site"
    "#);
    assert_eq!(
        api.app.live(&api.app.home).await[0].revision,
        first.revision
    );
    insta::assert_snapshot!(problems(&owner.post(&path, body).await), @"
    422 invalid_arguments
      /to_revision_id already_live: this revision is live already
    ");
    api.app.advance(minutes(6));
    let body = json!({"to_revision_id": second.revision, "comment": "Back again."});
    assert_eq!(
        outcome(&owner.post(&path, body).await),
        "403 reauthentication_required"
    );
}
