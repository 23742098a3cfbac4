//! Twenty-two ways in which other engines for durable work went wrong in practice, each as a test of
//! turns, leases and plans. Every one ends with nothing stuck.

use std::sync::Arc;
use std::time::Duration;

use ql_app::plan::NewPlan;
use ql_app::turn::{ClaimTurn, ClaimedTurn, CompleteTurn, CompletedTurn};
use ql_app::{App, Error, IdempotencyKey, Result};
use ql_core::proposal::Verdict;
use ql_core::role::Role;
use ql_core::step::Operation;
use ql_core::time::{Timestamp, days, minutes};
use ql_core::turn::{LeaseLost, Reply};
use ql_store::conversation;
use ql_testkit::console::{claim, completion, plan, step};
use ql_testkit::{FixedClock, FreshDatabase, TestApp, setup};
use serde_json::json;
use tokio::task::JoinSet;

use crate::console::{events, turns, until};
use crate::plans::{Planner, three};
use crate::runs::{artifact, in_short};
use crate::say::code;

const LEASE: Duration = minutes(10);

fn lost<T>(answer: &Result<T>) -> bool {
    matches!(answer, Err(Error::LeaseLost(LeaseLost)))
}

/// windmill-labs/windmill#9214: a slow worker's late completion spoiled what a second one had done.
#[tokio::test]
async fn row_01_late_completion_after_reclaim() {
    let planner = Planner::new().await;
    let (test, slow) = (&planner.test, &planner.agent);
    let quick = test.second_connection().await;
    let first = planner.claim().await;
    test.advance(LEASE);
    let second = test.claim_turn(&quick, "s1").await.expect("taken over");
    assert_eq!((second.turn_id, second.attempt), (first.turn_id, 2));
    test.complete_turn(&quick, &second, Reply::Completed)
        .await
        .expect("completed");
    let shown = (
        turns(test, planner.conversation).await,
        events(test, planner.conversation).await,
    );
    for reply in Reply::ALL {
        let late = test.complete_turn(slow, &first, reply).await;
        assert!(lost(&late), "{late:?}");
    }
    let after = (
        turns(test, planner.conversation).await,
        events(test, planner.conversation).await,
    );
    assert_eq!(after, shown, "the late completions left no trace");
    test.nothing_is_stuck().await;
}

/// langchain-ai/langgraph#7213, #7417: calls beyond some length were run again in silence.
#[tokio::test]
async fn row_02_long_step_with_heartbeat() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let claimed = planner.claim().await;
    let run = test.run_for(agent, &claimed).await;
    for beat in 0..12 {
        test.advance(minutes(9));
        test.run_due_work().await;
        let note = artifact(run, "notes", &format!("{beat}"));
        let recorded = test.app.record_artifact(agent, note, None).await;
        recorded.expect("each call renews the lease");
    }
    planner.end(&claimed, Reply::Completed).await;
    insta::assert_snapshot!(turns(test, planner.conversation).await, @"1 completed 1 - | Make the site better. | It is completed.");
    test.nothing_is_stuck().await;
}

/// aegra/aegra#547: two attempts of one worker couldn't be told apart.
#[tokio::test]
async fn row_03_the_same_workers_earlier_attempt_is_fenced() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let first = planner.claim().await;
    test.advance(LEASE);
    let second = planner.claim().await;
    assert_eq!(second.turn_id, first.turn_id);
    assert_ne!(second.lease_token, first.lease_token);
    for late in mutations(&planner, &first).await {
        assert!(late.1, "{} went through", late.0);
    }
    test.complete_turn(agent, &second, Reply::Completed)
        .await
        .expect("the later attempt");
    test.nothing_is_stuck().await;
}

/// Everything that a lease allows, each with whether it was refused as lost.
async fn mutations(planner: &Planner, under: &ClaimedTurn) -> Vec<(&'static str, bool)> {
    let (app, agent) = (&planner.test.app, &planner.agent);
    let mut answers = Vec::new();
    for reply in Reply::ALL {
        let said = completion(under, reply);
        let answer = app.complete_turn(agent, said, None).await;
        answers.push((reply.as_str(), lost(&answer)));
    }
    let new = plan(under, three());
    let answer = app.create_task_plan(agent, new, None).await;
    answers.push(("plan", lost(&answer)));
    let begin = (setup::run(&[]), Some(under.lease_token));
    let answer = app.begin_run_under(agent, begin, None).await;
    answers.push(("run", lost(&answer)));
    answers
}

