//! The server is killed exactly at a system call: before the log is written or flushed, before the
//! answer is sent, in the middle of a checkpoint, while it closes.

use super::rounds;
use super::strace::{Fault, Strace};
use super::world::World;
use crate::kill9::Chance;
use crate::process::Server;

/// Where the server is killed while it writes, and by how many such calls at most it gets there.
const WRITING: [(&str, &str, u64); 3] = [
    ("before the log is written", "pwrite64", 300),
    ("before the log is flushed", "fsync,fdatasync", 30),
    ("before an answer is sent", "sendto,sendmsg,writev", 40),
];

#[test]
fn a_kill_at_any_point_of_a_commit_loses_and_doubles_nothing() {
    let (rounds, mut chance) = rounds(1);
    println!("{rounds} rounds, {chance:?}");
    let mut world = World::new();
    for round in 0..rounds {
        for (point, calls, most) in WRITING {
            let writers = world.writers();
            let strace = kill_at(&world, (calls, None), 1 + chance.below(most));
            let written = world.write(writers, 200);
            assert!(written.broken > 0, "round {round}, {point}: {written:?}");
            world = world.restart(Server::ended);
            drop(strace);
            world.settle();
        }
    }
    println!("{} drafts acknowledged", world.acknowledged());
}

#[test]
fn a_kill_in_the_middle_of_a_checkpoint_loses_and_doubles_nothing() {
    let (rounds, mut chance) = rounds(1);
    println!("{rounds} rounds, {chance:?}");
    let mut world = World::new();
    world.write_much();
    for round in 0..rounds {
        for calls in ["pwrite64", "fsync,fdatasync"] {
            let writers = world.writers();
            let database = world.data().join("querylayer.db");
            let at = if calls == "pwrite64" {
                1 + chance.below(400)
            } else {
                1
            };
            let strace = kill_at(&world, (calls, Some(&database)), at);
            let written = world.write(writers, 400);
            assert!(
                written.broken > 0,
                "round {round}, {calls} {at}: {written:?}"
            );
            world = world.restart(Server::ended);
            drop(strace);
            world.settle();
        }
    }
    println!("{} drafts acknowledged", world.acknowledged());
}

#[test]
fn a_kill_while_the_server_closes_loses_and_doubles_nothing() {
    let (rounds, mut chance) = rounds(1);
    println!("{rounds} rounds, {chance:?}");
    let mut world = World::new();
    for round in 0..rounds {
        for calls in ["pwrite64", "fsync,fdatasync", "unlink"] {
            let writers = world.writers();
            world.write(writers, 10);
            let at = closing_call(calls, &mut chance);
            let strace = kill_at(&world, (calls, None), at);
            world.server.ask_to_stop();
            world = world.restart(Server::ended);
            drop(strace);
            println!("round {round}: killed at {calls} {at}");
            world.settle();
        }
    }
}

#[test]
fn a_server_that_stops_in_peace_leaves_everything_in_one_file() {
    let mut world = World::new();
    let writers = world.writers();
    assert_eq!(world.write(writers, 5).acknowledged, 15);
    let folder = world.server.stop();
    let log = folder.path().join("data/querylayer.db-wal");
    assert!(!log.exists(), "the log stayed");
}

/// A call that the server makes while it closes.
fn closing_call(calls: &str, chance: &mut Chance) -> u64 {
    match calls {
        "pwrite64" => 1 + chance.below(60),
        "unlink" => 1 + chance.below(3),
        _ => 1 + chance.below(2),
    }
}

fn kill_at(world: &World, (calls, path): (&str, Option<&std::path::Path>), at: u64) -> Strace {
    let fault = Fault {
        calls,
        inject: format!("signal=SIGKILL:when={at}"),
        path,
    };
    Strace::put(&fault, world.server.pid(), &world.log())
}
