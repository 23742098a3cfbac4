//! The lease of a turn while its session works: kept as long as that takes, and given up when it's
//! lost.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use ql_core::id::SystemIdGen;
use ql_core::time::SystemClock;
use ql_core::token::{Token, TokenKind};
use querylayer::connect::{Connector, Endpoint, Event, Surroundings, Task};
use serde_json::json;
use tokio::sync::watch;

use super::world::World;

/// One round of a connector that renews leases all the time; what happened, by name.
fn round(world: &World) -> Vec<String> {
    let happened: Arc<Mutex<Vec<Event>>> = Arc::default();
    let hears = Arc::clone(&happened);
    let (_stopping, stop) = watch::channel(false);
    let task = Task {
        root: world.machine.home(),
        server: Endpoint::parse(&world.server.url()).expect("an address"),
        token: Token::parse(TokenKind::Connection, &world.token).expect("a token"),
        name: None,
        longest_turn: Duration::from_mins(1),
        renewed_every: Duration::from_millis(5),
    };
    let around = Surroundings {
        ids: Arc::new(SystemIdGen::default()),
        clock: Arc::new(SystemClock),
        stop,
        tell: Arc::new(move |event| hears.lock().expect("no panic").push(event.clone())),
    };
    let connector = Connector::new(task, around);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let done = runtime.expect("a runtime").block_on(connector.once());
    done.expect("the server takes the token");
    let happened = happened.lock().expect("no panic");
    let name = |event: &Event| {
        let json = serde_json::to_value(event).expect("JSON");
        json["event"].as_str().expect("a name").to_owned()
    };
    happened.iter().map(name).collect()
}

#[test]
fn a_lease_is_kept_while_the_session_works() {
    let (world, gateway) = World::at_work();
    let (until, untils) = (world.lease(), Mutex::new(Vec::new()));
    gateway.agent(move |_| {
        let mut untils = untils.lock().expect("no panic");
        untils.push(until());
        // It works until it has seen the lease prolonged three times.
        while untils.len() < 4 {
            let now = until();
            if untils.last() != Some(&now) {
                untils.push(now);
            }
        }
        assert!(untils.is_sorted(), "{untils:?}");
        Ok("Done.".to_owned())
    });
    assert_eq!(round(&world), ["available", "taken", "answered"]);
}

/// A person stops the turn while the session works, which it may do for ever.
#[test]
fn a_lease_that_is_lost_ends_the_waiting() {
    let (world, gateway) = World::at_work();
    let (end, ended) = mpsc::channel::<()>();
    let (cancel, ended) = (world.cancelling(), Mutex::new(ended));
    gateway.agent(move |chat| {
        cancel(chat.told("turn_id"));
        let _over = ended.lock().expect("no panic").recv();
        Ok("Too late.".to_owned())
    });
    assert_eq!(round(&world), ["available", "taken", "ended"]);
    insta::assert_snapshot!(world.newest(), @"cancelled |  | –");
    drop(end);
    let json = json!({"session_id": "s1"});
    let nothing = world.call("querylayer_claim_console_task", &json);
    assert_eq!(nothing["code"], "no_task", "{nothing}");
}
