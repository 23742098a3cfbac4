//! The console: a member asks, one worker at a time does it in the session that the conversation is
//! bound to, and says what came of it.

use std::time::Duration;

use ql_app::turn::{ClaimTurn, ClaimedTurn, CompleteTurn};
use ql_app::{Error, IdempotencyKey, OpContext};
use ql_core::conversation::{Presented, SessionRefused};
use ql_core::id::ConversationId;
use ql_core::ledger::Subject;
use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};
use ql_core::time::minutes;
use ql_core::turn::{Reply, TurnState};
use ql_store::ledger;
use ql_testkit::{TestApp, console};
use serde_json::json;

use crate::say::{code, problems};

/// The turns of a conversation as a member sees them, a line each.
pub(crate) async fn turns(test: &TestApp, id: ConversationId) -> String {
    let viewer = test.member(Role::Viewer).await;
    let record = test.app.get_conversation(&viewer, id).await;
    let record = record.expect("the conversation");
    let lines = record.turns.iter().map(|turn| {
        let reason = turn.reason.as_deref().unwrap_or("-");
        let reply = match &turn.state {
            TurnState::Ended(ended) => ended.reply.as_str(),
            TurnState::Queued | TurnState::Leased(_) => "",
        };
        let (state, message) = (turn.state.as_str(), turn.message.lines().next());
        let message = message.unwrap_or_default();
        format!(
            "{} {state} {} {reason} | {message} | {reply}",
            turn.number, turn.attempts
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a conversation's chain says happened, in order.
pub(crate) async fn events(test: &TestApp, id: ConversationId) -> String {
    let chain = test.app.store().read(move |tx| {
        let chain = ledger::chain(tx, Subject::Conversation(id))?;
        Ok::<_, ql_store::StoreError>(chain)
    });
    let kinds = chain.await.expect("a chain").into_iter();
    kinds.map(|entry| entry.kind).collect::<Vec<_>>().join(" ")
}

fn presenting(session: Option<&str>, previous: Option<&str>) -> ClaimTurn {
    ClaimTurn {
        presented: Presented {
            session: session.map(str::to_owned),
            previous: previous.map(str::to_owned),
        },
        wait: Duration::ZERO,
    }
}

#[tokio::test]
async fn a_member_asks_an_agent_does_it_and_the_chain_tells_the_story() {
    let test = TestApp::new().await;
    let conversation = test.asked("Write about moss.").await;
    test.say(conversation, "And about ferns.").await;
    let agent = test.agent().await;

    let claimed = test.claim_turn(&agent, "s1").await.expect("a turn");
    assert_eq!(claimed.user_message, "Write about moss.");
    assert_eq!(claimed.lease_expires_at, test.now().plus(minutes(10)));
    assert_eq!(claimed.attempt, 1);
    insta::assert_snapshot!(turns(&test, conversation).await, @"
    1 leased 1 - | Write about moss. | 
    2 queued 0 - | And about ferns. | 
    ");
    let done = test.complete_turn(&agent, &claimed, Reply::Completed).await;
    assert_eq!(done.expect("completed").turn_state, "completed");
    let next = test
        .claim_turn(&agent, "s1")
        .await
        .expect("the second turn");
    assert_eq!(next.conversation.turn_number, 2);
    test.complete_turn(&agent, &next, Reply::NeedsHumanInput)
        .await
        .expect("completed");

    insta::assert_snapshot!(turns(&test, conversation).await, @"
    1 completed 1 - | Write about moss. | It is completed.
    2 needs_human_input 1 - | And about ferns. | It is needs_human_input.
    ");
    insta::assert_snapshot!(events(&test, conversation).await, @"conversation.begun turn.written turn.written conversation.session_bound turn.claimed turn.ended turn.claimed turn.ended");
    assert_eq!(code(test.claim_turn(&agent, "s1").await), "no_task");
    test.verify_ledger().await;
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn a_claim_that_is_repeated_gives_the_same_turn_and_renews_it() {
    let test = TestApp::new().await;
    test.asked("Once.").await;
    let agent = test.agent().await;
    let first = test.claim_turn(&agent, "s1").await.expect("a turn");
    test.advance(minutes(9));
    let again = test.claim_turn(&agent, "s1").await.expect("the same turn");
    let renewed = ClaimedTurn {
        lease_expires_at: test.now().plus(minutes(10)),
        ..first.clone()
    };
    assert_eq!(again, renewed);
    let other = test.second_connection().await;
    assert_eq!(code(test.claim_turn(&other, "s1").await), "no_task");
    let unnamed = test.app.claim_turn(&agent, presenting(None, None), None);
    assert_eq!(code(unnamed.await), "no_task", "it is bound to a session");
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn a_turn_that_is_given_back_goes_to_the_next_who_claims() {
    let test = TestApp::new().await;
    let conversation = test.asked("Whoever can.").await;
    let (agent, other) = (test.agent().await, test.second_connection().await);
    let first = test.claim_turn(&agent, "s1").await.expect("a turn");
    let released = test.complete_turn(&agent, &first, Reply::Released).await;
    assert_eq!(released.expect("given back").turn_state, "queued");
    let second = test.claim_turn(&other, "s1").await.expect("the same turn");
    assert_eq!((second.turn_id, second.attempt), (first.turn_id, 2));
    assert_ne!(second.lease_token, first.lease_token);
    let late = test.complete_turn(&agent, &first, Reply::Completed).await;
    assert_eq!(code(late), "lease_lost");
    test.complete_turn(&other, &second, Reply::Completed)
        .await
        .expect("completed");
    insta::assert_snapshot!(turns(&test, conversation).await, @"1 completed 2 - | Whoever can. | It is completed.");
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn a_conversation_follows_its_session_and_no_other() {
    let test = TestApp::new().await;
    let (one, other) = (test.asked("One.").await, test.asked("Other.").await);
    let agent = test.agent().await;
    let claim = async |session: Option<&str>, previous: Option<&str>| {
        let claim = presenting(session, previous);
        test.app.claim_turn(&agent, claim, None).await
    };
    let end = async |claimed: ClaimedTurn| {
        test.complete_turn(&agent, &claimed, Reply::Completed)
            .await
            .expect("completed");
        claimed.conversation
    };
    let first = end(claim(Some("s1"), None).await.expect("one")).await;
    assert_eq!(first.conversation_id, one);
    let second = end(claim(Some("t1"), None).await.expect("the other")).await;
    assert_eq!(second.conversation_id, other);
    // The program compresses, and the conversation goes on in the session after.
    test.say(one, "More.").await;
    let rotated = end(claim(Some("s2"), Some("s1")).await.expect("rotated")).await;
    assert_eq!(
        (
            rotated.session_id.as_deref(),
            rotated.root_session_id.as_deref()
        ),
        (Some("s2"), Some("s1"))
    );
    let refused = |answer: Result<ClaimedTurn, Error>| match answer.expect_err("refused") {
        Error::SessionRefused(why) => why.code(),
        other => other.code(),
    };
    test.say(one, "Still more.").await;
    assert_eq!(refused(claim(Some("s1"), None).await), "session_superseded");
    assert_eq!(
        refused(claim(Some("s3"), Some("s1")).await),
        "session_superseded",
        "a fork is no successor"
    );
    assert_eq!(
        refused(claim(Some("t1"), Some("s2")).await),
        "session_of_another_conversation"
    );
    assert_eq!(
        refused(claim(Some("n2"), Some("n1")).await),
        "previous_session_unknown"
    );
    assert_eq!(refused(claim(None, Some("s2")).await), "session_unnamed");
    let new = claim(Some("new"), None).await.expect_err("nothing for it");
    assert_eq!(new, Error::NoTask { elsewhere: true });
    let last = end(claim(Some("s2"), Some("s1"))
        .await
        .expect("named once more"))
    .await;
    assert_eq!(last.conversation_id, one);
    insta::assert_snapshot!(events(&test, one).await, @"conversation.begun turn.written conversation.session_bound turn.claimed turn.ended turn.written conversation.session_rotated turn.claimed turn.ended turn.written turn.claimed turn.ended");
    test.nothing_is_stuck().await;
}

/// A program that compresses while nothing waits says so once; that must not be lost.
#[tokio::test]
async fn a_session_that_goes_on_is_recorded_although_nothing_waits() {
    let test = TestApp::new().await;
    let conversation = test.asked("One.").await;
    let agent = test.agent().await;
    let first = test.claim_turn(&agent, "s1").await.expect("a turn");
    test.complete_turn(&agent, &first, Reply::Completed)
        .await
        .expect("completed");
    let rotated = test
        .app
        .claim_turn(&agent, presenting(Some("s2"), Some("s1")), None);
    assert_eq!(code(rotated.await), "no_task");
    test.say(conversation, "Two.").await;
    let next = test
        .claim_turn(&agent, "s2")
        .await
        .expect("the second turn");
    assert_eq!(next.conversation.session_id.as_deref(), Some("s2"));
}

#[tokio::test]
async fn a_completion_in_another_session_or_with_strange_things_changes_nothing() {
    let test = TestApp::new().await;
    let conversation = test.asked("One.").await;
    let agent = test.agent().await;
    let before = test.begin_run(&agent).await;
    let claimed = test.claim_turn(&agent, "s1").await.expect("a turn");
    let shown = turns(&test, conversation).await;
    let said = || console::completion(&claimed, Reply::Completed);
    let other = CompleteTurn {
        session: Some("s2".into()),
        ..said()
    };
    let answer = test.app.complete_turn(&agent, other, None).await;
    assert_eq!(
        answer,
        Err(SessionRefused::AnotherConversation.into()),
        "another session"
    );
    let run = CompleteTurn {
        run: Some(before),
        ..said()
    };
    assert_eq!(
        code(test.app.complete_turn(&agent, run, None).await),
        "not_found",
        "a run that wasn't begun under the lease"
    );
    let sibling = test.agent_of(&test.sibling).await;
    assert_eq!(
        code(test.app.complete_turn(&sibling, said(), None).await),
        "not_found",
        "another agent"
    );
    let empty = CompleteTurn {
        message: " ".into(),
        ..said()
    };
    assert_eq!(
        problems(test.app.complete_turn(&agent, empty, None).await),
        "/message required: expected a text that isn't empty"
    );
    assert_eq!(turns(&test, conversation).await, shown);
    let own = CompleteTurn {
        session: Some("s1".into()),
        run: Some(test.run_for(&agent, &claimed).await),
        ..said()
    };
    test.app
        .complete_turn(&agent, own, None)
        .await
        .expect("completed");
}

#[tokio::test]
async fn a_member_stops_a_turn_and_opens_one_again() {
    let test = TestApp::new().await;
    let conversation = test.asked("One.").await;
    let (agent, editor) = (test.agent().await, test.member(Role::Editor).await);
    let claimed = test.claim_turn(&agent, "s1").await.expect("a turn");
    test.app
        .cancel_turn(&editor, claimed.turn_id)
        .await
        .expect("stopped");
    let late = test.complete_turn(&agent, &claimed, Reply::Completed).await;
    assert_eq!(code(late), "lease_lost");
    let again = test.app.reopen_turn(&editor, claimed.turn_id).await;
    assert_eq!(code(again), "invalid_transition", "what a person stopped");

    let second = test.say(conversation, "Two.").await;
    let claimed = test.claim_turn(&agent, "s1").await.expect("the second");
    test.complete_turn(&agent, &claimed, Reply::Failed)
        .await
        .expect("completed");
    test.app
        .reopen_turn(&editor, second.id)
        .await
        .expect("opened again");
    let again = test.claim_turn(&agent, "s1").await.expect("once more");
    assert_eq!((again.turn_id, again.attempt), (second.id, 1));
    test.complete_turn(&agent, &again, Reply::Completed)
        .await
        .expect("completed");
    insta::assert_snapshot!(turns(&test, conversation).await, @"
    1 cancelled 1 cancelled_by_member | One. | 
    2 completed 1 - | Two. | It is completed.
    ");
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn a_claim_that_waits_is_answered_when_a_turn_is_written() {
    let test = TestApp::new().await;
    let conversation = test.converse(&test.home).await;
    let (app, agent) = (test.app.clone(), test.agent().await);
    let waiting = tokio::spawn(async move { app.claim_turn(&agent, patiently("s1"), None).await });
    until(|| test.app.waiting_claims() == 1).await;
    test.say(conversation, "Now.").await;
    let claimed = waiting.await.expect("no panic").expect("a turn");
    assert_eq!(claimed.user_message, "Now.");
    assert_eq!(test.app.waiting_claims(), 0);
    test.nothing_is_stuck().await;
}

fn patiently(session: &str) -> ClaimTurn {
    ClaimTurn {
        wait: Duration::from_secs(30),
        ..console::claim(session)
    }
}

/// Waits for something that happens beside the test.
pub(crate) async fn until(happened: impl Fn() -> bool) {
    while !happened() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_client_that_went_away_while_it_waited_leaves_nothing_behind() {
    let test = TestApp::new().await;
    let conversation = test.converse(&test.home).await;
    let (app, agent) = (test.app.clone(), test.agent().await);
    let (first, caller) = (agent.clone(), app.clone());
    let gone = tokio::spawn(async move { caller.claim_turn(&first, patiently("s1"), None).await });
    until(|| test.app.waiting_claims() == 1).await;
    gone.abort();
    until(|| test.app.waiting_claims() == 0).await;
    test.say(conversation, "Anybody?").await;
    let next = test.claim_turn(&agent, "s1").await.expect("it still waits");
    assert_eq!(next.attempt, 1);
}

#[tokio::test]
async fn a_right_that_was_taken_away_while_a_claim_waited_is_gone_when_it_claims() {
    let test = TestApp::new().await;
    let conversation = test.converse(&test.home).await;
    let (app, agent) = (test.app.clone(), test.agent().await);
    let caller = agent.clone();
    let waiting = tokio::spawn(async move { app.claim_turn(&caller, patiently("s1"), None).await });
    until(|| test.app.waiting_claims() == 1).await;
    let admin = test.member(Role::Admin).await;
    let without = ScopeSet::ALL.minus([Scope::RunsWrite].into_iter().collect());
    test.app
        .set_permissions(&admin, test.home.agent.id, without)
        .await
        .expect("set");
    test.say(conversation, "Now.").await;
    assert_eq!(code(waiting.await.expect("no panic")), "scope_denied");
    test.app
        .set_permissions(&admin, test.home.agent.id, ScopeSet::ALL)
        .await
        .expect("set");
    let connection = test.home.connection.connection.id;
    test.app
        .revoke_connection(&admin, connection)
        .await
        .expect("revoked");
    assert_eq!(code(test.claim_turn(&agent, "s1").await), "not_found");
    insta::assert_snapshot!(turns(&test, conversation).await, @"1 queued 0 - | Now. | ");
}

/// A turn is kept under its key; that nothing waited is not.
#[tokio::test]
async fn a_key_gives_the_first_turn_again_and_never_that_there_was_none() {
    let test = TestApp::new().await;
    let conversation = test.converse(&test.home).await;
    let agent = test.agent().await;
    let claim = || {
        let key = IdempotencyKey::new("claim", "k", &json!({"session_id": "s1"}));
        test.app.claim_turn(&agent, console::claim("s1"), Some(key))
    };
    assert_eq!(code(claim().await), "no_task");
    test.say(conversation, "Now.").await;
    let first = claim().await.expect("a turn");
    test.complete_turn(&agent, &first, Reply::Completed)
        .await
        .expect("completed");
    assert_eq!(claim().await.expect("the same answer"), first);
}

#[tokio::test]
async fn a_run_that_is_begun_under_a_lease_keeps_it_alive_and_dies_with_it() {
    let test = TestApp::new().await;
    test.asked("One.").await;
    let agent: OpContext = test.agent().await;
    let claimed = test.claim_turn(&agent, "s1").await.expect("a turn");
    let run = test.begin_run(&agent).await;
    test.advance(minutes(9));
    let draft = test.draft(&agent, run, "Moss").await;
    test.advance(minutes(9));
    let revised = test.revise(&agent, run, draft, "Moss and ferns").await;
    test.complete_turn(&agent, &claimed, Reply::Completed)
        .await
        .expect("18 minutes later");
    test.revise(&agent, run, revised, "Moss, ferns").await;
    test.nothing_is_stuck().await;
}

#[tokio::test]
async fn every_site_says_how_long_a_lease_lasts() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let patch = ql_app::site::SitePatch {
        console_lease_seconds: Some(60),
        ..ql_app::site::SitePatch::default()
    };
    test.app.update_site(&admin, patch).await.expect("set");
    test.asked("One.").await;
    let agent = test.agent().await;
    let claimed = test.claim_turn(&agent, "s1").await.expect("a turn");
    assert_eq!(claimed.lease_expires_at, test.now().plus(minutes(1)));
}
