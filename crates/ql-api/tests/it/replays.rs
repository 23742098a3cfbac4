//! Idempotency keys over the wire, and pages of lists.

use serde_json::{Value, json};

use crate::world::{World, text};

#[tokio::test]
async fn a_repeated_key_gives_the_first_success_even_after_the_run_is_closed() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    let draft = json!({
        "run_id": run, "template": "article", "fields": { "title": "Words", "body": "" }, "idempotency_key": "k1"
    });
    let first = actor.call("querylayer_create_draft", draft.clone()).await;
    let again = actor.call("querylayer_create_draft", draft.clone()).await;
    assert_eq!(first.body, again.body);
    let reordered = json!({
        "idempotency_key": "k1", "slug": null, "fields": { "body": "", "title": "Words" }, "template": "article", "run_id": run
    });
    assert_eq!(
        actor.call("querylayer_create_draft", reordered).await.body,
        first.body,
        "canonical arguments"
    );
    let finish = json!({ "run_id": run, "outcome": "completed", "summary": "s" });
    actor.done("querylayer_finish_run", finish).await;
    assert_eq!(
        actor
            .call("querylayer_create_draft", draft.clone())
            .await
            .body,
        first.body
    );
    let mut other = draft;
    other["fields"]["body"] = json!("Other.");
    assert_eq!(
        actor.refused("querylayer_create_draft", other).await,
        "idempotency_conflict"
    );
    let listed = actor.done("querylayer_list_content", json!({})).await;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_refusal_binds_no_key() {
    let world = World::new().await;
    let actor = world.agent().await;
    let begin = |kind: &str| {
        json!({
            "run_type": kind, "input": {}, "required_outputs": [], "completion_conditions": [], "idempotency_key": "k"
        })
    };
    assert_eq!(
        actor
            .refused("querylayer_begin_run", begin("Not A Slug"))
            .await,
        "invalid_arguments"
    );
    let first = actor.done("querylayer_begin_run", begin("slug")).await;
    assert_eq!(
        actor.done("querylayer_begin_run", begin("slug")).await,
        first
    );
}

#[tokio::test]
async fn keys_are_of_one_tool() {
    let world = World::new().await;
    let actor = world.agent().await;
    let begin = json!({
        "run_type": "a", "input": {}, "required_outputs": [], "completion_conditions": [], "idempotency_key": "k"
    });
    let run = text(&actor.done("querylayer_begin_run", begin).await["run_id"]);
    let artifact = json!({ "run_id": run, "key": "a", "media_type": "text/plain", "body": "", "idempotency_key": "k" });
    actor.done("querylayer_record_artifact", artifact).await;
}

/// Case 38. DeusData/codebase-memory-mcp#1247: a cursor that didn't advance looped for ever.
#[tokio::test]
async fn pages_lead_through_a_list_and_end() {
    let world = World::new().await;
    let actor = world.agent().await;
    let run = actor.run().await;
    for number in 0..5 {
        actor.article(&run, &format!("Words {number}")).await;
    }
    let mut titles = Vec::new();
    let mut page = json!({ "limit": 2 });
    let mut cursors = std::collections::BTreeSet::new();
    loop {
        let answer = actor.done("querylayer_list_content", page.clone()).await;
        let items = answer["items"].as_array().expect("items").clone();
        titles.extend(items.iter().map(|item| text(&item["title"])));
        match &answer["next_cursor"] {
            Value::Null => break,
            cursor => {
                assert!(cursors.insert(cursor.to_string()), "{cursor} came twice");
                page["cursor"] = cursor.clone();
            }
        }
    }
    assert_eq!(
        titles,
        ["Words 4", "Words 3", "Words 2", "Words 1", "Words 0"]
    );
    let exact = actor
        .done("querylayer_list_content", json!({ "limit": 5 }))
        .await;
    assert_eq!(exact["next_cursor"], Value::Null, "the last page has none");
}
