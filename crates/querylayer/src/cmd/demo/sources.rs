//! From staged records to a draft: checked, decided about, proposed and accepted.

use anyhow::Result;
use reqwest::StatusCode;
use serde_json::json;

use super::story::{Scene, begin, finish, text};
use crate::cmd::told::Told;

const NOTES: &str = "Bats leave the old icehouse at dusk from May on.";

/// Tells the chapter.
pub(super) async fn tell(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    let run = begin(&mut scene.agent, "gather-sources").await?;
    let package = stage(scene, told, &run).await?;
    let path = format!("/source-packages/{package}/dispositions");
    let accept =
        json!({"disposition": "accepted", "reason": "Our own walks.", "record_keys": ["notes"]});
    scene.person.post(&path, &accept).await?;
    draft(scene, told, (&run, &package)).await?;
    finish(&mut scene.agent, told, &run).await
}

/// The agent stages two records, one of which lies about its checksum.
async fn stage(scene: &mut Scene<'_>, told: &mut Told, run: &str) -> Result<String> {
    let sha256 = ql_core::hash::Digest::of(NOTES.as_bytes()).to_string();
    let package = json!({
        "run_id": run, "name": "Notes from the bat walk", "origin": "The warden's notebook, typed by hand.",
        "records": [
            {"key": "notes", "media_type": "text/markdown", "body": NOTES, "sha256": sha256},
            {"key": "count", "media_type": "text/csv", "body": "may,41", "sha256": "0".repeat(64)},
        ],
    });
    let staged = scene
        .agent
        .must("querylayer_stage_content_source_package", package)
        .await?;
    let code = &staged["records"][1]["findings"][0]["code"];
    told.step(
        "The agent stages sources, and a checksum that lies is marked",
        staged["counts"]["valid"] == 1 && code == "checksum_mismatch",
        format!("one is valid, the other: {code}"),
    )?;
    text(&staged, "package_id")
}

/// What is invalid can't be written from; what was accepted becomes a draft.
async fn draft(scene: &mut Scene<'_>, told: &mut Told, (run, package): (&str, &str)) -> Result<()> {
    let slug = format!("bat-walk-{}", run.replace('_', "-"));
    let card = json!({
        "run_id": run, "package_id": package, "record_keys": ["notes"], "template": "article", "slug": slug,
        "fields": {
            "title": "A walk among bats", "author": "maren-oxley", "date": "2026-05-15",
            "summary": "Dusk at the icehouse.", "body": NOTES,
        },
    });
    let card = scene
        .agent
        .must("querylayer_propose_content_source_draft", card)
        .await?;
    let decided = scene.person.approve(&text(&card, "proposal_id")?).await?;
    let wanted = json!({"slug": slug, "include_fields": true});
    let item = scene.agent.must("querylayer_list_content", wanted).await?;
    let seen = scene.person.visit(&scene.stage.site, &slug).await?;
    told.step(
        "Accepted, a draft from them is the agent's and not live",
        decided["state"] == "executed"
            && item["items"][0]["status"] == "draft"
            && seen.status == StatusCode::NOT_FOUND,
        format!("/{slug} is a {}", item["items"][0]["status"]),
    )
}
