//! The governed main job as one agent does it, in both eras.

use serde_json::json;

use crate::actor::{Actor, BOTH};
use crate::world::{World, evidence};

#[tokio::test]
async fn the_whole_job_runs_in_both_eras() {
    for speaks in BOTH {
        let world = World::new().await;
        let actor = world.agent().await.speaking(speaks);
        whole_job(&actor).await;
    }
}

async fn whole_job(actor: &Actor) {
    actor.done("querylayer_site_context", json!({})).await;
    let run = actor.run().await;
    let (content, revision) = actor.article(&run, "Words").await;
    let claim = json!({ "run_id": run, "revision_id": revision, "claim": "Words.", "evidence": evidence() });
    actor.done("querylayer_record_claim_evidence", claim).await;
    actor.done("querylayer_list_evidence", json!({})).await;
    let items = json!([{ "action": "publish", "content_id": content, "revision_id": revision }]);
    let request = json!({ "run_id": run, "items": items, "rationale": "Ready." });
    actor
        .done("querylayer_request_publish_approval", request)
        .await;
    let archive =
        json!({ "items": [{ "action": "archive", "content_id": content, "archived_at": "none" }] });
    let proposal = json!({ "run_id": run, "kind": "content_lifecycle", "title": "t", "rationale": "r", "payload": archive });
    actor.done("querylayer_create_proposal", proposal).await;
    let artifact =
        json!({ "run_id": run, "key": "notes", "media_type": "text/plain", "body": "n" });
    actor.done("querylayer_record_artifact", artifact).await;
    actor
        .done("querylayer_list_proposals", json!({ "run_id": run }))
        .await;
    actor
        .done("querylayer_list_content", json!({ "query": "WORDS" }))
        .await;
    let finish = json!({ "run_id": run, "outcome": "completed", "summary": "Done." });
    assert_eq!(
        actor.done("querylayer_finish_run", finish).await["outcome"],
        "completed"
    );
}
