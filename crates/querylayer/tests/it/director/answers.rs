//! What agents answer, well and badly.

use insta::assert_snapshot;
use ql_app::director::{Answered, Failure};
use serde_json::json;

use super::world::{World, board, changed, find, told};

/// Changes what the research answers.
async fn research(change: impl Fn(&mut serde_json::Value) + Send + Sync + 'static) -> String {
    let world = World::with(move |ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => changed(answer, &change),
        _ => answer,
    })
    .await;
    let view = world.begin().await;
    told(&view, "RESEARCH_COMPLETED")
}

#[tokio::test]
async fn stages_that_do_not_wait_for_each_other_run_side_by_side() {
    let world = World::new().await;
    let view = world.begin().await;
    assert_snapshot!(board(&view), @"
    IDEA_PROPOSED passed
    TOPIC_APPROVED passed
    RESEARCH_COMPLETED needs_review
    BIBLICAL_RESEARCH_COMPLETED needs_review
    HERMENEUTICS_COMPLETED waiting
    SCRIPT_GENERATED waiting
    SCRIPT_AUDITED waiting
    SCRIPT_APPROVED waiting
    PRODUCTION_PLANNED waiting
    VOICE_GENERATED waiting
    THUMBNAIL_GENERATED waiting
    SEO_GENERATED waiting
    SHORTS_GENERATED waiting
    RELEASE_GATED waiting
    PUBLISH_APPROVED waiting
    PUBLISHED waiting
    ANALYTICS_COLLECTED waiting
    CORRECTION_ISSUED waiting
    WITHDRAWN waiting
    ");
}

#[tokio::test]
async fn another_policy_is_rejected() {
    let told = research(|result| result["policy_pack_sha256"] = json!("0".repeat(64))).await;
    assert_snapshot!(told, @"
    RESEARCH_COMPLETED attempt 1 held: rejected REJECTED
    POLICY_PACK_HASH_MISMATCH /policy_pack_sha256: the task names 4d48ca70ef2e3766f0ce2823e7312fe6e9df13b62d0c578038840464a5583aa7, the result 0000000000000000000000000000000000000000000000000000000000000000
    HISTORICAL_CLAIM_UNVERIFIED /claims/1: the claim names no source; name the work and where in it, or drop the claim
    STATUS_DOWNGRADED /status: THEOLOGY_VERIFIED was claimed; it's worth REJECTED
    ");
}

#[tokio::test]
async fn an_answer_to_another_task_or_of_another_role_is_held() {
    let told = research(|result| {
        result["task_id"] = json!("01939d2c-0000-7000-8000-00000000ffff");
    })
    .await;
    let start =
        "RESEARCH_COMPLETED attempt 1 held: other_task -\nSCHEMA_VIOLATION /task_id: the task is ";
    assert!(told.starts_with(start), "{told}");
    let told = research(|result| result["agent_role"] = json!("hermeneutics")).await;
    assert_snapshot!(told, @"
    RESEARCH_COMPLETED attempt 1 held: other_role -
    SCHEMA_VIOLATION /agent_role: the task was put to `research`
    ");
}

#[tokio::test]
async fn seven_decimals_of_money_are_a_schema_violation() {
    let told = research(|result| result["cost_usd"] = json!(0.123_456_7)).await;
    assert_snapshot!(told, @"
    RESEARCH_COMPLETED attempt 1 held: schema_violation -
    SCHEMA_VIOLATION : 0.1234567 has more than six decimals; amounts are whole millionths of a dollar
    ");
}

#[tokio::test]
async fn an_answer_in_a_fence_is_mended_without_asking_again() {
    let world = World::with(|ask, answer| match (ask.stage, answer) {
        ("HERMENEUTICS_COMPLETED", Ok(answer)) => {
            let text = format!("Here it is:\n```json\n{}\n```\n", answer.text);
            Ok(Answered { text, ..answer })
        }
        (_, answer) => answer,
    })
    .await;
    world.begin().await;
    world.reopen("RESEARCH_COMPLETED").await.expect("reopened");
    world
        .reopen("BIBLICAL_RESEARCH_COMPLETED")
        .await
        .expect("reopened");
    let view = world.work().await;
    assert_eq!(
        find(&view, "HERMENEUTICS_COMPLETED").stage.state.as_str(),
        "passed"
    );
    assert_snapshot!(world.asked(), @"
    RESEARCH_COMPLETED 1
    BIBLICAL_RESEARCH_COMPLETED 1
    RESEARCH_COMPLETED 2
    BIBLICAL_RESEARCH_COMPLETED 2
    HERMENEUTICS_COMPLETED 1
    SCRIPT_GENERATED 1
    ");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_once_more_and_then_held() {
    let world = World::with(|ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => changed(answer, |result| result["output"] = json!({"title": 1})),
        _ => answer,
    })
    .await;
    let view = world.begin().await;
    assert_snapshot!(told(&view, "RESEARCH_COMPLETED"), @r#"
    RESEARCH_COMPLETED attempt 1 held: schema_violation -
    SCHEMA_VIOLATION /output: "summary" is a required property
    SCHEMA_VIOLATION /output: "sections" is a required property
    SCHEMA_VIOLATION /output/title: 1 is not of type "string"
    "#);
    assert_snapshot!(world.asked(), @"
    RESEARCH_COMPLETED 1
    RESEARCH_COMPLETED 1 to mend 3
    BIBLICAL_RESEARCH_COMPLETED 1
    ");
}

#[tokio::test]
async fn an_answer_that_is_mended_counts() {
    let world = World::with(|ask, answer| match (ask.stage, ask.repair) {
        ("BIBLICAL_RESEARCH_COMPLETED", None) => changed(answer, |result| {
            result["surprise"] = json!(true);
        }),
        _ => answer,
    })
    .await;
    world.begin().await;
    assert_snapshot!(world.asked(), @"
    RESEARCH_COMPLETED 1
    BIBLICAL_RESEARCH_COMPLETED 1
    BIBLICAL_RESEARCH_COMPLETED 1 to mend 1
    ");
}

#[tokio::test]
async fn what_fails_in_passing_is_tried_three_times_and_the_rest_goes_on() {
    let world = World::with(|ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => Err(Failure::transient("503")),
        _ => answer,
    })
    .await;
    world.begin().await;
    for _ in 0..6 {
        world.app.advance(std::time::Duration::from_mins(1));
        world.work().await;
    }
    let view = world.view().await;
    assert_snapshot!(told(&view, "RESEARCH_COMPLETED"), @"RESEARCH_COMPLETED attempt 1 held: provider_unavailable -");
    assert_snapshot!(world.asked(), @"
    RESEARCH_COMPLETED 1
    BIBLICAL_RESEARCH_COMPLETED 1
    RESEARCH_COMPLETED 1
    RESEARCH_COMPLETED 1
    RESEARCH_COMPLETED 1
    ");
    assert_eq!(
        find(&view, "TOPIC_APPROVED").stage.state.as_str(),
        "passed",
        "nothing restarts"
    );
}

#[tokio::test]
async fn nothing_is_asked_again_where_nothing_changed() {
    let world = World::with(|ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => changed(answer, |result| result["claims"] = json!([])),
        _ => answer,
    })
    .await;
    world.begin().await;
    let before = world.asked();
    world.reopen("RESEARCH_COMPLETED").await.expect("reopened");
    let view = world.work().await;
    assert_eq!(
        find(&view, "RESEARCH_COMPLETED").stage.state.as_str(),
        "passed"
    );
    assert_eq!(find(&view, "RESEARCH_COMPLETED").stage.attempts, 1);
    assert_eq!(world.asked(), before, "the answer that is there counts");
}

#[tokio::test]
async fn an_answer_without_end_is_held_and_kept() {
    let world = World::with(|ask, answer| match ask.stage {
        "RESEARCH_COMPLETED" => answer.map(|answer| Answered {
            text: "x".repeat(50 << 20),
            ..answer
        }),
        _ => answer,
    })
    .await;
    let view = world.begin().await;
    assert_snapshot!(told(&view, "RESEARCH_COMPLETED"), @"
    RESEARCH_COMPLETED attempt 1 held: schema_violation -
    SCHEMA_VIOLATION : an envelope has at most 4194304 bytes, and this one has more
    ");
}
