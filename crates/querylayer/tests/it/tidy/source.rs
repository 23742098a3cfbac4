//! What no source file may hold.
//!
//! The forbidden words are put together here, so that this file doesn't hold them either.

use super::nothing_wrong;
use super::tree::{self, File};

/// Attributes that switch a test or a lint off without saying why.
const SWITCHED_OFF: [&str; 4] = [
    concat!("#[", "ignore"),
    concat!("#[", "should_panic"),
    concat!("#[", "allow("),
    concat!("#![", "allow("),
];

/// How a statement begins in a string.
const SQL: [&str; 8] = [
    concat!("\"", "SELECT "),
    concat!("\"", "INSERT "),
    concat!("\"", "UPDATE "),
    concat!("\"", "DELETE "),
    concat!("\"", "REPLACE "),
    concat!("\"", "CREATE "),
    concat!("\"", "PRAGMA "),
    concat!("\"", "WITH "),
];

/// Folders that only some machine has.
const MACHINE: [&str; 4] = [
    concat!("/", "root"),
    concat!("/", "work"),
    concat!("/", "home"),
    concat!("/", "Users"),
];

fn holding<'a>(
    files: impl Iterator<Item = &'a File>,
    found: impl Fn(&str) -> Option<&'static str>,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (number, line) in file.lines() {
            if let Some(word) = found(line) {
                complaints.push(format!("{}:{number} holds `{word}`", file.path));
            }
        }
    }
    complaints
}

fn switched_off(files: &[File]) -> Vec<String> {
    holding(files.iter().filter(|file| file.is_rust()), |line| {
        SWITCHED_OFF.into_iter().find(|word| line.contains(word))
    })
}

/// Tests may tamper with a database and run the server of their own, which takes statements too. So
/// does the benchmark's reference: the same statements without the product around them.
fn stray_sql(files: &[File]) -> Vec<String> {
    let elsewhere = |file: &&File| {
        file.is_rust()
            && !file.path.starts_with("crates/ql-store/")
            && !file.path.starts_with("crates/ql-testkit/src/postgres")
            && !file.path.starts_with("bench/src/sql/")
            && !file.path.contains("/tests/")
    };
    holding(files.iter().filter(elsewhere), |line| {
        SQL.into_iter().find(|word| line.contains(word))
    })
}

fn machine_paths(files: &[File]) -> Vec<String> {
    holding(files.iter(), |line| {
        MACHINE.into_iter().find(|path| names_path(line, path))
    })
}

/// Whether `line` names the folder itself, and not the end or the middle of another address.
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        let begins = before.is_none_or(|c| c.is_whitespace() || "\"'`(=:<".contains(c));
        let ends = after.is_none_or(|c| c.is_whitespace() || "/\"'`)>:;,".contains(c));
        begins && ends
    })
}

#[test]
fn nothing_is_switched_off() {
    nothing_wrong(&switched_off(&tree::files()));
}

#[test]
fn statements_are_in_the_store_alone() {
    nothing_wrong(&stray_sql(&tree::files()));
}

#[test]
fn nothing_names_a_folder_of_one_machine() {
    nothing_wrong(&machine_paths(&tree::files()));
}

#[test]
fn each_of_these_is_found() {
    let files = [
        File::new(
            "crates/ql-app/src/a.rs",
            &format!("{}]\nfn a() {{}}", SWITCHED_OFF[0]),
        ),
        File::new(
            "crates/ql-app/src/b.rs",
            &format!("const A: &str = {}1\";", SQL[0]),
        ),
        File::new(
            "crates/ql-store/src/c.rs",
            &format!("const A: &str = {}1\";", SQL[0]),
        ),
        File::new(
            "bench/src/scenario/f.rs",
            &format!("const A: &str = {}1\";", SQL[0]),
        ),
        File::new(
            "bench/src/sql/g.rs",
            &format!("const A: &str = {}1\";", SQL[0]),
        ),
        File::new("docs/d.md", &format!("Look into {}/notes.", MACHINE[1])),
        File::new("docs/e.md", "https://example.com/work/notes and /worker"),
    ];
    let mut found = switched_off(&files);
    found.extend(stray_sql(&files));
    found.extend(machine_paths(&files));
    let places: Vec<&str> = found
        .iter()
        .filter_map(|complaint| complaint.split(' ').next())
        .collect();
    assert_eq!(
        places,
        [
            "crates/ql-app/src/a.rs:1",
            "crates/ql-app/src/b.rs:1",
            "bench/src/scenario/f.rs:1",
            "docs/d.md:1"
        ]
    );
}
