//! The `querylayer` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    querylayer::cli::run()
}
