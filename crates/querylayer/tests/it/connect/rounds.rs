//! Turns on their way: taken, answered by the session or settled by the agent, and given back with
//! the reason whenever something can't be told for sure.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::hermes::{Chat, Gateway};
use super::person::call;
use super::world::World;
use crate::connection_test::authority;
use crate::connection_test::foreign::{Foreign, answer, forwarded};

/// An agent that ends the turn by the tool, as it's told to.
fn completes(
    url: String,
    token: String,
) -> impl Fn(&Chat) -> Result<String, (&'static str, Value)> {
    move |chat| {
        let done = json!({
            "turn_id": chat.told("turn_id"), "lease_token": chat.told("lease_token"),
            "outcome": "needs_human_input", "message": "Which colour?",
        });
        let answer = call(&url, &token, "querylayer_complete_console_task", &done);
        assert_eq!(answer["ok"], true, "{answer}");
        Ok("I have asked.".to_owned())
    }
}

#[test]
fn the_agent_ends_the_turn_by_the_tool() {
    let (world, gateway) = World::at_work();
    gateway.agent(completes(world.server.url(), world.token.clone()));
    insta::assert_snapshot!(world.round(), @"
    available writer
    taken s1
    ended
    well
    ");
    insta::assert_snapshot!(world.newest(), @"needs_human_input | Which colour? | –");
    let chats = gateway.chats();
    assert_eq!(
        chats[0].message, "Go on.",
        "the turn's own text and nothing else"
    );
    insta::assert_snapshot!(world.round(), @"
    available writer
    well
    ");
}

/// A conversation without a session gets a new one of the bound profile, and stays with it.
#[test]
fn a_new_conversation_begins_a_session_and_stays_in_it() {
    let world = World::new();
    let gateway = Gateway::run(&world.machine, "writer");
    world.say("Begin.");
    let first = world.round();
    let sessions = gateway.sessions();
    assert_eq!(sessions.len(), 1);
    assert_eq!(
        first.replace(&sessions[0], "ql_1"),
        "available writer\ntaken ql_1\nanswered\nwell"
    );
    assert!(
        sessions[0].starts_with("ql_") && sessions[0].len() == 35,
        "{sessions:?}"
    );
    world.say("Go on.");
    assert!(world.round().contains(&format!("taken {}", sessions[0])));
    assert_eq!(gateway.sessions(), sessions);
    assert_eq!(gateway.chats().len(), 2);
}

#[test]
fn whatever_breaks_off_gives_the_turn_back_with_the_reason() {
    let (world, gateway) = World::at_work();
    let mut came = Vec::new();
    gateway.agent(|_| Err(("500 Internal Server Error", json!({}))));
    came.extend([world.round(), world.newest()]);
    gateway.agent(|_| Ok(String::new()));
    came.extend([world.round(), world.newest()]);
    let gone = json!({"error": {"code": "session_not_found"}});
    gateway.agent(move |_| Err(("404 Not Found", gone.clone())));
    came.extend([world.round(), world.newest(), world.shown()]);
    insta::assert_snapshot!(came.join("\n"), @"
    available writer
    taken s1
    released turn_broken_off
    NOT well
    queued | – | the gateway answers 500 Internal Server Error (turn_broken_off)
    available writer
    taken s1
    released no_answer
    NOT well
    queued | – | the session ended the turn without a word (no_answer)
    available writer
    taken s1
    released session_missing
    NOT well
    blocked | the bound session doesn't exist under the agent's profile (session_missing). Bring the session back under this profile, or begin a new conversation. | –
    session_missing
    ");
    assert!(
        world.page().contains("Bring the session back"),
        "people read it"
    );
}

/// Hermes says that the turn went on in another session, which isn't the one that goes on from ours.
#[test]
fn an_answer_out_of_another_session_is_no_answer() {
    let (world, gateway) = World::at_work();
    let answer = |session: &str| {
        let json = json!({"session_id": session, "message": {"content": "Done."}});
        move |_: &Chat| Err(("200 OK", json.clone()))
    };
    gateway.agent(answer("elsewhere"));
    assert!(world.round().contains("released successor_unclear"));
    assert!(world.newest().starts_with("queued"), "{}", world.newest());
    // Compressed on its way, it ends in the one that goes on from ours.
    gateway.compress("s1", "s2");
    gateway.hangs_under("s2", "helper", "subagent");
    gateway.agent(answer("s2"));
    assert!(world.round().ends_with("answered\nwell"));
    insta::assert_snapshot!(world.newest(), @"completed | Done. | –");
}

/// A profile is copied while the claim is on its way.
#[test]
fn a_profile_that_becomes_ambiguous_after_the_claim_gives_the_turn_back() {
    let (world, gateway) = World::at_work();
    let (from, to) = (world.machine.folder("writer"), world.machine.folder("copy"));
    let proofs = AtomicUsize::new(0);
    // Once for the report, once before the claim: it's after that that the session is looked for.
    gateway.before(move |line| {
        let looks = line.starts_with("GET /api/sessions/s1");
        if looks && proofs.fetch_add(1, Ordering::SeqCst) == 1 {
            std::fs::create_dir_all(&to).expect("a folder");
            let file = "querylayer.toml";
            std::fs::copy(from.join(file), to.join(file)).expect("copied");
        }
    });
    insta::assert_snapshot!(world.round(), @"
    available writer
    taken s1
    released profile_ambiguous
    NOT well
    ");
    assert_eq!(gateway.chats(), []);
    assert!(
        world
            .newest()
            .contains("several profiles have the immutable id")
    );
}

/// A step of a plan is settled by the agent alone, never by what it happened to say.
#[test]
fn a_step_that_the_agent_does_not_settle_is_given_back() {
    let (world, gateway) = World::at_work();
    let (url, token) = (world.server.url(), world.token.clone());
    gateway.agent(move |chat| {
        if chat.system.contains("It is a step of your plan") {
            return Ok("I looked.".to_owned());
        }
        let step = json!({"key": "look", "title": "Look", "operation": "research"});
        let mut plan = json!({
            "turn_id": chat.told("turn_id"), "lease_token": chat.told("lease_token"),
            "goal": "To know", "steps": [step],
        });
        let made = call(&url, &token, "querylayer_create_task_plan", &plan);
        assert_eq!(made["ok"], true, "{made}");
        let plan = plan.as_object_mut().expect("an object");
        plan.retain(|key, _| key != "goal" && key != "steps");
        plan.extend([
            ("outcome".into(), "completed".into()),
            ("message".into(), "Planned.".into()),
        ]);
        call(
            &url,
            &token,
            "querylayer_complete_console_task",
            &json!(plan),
        );
        Ok("Planned.".to_owned())
    });
    assert!(world.round().contains("ended"));
    insta::assert_snapshot!(world.round(), @"
    available writer
    taken s1
    released step_not_settled
    NOT well
    ");
}

/// A service manager stops it while the session works: the turn is given back at once.
#[test]
fn a_stop_gives_the_turn_back() {
    let (world, gateway) = World::at_work();
    let (working, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let waits = Mutex::new((working, ended));
    gateway.agent(move |_| {
        let (working, ended) = &*waits.lock().expect("no panic");
        working.send(()).expect("the test waits");
        // Until the test is over.
        let _over = ended.recv();
        Ok("Too late.".to_owned())
    });
    let mut connector = world.start();
    begun.recv().expect("the session works");
    assert!(world.newest().starts_with("leased"), "{}", world.newest());
    kill_process(Pid::from_child(&connector), Signal::TERM).expect("a signal");
    let status = connector.wait().expect("an end");
    assert!(status.success(), "{status}");
    insta::assert_snapshot!(world.newest(), @"queued | – | the connector was stopped while the session worked on it (connector_stopped)");
    drop(end);
}

/// It waits with the server, and takes what comes while it waits.
#[test]
fn a_turn_that_is_written_while_it_waits_is_taken() {
    let (world, gateway) = World::at_work();
    let (working, begun) = mpsc::channel();
    let working = Mutex::new(working);
    gateway.agent(move |chat| {
        let said = working.lock().expect("no panic").send(chat.message.clone());
        said.expect("the test waits");
        Ok("Done.".to_owned())
    });
    let mut connector = world.start();
    assert_eq!(begun.recv().as_deref(), Ok("Go on."));
    world.say("And on.");
    assert_eq!(begun.recv().as_deref(), Ok("And on."));
    kill_process(Pid::from_child(&connector), Signal::TERM).expect("a signal");
    assert!(connector.wait().expect("an end").success());
}

#[test]
fn a_gateway_that_does_not_run_is_said_to_the_person() {
    let (world, gateway) = World::at_work();
    drop(gateway);
    insta::assert_snapshot!(world.round(), @"
    available writer
    not_taken gateway_unreachable
    NOT well
    ");
    insta::assert_snapshot!(world.shown(), @"gateway_unreachable");
    assert!(
        world.page().contains("The gateway of the agent"),
        "people read it"
    );
}

/// A proxy fails at the very moment at which the turn's end is said, and the answer is lost too.
#[test]
fn an_end_that_the_server_did_not_hear_is_said_again_and_counts_once() {
    let (world, gateway) = World::at_work();
    let fails = AtomicBool::new(true);
    let server = world.server.text("mcp_url").to_owned();
    let behind = server.clone();
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let proxy = Foreign::before(&server, here, move |request| {
        let says_the_end = request.contains("querylayer_complete_console_task");
        if says_the_end && fails.swap(false, Ordering::SeqCst) {
            // The server heard it, and nobody hears the server.
            forwarded(authority(&behind), request);
            return Err(answer("502 Bad Gateway", "text/html", "").into_bytes());
        }
        Ok(request.to_owned())
    });
    let url = proxy.url().trim_end_matches("/mcp").to_owned();
    insta::assert_snapshot!(world.round_by(&url), @"
    available writer
    taken s1
    answered
    well
    ");
    insta::assert_snapshot!(world.newest(), @"completed | Done: Go on. | –");
    assert_eq!(gateway.chats().len(), 1);
}
