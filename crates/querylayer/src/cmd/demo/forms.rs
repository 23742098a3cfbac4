//! From a visitor's post to a count: screened, held, let in, and told to the agent as numbers.

use anyhow::{Context as _, Result};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::story::{Scene, text};
use crate::cmd::told::Told;

const KEY: &str = "demo-questions";

/// Tells the chapter.
pub(super) async fn tell(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    let site = scene.stage.site.clone();
    // Nobody in the story waits as long as a person writes.
    let form = json!({
        "key": KEY, "title": "Ask the garden",
        "fields": [{"key": "message", "type": "long_text", "required": true}],
        "rules": {"min_fill_seconds": 0, "duplicate_hours": 0},
    });
    scene
        .person
        .post(&format!("/sites/{site}/forms"), &form)
        .await?;
    let token = scene.person.form_token(&site, KEY).await?;
    let asked = json!({"message": "Is the moth walk in the rain too?", "ql_token": token});
    let (status, accepted) = scene.person.send_form(&site, KEY, &asked).await?;
    told.step(
        "A visitor's question is accepted",
        status == StatusCode::CREATED && accepted["decision"] == "accepted",
        format!("the visitor reads: {}", accepted["message"]),
    )?;
    let robot =
        json!({"message": "Cheap seeds", "ql_token": "", "ql_website": "https://seeds.example"});
    let (_, rejected) = scene.person.send_form(&site, KEY, &robot).await?;
    told.step(
        "A robot's is rejected, with its reasons",
        rejected["decision"] == "rejected",
        format!("the first is {}", rejected["reasons"][0]["code"]),
    )?;
    let links = json!({
        "message": "My walks: https://a.example https://b.example https://c.example",
        "ql_token": scene.person.form_token(&site, KEY).await?,
    });
    let (_, held) = scene.person.send_form(&site, KEY, &links).await?;
    let marked = let_in(scene, &site).await?;
    told.step(
        "What is in doubt waits, and a person lets it in",
        held["decision"] == "held" && marked["standing"] == "marked_ham",
        format!(
            "held for {}, then {}",
            held["reasons"][0]["code"], marked["standing"]
        ),
    )?;
    count(scene, told).await
}

/// A person lets the newest held post in.
async fn let_in(scene: &Scene<'_>, site: &str) -> Result<Value> {
    let path = format!("/sites/{site}/forms/{KEY}/submissions?standing=held");
    let held = scene.person.get(&path).await?;
    let id = text(&held["items"][0], "id").context("nothing is held")?;
    let path = format!("/sites/{site}/submissions/{id}/mark");
    scene
        .person
        .post(&path, &json!({"mark": "marked_ham"}))
        .await
}

/// The agent reads counts, and nothing that a visitor wrote.
async fn count(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    let counted = scene
        .agent
        .must("querylayer_form_screening_metrics", json!({"form": KEY}))
        .await?;
    let standings: Vec<String> = counted["counts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|count| format!("{} {}", count["count"], count["decision"]))
        .collect();
    told.step(
        "The agent learns counts alone",
        standings.len() == 3 && !counted.to_string().contains("moth"),
        standings.join(", "),
    )
}
