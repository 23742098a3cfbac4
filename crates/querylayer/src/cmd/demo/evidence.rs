//! Evidence that is looked at again, isn't as it was, and is reviewed by a person.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::minutes::Minutes;
use super::story::{Scene, begin, finish, text};
use crate::cmd::told::Told;

/// What the source of the demo says at first.
pub(super) const WORDS: &str = "The gate of the garden shuts at four in the afternoon.";
/// What it says later.
const LATER: &str = "The gate of the garden shuts at five in the afternoon.";
/// A source that nobody may be led to.
const INSIDE: &str = "http://127.0.0.1/minutes";

/// Tells the chapter. What becomes of a source that changes is told on a server of the demo's own,
/// since another one doesn't know the demo's source.
pub(super) async fn tell(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    let run = begin(&mut scene.agent, "check-evidence").await?;
    let revision = draft(scene, &run).await?;
    be_led_inside(scene, told, (&run, &revision)).await?;
    let stage = scene.stage;
    if let Some(minutes) = &stage.minutes {
        change(scene, told, (&run, &revision), minutes).await?;
    }
    finish(&mut scene.agent, told, &run).await
}

async fn be_led_inside(
    scene: &mut Scene<'_>,
    told: &mut Told,
    (run, revision): (&str, &str),
) -> Result<()> {
    let inside = scene.stage.minutes.as_ref().map(Minutes::inside);
    let inside = inside.unwrap_or_else(|| INSIDE.to_owned());
    let evidence = record(scene, (run, revision), &inside).await?;
    let target = look(scene, &evidence).await?;
    told.step(
        "Evidence is looked at again, and the server isn't led into its own network",
        target["last_attempt"]["outcome"] == "blocked",
        format!(
            "{}: {}",
            target["last_attempt"]["outcome"], target["last_attempt"]["reason"]
        ),
    )?;
    review(scene, told, (&evidence, &target)).await
}

async fn change(
    scene: &mut Scene<'_>,
    told: &mut Told,
    (run, revision): (&str, &str),
    minutes: &Minutes,
) -> Result<()> {
    let evidence = record(scene, (run, revision), &minutes.url()).await?;
    let target = look(scene, &evidence).await?;
    told.step(
        "Where the source says what it said, nobody is asked",
        target["last_attempt"]["outcome"] == "unchanged" && target["open_review"].is_null(),
        format!("{}", target["last_attempt"]["outcome"]),
    )?;
    minutes.say(LATER);
    let target = look(scene, &evidence).await?;
    told.step(
        "The source says something else now, and a person is asked",
        target["last_attempt"]["outcome"] == "changed"
            && target["open_review"]["outcome"] == "changed",
        format!("{}", target["last_attempt"]["outcome"]),
    )?;
    review(scene, told, (&evidence, &target)).await
}

/// A draft whose claim the evidence is for.
async fn draft(scene: &mut Scene<'_>, run: &str) -> Result<String> {
    let draft = json!({
        "run_id": run, "template": "article",
        "fields": {
            "title": "What the minutes say", "author": "maren-oxley", "date": "2026-05-20",
            "summary": WORDS, "body": WORDS,
        },
    });
    let draft = scene.agent.must("querylayer_create_draft", draft).await?;
    text(&draft, "revision_id")
}

/// Evidence from a source, to be looked at again every month.
async fn record(
    scene: &mut Scene<'_>,
    (run, revision): (&str, &str),
    source: &str,
) -> Result<String> {
    let claim = json!({
        "run_id": run, "revision_id": revision, "claim": WORDS,
        "evidence": [{
            "source_url": source, "title": "Minutes", "excerpt": WORDS,
            "retrieved_at": "2026-11-01T09:00:00Z", "stance": "supports",
        }],
    });
    let claim = scene
        .agent
        .must("querylayer_record_claim_evidence", claim)
        .await?;
    let first = claim["evidence_ids"][0].as_str().map(str::to_owned);
    let evidence = first.context("the claim has no evidence")?;
    let path = format!("/evidence/{evidence}/reverification");
    let cadence = json!({"cadence_days": 30});
    scene.person.put(&path, &cadence).await?;
    Ok(evidence)
}

/// The target as an agent sees it once somebody has looked anew.
async fn look(scene: &mut Scene<'_>, evidence: &str) -> Result<Value> {
    let before = target(scene, evidence).await?["last_attempt"].clone();
    let path = format!("/evidence/{evidence}/reverification/run-now");
    scene.person.post(&path, &json!({})).await?;
    for _ in 0..150 {
        let now = target(scene, evidence).await?;
        if now["last_attempt"] != before {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    bail!("nobody looked at {evidence} within half a minute")
}

async fn target(scene: &mut Scene<'_>, evidence: &str) -> Result<Value> {
    let list = "querylayer_list_evidence_reverification";
    let listed = scene.agent.must(list, json!({"limit": 100})).await?;
    let targets = listed["targets"].as_array().into_iter().flatten();
    let mut mine = targets.filter(|target| target["evidence_id"] == evidence);
    let found = mine.next().cloned();
    found.with_context(|| format!("{evidence} isn't looked at again"))
}

/// A person closes the review that is open.
async fn review(
    scene: &mut Scene<'_>,
    told: &mut Told,
    (evidence, target): (&str, &Value),
) -> Result<()> {
    let review = text(&target["open_review"], "review_id")?;
    let words = json!({"resolution": "outdated", "note": "Name what everybody can read today."});
    let path = format!("/evidence-reviews/{review}/resolution");
    let closed = scene.person.post(&path, &words).await?;
    told.step(
        "A person says what to make of it",
        closed["resolution"] == "outdated",
        format!(
            "the review of {evidence} is closed as {}",
            closed["resolution"]
        ),
    )
}
