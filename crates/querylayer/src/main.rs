//! The `querylayer` binary.

use std::process::ExitCode;

/// Answers are built from many short-lived texts, which this allocator hands out with less work.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    querylayer::cli::run()
}
