//! The console: somebody asks an agent, sees what comes of it while it happens, and steps in.

use axum::body::Body;
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use ql_core::role::Role;
use ql_core::step::Operation;
use ql_core::turn::Reply;
use ql_testkit::TestApp;
use ql_testkit::console::{completion, plan, step};

use crate::browser::{Browser, Shown};

/// The address of the conversation that a page is.
fn address(shown: &Shown) -> String {
    let live = shown.elements().into_iter().find_map(|element| {
        let live = element.get("data-live")?;
        live.strip_suffix("/events").map(str::to_owned)
    });
    live.expect("a conversation")
}

/// The editor asks for something and stands before the conversation.
async fn asked(editor: &mut Browser, message: &str) -> Shown {
    let console = editor.get("/sites/site/console").await;
    let fields = [("message", message)];
    editor
        .submit(&console, "/sites/site/console", &fields)
        .await
}

#[tokio::test]
async fn somebody_asks_the_agent_answers_and_somebody_asks_on() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let shown = asked(
        &mut editor,
        "Which pages name last year’s prices?\nAll of them.",
    )
    .await;
    assert_eq!(shown.heading(), "Which pages name last year’s prices?");
    assert!(shown.says("Waits for the agent"));
    let agent = test.agent().await;
    let claimed = test.claim_turn(&agent, "s1").await.expect("a turn");
    let here = address(&shown);
    assert!(editor.get(&here).await.says("Being worked on"));
    test.complete_turn(&agent, &claimed, Reply::Completed)
        .await
        .expect("completed");
    let shown = editor.get(&here).await;
    assert!(shown.says("It is completed.") && shown.says("Completed"));
    let more = [("message", "And this year’s?")];
    let shown = editor.submit(&shown, &format!("{here}/turns"), &more).await;
    assert!(shown.says("And this year’s?"));
    let list = editor.get("/sites/site/console").await;
    assert!(list.says("Which pages name last year’s prices?"));
}

#[tokio::test]
async fn what_is_missing_is_said_and_what_was_typed_stays() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let none = asked(&mut editor, " ").await;
    assert_eq!(none.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(none.says("Say what shall be done."));
    let mut viewer = Browser::member(&test, Role::Viewer).await;
    let console = viewer.get("/sites/site/console").await;
    assert!(
        !console.offers("/sites/site/console"),
        "a viewer only looks"
    );
}

#[tokio::test]
async fn a_plan_is_drawn_and_a_person_steps_in_without_a_script() {
    let test = TestApp::new().await;
    let mut editor = Browser::member(&test, Role::Editor).await;
    let here = address(&asked(&mut editor, "Make it better.").await);
    let agent = test.agent().await;
    let claimed = test.claim_turn(&agent, "s1").await.expect("a turn");
    let steps = vec![
        step("find", Operation::Research, &[]),
        step("check", Operation::Research, &["find"]),
    ];
    test.app
        .create_task_plan(&agent, plan(&claimed, steps), None)
        .await
        .expect("a plan");
    test.complete_turn(&agent, &claimed, Reply::Completed)
        .await
        .expect("completed");
    let claimed = test.claim_turn(&agent, "s1").await.expect("a step");
    let said = completion(&claimed, Reply::NeedsHumanInput);
    test.app
        .complete_turn(&agent, said, None)
        .await
        .expect("completed");
    let shown = editor.get(&here).await;
    assert!(shown.html.contains("<svg class=\"graph\" role=\"img\""));
    assert!(
        shown
            .html
            .contains("find: blocked. check, after find: waiting.")
    );
    let action = |shown: &Shown, end: &str| {
        let forms = shown.elements().into_iter();
        let mut actions = forms.filter_map(|e| e.get("action").map(str::to_owned));
        actions
            .find(|action| action.ends_with(end))
            .expect("a form")
    };
    let answer = action(&shown, "/answer");
    let fields = [("message", "Look at /prices.")];
    let shown = editor.submit(&shown, &answer, &fields).await;
    assert!(shown.says("Offered"));
    let again = test.claim_turn(&agent, "s1").await.expect("the step");
    assert!(again.user_message.contains("Look at /prices."));
    let give_up = action(&shown, "/cancel");
    editor.submit(&shown, &give_up, &[]).await;
    assert!(editor.get(&here).await.says("Given up"));
}

/// The next event of a stream; none when it ended.
async fn next(stream: &mut Response<Body>) -> Option<String> {
    let frame = stream.body_mut().frame().await?;
    let data = frame.expect("a frame").into_data().expect("data");
    Some(String::from_utf8(data.to_vec()).expect("text"))
}

#[tokio::test]
async fn what_happens_is_told_while_it_happens_and_only_to_who_may_still_see_it() {
    let test = TestApp::new().await;
    let conversation = test.asked("First.").await;
    let events = format!("/sites/site/console/{conversation}/events");
    let nobody = Browser::new(&test).open(&events).await;
    assert_eq!(nobody.status(), StatusCode::SEE_OTHER);
    let foreign = Browser::of(&test, &test.foreign, Role::Owner).await;
    assert_eq!(foreign.open(&events).await.status(), StatusCode::NOT_FOUND);

    let viewer = Browser::member(&test, Role::Viewer).await;
    let mut stream = viewer.open(&events).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    test.say(conversation, "Second.").await;
    let event = next(&mut stream).await.expect("an event");
    assert!(event.starts_with("event: changed\ndata: "), "{event}");

    let operator = test.operator().await;
    let id = test.home.members[&Role::Viewer];
    test.app
        .remove_member(&operator, id)
        .await
        .expect("removed");
    test.say(conversation, "Third.").await;
    assert_eq!(next(&mut stream).await, None, "it ends with the session");
}

#[tokio::test]
async fn a_stream_ends_when_the_server_stops() {
    let test = TestApp::new().await;
    let conversation = test.asked("First.").await;
    let viewer = Browser::member(&test, Role::Viewer).await;
    let events = format!("/sites/site/console/{conversation}/events");
    let mut stream = viewer.open(&events).await;
    test.app.end_waiting();
    assert_eq!(next(&mut stream).await, None);
}
