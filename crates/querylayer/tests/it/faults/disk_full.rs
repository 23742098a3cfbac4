//! The disk is full: a file may not grow past some byte. Changes are refused while it lasts, what
//! was answered for stays, and everything works again as soon as there is room.

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::rounds;
use super::world::World;

/// Drafts that each writer tries while there is no room.
const TRIES: u64 = 12;
/// How far behind the end of the log the room may end.
const ROOM: u64 = 400_000;

#[test]
fn nothing_is_lost_or_doubled_while_the_disk_is_full() {
    let (rounds, mut chance) = rounds(3);
    println!("{rounds} rounds, {chance:?}");
    // The log is on the full disk too, which must not break off the calls that it tells of.
    let mut world = World::with_a_log_on_its_disk();
    let mut refused = 0;
    for round in 0..rounds {
        let writers = world.writers();
        let end = world.log_length() + chance.below(ROOM);
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
    println!(
        "{} drafts acknowledged, {refused} refused",
        world.acknowledged()
    );
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