/// imtms/tagent-core#56: what was done after the lease had run out was kept, since nobody else had
/// come yet.
#[tokio::test]
async fn row_04_an_expired_lease_allows_nothing_although_nobody_took_over() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let claimed = planner.claim().await;
    let run = test.run_for(agent, &claimed).await;
    let draft = test.draft(agent, run, "In time").await;
    test.advance(LEASE);
    let mut answers = mutations(&planner, &claimed).await;
    let app = &test.app;
    let note = artifact(run, "notes", "late");
    let recorded = app.record_artifact(agent, note, None).await;
    answers.push(("artifact", lost(&recorded)));
    let new = setup::new_article("Late");
    let drafted = app.create_draft(agent, Some(run), new, None).await;
    answers.push(("draft", lost(&drafted)));
    let claim = test.claim(draft);
    let evidence = app
        .record_claim_evidence(agent, Some(run), claim, None)
        .await;
    answers.push(("evidence", lost(&evidence)));
    let proposed = test
        .propose(agent, Some(run), setup::creation("Late"))
        .await;
    answers.push(("proposal", lost(&proposed)));
    for (what, lost) in answers {
        assert!(lost, "{what} went through");
    }
    app.finish_run(
        agent,
        (run, ql_core::run::Outcome::Failed),
        in_short(),
        None,
    )
    .await
    .expect("a run may be ended by whoever began it");
    test.nothing_is_stuck().await;
}

/// camunda/camunda#57335, #56749: where the token was missing, nothing was fenced.
#[tokio::test]
async fn row_05_a_missing_fence_is_an_error() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let claimed = planner.claim().await;
    let without = CompleteTurn {
        token: None,
        ..completion(&claimed, Reply::Completed)
    };
    assert!(lost(&test.app.complete_turn(agent, without, None).await));
    let without = NewPlan {
        token: None,
        ..plan(&claimed, three())
    };
    assert!(lost(&test.app.create_task_plan(agent, without, None).await));
    planner.end(&claimed, Reply::Completed).await;
    test.nothing_is_stuck().await;
}

/// vectorize-io/hindsight#2675, sidekiq#4069, faktory#99: a crash put the count back, for ever.
#[tokio::test]
async fn row_06_a_worker_that_dies_at_every_attempt_gets_three() {
    let planner = Planner::new().await;
    let test = &planner.test;
    let steps = vec![step("find", Operation::Research, &[])];
    let made = test.planned(&planner.agent, "s1", steps).await;
    for attempt in 1..=3 {
        let claimed = planner.claim().await;
        assert_eq!(claimed.attempt, attempt);
        test.advance(LEASE);
        test.run_due_work().await;
    }
    assert_eq!(code(test.claim_turn(&planner.agent, "s1").await), "no_task");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    find blocked 3 retries_exhausted: it was tried three times and no worker brought it to its end
    ");
    insta::assert_snapshot!(turns(test, planner.conversation).await, @"
    1 completed 1 - | Make the site better. | It is completed.
    2 blocked 3 retries_exhausted | Step 1 of 1 of the plan “Better pages”. | 
    ");
    test.nothing_is_stuck().await;
}

/// gagan114662/openbot#95: a lease that was shorter than the work burnt the attempts, and looked like
/// failures.
#[tokio::test]
async fn row_07_a_lease_that_ran_out_is_told_apart_from_a_failure() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    planner.claim().await;
    test.advance(LEASE);
    test.run_due_work().await;
    insta::assert_snapshot!(turns(test, planner.conversation).await, @"1 queued 1 lease_expired | Make the site better. | ");
    let claimed = planner.claim().await;
    test.complete_turn(agent, &claimed, Reply::Released)
        .await
        .expect("given back");
    insta::assert_snapshot!(turns(test, planner.conversation).await, @"1 queued 2 released | Make the site better. | ");
    let claimed = planner.claim().await;
    planner.end(&claimed, Reply::Failed).await;
    insta::assert_snapshot!(turns(test, planner.conversation).await, @"1 failed 3 - | Make the site better. | It is failed.");
    test.nothing_is_stuck().await;
}

