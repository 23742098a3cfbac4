//! From an opportunity to a page that is live: imported, proposed, approved, briefed, written,
//! accepted and published.

use anyhow::{Context as _, Result};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::story::{Scene, begin, finish, request, text};
use crate::cmd::told::Told;

const BODY: &str =
    "We meet at the pond at ten, with nets, white trays and a book about what swims.";

/// Tells the chapter.
pub(super) async fn tell(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    let run = begin(&mut scene.agent, "plan-topics").await?;
    // A server that the demo visits again has its earlier rows already.
    let query = format!("pond dipping {run}");
    let opportunity = import(scene, told, &query).await?;
    let brief = commission(scene, told, (&run, &opportunity, &query)).await?;
    let (draft, slug) = answer(scene, told, (&run, &brief)).await?;
    publish(scene, told, (&run, &draft, &slug)).await?;
    let shown = by_id(scene, &brief).await?;
    told.step(
        "The brief's page is published",
        shown["status"] == "published",
        format!("the brief is {}", shown["status"]),
    )?;
    finish(&mut scene.agent, told, &run).await
}

/// A person imports two rows, one of them bad; the agent finds the good one.
async fn import(scene: &mut Scene<'_>, told: &mut Told, query: &str) -> Result<String> {
    let artifact = format!(
        "query,title,cluster,intent,volume\n{query},Pond dipping for families,Family days,informational,90\nragged\n"
    );
    let path = format!(
        "/sites/{}/strategy-imports?source=Winter%20plan&tool=demo&exported_at=2026-01-05T09:00:00Z",
        scene.stage.site
    );
    let imported = scene.person.send(&path, "text/csv", artifact).await?;
    told.step(
        "A person imports a strategy, and the bad row is named",
        imported["rows_kept"] == 1 && imported["notes"][0]["code"] == "ragged",
        format!(
            "{} kept; line {} is {}",
            imported["rows_kept"], imported["notes"][0]["line"], imported["notes"][0]["code"]
        ),
    )?;
    let wanted = json!({"query": query, "reconciliation": "new"});
    let listed = scene
        .agent
        .must("querylayer_list_topical_strategy_opportunities", wanted)
        .await?;
    let found = &listed["opportunities"][0];
    told.step(
        "The agent reads it as planning input with its rule",
        found["rule"] == "nothing_matches",
        format!("{} by {}", found["reconciliation"], found["rule"]),
    )?;
    text(found, "opportunity_id")
}

/// The agent proposes, a person approves, and the page has one brief.
async fn commission(
    scene: &mut Scene<'_>,
    told: &mut Told,
    (run, opportunity, query): (&str, &str, &str),
) -> Result<String> {
    let propose = json!({
        "run_id": run, "opportunity_ids": [opportunity], "rationale": "Families ask for it every spring.",
    });
    let proposed = scene
        .agent
        .must("querylayer_propose_topical_strategy_opportunities", propose)
        .await?;
    let decided = scene
        .person
        .approve(&text(&proposed, "proposal_id")?)
        .await?;
    told.step(
        "A person takes the opportunity into the topical map",
        decided["state"] == "executed",
        format!("the proposal is {}", decided["state"]),
    )?;
    let briefs = scene
        .agent
        .must(
            "querylayer_list_content_briefs",
            json!({"status": "briefed", "limit": 100}),
        )
        .await?;
    let briefs = briefs["briefs"].as_array().context("no briefs")?;
    let mine: Vec<&Value> = briefs
        .iter()
        .filter(|brief| brief["query"] == query)
        .collect();
    told.step(
        "That commissioned exactly one brief",
        mine.len() == 1,
        format!("{} of {} that wait", mine.len(), briefs.len()),
    )?;
    text(mine[0], "brief_id")
}

/// The agent puts a card before people, and a person accepts it.
async fn answer(
    scene: &mut Scene<'_>,
    told: &mut Told,
    (run, brief): (&str, &str),
) -> Result<(Value, String)> {
    let card = json!({
        "run_id": run, "brief_id": brief, "notes": "Checked against last year's programme.",
        "fields": {
            "title": "Pond dipping for families", "author": "maren-oxley", "date": "2026-05-02",
            "summary": "Nets, trays and a morning at the pond.", "body": BODY,
        },
    });
    let card = scene
        .agent
        .must("querylayer_propose_content_brief_draft", card)
        .await?;
    let waiting = by_id(scene, brief).await?;
    told.step(
        "The agent's draft is an inert card",
        waiting["content_id"].is_null(),
        format!("the brief is still {}", waiting["status"]),
    )?;
    scene.person.approve(&text(&card, "proposal_id")?).await?;
    let drafted = by_id(scene, brief).await?;
    let content = text(&drafted, "content_id")?;
    let wanted = json!({"content_id": content, "include_fields": true});
    let item = scene.agent.must("querylayer_list_content", wanted).await?;
    let item = &item["items"][0];
    let author = &item["revision"]["author"];
    told.step(
        "Accepted, it is a draft in the agent's name",
        drafted["status"] == "drafted" && author["connection"] == scene.stage.connection.as_str(),
        format!("written by the {} {}", author["type"], author["agent"]),
    )?;
    let slug = text(item, "slug")?;
    let seen = scene.person.visit(&scene.stage.site, &slug).await?;
    told.step(
        "It isn't live",
        seen.status == StatusCode::NOT_FOUND,
        format!("the delivery API answers {}", seen.status),
    )?;
    Ok((drafted, slug))
}

async fn publish(
    scene: &mut Scene<'_>,
    told: &mut Told,
    (run, draft, slug): (&str, &Value, &str),
) -> Result<()> {
    let proposal = request(&mut scene.agent, run, draft).await?;
    scene.person.approve(&proposal).await?;
    let seen = scene.person.visit(&scene.stage.site, slug).await?;
    let live = seen.status == StatusCode::OK && seen.body.to_string().contains(BODY);
    told.step(
        "A second approval publishes it",
        live,
        format!("the delivery API answers {} at /{slug}", seen.status),
    )
}

async fn by_id(scene: &mut Scene<'_>, brief: &str) -> Result<Value> {
    let wanted = json!({"brief_id": brief});
    let listed = scene
        .agent
        .must("querylayer_list_content_briefs", wanted)
        .await?;
    Ok(listed["briefs"][0].clone())
}
