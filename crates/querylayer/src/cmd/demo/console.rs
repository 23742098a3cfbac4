//! From a turn on the dashboard to a finished plan: three steps, one tried again, one approved.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::story::{Scene, begin, text};
use crate::cmd::told::Told;

const BODY: &str = "Bring a red torch: moths don't mind it, and you keep your eyes for the dark.";

/// Tells the chapter.
pub(super) async fn tell(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    // A server that the demo visits again has conversations of its own.
    let context = scene
        .agent
        .must("querylayer_site_context", json!({}))
        .await?;
    let agent = text(&context["agent"], "agent_id")?;
    let begin = json!({"agent": agent, "site": scene.stage.site});

    let conversation = text(
        &scene.person.post("/console/conversations", &begin).await?,
        "id",
    )?;
    let ask = json!({"message": "Please add a page about what to bring on a night walk."});
    let turns = format!("/console/conversations/{conversation}/turns");
    scene.person.post(&turns, &ask).await?;
    told.step(
        "A person writes to the agent on the dashboard",
        true,
        conversation.clone(),
    )?;

    let session = format!("demo-{conversation}");
    let asked = claim(scene, &session).await?;
    let (version, plan) = plan(scene, &asked).await?;
    told.step(
        "It claims the turn and makes a plan of three steps",
        version == json!(1),
        format!(
            "{plan}; the turn is held until {}",
            asked["lease_expires_at"]
        ),
    )?;
    complete(scene, &asked, json!({"message": "I have a plan."})).await?;

    let look = claim(scene, &session).await?;
    let failed = json!({"outcome": "failed", "message": "The field notes didn't answer."});
    complete(scene, &look, failed).await?;
    let again = claim(scene, &session).await?;
    told.step(
        "The first step fails, and is tried again",
        again["plan_step"]["key"] == "look" && again["plan_step"]["retry_count"] == 1,
        format!("retry {}", again["plan_step"]["retry_count"]),
    )?;
    complete(
        scene,
        &again,
        json!({"message": "Red light, a notebook, a jar."}),
    )
    .await?;
    write(scene, told, &session).await?;

    let last = claim(scene, &session).await?;
    complete(
        scene,
        &last,
        json!({"message": "It is there, as proposed."}),
    )
    .await?;
    let shown = scene.person.get(&format!("/console/plans/{plan}")).await?;
    told.step(
        "Every step has succeeded, and the plan with them",
        shown["state"] == "finished",
        format!("the plan is {}", shown["state"]),
    )
}

/// The second step ends in a proposal, and goes on when a person approves it.
async fn write(scene: &mut Scene<'_>, told: &mut Told, session: &str) -> Result<()> {
    let step = claim(scene, session).await?;
    let run = begin(&mut scene.agent, "plan-step").await?;
    let page = json!({
        "run_id": run, "kind": "create_content", "title": "What to bring", "rationale": "Visitors ask for it.",
        "payload": {"template": "article", "fields": {
            "title": "What to bring on a night walk", "author": "maren-oxley", "date": "2026-06-05",
            "summary": "Light, paper and patience.", "body": BODY,
        }},
    });
    let proposed = scene.agent.must("querylayer_create_proposal", page).await?;
    let proposal = text(&proposed, "proposal_id")?;
    let done = json!({"message": "A draft for you.", "proposal_id": proposal, "run_id": run});
    let waits = complete(scene, &step, done).await?;
    let finish = json!({"run_id": run, "outcome": "completed", "summary": "Proposed a page."});
    scene.agent.must("querylayer_finish_run", finish).await?;
    let nothing = scene
        .agent
        .call(
            "querylayer_claim_console_task",
            json!({"session_id": session}),
        )
        .await?;
    told.step(
        "A step that changes something waits for a person",
        waits["plan_step"]["state"] == "awaiting_approval" && nothing["code"] == "no_task",
        format!("the next claim gets {}", nothing["code"]),
    )?;
    let decided = scene.person.approve(&proposal).await?;
    told.step(
        "Approved, it succeeds and the next step is ready",
        decided["state"] == "executed",
        format!("the proposal is {}", decided["state"]),
    )
}

/// Claims the next turn in the agent's session.
async fn claim(scene: &mut Scene<'_>, session: &str) -> Result<Value> {
    let claim = json!({"session_id": session, "wait_seconds": 10});
    scene
        .agent
        .must("querylayer_claim_console_task", claim)
        .await
}

/// Makes the plan for a turn; gives its version and its id.
async fn plan(scene: &mut Scene<'_>, turn: &Value) -> Result<(Value, String)> {
    let steps = json!([
        {"key": "look", "title": "Look up what visitors need", "operation": "research"},
        {"key": "write", "title": "Write the page", "operation": "create_content", "depends_on": ["look"]},
        {"key": "check", "title": "Read it once more", "operation": "research", "depends_on": ["write"]},
    ]);
    let plan = json!({
        "turn_id": turn["turn_id"], "lease_token": turn["lease_token"],
        "goal": "A page about what to bring on a night walk", "steps": steps,
    });
    let made = scene
        .agent
        .must("querylayer_create_task_plan", plan)
        .await?;
    Ok((made["version"].clone(), text(&made, "plan_id")?))
}

/// Completes a turn, with what is special about it.
async fn complete(scene: &mut Scene<'_>, turn: &Value, special: Value) -> Result<Value> {
    let mut said = json!({
        "turn_id": turn["turn_id"], "lease_token": turn["lease_token"], "outcome": "completed",
    });
    let special = special.as_object().context("an object")?.clone();
    said.as_object_mut().context("an object")?.extend(special);
    scene
        .agent
        .must("querylayer_complete_console_task", said)
        .await
}
