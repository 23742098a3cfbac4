//! What happens in the story.

use anyhow::{Context as _, Result};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::agent::Agent;
use super::person::{Person, Seen};
use super::{Stage, Told, chapters};

const TITLE: &str = "A night walk for moths";
const FIRST: &str = "On the first warm Friday in June we hang a white sheet between two apple trees, set a lamp behind it and wait.";
const SECOND: &str = "On the first warm Friday in June we hang a white sheet between two pear trees, set a lamp behind it and wait.";

/// Who acts, and where.
pub(super) struct Scene<'s> {
    pub(super) stage: &'s Stage,
    pub(super) agent: Agent,
    pub(super) person: Person,
}

/// Tells the story from the first call to the last; with every chapter where all are asked for.
pub(super) async fn tell(stage: &Stage, told: &mut Told, all: bool) -> Result<()> {
    let mut scene = main_job(stage, told).await?;
    if all {
        chapters::tell(&mut scene, told).await?;
    }
    let path = format!("/connections/{}/revoke", stage.connection);
    scene.person.post(&path, &json!({})).await?;
    let status = scene.agent.status().await?;
    told.step(
        "Revoked, the agent is locked out",
        status == StatusCode::UNAUTHORIZED,
        format!("its next call gets {status}"),
    )
}

/// Drafts, evidence, two publications and a way back.
async fn main_job<'s>(stage: &'s Stage, told: &mut Told) -> Result<Scene<'s>> {
    let mut agent = Agent::new(&stage.url, &stage.token)?;
    let tools = agent.connect().await?;
    told.step(
        "The agent connects",
        tools > 0,
        format!("{tools} tools are offered to its scopes"),
    )?;
    let (draft, proposal) = first_run(&mut agent, told).await?;
    let slug = text(&draft, "slug")?;

    let person = Person::sign_in(&stage.url, &stage.sign_in_url).await?;
    let before = person.visit(&stage.site, &slug).await?;
    let hidden = before.status == StatusCode::NOT_FOUND;
    told.step(
        "The draft isn't live",
        hidden,
        format!("the delivery API answers {}", before.status),
    )?;
    let decided = person.approve(&proposal).await?;
    let executed = decided["state"] == "executed";
    told.step(
        "A person approves the exact revision",
        executed,
        format!("the proposal is {}", decided["state"]),
    )?;
    let first = text(&draft, "revision_id")?;
    let live = person.visit(&stage.site, &slug).await?;
    told.step(
        "The approved revision is live",
        shows(&live, FIRST, &first),
        format!("the ETag is {}", etag(&live)),
    )?;

    let (second, proposal) = second_run(&mut agent, told, &draft).await?;
    let still = person.visit(&stage.site, &slug).await?;
    told.step(
        "The second draft isn't live",
        shows(&still, FIRST, &first),
        format!("the ETag is still {}", etag(&still)),
    )?;
    person.approve(&proposal).await?;
    let moved = person.visit(&stage.site, &slug).await?;
    told.step(
        "Approved, it is",
        shows(&moved, SECOND, &second),
        format!("the ETag is {}", etag(&moved)),
    )?;
    roll_back(stage, told, &person, (&draft, &first)).await?;
    Ok(Scene {
        stage,
        agent,
        person,
    })
}

/// Begin a run, draft, give evidence and an artifact, ask for publication, finish.
async fn first_run(agent: &mut Agent, told: &mut Told) -> Result<(Value, String)> {
    let begin = json!({
        "run_type": "write-article", "input": {"topic": "moths"}, "required_outputs": ["summary"],
        "completion_conditions": ["The article names a date and a place."],
    });
    let run = text(&agent.must("querylayer_begin_run", begin).await?, "run_id")?;
    told.step("It begins a governed run", true, run.clone())?;
    let draft = json!({
        "run_id": run, "template": "article",
        "fields": article(FIRST), "change_note": "First draft", "idempotency_key": format!("draft-{run}"),
    });
    let draft = agent.must("querylayer_create_draft", draft).await?;
    told.step(
        "It drafts an article",
        true,
        format!(
            "{} at /{}",
            text(&draft, "revision_id")?,
            text(&draft, "slug")?
        ),
    )?;
    let evidence = json!({
        "run_id": run, "revision_id": draft["revision_id"], "claim": "Moths come to light on warm, still nights.",
        "evidence": [{
            "source_url": "https://moths.example/field-notes", "title": "Field notes on light traps",
            "excerpt": "Catches are largest on warm, still, overcast nights.", "retrieved_at": "2026-11-01T09:00:00Z",
            "stance": "supports",
        }],
    });
    let claim = agent
        .must("querylayer_record_claim_evidence", evidence)
        .await?;
    told.step(
        "It records a claim with its evidence",
        true,
        text(&claim, "claim_id")?,
    )?;
    let artifact = json!({
        "run_id": run, "key": "summary", "media_type": "text/markdown", "body": "One article on a moth night.",
        "affected_content_ids": [draft["content_id"]],
    });
    let artifact = agent.must("querylayer_record_artifact", artifact).await?;
    told.step(
        "It records an immutable artifact",
        true,
        format!("sha256 {}", text(&artifact, "sha256")?),
    )?;
    let proposal = request(agent, &run, &draft).await?;
    told.step(
        "It asks for publication",
        true,
        format!("{proposal} waits for a person"),
    )?;
    finish(agent, told, &run).await?;
    Ok((draft, proposal))
}

