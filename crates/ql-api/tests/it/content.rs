//! Content is drafted, changed, read and backed by evidence.

use insta::assert_snapshot;
use serde_json::json;

use crate::world::{World, evidence, shown, text};

#[tokio::test]
async fn content_is_drafted_changed_and_read() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let draft = json!({
        "run_id": run, "template": "article", "locale": "pt-BR",
        "fields": { "title": "Olá, mundo", "body": "First words." }, "change_note": "Begin."
    });
    let drafted = actor.done("querylayer_create_draft", draft).await;
    assert_snapshot!(shown(&drafted), @r#"
    changes: [{"change":"added","pointer":"/body"},{"change":"added","pointer":"/title"}]
    content_id: "cnt_1"
    number: 1
    ok: true
    revision_id: "rev_1"
    sha256: "[sha256]"
    slug: "ola-mundo"
    unchanged: false
    "#);
    let (content, base) = (text(&drafted["content_id"]), text(&drafted["revision_id"]));
    let edits = json!([{ "pointer": "/body", "find": "First", "replace": "Last" }]);
    let edit =
        json!({ "run_id": run, "content_id": content, "base_revision_id": base, "edits": edits });
    let edited = actor.done("querylayer_create_draft", edit).await;
    let patch = json!({
        "run_id": run, "content_id": content, "base_revision_id": edited["revision_id"],
        "merge_patch": { "title": "Olá" }, "slug": "ola"
    });
    let patched = actor.done("querylayer_create_draft", patch).await;
    assert_eq!(
        (&patched["number"], &patched["slug"]),
        (&json!(3), &json!("ola"))
    );
    let same = json!({
        "run_id": run, "content_id": content, "base_revision_id": patched["revision_id"],
        "fields": { "body": "Last words.", "title": "Olá" }
    });
    assert_eq!(
        actor.done("querylayer_create_draft", same).await["unchanged"],
        true
    );
    let read = json!({ "content_id": content, "include_fields": true });
    assert_snapshot!(shown(&actor.done("querylayer_list_content", read).await), @r#"
    items: [{"archived_at":null,"content_id":"cnt_1","created_at":"2026-11-30T12:00:00.000000Z","current_draft_number":3,"current_draft_revision_id":"rev_1","fields":{"body":"Last words.","title":"Olá"},"live_slug":null,"locale":"pt-BR","published_revision_id":null,"revision":{"author":{"agent":"agt_1","connection":"con_1","harness":"codex","type":"agent"},"change_note":"","created_at":"2026-11-30T12:00:00.000000Z","number":3,"parent_revision_id":"rev_2","revision_id":"rev_1","run_id":"run_1","sha256":"[sha256]","slug":"ola","template_version":1},"slug":"ola","status":"draft","template":"article","title":"Olá","translation_group_id":"trg_1","updated_at":"2026-11-30T12:00:00.000000Z"}]
    ok: true
    "#);
    let old = json!({ "content_id": content, "revision_id": base, "include_fields": true });
    let old = actor.done("querylayer_list_content", old).await;
    assert_eq!(old["items"][0]["fields"]["body"], "First words.");
}

#[tokio::test]
async fn claims_carry_their_evidence() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (content, revision) = actor.article(&run, "Words").await;
    let claim = json!({
        "run_id": run, "revision_id": revision, "claim": "Words were written.", "pointer": "/body", "evidence": evidence()
    });
    let recorded = actor.done("querylayer_record_claim_evidence", claim).await;
    assert_snapshot!(shown(&recorded), @r#"
    claim_id: "clm_1"
    evidence_ids: ["evd_1"]
    ok: true
    "#);
    let listed = actor
        .done("querylayer_list_evidence", json!({ "content_id": content }))
        .await;
    assert_snapshot!(shown(&listed), @r#"
    claims: [{"author":{"agent":"agt_1","connection":"con_1","harness":"codex","type":"agent"},"claim":"Words were written.","claim_id":"clm_1","content_id":"cnt_1","created_at":"2026-11-30T12:00:00.000000Z","evidence":[{"evidence_id":"evd_1","excerpt":"Words were first written down.","locator":"p. 3","publisher":"The Source","retrieved_at":"2026-11-29T10:00:00.000000Z","sha256":"[sha256]","source_url":"https://source.example/report","stance":"supports","title":"Report"}],"pointer":"/body","revision_id":"rev_1","run_id":"run_1"}]
    ok: true
    "#);
    for filter in [
        json!({ "revision_id": revision }),
        json!({ "claim_id": recorded["claim_id"] }),
        json!({}),
    ] {
        assert_eq!(
            actor.done("querylayer_list_evidence", filter).await["claims"],
            listed["claims"]
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_writers_from_one_base_one_wins_and_the_item_stays_listed() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let (content, base) = actor.article(&run, "Words").await;
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..50 {
        let (actor, run, content, base) =
            (actor.clone(), run.clone(), content.clone(), base.clone());
        writers.spawn(async move {
            let patch = json!({ "body": format!("Version {number}.") });
            let draft = json!({ "run_id": run, "content_id": content, "base_revision_id": base, "merge_patch": patch });
            actor.call("querylayer_create_draft", draft).await.answer()
        });
    }
    let answers = writers.join_all().await;
    let won = answers.iter().filter(|answer| answer["ok"] == true).count();
    let stale = answers
        .iter()
        .filter(|answer| answer["code"] == "stale_revision")
        .count();
    assert_eq!((won, stale), (1, 49));
    let listed = actor.done("querylayer_list_content", json!({})).await;
    assert_eq!(listed["items"][0]["current_draft_number"], 2);
}
