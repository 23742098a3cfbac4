//! Task plans: made in a turn, worked on step by step as the next turns, changed only by new
//! versions, and through proposals alone where they change something.

use ql_app::plan::{CreatedPlan, NewPlan};
use ql_app::turn::{ClaimedTurn, CompleteTurn};
use ql_app::{Error, OpContext};
use ql_core::id::{ConversationId, PlanId, ProposalId, StepId};
use ql_core::proposal::Verdict;
use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};
use ql_core::step::Operation;
use ql_core::time::minutes;
use ql_core::turn::Reply;
use ql_testkit::console::{completion, plan, step};
use ql_testkit::{TestApp, setup};

use crate::console::{events, turns};
use crate::say::{code, problems};

/// An agent at home that is about to plan.
pub(crate) struct Planner {
    pub(crate) test: TestApp,
    pub(crate) agent: OpContext,
    pub(crate) conversation: ConversationId,
}

impl Planner {
    pub(crate) async fn new() -> Self {
        Self::of(TestApp::new().await).await
    }

    pub(crate) async fn of(test: TestApp) -> Self {
        let conversation = test.asked("Make the site better.").await;
        let agent = test.agent().await;
        Self {
            test,
            agent,
            conversation,
        }
    }

    pub(crate) async fn claim(&self) -> ClaimedTurn {
        let claimed = self.test.claim_turn(&self.agent, "s1").await;
        claimed.expect("a turn")
    }

    pub(crate) async fn end(&self, claimed: &ClaimedTurn, reply: Reply) -> String {
        let done = self.test.complete_turn(&self.agent, claimed, reply).await;
        let step = done.expect("completed").plan_step;
        step.map(|step| step.state).unwrap_or_default()
    }

    /// Claims the next turn and completes it.
    pub(crate) async fn work(&self) -> String {
        let claimed = self.claim().await;
        self.end(&claimed, Reply::Completed).await
    }

    /// Makes a proposal in a run of the turn that is held.
    pub(crate) async fn propose(&self, claimed: &ClaimedTurn) -> ProposalId {
        let run = self.test.run_for(&self.agent, claimed).await;
        let payload = setup::creation("Moss");
        let proposed = self.test.propose(&self.agent, Some(run), payload).await;
        proposed.expect("a proposal").proposal_id
    }

    /// The steps of a plan, a line each.
    pub(crate) async fn steps(&self, id: PlanId) -> String {
        let viewer = self.test.member(Role::Viewer).await;
        let record = self.test.app.get_plan(&viewer, id).await.expect("the plan");
        let steps = record.steps.iter().map(|step| {
            let reason = step.state.reason().map_or(String::new(), |reason| {
                format!(" {}: {}", reason.code, reason.explanation)
            });
            let (key, state) = (&step.key, step.state.as_str());
            format!("{key} {state} {}{reason}", step.attempts)
        });
        let state = record.plan.state.as_str();
        let lines: Vec<String> = steps.collect();
        format!(
            "version {} {state}\n{}",
            record.plan.version,
            lines.join("\n")
        )
    }

    /// The id of a step by its key.
    pub(crate) async fn step(&self, plan: PlanId, key: &str) -> StepId {
        let viewer = self.test.member(Role::Viewer).await;
        let record = self.test.app.get_plan(&viewer, plan).await;
        let mut steps = record.expect("the plan").steps.into_iter();
        steps.find(|step| step.key == key).expect("a step").id
    }
}

/// Find out, write, publish.
pub(crate) fn three() -> Vec<ql_core::plan::PlannedStep> {
    vec![
        step("find", Operation::Research, &[]),
        step("write", Operation::CreateContent, &["find"]),
        step("check", Operation::Research, &["write"]),
    ]
}

async fn made(planner: &Planner, steps: Vec<ql_core::plan::PlannedStep>) -> CreatedPlan {
    planner.test.planned(&planner.agent, "s1", steps).await
}