/// hatchet-dev/hatchet#2573, #1996, #211: strange payloads broke an internal event, and what hung
/// couldn't be cancelled.
#[tokio::test]
async fn row_08_whatever_was_written_can_be_worked_on_and_cancelled() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let mut deep = json!([]);
    for _ in 0..60 {
        deep = json!([deep]);
    }
    let long = "ß".repeat(7_000);
    let inputs = [
        json!({"list": [1, [2, {}], null, true]}),
        json!({"deep": deep}),
        json!({"long": long}),
        json!({"odd": "\u{1}\u{7f}\u{2028}\u{feff}\u{1f9ff} \"'\\ $1 ?1 --"}),
    ];
    let steps = inputs.iter().enumerate().map(|(index, input)| {
        let mut odd = step(&format!("odd{index}"), Operation::Research, &[]);
        odd.input = input.clone();
        odd
    });
    let made = test.planned(agent, "s1", steps.collect()).await;
    for input in &inputs[..2] {
        let claimed = planner.claim().await;
        let offered = claimed.plan_step.as_ref().expect("a step");
        assert_eq!(offered.input, *input, "as it was written");
        planner.end(&claimed, Reply::Completed).await;
    }
    let editor = test.member(Role::Editor).await;
    let given_up = test.app.cancel_plan(&editor, made.plan_id).await;
    let states = given_up.expect("given up").steps;
    assert!(states.iter().all(|step| step.state.is_final()));
    test.nothing_is_stuck().await;
    test.verify_ledger().await;
}

/// restatedev/restate#5196: something waited for what only it could bring about. The control: a step
/// that is waited for and that no turn delivers is seen.
#[tokio::test]
async fn row_09_what_is_stuck_is_seen() {
    let planner = Planner::new().await;
    let test = &planner.test;
    test.planned(&planner.agent, "s1", three()).await;
    test.nothing_is_stuck().await;
    for (spoil, seen) in [
        (
            "UPDATE task_steps SET state = 'waiting' WHERE key = 'find'",
            "plan that nobody goes on with",
        ),
        (
            "UPDATE task_steps SET state = 'awaiting_approval' WHERE key = 'find'",
            "step that waits for a proposal that is settled",
        ),
        (
            "UPDATE task_steps SET state = 'running' WHERE key = 'find'",
            "step without the turn that delivers it",
        ),
        (
            "UPDATE task_steps SET state = 'ready' WHERE key = 'find'",
            "step that could be offered",
        ),
        (
            "UPDATE conversations SET next_turn = NULL",
            "turn that no claim finds",
        ),
    ] {
        let write = move |tx: &mut ql_store::Tx<'_>| tx.execute(spoil, &[]).map(drop);
        let spoiled: std::result::Result<(), ql_store::StoreError> =
            test.app.store().write(write).await;
        spoiled.expect("a statement");
        let found = test.stuck().await;
        assert!(
            found.iter().any(|(what, _)| what == seen),
            "{spoil}: {found:?}"
        );
    }
}

/// restatedev/restate#3217: what had been cancelled in bulk was tried again and again.
#[tokio::test]
async fn row_10_what_is_cancelled_in_bulk_is_gone() {
    let test = TestApp::new().await;
    let (agent, editor) = (test.agent().await, test.member(Role::Editor).await);
    let mut plans = Vec::new();
    for number in 0..8 {
        test.asked("Do a lot.").await;
        let many = (0..100).map(|index| step(&format!("s{index}"), Operation::Research, &[]));
        let session = format!("s{number}");
        plans.push(test.planned(&agent, &session, many.collect()).await.plan_id);
    }
    for id in plans {
        test.app.cancel_plan(&editor, id).await.expect("given up");
    }
    for number in 0..8 {
        let claimed = test.claim_turn(&agent, &format!("s{number}")).await;
        assert_eq!(code(claimed), "no_task");
    }
    assert_eq!(test.run_due_work().await, ql_app::job::Round::default());
    test.nothing_is_stuck().await;
}

/// dbos-inc/dbos-transact-java#491: a server that started anew ran again what somebody was doing.
#[tokio::test]
async fn row_11_a_restart_leaves_living_leases_alone() {
    let planner = Planner::new().await;
    let claimed = planner.claim().await;
    let again = planner.test.second_server();
    assert_eq!(again.run_due_work().await.expect("work").turns_returned, 0);
    let other = planner.test.second_connection().await;
    let refused = again.claim_turn(&other, claim("s1"), None).await;
    assert_eq!(code(refused), "no_task");
    let done = again.complete_turn(&planner.agent, completion(&claimed, Reply::Completed), None);
    done.await.expect("the lease survived");
    planner.test.nothing_is_stuck().await;
}

