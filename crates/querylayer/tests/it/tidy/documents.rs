//! Documents lead to files that exist and to commands that the program knows.

use clap::Command;

use super::nothing_wrong;
use super::tree::{self, File};

/// How a documented command begins; the second form builds the program first.
const PROGRAM: [&str; 2] = ["querylayer ", "cargo run --release -- "];

fn documents() -> Vec<File> {
    tree::files()
        .into_iter()
        .filter(File::is_markdown)
        .collect()
}

/// Links into the repository that lead nowhere.
fn dead_links(document: &File) -> Vec<String> {
    let folder = document
        .path
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let mut wrong = Vec::new();
    for (number, line) in document.lines() {
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap_or_default();
            let inside = !target.is_empty() && !target.contains("://");
            if inside && !tree::root().join(folder).join(target).exists() {
                wrong.push(format!("{}:{number} links to {target}", document.path));
            }
        }
    }
    wrong
}

/// The commands that a document shows, in code spans and in fenced blocks.
fn commands(document: &File) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in document.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let pieces: Vec<&str> = if fenced {
            vec![line.trim()]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        for piece in pieces {
            let command = PROGRAM.iter().find_map(|begin| piece.strip_prefix(begin));
            found.extend(command.map(|rest| (number, rest.to_owned())));
        }
    }
    found
}

/// What the program doesn't know of a command line: its subcommand or one of its options.
fn unknown(program: &Command, line: &str) -> Option<String> {
    let mut command = program;
    let mut words = line
        .split_whitespace()
        .take_while(|word| !"#|>&".contains(word))
        .peekable();
    while let Some(next) = words.peek().and_then(|word| command.find_subcommand(word)) {
        command = next;
        words.next();
    }
    if command.has_subcommands()
        && words
            .peek()
            .is_some_and(|word| !word.starts_with(['-', '…']))
    {
        return words.next().map(str::to_owned);
    }
    words
        .filter_map(|word| word.strip_prefix("--"))
        .map(|option| option.split('=').next().unwrap_or_default().to_owned())
        .find(|option| {
            !command
                .get_arguments()
                .any(|known| known.get_long() == Some(option))
        })
        .map(|option| format!("--{option}"))
}

fn program() -> Command {
    let mut program = querylayer::cli::command();
    program.build();
    program
}

#[test]
fn links_lead_somewhere() {
    let wrong: Vec<String> = documents().iter().flat_map(dead_links).collect();
    nothing_wrong(&wrong);
    let dead = File::new(
        "docs/a.md",
        "See [this](nowhere.md), [that](adding-a-tool.md) and [more](https://a.example).",
    );
    assert_eq!(dead_links(&dead), ["docs/a.md:1 links to nowhere.md"]);
}

#[test]
fn documented_commands_exist() {
    let program = program();
    let mut wrong = Vec::new();
    for document in documents() {
        for (number, line) in commands(&document) {
            if let Some(word) = unknown(&program, &line) {
                wrong.push(format!("{}:{number} `{line}`: no `{word}`", document.path));
            }
        }
    }
    nothing_wrong(&wrong);
}

#[test]
fn the_readme_names_every_command() {
    let readme = tree::read("README.md");
    let program = program();
    let missing: Vec<String> = program
        .get_subcommands()
        .map(|command| format!("querylayer {}", command.get_name()))
        .filter(|name| name != "querylayer help" && !readme.contains(name))
        .collect();
    nothing_wrong(&missing);
}

/// `.ci/run` takes the test command from there.
#[test]
fn the_readme_says_how_to_pass_the_tests_in_one_command() {
    let readme = tree::read("README.md");
    let marked: Vec<&str> = readme.split("<!-- the test command -->\n").collect();
    assert_eq!(marked.len(), 2, "the mark stands once");
    let block: Vec<&str> = marked[1].lines().take(3).collect();
    assert_eq!(block, ["```sh", "cargo test --workspace", "```"]);
}

#[test]
fn an_unknown_command_is_found() {
    let program = program();
    let shown = File::new(
        "a.md",
        "Run `querylayer agent crate NAME`.\n\n```sh\nquerylayer serve --prt 1\n\
         cargo run --release -- quickstart --json # fine\n```\nAnd `querylayer agent create NAME --harness codex`.\n",
    );
    let wrong: Vec<String> = commands(&shown)
        .iter()
        .filter_map(|(number, line)| {
            unknown(&program, line).map(|word| format!("{number}: {word}"))
        })
        .collect();
    assert_eq!(wrong, ["1: crate", "4: --prt"]);
}
