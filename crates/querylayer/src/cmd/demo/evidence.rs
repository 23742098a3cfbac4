//! Evidence that is looked at again, isn't as it was, and is reviewed by a person.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::story::{Scene, begin, finish, text};
use crate::cmd::told::Told;

/// A source that nobody may be led to: the demo has no public one of its own.
const INSIDE: &str = "http://127.0.0.1/minutes";

/// Tells the chapter.
pub(super) async fn tell(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    let run = begin(&mut scene.agent, "check-evidence").await?;
    let evidence = record(scene, &run).await?;
    let path = format!("/evidence/{evidence}/reverification");
    scene
        .person
        .put(&path, &json!({"cadence_days": 30}))
        .await?;
    scene
        .person
        .post(&format!("{path}/run-now"), &json!({}))
        .await?;
    let target = looked_at(scene, &evidence).await?;
    told.step(
        "Evidence is looked at again, and the server isn't led into its own network",
        target["last_attempt"]["outcome"] == "blocked",
        format!(
            "{}: {}",
            target["last_attempt"]["outcome"], target["last_attempt"]["reason"]
        ),
    )?;
    let review = text(&target["open_review"], "review_id")?;
    let words = json!({"resolution": "outdated", "note": "Name a source that everybody can read."});
    let path = format!("/evidence-reviews/{review}/resolution");
    let closed = scene.person.post(&path, &words).await?;
    told.step(
        "A person says what to make of it",
        closed["resolution"] == "outdated",
        format!(
            "the review of {evidence} is closed as {}",
            closed["resolution"]
        ),
    )?;
    finish(&mut scene.agent, told, &run).await
}

async fn record(scene: &mut Scene<'_>, run: &str) -> Result<String> {
    let draft = json!({
        "run_id": run, "template": "article",
        "fields": {
            "title": "What the minutes say", "author": "maren-oxley", "date": "2026-05-20",
            "summary": "The gate shuts at four.", "body": "The gate shuts at four.",
        },
    });
    let draft = scene.agent.must("querylayer_create_draft", draft).await?;
    let claim = json!({
        "run_id": run, "revision_id": draft["revision_id"], "claim": "The gate shuts at four.",
        "evidence": [{
            "source_url": INSIDE, "title": "Minutes", "excerpt": "The gate shuts at four.",
            "retrieved_at": "2026-11-01T09:00:00Z", "stance": "supports",
        }],
    });
    let claim = scene
        .agent
        .must("querylayer_record_claim_evidence", claim)
        .await?;
    let first = claim["evidence_ids"][0].as_str().map(str::to_owned);
    first.context("the claim has no evidence")
}

/// The target as an agent sees it once somebody looked.
async fn looked_at(scene: &mut Scene<'_>, evidence: &str) -> Result<Value> {
    for _ in 0..150 {
        let list = "querylayer_list_evidence_reverification";
        let listed = scene.agent.must(list, json!({"limit": 100})).await?;
        let targets = listed["targets"].as_array().into_iter().flatten();
        let mut mine = targets.filter(|target| target["evidence_id"] == evidence);
        if let Some(target) = mine.find(|target| !target["last_attempt"].is_null()) {
            return Ok(target.clone());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    bail!("nobody looked at {evidence} within half a minute")
}