/// dbos-inc/dbos-transact-py#759: a row with an empty id came back for a month.
#[tokio::test]
async fn row_12_empty_white_and_endless_names_are_refused() {
    let planner = Planner::new().await;
    let (app, agent) = (&planner.test.app, &planner.agent);
    for name in ["", " ", "\n\t", &"s".repeat(201)] {
        let refused = app.claim_turn(agent, claim(name), None).await;
        assert_eq!(code(refused), "invalid_arguments", "{name:?}");
    }
    let claimed = planner.claim().await;
    for key in ["", " ", "A", &"k".repeat(65)] {
        let steps = vec![step(key, Operation::Research, &[])];
        let refused = app.create_task_plan(agent, plan(&claimed, steps), None);
        assert_eq!(code(refused.await), "invalid_arguments", "{key:?}");
    }
    planner.end(&claimed, Reply::Completed).await;
    planner.test.nothing_is_stuck().await;
}

/// dbos-inc/dbos-transact-py#805: what died between two steps blocked its queue. Completing a step
/// and offering the next are one commit, so there is no between: another server goes on at once.
#[tokio::test]
async fn row_13_a_plan_goes_on_wherever_a_server_dies() {
    let planner = Planner::new().await;
    let test = &planner.test;
    let chain = ["a", "b", "c", "d"];
    let steps = chain.iter().enumerate().map(|(index, key)| {
        let before: Vec<&str> = index.checked_sub(1).map(|i| chain[i]).into_iter().collect();
        step(key, Operation::Research, &before)
    });
    let made = test.planned(&planner.agent, "s1", steps.collect()).await;
    for key in chain {
        // Each step is claimed and completed on servers that know nothing of each other.
        let (one, other) = (test.second_server(), test.second_server());
        let claimed = one.claim_turn(&planner.agent, claim("s1"), None).await;
        let claimed = claimed.expect("a step");
        assert_eq!(claimed.plan_step.as_ref().expect("a step").key, key);
        let said = completion(&claimed, Reply::Completed);
        let done = other.complete_turn(&planner.agent, said, None).await;
        done.expect("completed");
        test.nothing_is_stuck().await;
    }
    assert!(planner.steps(made.plan_id).await.contains("finished"));
}

/// dbos-inc/dbos-transact-ts#725: the same id with another function spoiled the first one.
#[tokio::test]
async fn row_14_a_key_with_other_arguments_leaves_the_first_alone() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let key = |arguments| Some(IdempotencyKey::new("claim", "k", &arguments));
    let first = test
        .app
        .claim_turn(agent, claim("s1"), key(json!({"session_id": "s1"})))
        .await
        .expect("a turn");
    let shown = turns(test, planner.conversation).await;
    let other = test
        .app
        .claim_turn(agent, claim("s2"), key(json!({"session_id": "s2"})))
        .await;
    assert_eq!(code(other), "idempotency_conflict");
    assert_eq!(turns(test, planner.conversation).await, shown);
    planner.end(&first, Reply::Completed).await;
    test.nothing_is_stuck().await;
}

/// inngest/inngest#875: three sends of one id ran three times.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn row_15_sixty_four_identical_requests_are_one() {
    let planner = Planner::new().await;
    let servers = [planner.test.app.clone(), planner.test.second_server()];
    let mut calls = JoinSet::new();
    for number in 0..64 {
        let (app, agent) = (servers[number % 2].clone(), planner.agent.clone());
        let key = IdempotencyKey::new("claim", "k", &json!({}));
        calls.spawn(persistently(app, move |app| {
            let (agent, key) = (agent.clone(), key.clone());
            async move { app.claim_turn(&agent, claim("s1"), Some(key)).await }
        }));
    }
    let mut answers = Vec::new();
    while let Some(answer) = calls.join_next().await {
        answers.push(answer.expect("no panic").expect("a turn"));
    }
    assert_eq!(answers.len(), 64);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(answers[0].attempt, 1);
    planner.end(&answers[0], Reply::Completed).await;
    planner.test.nothing_is_stuck().await;
}

