//! Workers that die, and who goes on after them.

use ql_app::director::{Answered, Failure};
use ql_core::time::minutes;

use super::world::{HANG, World, find};

#[tokio::test]
async fn a_task_whose_worker_died_is_asked_again_as_the_same_attempt() {
    let world = World::with(|ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => Err(Failure::Permanent(HANG.into())),
        _ => answer,
    })
    .await;
    world.approve("IDEA_PROPOSED").await.expect("approved");
    world.approve("TOPIC_APPROVED").await.expect("approved");
    world.worker_dies().await;
    let (successor, asked) = world.successor();
    successor.run_due_stages().await.expect("work");
    assert!(
        !asked
            .lock()
            .expect("no panic")
            .contains(&"RESEARCH_COMPLETED 1".to_owned()),
        "the lease holds"
    );
    world.app.advance(minutes(16));
    successor.run_due_stages().await.expect("work");
    let view = world.view().await;
    let research = find(&view, "RESEARCH_COMPLETED");
    assert_eq!(research.stage.attempts, 1);
    assert_eq!(
        research.stage.verdict.as_deref(),
        Some("BLOCKED"),
        "it was audited"
    );
    world.app.verify_ledger().await;
}

#[tokio::test]
async fn an_answer_that_was_kept_is_read_and_not_paid_for_again() {
    let world = World::with(|ask, answer| match (ask.stage, ask.repair) {
        ("RESEARCH_COMPLETED", None) => answer.map(|of| Answered {
            text: "{}".into(),
            ..of
        }),
        ("RESEARCH_COMPLETED", Some(_)) => Err(Failure::Permanent(HANG.into())),
        _ => answer,
    })
    .await;
    world.approve("IDEA_PROPOSED").await.expect("approved");
    world.approve("TOPIC_APPROVED").await.expect("approved");
    world.worker_dies().await;
    world.app.advance(minutes(16));
    let (successor, asked) = world.successor();
    successor.run_due_stages().await.expect("work");
    let asked = asked.lock().expect("no panic").join("\n");
    insta::assert_snapshot!(asked, @"
    RESEARCH_COMPLETED 1 to mend 5
    BIBLICAL_RESEARCH_COMPLETED 1
    ");
}

#[tokio::test]
async fn two_workers_do_every_stage_once() {
    let world = World::new().await;
    world.approve("IDEA_PROPOSED").await.expect("approved");
    world.approve("TOPIC_APPROVED").await.expect("approved");
    let (one, two) = (world.director.clone(), world.director.clone());
    let (one, two) = tokio::join!(one.run_due_stages(), two.run_due_stages());
    assert_eq!(one.expect("work") + two.expect("work"), 2);
    let mut asked: Vec<String> = world.asked().lines().map(str::to_owned).collect();
    asked.sort();
    assert_eq!(
        asked,
        ["BIBLICAL_RESEARCH_COMPLETED 1", "RESEARCH_COMPLETED 1"]
    );
}
