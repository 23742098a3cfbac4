//! The disk is full: a file may not grow past some byte. Changes are refused while it lasts, what
//! was answered for stays, and everything works again as soon as there is room.

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::rounds;
use super::world::World;

/// Drafts that each writer tries while there is no room.
const TRIES: u64 = 12;
/// How far behind the end of the log the room may end.
const ROOM: u64 = 400_000;
/// The longest log to begin a round with.
const LONG: u64 = 8_000_000;

#[test]
fn nothing_is_lost_or_doubled_while_the_disk_is_full() {
    let (rounds, mut chance) = rounds(3);
    println!("{rounds} rounds, {chance:?}");
    // The log is on the full disk too, which must not break off the calls that it tells of.
    let mut world = World::with_a_log_on_its_disk();
    let (mut acknowledged, mut refused) = (0, 0);
    for round in 0..rounds {
        if world.log_length() > LONG {
            // Before the log begins anew and no longer grows, another server takes over.
            acknowledged += world.acknowledged();
            world = World::with_a_log_on_its_disk();
        }
        let writers = world.writers();
        // Every third time there is no room at all, for the server's own log either.
        let end = match round % 3 {
            2 => 0,
            _ => world.log_length() + chance.below(ROOM),
        };
        leave_room(world.server.pid(), Some(end));
        let mut full = world.write(writers, TRIES);
        if full.unavailable == 0 {
            // The log began anew before the byte where the room ends.
            leave_room(world.server.pid(), None);
            let writers = world.writers();
            leave_room(world.server.pid(), Some(0));
            full = world.write(writers, TRIES);
        }
        assert!(full.unavailable > 0, "round {round}, {end}: {full:?}");
        assert_eq!(full.broken, 0, "round {round}, {end}: the server stays");
        // Reading goes on.
        world.agent().list_drafts();
        leave_room(world.server.pid(), None);
        let writers = world.writers();
        let after = world.write(writers, 2);
        assert_eq!((after.unavailable, after.broken), (0, 0), "round {round}");
        world.settle();
        refused += full.unavailable;
    }
    acknowledged += world.acknowledged();
    println!("{acknowledged} drafts acknowledged, {refused} refused");
    world.restart(crate::process::Server::stop).settle();
}

/// Lets no file of a process grow past a byte, or lets them grow again.
fn leave_room(process: Pid, end: Option<u64>) {
    let limit = Rlimit {
        current: end,
        maximum: None,
    };
    prlimit(Some(process), Resource::Fsize, limit).expect("a limit");
}