/// Repeats what met too many others at once, as a client does.
async fn persistently<T, F>(app: App, call: impl Fn(App) -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    loop {
        match call(app.clone()).await {
            Err(Error::Unavailable(_) | Error::Conflict) => tokio::task::yield_now().await,
            answer => return answer,
        }
    }
}

/// Two workers on two servers want the same turn at the same moment: one gets it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn row_15_two_workers_on_two_servers_never_hold_one_turn_both() {
    for _ in 0..5 {
        let planner = Planner::new().await;
        let second = planner.test.second_connection().await;
        let workers = [
            (planner.test.app.clone(), planner.agent.clone()),
            (planner.test.second_server(), second),
        ];
        let mut calls = JoinSet::new();
        for (app, agent) in workers {
            calls.spawn(persistently(app, move |app| {
                let agent = agent.clone();
                async move { app.claim_turn(&agent, claim("s1"), None).await }
            }));
        }
        let mut got = 0;
        while let Some(answer) = calls.join_next().await {
            got += usize::from(answer.expect("no panic").is_ok());
        }
        assert_eq!(got, 1);
    }
}

/// techdiary-dev/techdiary.dev#104: twenty-one attempts in a second, each with a row of its own.
#[tokio::test]
async fn row_16_a_worker_that_fails_as_fast_as_it_can_gets_three_attempts() {
    let planner = Planner::new().await;
    let steps = vec![step("find", Operation::Research, &[])];
    planner.test.planned(&planner.agent, "s1", steps).await;
    let mut tried = 0;
    while let Ok(claimed) = planner.test.claim_turn(&planner.agent, "s1").await {
        planner.end(&claimed, Reply::Failed).await;
        tried += 1;
        assert!(tried < 10);
    }
    assert_eq!(tried, 3);
    // And one that vanishes waits out its lease each time: that is the least between two attempts.
    let conversation = planner.test.asked("Again.").await;
    planner
        .test
        .claim_turn(&planner.agent, "t")
        .await
        .expect("a turn");
    let other = planner.test.second_connection().await;
    for _ in 0..9 {
        planner.test.advance(minutes(1));
        let refused = planner.test.claim_turn(&other, "t").await;
        assert_eq!(code(refused), "no_task");
    }
    planner.test.advance(minutes(1));
    planner
        .test
        .claim_turn(&other, "t")
        .await
        .expect("ten minutes later");
    insta::assert_snapshot!(turns(&planner.test, conversation).await, @"1 leased 2 lease_expired | Again. | ");
    planner.test.nothing_is_stuck().await;
}

/// dapr/dapr#10344: clients that tried again at the same moment couldn't be told from load. Here they
/// wait in memory, and what comes wakes only whom it is for.
#[tokio::test]
async fn row_17_many_who_wait_cost_nothing_and_one_turn_wakes_one() {
    let test = Arc::new(TestApp::new().await);
    let agent = test.agent().await;
    let conversation = test.asked("First.").await;
    let first = test.claim_turn(&agent, "s0").await.expect("a turn");
    test.complete_turn(&agent, &first, Reply::Completed)
        .await
        .expect("completed");
    let mut waiting = JoinSet::new();
    for number in 0..1_000 {
        let (app, agent) = (test.app.clone(), agent.clone());
        let patient = ClaimTurn {
            wait: Duration::from_secs(30),
            ..claim(&format!("s{number}"))
        };
        waiting.spawn(async move { app.claim_turn(&agent, patient, None).await });
    }
    until(|| test.app.waiting_claims() == 1_000).await;
    until_quiet(&test).await;
    let before = test.app.writes();
    test.say(conversation, "Second.").await;
    let claimed = waiting.join_next().await.expect("one").expect("no panic");
    assert_eq!(claimed.expect("a turn").user_message, "Second.");
    let writes = test.app.writes() - before;
    assert!(writes <= 3, "one turn made {writes} changes");
    assert_eq!(test.app.waiting_claims(), 999);
    test.app.end_waiting();
    while let Some(ended) = waiting.join_next().await {
        assert_eq!(code(ended.expect("no panic")), "no_task");
    }
    test.nothing_is_stuck().await;
}

/// Waits until every claim has looked once and rests.
async fn until_quiet(test: &TestApp) {
    let mut last = test.app.store().waiting();
    for _ in 0..2_000 {
        tokio::task::yield_now().await;
        last = last.min(test.app.store().waiting());
    }
    until(|| test.app.store().waiting() == 0).await;
}

