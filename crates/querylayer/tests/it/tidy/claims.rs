//! Documents that name the tests which hold what they say.
//!
//! In ARCHITECTURE.md, the threat model, the tables about MCP and the decisions, `module::function` in backticks names a
//! test: the function in the file `module.rs` or in the folder `module`.

use std::collections::BTreeSet;

use super::nothing_wrong;
use super::tree::{self, File};

/// Longer than this nobody reads it in one sitting.
const ARCHITECTURE_LINES: usize = 345;

/// The public failures of other servers, one row each.
const CASES: &str = "docs/mcp-cases.md";

/// How many there are.
const NUMBER_OF_CASES: usize = 38;

/// Every test of the repository as `module::function`.
fn tests(files: &[File]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let mut marked = false;
        for (_, line) in file.lines() {
            let line = line.trim();
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                marked = true;
            } else if let Some(name) = function(line).filter(|_| marked) {
                found.insert(format!("{}::{name}", module(&file.path)));
                marked = false;
            }
        }
    }
    found
}

fn function(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("async ")
        .unwrap_or(line)
        .strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

/// The module that a file is: its name, or its folder's for `mod.rs`.
fn module(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    match file.strip_suffix(".rs") {
        Some("mod") => parts.next().unwrap_or_default(),
        Some(name) => name,
        None => file,
    }
}

/// The tests that a text names.
fn references(text: &str) -> Vec<&str> {
    let snake = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|quoted| match quoted.split_once("::") {
            Some((module, name)) => snake(module) && snake(name) && !module.starts_with("ql_"),
            None => false,
        })
        .collect()
}

/// Tests that a document names and nobody wrote, and invariants that name none.
fn unheld(document: &File, tests: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in document.lines() {
        let named = references(line);
        let at = format!("{}:{number}", document.path);
        if line.starts_with("Invariant:") && named.is_empty() {
            wrong.push(format!("{at} is an invariant without a test"));
        }
        let unknown = named.iter().filter(|name| !tests.contains(**name));
        wrong.extend(unknown.map(|name| format!("{at} names `{name}`, which is no test")));
    }
    wrong
}

fn claims(path: &str) -> bool {
    let named = [
        "ARCHITECTURE.md",
        "docs/conformance.md",
        "docs/threat-model.md",
        CASES,
    ];
    named.contains(&path) || path.starts_with("docs/decisions/")
}

/// Rows of the table of public failures that are missing, or that neither name a test nor say why
/// the case can't apply.
fn unanswered(document: &str, cases: usize) -> Vec<String> {
    let cells = |line: &'_ str| -> Vec<String> {
        let cells = line.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let rows: Vec<Vec<String>> = document.lines().map(cells).collect();
    let mut wrong = Vec::new();
    for case in 1..=cases {
        let mut of_case = rows.iter().filter(|row| row[0] == case.to_string());
        let (row, another) = (of_case.next(), of_case.next());
        let held = row
            .and_then(|row| row.last())
            .is_some_and(|held| !references(held).is_empty() || held.starts_with("Can't apply: "));
        if !held || another.is_some() {
            wrong.push(format!(
                "case {case} has no row, more than one, or an empty one"
            ));
        }
    }
    wrong
}

/// Decisions whose number isn't theirs alone, or isn't that of their heading.
fn misnumbered(decisions: &[&File]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for file in decisions {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let number = name.split('-').next().unwrap_or_default();
        if number.len() != 4 || !number.bytes().all(|b| b.is_ascii_digit()) {
            wrong.push(format!("{} has no number of four digits", file.path));
        } else if !seen.insert(number) {
            wrong.push(format!(
                "{} has a number that another decision has",
                file.path
            ));
        }
        if !file.text.starts_with(&format!("# {number}: ")) {
            wrong.push(format!("{} doesn't begin with `# {number}: `", file.path));
        }
    }
    wrong
}

#[test]
fn every_claim_names_a_test_that_exists() {
    let files = tree::files();
    let tests = tests(&files);
    let documents = files.iter().filter(|file| claims(&file.path));
    let wrong: Vec<String> = documents.flat_map(|file| unheld(file, &tests)).collect();
    nothing_wrong(&wrong);
}

#[test]
fn every_public_failure_is_answered() {
    nothing_wrong(&unanswered(&tree::read(CASES), NUMBER_OF_CASES));
}

#[test]
fn every_decision_has_a_number_of_its_own() {
    let files = tree::files();
    let decisions: Vec<&File> = files
        .iter()
        .filter(|file| file.path.starts_with("docs/decisions/"))
        .collect();
    assert!(!decisions.is_empty());
    nothing_wrong(&misnumbered(&decisions));
}

#[test]
fn the_architecture_is_read_in_one_sitting() {
    let lines = tree::read("ARCHITECTURE.md").lines().count();
    assert!(lines <= ARCHITECTURE_LINES, "{lines} lines");
}

#[test]
fn an_empty_claim_and_a_double_number_are_found() {
    let source = File::new(
        "crates/a/tests/it/bodies.rs",
        "#[tokio::test]\nasync fn batches_are_refused() {}\n\nfn helper() {}\n",
    );
    let tests = tests(&[source]);
    let document = File::new(
        "ARCHITECTURE.md",
        "Invariant: held. Held by `bodies::batches_are_refused`.\nInvariant: hoped for.\n\
         Held by `bodies::helper`, see `ql_app::snippets`.\n",
    );
    insta::assert_snapshot!(unheld(&document, &tests).join("\n"), @r"
    ARCHITECTURE.md:2 is an invariant without a test
    ARCHITECTURE.md:3 names `bodies::helper`, which is no test
    ");
    let table = "| case | thread | held |\n|---|---|---|\n| 1 | a#1 | `bodies::batches` |\n\
                 | 2 | b#2 | Can't apply: no. |\n| 3 | c#3 | soon |\n| 5 | d#5 | `a::b` |\n| 5 | e#5 | `a::b` |\n";
    insta::assert_snapshot!(unanswered(table, 5).join("\n"), @r"
    case 3 has no row, more than one, or an empty one
    case 4 has no row, more than one, or an empty one
    case 5 has no row, more than one, or an empty one
    ");
    let decisions = [
        File::new("docs/decisions/0001-a.md", "# 0001: A\n"),
        File::new("docs/decisions/0001-b.md", "# 0002: B\n"),
    ];
    let decisions: Vec<&File> = decisions.iter().collect();
    insta::assert_snapshot!(misnumbered(&decisions).join("\n"), @r"
    docs/decisions/0001-b.md has a number that another decision has
    docs/decisions/0001-b.md doesn't begin with `# 0001: `
    ");
}
