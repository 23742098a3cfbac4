//! Which crate may use which: the table of ARCHITECTURE.md, held against every manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use toml::{Table, Value};

use super::{nothing_wrong, tree};

const TESTKIT: &str = "ql-testkit";

/// Libraries that few crates alone may name, since it is their job to hide them.
const OWNED: [(&str, &[&str]); 5] = [
    ("argon2", &["ql-app"]),
    // The dashboard's pages, and the page of a visitor's form.
    ("askama", &["ql-web", "ql-api"]),
    ("clap", &["querylayer"]),
    ("rmcp", &["ql-api"]),
    ("rusqlite", &["ql-store"]),
];

/// Libraries that would make the pure crate impure.
const IMPURE: [&str; 6] = ["axum", "http", "hyper", "reqwest", "tokio", "tracing"];

type Allowed = BTreeMap<String, BTreeSet<String>>;

/// Reads the rows of the section `Crates`: the crate, what it owns, what it may use.
fn table(architecture: &str) -> Allowed {
    let section = architecture
        .split("\n## ")
        .find(|s| s.starts_with("Crates"));
    let rows = section.expect("a section `Crates`").lines();
    rows.filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let uses = cells.last().map_or("", |cell| cell);
            (
                quoted(cells[0]).remove(0),
                quoted(uses).into_iter().collect(),
            )
        })
        .collect()
}

fn quoted(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The packages that a section of a manifest names, renamed ones by their real name.
fn packages(manifest: &Table, section: &str) -> Vec<String> {
    let of = |table: &Table| -> Vec<String> {
        let named = table.get(section).and_then(Value::as_table);
        named
            .into_iter()
            .flatten()
            .map(|(key, value)| {
                let renamed = value.get("package").and_then(Value::as_str);
                renamed.unwrap_or(key).to_owned()
            })
            .collect()
    };
    let targets = manifest.get("target").and_then(Value::as_table);
    let mut all = of(manifest);
    all.extend(
        targets
            .into_iter()
            .flatten()
            .filter_map(|(_, target)| target.as_table())
            .flat_map(of),
    );
    all
}

/// The arrows of one manifest that the table doesn't allow.
fn forbidden(allowed: &Allowed, manifest: &str) -> Vec<String> {
    let manifest: Table = manifest.parse().expect("a manifest in TOML");
    let name = manifest["package"]["name"].as_str().unwrap_or_default();
    let Some(own) = allowed.get(name) else {
        return vec![format!("{name} isn't in the table of ARCHITECTURE.md")];
    };
    let mut wrong = Vec::new();
    for section in ["dependencies", "build-dependencies"] {
        for used in packages(&manifest, section) {
            if allowed.contains_key(&used) && !own.contains(&used) {
                wrong.push(format!("{name} may not use {used} ({section})"));
            }
            if name == "ql-core" && IMPURE.contains(&used.as_str()) {
                wrong.push(format!("ql-core is pure and may not use {used}"));
            }
            if let Some((_, owners)) = OWNED.iter().find(|(library, _)| *library == used)
                && !owners.contains(&name)
            {
                let owners = owners.join(" and ");
                wrong.push(format!("{name} may not use {used}, which {owners} hide"));
            }
        }
    }
    // Tests may use the test kit, and what the test kit is made of.
    let kit = &allowed[TESTKIT];
    for used in packages(&manifest, "dev-dependencies") {
        let known = own.contains(&used) || used == TESTKIT || kit.contains(&used);
        if allowed.contains_key(&used) && !known {
            wrong.push(format!("tests of {name} may not use {used}"));
        }
    }
    wrong
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let allowed = table(&tree::read("ARCHITECTURE.md"));
    let mut wrong = Vec::new();
    let mut folders = BTreeSet::new();
    for entry in fs::read_dir(tree::root().join("crates")).expect("the crates") {
        let folder = entry.expect("a crate").file_name();
        let folder = folder.to_string_lossy().into_owned();
        wrong.extend(forbidden(
            &allowed,
            &tree::read(&format!("crates/{folder}/Cargo.toml")),
        ));
        folders.insert(folder);
    }
    let gone = allowed.keys().filter(|name| !folders.contains(*name));
    wrong.extend(gone.map(|name| format!("there is no crate {name}, which the table names")));
    nothing_wrong(&wrong);
}

#[test]
fn an_arrow_against_the_table_is_found() {
    let allowed = table(
        "# A\n\n## Crates\n\n| crate | owns | may use |\n|---|---|---|\n| `ql-core` | ids | – |\n\
         | `ql-store` | rows | `ql-core` |\n| `ql-testkit` | actors | `ql-core`, `ql-store` |\n\n## B\n",
    );
    let manifest = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n{rest}");
    let lawful = manifest(
        "ql-store",
        "[dependencies]\nql-core = {}\nrusqlite = {}\n[dev-dependencies]\nql-testkit = {}\n",
    );
    assert_eq!(forbidden(&allowed, &lawful), [] as [String; 0]);
    let wrong = [
        manifest(
            "ql-core",
            "[dependencies]\ncore = { package = \"ql-store\" }\ntokio = {}\n",
        ),
        manifest(
            "ql-core",
            "[target.'cfg(unix)'.dependencies]\nql-store = {}\n",
        ),
        manifest("ql-store", "[dependencies]\nql-testkit = {}\naskama = {}\n"),
        manifest("ql-new", ""),
    ];
    let complaints: Vec<String> = wrong.iter().flat_map(|m| forbidden(&allowed, m)).collect();
    insta::assert_snapshot!(complaints.join("\n"), @"
    ql-core may not use ql-store (dependencies)
    ql-core is pure and may not use tokio
    ql-core may not use ql-store (dependencies)
    ql-store may not use askama, which ql-web and ql-api hide
    ql-store may not use ql-testkit (dependencies)
    ql-new isn't in the table of ARCHITECTURE.md
    ");
}