#[tokio::test]
async fn steps_come_one_by_one_as_the_next_turns_of_the_conversation() {
    let planner = Planner::new().await;
    let made = made(&planner, three()).await;
    let states: Vec<String> = made
        .steps
        .iter()
        .map(|step| {
            let kind = step.needs_proposal.as_deref().unwrap_or("-");
            format!("{} {} {} {kind}", step.key, step.risk.as_str(), step.state)
        })
        .collect();
    insta::assert_snapshot!(states.join("\n"), @"
    find low offered -
    write low waiting create_content
    check low waiting -
    ");

    let first = planner.claim().await;
    let offered = first.plan_step.clone().expect("a step");
    assert_eq!((offered.key.as_str(), offered.retry_count), ("find", 0));
    insta::assert_snapshot!(first.user_message, @r#"
    Step 1 of 3 of the plan “Better pages”.

    Do find
    Operation: research
    Input: {"about":"find"}
    "#);
    assert_eq!(planner.end(&first, Reply::Completed).await, "succeeded");

    let second = planner.claim().await;
    let offered = second.plan_step.clone().expect("a step");
    assert_eq!(offered.depends_on[0].summary, "It is completed.");
    let proposal = planner.propose(&second).await;
    let done = planner
        .test
        .complete_with(&planner.agent, &second, proposal)
        .await;
    let state = done.expect("completed").plan_step.expect("a step").state;
    assert_eq!(state, "awaiting_approval");
    assert_eq!(
        code(planner.test.claim_turn(&planner.agent, "s1").await),
        "no_task"
    );
    planner.test.nothing_is_stuck().await;

    let editor = planner.test.member(Role::Editor).await;
    planner
        .test
        .approve(&editor, proposal)
        .await
        .expect("carried out");
    assert_eq!(planner.work().await, "succeeded");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 finished
    find succeeded 1
    write succeeded 1
    check succeeded 1
    ");
    insta::assert_snapshot!(turns(&planner.test, planner.conversation).await, @"
    1 completed 1 - | Make the site better. | It is completed.
    2 completed 1 - | Step 1 of 3 of the plan “Better pages”. | It is completed.
    3 completed 1 - | Step 2 of 3 of the plan “Better pages”. | It is completed.
    4 completed 1 - | Step 3 of 3 of the plan “Better pages”. | It is completed.
    ");
    insta::assert_snapshot!(events(&planner.test, planner.conversation).await, @"conversation.begun turn.written conversation.session_bound turn.claimed plan.created step.offered turn.ended turn.claimed step.succeeded turn.ended step.offered turn.claimed step.awaits_approval turn.ended step.succeeded step.offered turn.claimed step.succeeded turn.ended plan.finished");
    planner.test.nothing_is_stuck().await;
    planner.test.verify_ledger().await;
}

#[tokio::test]
async fn a_step_that_changes_something_succeeds_only_through_its_own_proposal() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let outside = test.begin_run(agent).await;
    let elsewhere = test
        .propose(agent, Some(outside), setup::creation("Ferns"))
        .await;
    let elsewhere = elsewhere.expect("a proposal").proposal_id;
    let steps = vec![step("write", Operation::CreateContent, &[])];
    let made = made(&planner, steps).await;
    let claimed = planner.claim().await;
    let needs = Err(Error::NeedsProposal {
        kind: "create_content",
    });
    let without = test.complete_turn(agent, &claimed, Reply::Completed).await;
    assert_eq!(without, needs, "without one");
    let other = test.complete_with(agent, &claimed, elsewhere).await;
    assert_eq!(other, needs, "one that was made in another run");
    let run = test.run_for(agent, &claimed).await;
    let draft = test.draft(agent, run, "Draft").await;
    let publication = setup::publication(vec![draft.publish()]);
    let of_other_kind = test.propose(agent, Some(run), publication).await;
    let of_other_kind = of_other_kind.expect("a proposal").proposal_id;
    let other = test.complete_with(agent, &claimed, of_other_kind).await;
    assert_eq!(other, needs, "one of another kind");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    write running 1
    ");
    let right = planner.propose(&claimed).await;
    let done = test.complete_with(agent, &claimed, right).await;
    done.expect("through its own proposal");
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn a_rejection_fails_the_step_with_the_reviewers_reason_and_isnt_retried() {
    let planner = Planner::new().await;
    let made = made(&planner, three()).await;
    planner.work().await;
    let claimed = planner.claim().await;
    let proposal = planner.propose(&claimed).await;
    planner
        .test
        .complete_with(&planner.agent, &claimed, proposal)
        .await
        .expect("completed");
    let editor = planner.test.member(Role::Editor).await;
    planner
        .test
        .decide(&editor, proposal, Verdict::Reject)
        .await
        .expect("rejected");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    find succeeded 1
    write failed 1 proposal_rejected: I looked at it.
    check waiting 0
    ");
    assert_eq!(
        code(planner.test.claim_turn(&planner.agent, "s1").await),
        "no_task"
    );
    planner.test.nothing_is_stuck().await;

    // A person opens it again.
    let id = planner.step(made.plan_id, "write").await;
    let app = &planner.test.app;
    app.answer_step(&editor, id, "Shorter, please.".into())
        .await
        .expect("answered");
    let again = planner.claim().await;
    let offered = again.plan_step.as_ref().expect("a step");
    assert_eq!(offered.answer.as_deref(), Some("Shorter, please."));
    assert!(again.user_message.contains("Shorter, please."));
    let proposal = planner.propose(&again).await;
    planner
        .test
        .complete_with(&planner.agent, &again, proposal)
        .await
        .expect("completed");
    planner
        .test
        .approve(&editor, proposal)
        .await
        .expect("carried out");
    planner.work().await;
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 finished
    find succeeded 1
    write succeeded 1
    check succeeded 1
    ");
}

#[tokio::test]
async fn a_step_that_fails_is_tried_twice_more_and_then_left_to_people() {
    let planner = Planner::new().await;
    let made = made(&planner, vec![step("find", Operation::Research, &[])]).await;
    let mut states = Vec::new();
    for _ in 0..3 {
        let claimed = planner.claim().await;
        let tried = claimed.plan_step.as_ref().map(|step| step.retry_count);
        states.push((tried, planner.end(&claimed, Reply::Failed).await));
    }
    let expected = [(0, "offered"), (1, "offered"), (2, "failed")];
    assert_eq!(
        states,
        expected.map(|(retry, state)| (Some(retry), state.to_owned()))
    );
    assert_eq!(
        code(planner.test.claim_turn(&planner.agent, "s1").await),
        "no_task"
    );
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    find failed 3 failed: It is failed.
    ");
    planner.test.nothing_is_stuck().await;
    let editor = planner.test.member(Role::Editor).await;
    let id = planner.step(made.plan_id, "find").await;
    planner
        .test
        .app
        .reopen_step(&editor, id)
        .await
        .expect("opened again");
    assert_eq!(planner.work().await, "succeeded");
}

#[tokio::test]
async fn a_step_that_needs_an_answer_waits_for_a_person() {
    let planner = Planner::new().await;
    let made = made(&planner, vec![step("find", Operation::Research, &[])]).await;
    let claimed = planner.claim().await;
    let asked = CompleteTurn {
        message: "Which moss?".into(),
        ..completion(&claimed, Reply::NeedsHumanInput)
    };
    let app = &planner.test.app;
    app.complete_turn(&planner.agent, asked, None)
        .await
        .expect("completed");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    find blocked 1 needs_human_input: Which moss?
    ");
    planner.test.nothing_is_stuck().await;
    let editor = planner.test.member(Role::Editor).await;
    let id = planner.step(made.plan_id, "find").await;
    app.answer_step(&editor, id, "Peat moss.".into())
        .await
        .expect("answered");
    let again = planner.claim().await;
    assert!(again.user_message.contains("A person answered: Peat moss."));
}

#[tokio::test]
async fn a_permission_is_looked_at_before_a_step_is_offered_and_isnt_retried() {
    let planner = Planner::new().await;
    let admin = planner.test.member(Role::Admin).await;
    let without = ScopeSet::ALL.minus([Scope::PublishRequest].into_iter().collect());
    let agent = planner.test.home.agent.id;
    let set = async |scopes| {
        let app = &planner.test.app;
        app.set_permissions(&admin, agent, scopes)
            .await
            .expect("set");
    };
    set(without).await;
    let steps = vec![
        step("publish", Operation::PublishLifecycle, &[]),
        step("find", Operation::Research, &[]),
    ];
    let made = made(&planner, steps).await;
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    publish blocked 0 permission_denied: the agent lacks publish:request on this site
    find offered 0
    ");
    planner.work().await;
    set(ScopeSet::ALL).await;
    let id = planner.step(made.plan_id, "publish").await;
    let app = &planner.test.app;
    app.reopen_step(&admin, id).await.expect("opened again");
    // Taken away once more before the claim: the connection is told, and the step waits.
    set(without).await;
    let agent = planner.test.agent().await;
    let refused = planner.test.claim_turn(&agent, "s1").await;
    assert_eq!(code(refused), "scope_denied");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    publish offered 0
    find succeeded 1
    ");
    planner.test.nothing_is_stuck().await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one story, told whole")]
async fn a_changed_plan_is_a_new_version_in_which_finished_steps_go_on() {
    let planner = Planner::new().await;
    let first = made(&planner, three()).await;
    planner.work().await;
    let claimed = planner.claim().await;
    let proposal = planner.propose(&claimed).await;
    planner
        .test
        .complete_with(&planner.agent, &claimed, proposal)
        .await
        .expect("completed");

    planner.test.say(planner.conversation, "And links.").await;
    let claimed = planner.claim().await;
    let mut steps = three();
    steps[2].input = serde_json::json!({"about": "links too"});
    steps.push(step("more", Operation::Research, &["find"]));
    let app = &planner.test.app;
    let blind = app.create_task_plan(&planner.agent, plan(&claimed, steps.clone()), None);
    assert_eq!(
        blind.await,
        Err(Error::PlanStands {
            plan: first.plan_id
        })
    );
    let new = NewPlan {
        replaces: Some(first.plan_id),
        ..plan(&claimed, steps)
    };
    let second = app
        .create_task_plan(&planner.agent, new.clone(), None)
        .await;
    let second = second.expect("the next version");
    assert_eq!(
        (second.version, &second.carried_over),
        (2, &vec!["find".into(), "write".into()])
    );
    let again = app.create_task_plan(&planner.agent, new, None).await;
    assert_eq!(
        again,
        Err(Error::PlanStands {
            plan: second.plan_id
        }),
        "a version is replaced once"
    );
    insta::assert_snapshot!(planner.steps(first.plan_id).await, @"
    version 1 superseded
    find succeeded 1
    write cancelled 1 plan_superseded: 
    check cancelled 0 plan_superseded: 
    ");
    insta::assert_snapshot!(planner.steps(second.plan_id).await, @"
    version 2 active
    find succeeded 1
    write awaiting_approval 1
    check waiting 0
    more offered 0
    ");
    planner.end(&claimed, Reply::Completed).await;
    let editor = planner.test.member(Role::Editor).await;
    planner
        .test
        .approve(&editor, proposal)
        .await
        .expect("carried out");
    planner.work().await;
    planner.work().await;
    insta::assert_snapshot!(planner.steps(second.plan_id).await, @"
    version 2 finished
    find succeeded 1
    write succeeded 1
    check succeeded 1
    more succeeded 1
    ");
    planner.test.nothing_is_stuck().await;
    planner.test.verify_ledger().await;
}

/// A worker that plans anew in the middle of a step ends its turn as usual.
#[tokio::test]
async fn a_step_can_be_where_the_plan_is_changed() {
    let planner = Planner::new().await;
    let first = made(&planner, three()).await;
    let claimed = planner.claim().await;
    let new = NewPlan {
        replaces: Some(first.plan_id),
        ..plan(&claimed, vec![step("other", Operation::Research, &[])])
    };
    let second = planner.test.app.create_task_plan(&planner.agent, new, None);
    let second = second.await.expect("the next version");
    assert_eq!(planner.end(&claimed, Reply::Completed).await, "cancelled");
    assert_eq!(planner.work().await, "succeeded");
    insta::assert_snapshot!(planner.steps(second.plan_id).await, @"
    version 2 finished
    other succeeded 1
    ");
    planner.test.nothing_is_stuck().await;
}

#[tokio::test]
async fn what_is_given_up_takes_what_depends_on_it_along() {
    let planner = Planner::new().await;
    let mut steps = three();
    steps.push(step("alone", Operation::Research, &[]));
    let made = made(&planner, steps).await;
    let editor = planner.test.member(Role::Editor).await;
    let claimed = planner.claim().await;
    let id = planner.step(made.plan_id, "find").await;
    let app = &planner.test.app;
    app.cancel_step(&editor, id).await.expect("given up");
    let late = planner
        .test
        .complete_turn(&planner.agent, &claimed, Reply::Completed)
        .await;
    assert_eq!(code(late), "lease_lost");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 active
    find cancelled 1 cancelled_by_member: 
    write cancelled 0 dependency_cancelled: 
    check cancelled 0 dependency_cancelled: 
    alone offered 0
    ");
    app.cancel_plan(&editor, made.plan_id)
        .await
        .expect("given up");
    insta::assert_snapshot!(planner.steps(made.plan_id).await, @"
    version 1 finished
    find cancelled 1 cancelled_by_member: 
    write cancelled 0 dependency_cancelled: 
    check cancelled 0 dependency_cancelled: 
    alone cancelled 0 cancelled_by_member: 
    ");
    assert_eq!(
        code(app.reopen_step(&editor, id).await),
        "invalid_transition"
    );
    planner.test.nothing_is_stuck().await;
}

#[tokio::test]
async fn a_plan_needs_a_session_a_lease_and_sound_steps() {
    let planner = Planner::new().await;
    let (test, agent) = (&planner.test, &planner.agent);
    let unnamed = ql_app::turn::ClaimTurn::default();
    let claimed = test.app.claim_turn(agent, unnamed, None).await;
    let claimed = claimed.expect("a turn without a session");
    let new = || plan(&claimed, three());
    let unbound = test.app.create_task_plan(agent, new(), None).await;
    let Err(Error::RuntimeUnavailable(why)) = unbound else {
        panic!("a plan without a session")
    };
    assert_eq!(why.code(), "session_unbound");
    let mut steps = three();
    steps[0].depends_on.push("check".into());
    let circle = test
        .app
        .create_task_plan(agent, plan(&claimed, steps), None);
    insta::assert_snapshot!(problems(circle.await), @"
    /steps/0/depends_on cycle: `find` waits for check in a circle
    /steps/1/depends_on cycle: `write` waits for find in a circle
    /steps/2/depends_on cycle: `check` waits for write in a circle
    ");
    test.advance(minutes(10));
    let late = test.app.create_task_plan(agent, new(), None).await;
    assert_eq!(code(late), "lease_lost");
    let stranger = test.agent_of(&test.sibling).await;
    let foreign = test.app.create_task_plan(&stranger, new(), None).await;
    assert_eq!(code(foreign), "not_found");
}