/// timgit/pg-boss#850, taskforcesh/bullmq#4729, graphile/worker#541: a notification that was lost left
/// jobs lying. Here it is a hint: what another server wrote is seen all the same, and where it can't be
/// seen a number says so.
#[tokio::test]
async fn row_18_a_turn_of_another_server_is_seen_without_a_notification() {
    let test = TestApp::new().await;
    let conversation = test.converse(&test.home).await;
    let (other, agent) = (test.second_server(), test.agent().await);
    let patient = ClaimTurn {
        wait: Duration::from_secs(30),
        ..claim("s1")
    };
    let (server, caller) = (other.clone(), agent.clone());
    let waiting = tokio::spawn(async move { server.claim_turn(&caller, patient, None).await });
    until(|| other.waiting_claims() == 1).await;
    let begun = tokio::time::Instant::now();
    test.say(conversation, "Written elsewhere.").await;
    let claimed = waiting.await.expect("no panic").expect("a turn");
    assert_eq!(claimed.user_message, "Written elsewhere.");
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    let said = completion(&claimed, Reply::Completed);
    let done: CompletedTurn = other.complete_turn(&agent, said, None).await.expect("done");
    assert_eq!(done.turn_state, "completed");
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn row_18_a_look_that_fails_is_counted() {
    let test = TestApp::embedded().await;
    let agent = test.agent().await;
    let patient = ClaimTurn {
        wait: Duration::from_secs(30),
        ..claim("s1")
    };
    let server = test.app.clone();
    let waiting = tokio::spawn(async move { server.claim_turn(&agent, patient, None).await });
    until(|| test.app.waiting_claims() == 1).await;
    assert_eq!(test.app.failed_looks(), 0);
    test.lose_database();
    until(|| test.app.failed_looks() > 0).await;
    waiting.abort();
}

/// kamu-data/kamu-cli#1398, Eventuous/eventuous#222: who read on from the last number never saw what
/// was committed late under an earlier one.
#[tokio::test]
async fn row_19_what_is_committed_late_is_still_seen() {
    let test = TestApp::new().await;
    let late = test.asked("Written at noon.").await;
    test.advance(Duration::from_secs(1));
    let early = test.asked("Written a second later.").await;
    let seen = |since: Timestamp, now: Timestamp| {
        let store = test.app.store().clone();
        async move {
            let found = store.read(move |tx| conversation::claimable(tx, (since, now)));
            let found: std::result::Result<Vec<_>, ql_store::StoreError> = found.await;
            found.expect("a list").len()
        }
    };
    // A look at the second instant, whose first turn was committed only after it, reaches back.
    let at = test.now();
    assert_eq!(seen(at.minus(Duration::from_secs(3)), at).await, 2);
    let agent = test.agent().await;
    for (session, conversation) in [("s1", late), ("s2", early)] {
        let claimed = test.claim_turn(&agent, session).await.expect("a turn");
        assert_eq!(claimed.conversation.conversation_id, conversation);
    }
    test.nothing_is_stuck().await;
}

/// mlflow/mlflow#25199, MAS#3307, johanhaleby/occurrent#664: leases judged by each server's own clock.
#[tokio::test]
async fn row_20_a_server_whose_clock_is_years_ahead_takes_nothing_over() {
    let Some(database) = FreshDatabase::postgres() else {
        return;
    };
    let test = TestApp::over(database).await;
    let far = Arc::new(FixedClock::default());
    far.advance(days(3650));
    let behind = Arc::new(FixedClock::default());
    let ahead = test.replica_with(far).expect("a server");
    let behind = test.replica_with(behind).expect("a server");
    let editor = test.member(Role::Editor).await;
    let begun = behind
        .create_conversation(&editor, test.home.agent.id)
        .await;
    let id = begun.expect("a conversation").id;
    behind
        .add_turn(&editor, id, "One.".into())
        .await
        .expect("a turn");
    let agent = test.agent().await;
    let held = behind.claim_turn(&agent, claim("s1"), None).await;
    let held = held.expect("a turn");
    assert_eq!(ahead.run_due_work().await.expect("work").turns_returned, 0);
    let admin = test.member(Role::Admin).await;
    let patient = ql_app::connection::NewConnection {
        agent: test.home.agent.id,
        name: "second".into(),
        scopes: ql_core::scope::ScopeSet::ALL,
        expires_at: Some(test.now().plus(days(365))),
    };
    let second = test.app.create_connection(&admin, patient).await;
    let second = second.expect("a connection").secret;
    let second = behind
        .authenticate_connection(second.expose())
        .await
        .expect("living");
    let refused = behind.claim_turn(&second, claim("s1"), None).await;
    assert_eq!(code(refused), "no_task");
    let said = completion(&held, Reply::Completed);
    behind
        .complete_turn(&agent, said, None)
        .await
        .expect("it still holds");
}

/// The machine's clock jumps an hour forward and back: no attempt is lost, none is counted twice.
#[tokio::test]
async fn row_20_a_clock_that_jumps_ends_a_lease_once() {
    let planner = Planner::new().await;
    let test = &planner.test;
    let first = planner.claim().await;
    test.clock.set_back(minutes(60));
    let other = test.second_connection().await;
    assert_eq!(code(test.claim_turn(&other, "s1").await), "no_task");
    test.advance(minutes(120));
    let second = test.claim_turn(&other, "s1").await.expect("it ran out");
    assert_eq!(second.attempt, 2);
    test.clock.set_back(minutes(60));
    let late = test.complete_turn(&planner.agent, &first, Reply::Completed);
    assert!(lost(&late.await), "the jump back brings no lease back");
    test.complete_turn(&other, &second, Reply::Completed)
        .await
        .expect("completed");
    test.nothing_is_stuck().await;
}

/// langchain-ai/langgraph#6792, #7361, #6208: an approval ran everything before it once more.
#[tokio::test]
async fn row_21_an_approval_runs_nothing_again() {
    let planner = Planner::new().await;
    let test = &planner.test;
    let made = test.planned(&planner.agent, "s1", three()).await;
    planner.work().await;
    let claimed = planner.claim().await;
    let proposal = planner.propose(&claimed).await;
    test.complete_with(&planner.agent, &claimed, proposal)
        .await
        .expect("completed");
    let before = turns(test, planner.conversation).await;
    let editor = test.member(Role::Editor).await;
    test.approve(&editor, proposal).await.expect("carried out");
    let after = turns(test, planner.conversation).await;
    let new: Vec<&str> = after.lines().skip(before.lines().count()).collect();
    assert_eq!(new.len(), 1, "{after}");
    assert!(new[0].contains("Step 3 of 3"), "only what comes next");
    assert!(after.starts_with(&before), "nothing before it moved");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    find succeeded 1
    write succeeded 1
    check offered 0
    ");
    test.nothing_is_stuck().await;
}

/// microsoft/agent-framework#4618, margince/margince#1689, anthropics/claude-cookbooks#701: one
/// approval applied twice, four asked for one action, and what was approved wasn't what was done.
#[tokio::test]
async fn row_22_one_approval_of_exactly_this_moves_one_step_once() {
    let planner = Planner::new().await;
    let test = &planner.test;
    let steps = vec![step("write", Operation::CreateContent, &[])];
    let made = test.planned(&planner.agent, "s1", steps).await;
    let claimed = planner.claim().await;
    let proposal = planner.propose(&claimed).await;
    assert_eq!(
        planner.propose(&claimed).await,
        proposal,
        "joined, not doubled"
    );
    test.complete_with(&planner.agent, &claimed, proposal)
        .await
        .expect("completed");
    let editor = test.member(Role::Editor).await;
    let other = setup::decision(proposal, Verdict::Approve, ql_core::hash::Digest::ZERO);
    assert_eq!(
        code(test.app.decide(&editor, other).await),
        "digest_mismatch"
    );
    assert!(
        planner
            .steps(made.plan_id)
            .await
            .contains("awaiting_approval")
    );
    let digest = test.app.get_proposal(&editor, proposal).await;
    let digest = digest.expect("the proposal").digest;
    let mut carried_out = 0;
    for _ in 0..3 {
        let press = setup::decision(proposal, Verdict::Approve, digest);
        carried_out += usize::from(test.app.decide(&editor, press).await.is_ok());
    }
    assert_eq!(carried_out, 1);
    let story = events(test, planner.conversation).await;
    assert_eq!(story.matches("step.succeeded").count(), 1, "{story}");
    assert!(planner.steps(made.plan_id).await.contains("finished"));
    test.nothing_is_stuck().await;
}