/// A second run changes one sentence of the draft and asks again.
async fn second_run(agent: &mut Agent, told: &mut Told, first: &Value) -> Result<(String, String)> {
    let run = begin(agent, "correct-article").await?;
    let draft = json!({
        "run_id": run, "content_id": first["content_id"], "base_revision_id": first["revision_id"],
        "edits": [{"pointer": "/body", "find": "apple trees", "replace": "pear trees", "count": 1}],
        "change_note": "They are pears",
    });
    let draft = agent.must("querylayer_create_draft", draft).await?;
    let revision = text(&draft, "revision_id")?;
    told.step(
        "It corrects one sentence in a second draft",
        true,
        revision.clone(),
    )?;
    let proposal = request(agent, &run, &draft).await?;
    finish(agent, told, &run).await?;
    Ok((revision, proposal))
}

/// Begins a run without required outputs.
pub(super) async fn begin(agent: &mut Agent, run_type: &str) -> Result<String> {
    let begin = json!({"run_type": run_type, "input": {}, "required_outputs": [], "completion_conditions": []});
    text(&agent.must("querylayer_begin_run", begin).await?, "run_id")
}

/// Asks for the publication of a draft.
pub(super) async fn request(agent: &mut Agent, run: &str, draft: &Value) -> Result<String> {
    let item = json!({"action": "publish", "content_id": draft["content_id"], "revision_id": draft["revision_id"]});
    let request =
        json!({"run_id": run, "items": [item], "rationale": "Ready for the June programme."});
    text(
        &agent
            .must("querylayer_request_publish_approval", request)
            .await?,
        "proposal_id",
    )
}

/// Finishes a run.
pub(super) async fn finish(agent: &mut Agent, told: &mut Told, run: &str) -> Result<()> {
    let finish =
        json!({"run_id": run, "outcome": "completed", "summary": "Drafted and sent for approval."});
    let finished = agent.must("querylayer_finish_run", finish).await?;
    let completed = finished["outcome"] == "completed";
    told.step(
        "It finishes the run",
        completed,
        format!("stored as {}", finished["outcome"]),
    )
}

async fn roll_back(
    stage: &Stage,
    told: &mut Told,
    person: &Person,
    (draft, first): (&Value, &str),
) -> Result<()> {
    let path = format!(
        "/sites/{}/content/{}/rollback",
        stage.site,
        text(draft, "content_id")?
    );
    person
        .post(
            &path,
            &json!({"to_revision_id": first, "comment": "They are apples after all."}),
        )
        .await?;
    let back = person.visit(&stage.site, &text(draft, "slug")?).await?;
    told.step(
        "A person rolls it back in one step",
        shows(&back, FIRST, first),
        format!("the ETag is {} again", etag(&back)),
    )
}

fn article(body: &str) -> Value {
    json!({
        "title": TITLE, "author": "maren-oxley", "date": "2026-06-05",
        "summary": "What comes to a lamp behind a sheet on a warm night in June.", "body": body,
    })
}

fn shows(seen: &Seen, body: &str, revision: &str) -> bool {
    let etag = seen.etag.as_deref().unwrap_or_default();
    seen.status == StatusCode::OK && etag.contains(revision) && seen.body.to_string().contains(body)
}

fn etag(seen: &Seen) -> &str {
    seen.etag.as_deref().unwrap_or("missing")
}

/// A text of an answer.
pub(super) fn text(value: &Value, key: &str) -> Result<String> {
    value[key]
        .as_str()
        .map(str::to_owned)
        .with_context(|| format!("the answer has no {key}: {value}"))
}
