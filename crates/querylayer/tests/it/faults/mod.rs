//! Faults of the disk and kills at named points, on a real server: whatever it answered for is there
//! once, and while a fault lasts it says so.
//!
//! `QL_FAULT_ROUNDS` sets how often each fault is tried (default 1 to 3, by the fault),
//! `QL_FAULT_SEED` where (default 1).

mod disk_full;
mod first_start;
mod flushes;
mod io_errors;
mod kill_points;
mod strace;
mod world;

use crate::kill9::{Chance, number};

/// How often to try a fault, and where.
fn rounds(default: u64) -> (u64, Chance) {
    let (rounds, seed) = (
        number("QL_FAULT_ROUNDS", default),
        number("QL_FAULT_SEED", 1),
    );
    (rounds, Chance(seed))
}
