//! What a figure depends on: the machine, the compiler and the commit.

use std::process::Command;

/// One line for the head of the table.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = first_value("/proc/cpuinfo", "model name");
    let memory = first_value("/proc/meminfo", "MemTotal");
    let kernel = said("uname", &["-sr"]);
    let compiler = said("rustc", &["--version"]);
    let commit = said("git", &["describe", "--always", "--dirty", "--abbrev=12"]);
    format!("{processor}, {cores} cores, {memory}, {kernel}; {compiler}; commit {commit}")
}

/// How busy the machine is with other things: its load over the last minute.
pub(crate) fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

fn first_value(file: &str, key: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .find_map(|line| {
            line.strip_prefix(key)?
                .split_once(':')
                .map(|(_, value)| value.trim())
        })
        .unwrap_or("unknown")
        .to_owned()
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
