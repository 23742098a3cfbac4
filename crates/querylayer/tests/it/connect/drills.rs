//! Identity drills: what becomes of a waiting turn when its profile is renamed, copied, exported and
//! imported, made anew, or seen on two machines, and when its session isn't where it should be.
//! Nothing is ever put in its place, and the person reads why.

use std::fs;

use super::hermes::{Gateway, Machine};
use super::world::World;

/// No session but the bound one was given anything, and none was begun.
fn nothing_was_put_in_its_place(gateway: &Gateway) {
    assert_eq!(gateway.chats(), []);
    let begun = |line: &String| line.starts_with("POST");
    assert!(!gateway.asked().iter().any(begun), "{:?}", gateway.asked());
}

#[test]
fn rename() {
    let (world, gateway) = World::at_work();
    world.machine.rename("writer", "author");
    insta::assert_snapshot!(world.round(), @"
    available author
    taken s1
    answered
    well
    ");
    assert_eq!(gateway.chats()[0].session, "s1");
    insta::assert_snapshot!(world.newest(), @"completed | Done: Go on. | –");
    insta::assert_snapshot!(world.shown(), @"hermes -p author --resume s1");
}

#[test]
fn clone_all() {
    let (world, gateway) = World::at_work();
    world.machine.copy("writer", &world.machine.folder("copy"));
    insta::assert_snapshot!(world.round(), @"
    unavailable profile_ambiguous
    not_taken profile_ambiguous
    NOT well
    ");
    nothing_was_put_in_its_place(&gateway);
    insta::assert_snapshot!(world.shown(), @"profile_ambiguous");
    insta::assert_snapshot!(world.newest(), @"queued | – | –");
    let page = world.page();
    assert!(
        page.contains("Several profiles have the immutable id"),
        "{page}"
    );
    assert!(
        page.contains("Give each copy of the profile an id of its own"),
        "{page}"
    );

    // The copy gets an id of its own, and the original is told from it.
    world.machine.enroll("copy", &["--new-id"]);
    insta::assert_snapshot!(world.round(), @"
    available writer
    taken s1
    answered
    well
    ");
}

#[test]
fn export_and_import() {
    let (world, gateway) = World::at_work();
    let archive = world.machine.home().join("archive");
    world.machine.copy("writer", &archive);
    // Hermes leaves credentials out of what it exports.
    fs::remove_file(archive.join(".env")).expect("removed");
    fs::rename(&archive, world.machine.folder("imported")).expect("imported");
    insta::assert_snapshot!(world.round(), @"
    unavailable profile_ambiguous
    not_taken profile_ambiguous
    NOT well
    ");
    nothing_was_put_in_its_place(&gateway);
    insta::assert_snapshot!(world.shown(), @"profile_ambiguous");

    // The import is the profile once the exported one is gone, and its gateway must be shown to be.
    world.machine.delete("writer");
    insta::assert_snapshot!(world.round(), @"
    available imported
    not_taken gateway_unreachable
    NOT well
    ");
    nothing_was_put_in_its_place(&gateway);
    insta::assert_snapshot!(world.shown(), @"gateway_unreachable");
}

#[test]
fn delete_and_recreate() {
    let (world, gateway) = World::at_work();
    world.machine.delete("writer");
    insta::assert_snapshot!(world.round(), @"
    unavailable profile_missing
    not_taken profile_missing
    NOT well
    ");
    world.machine.create("writer");
    gateway.belongs_to(&world.machine, "writer");
    insta::assert_snapshot!(world.round(), @"
    unavailable profile_missing
    not_taken profile_missing
    NOT well
    ");
    // Enrolled again it's another identity, whatever its name.
    world.machine.enrolled("writer");
    insta::assert_snapshot!(world.round(), @"
    unavailable profile_missing
    not_taken profile_missing
    NOT well
    ");
    nothing_was_put_in_its_place(&gateway);
    insta::assert_snapshot!(world.shown(), @"profile_missing");
}

#[test]
fn two_machines_with_one_profile() {
    let (world, gateway) = World::at_work();
    let other = Machine::new();
    world.machine.copy("writer", &other.folder("writer"));
    // It has no gateway, so it takes nothing; but its profile is seen.
    insta::assert_snapshot!(world.round_on(&other), @"
    available writer
    not_taken gateway_foreign
    NOT well
    ");
    insta::assert_snapshot!(world.round(), @"
    unavailable profile_ambiguous
    not_taken profile_ambiguous
    NOT well
    ");
    nothing_was_put_in_its_place(&gateway);
    insta::assert_snapshot!(world.shown(), @"profile_ambiguous");
}

#[test]
fn session_under_another_profile() {
    let (world, gateway) = World::at_work();
    gateway.forget("s1");
    world.machine.enrolled("other");
    let other = Gateway::run(&world.machine, "other");
    other.has("s1");
    insta::assert_snapshot!(world.round(), @"
    available writer
    not_taken session_missing
    NOT well
    ");
    nothing_was_put_in_its_place(&gateway);
    assert_eq!(
        other.asked(),
        [] as [String; 0],
        "the other profile isn't even asked"
    );
    insta::assert_snapshot!(world.shown(), @"session_missing");
    insta::assert_snapshot!(world.newest(), @"queued | – | –");
}

/// The gateway of another profile sits at the port of this one, and has a session of the same name.
#[test]
fn session_behind_another_profiles_gateway() {
    let (world, gateway) = World::at_work();
    world.machine.create("other");
    let other = Gateway::run(&world.machine, "other");
    other.has("s1");
    let from = |file: &str| fs::read(world.machine.folder("other").join(file)).expect("a file");
    let into = |file: &str, bytes: Vec<u8>| {
        fs::write(world.machine.folder("writer").join(file), bytes).expect("written");
    };
    into(".env", from(".env"));
    insta::assert_snapshot!(world.round(), @"
    available writer
    not_taken gateway_foreign
    NOT well
    ");
    insta::assert_snapshot!(world.shown(), @"gateway_foreign");
    nothing_was_put_in_its_place(&other);
    // As long as its process isn't the one that runs for this folder, the key proves nothing.
    fs::remove_file(world.machine.folder("writer").join("gateway.pid")).expect("removed");
    assert!(world.round().contains("gateway_foreign"));
    nothing_was_put_in_its_place(&other);
    gateway.belongs_to(&world.machine, "writer");
    assert!(world.round().contains("answered"));
}

#[test]
fn rotated_session() {
    let (world, gateway) = World::at_work();
    gateway.compress("s1", "s2");
    gateway.compress("s2", "s3");
    gateway.hangs_under("s2", "helper", "subagent");
    insta::assert_snapshot!(world.round(), @"
    available writer
    taken s3
    answered
    well
    ");
    assert_eq!(gateway.chats()[0].session, "s3");
    insta::assert_snapshot!(world.shown(), @"hermes -p writer --resume s3");
    let record = world.read();
    assert_eq!(record["root_session_id"], "s1", "{record}");
}

#[test]
fn rotated_session_with_two_that_go_on_from_it() {
    let (world, gateway) = World::at_work();
    gateway.compress("s1", "s2");
    gateway.hangs_under("s1", "fork", "api_server");
    insta::assert_snapshot!(world.round(), @"
    available writer
    not_taken successor_unclear
    NOT well
    ");
    nothing_was_put_in_its_place(&gateway);
    insta::assert_snapshot!(world.shown(), @"successor_unclear");
    assert!(
        world
            .page()
            .contains("not exactly one session goes on from it")
    );
}

#[test]
fn forked_session() {
    let (world, gateway) = World::at_work();
    gateway.hangs_under("s1", "fork", "api_server");
    assert!(world.round().contains("taken s1"), "a fork isn't followed");
}

#[test]
fn stale_discovery() {
    let (world, gateway) = World::at_work();
    assert!(world.round().contains("answered"));
    insta::assert_snapshot!(world.shown(), @"hermes -p writer --resume s1");
    world.say("Go on.");
    // Two minutes go by without a word of the connector.
    age(&world.server.data());
    insta::assert_snapshot!(world.shown(), @"discovery_stale");
    let claim = serde_json::json!({"session_id": "s1"});
    let refused = world.call("querylayer_claim_console_task", &claim);
    assert_eq!(refused["details"]["reason"], "discovery_stale");

    // They go by between its report and its claim, as when a laptop sleeps: it reports again.
    let data = world.server.data();
    let sleeps = std::sync::Mutex::new(true);
    gateway.before(move |line| {
        let looks = line.starts_with("GET /api/sessions/s1");
        if looks && std::mem::take(&mut *sleeps.lock().expect("no panic")) {
            age(&data);
        }
    });
    insta::assert_snapshot!(world.round(), @"
    available writer
    taken s1
    answered
    well
    ");
}

/// Makes every report as old as if nothing had come for three minutes.
fn age(data: &std::path::Path) {
    let database = rusqlite::Connection::open(data.join("querylayer.db")).expect("a database");
    let waits = std::time::Duration::from_secs(5);
    database.busy_timeout(waits).expect("set");
    let aged = database.execute(
        "UPDATE runtime_reports SET reported_at = reported_at - 180000000",
        [],
    );
    assert!(aged.expect("a change") > 0);
}
