//! The disk fails: system calls give errors that `strace` puts there.

use super::rounds;
use super::strace::{Fault, Strace};
use super::world::{World, ready};
use crate::process::Server;

/// A flush that fails may have lost what it should have kept, and the next one that succeeds doesn't
/// bring it back. So after one failure nothing more is acknowledged, although the disk works again.
#[test]
fn after_a_flush_that_failed_nothing_is_acknowledged_any_more() {
    let (rounds, mut chance) = rounds(1);
    println!("{rounds} rounds, {chance:?}");
    let mut world = World::new();
    for round in 0..rounds {
        let writers = world.writers();
        let more = world.writers();
        let fault = Fault {
            calls: "fsync,fdatasync",
            inject: format!("error=EIO:when={}", 1 + chance.below(20)),
            path: None,
        };
        let strace = Strace::put(&fault, world.server.pid(), &world.log());
        let first = world.write(writers, 20);
        assert!(first.unavailable > 0, "round {round}: {first:?}");
        let later = world.write(more, 5);
        assert_eq!((later.acknowledged, later.broken), (0, 0), "round {round}");
        drop(strace);
        assert_eq!(ready(&world.server.url()), 503, "round {round}");
        world.agent().list_drafts();
        world = world.restart(Server::stop);
        world.settle();
    }
    println!("{} drafts acknowledged", world.acknowledged());
}

/// A write that fails is told to whoever asked for it, and the next one is tried again.
#[test]
fn writes_that_fail_are_refused_and_later_ones_are_kept() {
    let (rounds, mut chance) = rounds(2);
    println!("{rounds} rounds, {chance:?}");
    let mut world = World::new();
    for round in 0..rounds {
        let writers = world.writers();
        let error = ["ENOSPC", "EIO"][usize::from(round % 2 == 1)];
        let from = 1 + chance.below(60);
        let fault = Fault {
            calls: "pwrite64",
            inject: format!("error={error}:when={from}..{}", from + chance.below(30)),
            path: None,
        };
        let strace = Strace::put(&fault, world.server.pid(), &world.log());
        let during = world.write(writers, 15);
        assert!(during.unavailable > 0, "round {round}: {during:?}");
        assert_eq!(during.broken, 0, "round {round}: the server stays");
        drop(strace);
        let writers = world.writers();
        let after = world.write(writers, 2);
        assert_eq!((after.unavailable, after.broken), (0, 0), "round {round}");
        world.settle();
    }
    println!("{} drafts acknowledged", world.acknowledged());
    world.restart(Server::stop).settle();
}
