//! Functions of the store that change something and demand no proof of authorization.

use super::nothing_wrong;
use super::tree::{self, File};

/// What proves that somebody may.
const PROOFS: [&str; 7] = [
    "Authorized",
    "MayPropose",
    "MayDecide",
    "Mover",
    "Ender",
    "Hand",
    "Closer",
];

/// How a statement that changes something begins.
const CHANGES: [&str; 4] = [
    concat!("\"", "INSERT "),
    concat!("\"", "UPDATE "),
    concat!("\"", "DELETE "),
    concat!("\"", "WITH "),
];

/// Functions that need no proof, and why. This list only gets shorter.
const WITHOUT: [(&str, &str); 27] = [
    ("checkpoint::insert", "the tree is the server's own"),
    ("checkpoint::register", "the tree is the server's own"),
    ("connection::touch", "notes a use, beside the request"),
    ("content::release_slug", "part of a change that was proven"),
    ("content::take_slug", "part of a change that was proven"),
    ("idempotency::insert", "part of a change that was proven"),
    ("job::accept", "the caller was authorized just before"),
    ("job::cancel", "part of a change that was proven"),
    ("job::claim_in", "the server's own work"),
    ("job::finish", "the server's own work"),
    ("job::insert", "part of a change that was proven"),
    ("job::let_go", "the server's own work"),
    ("job::offer", "the server's own work"),
    ("job::recall", "part of a change that was proven"),
    ("job::renew", "the server's own work"),
    ("lease::take", "the server's own work"),
    ("ledger::append", "part of a change that was proven"),
    (
        "member::set_password",
        "a credential was checked just before",
    ),
    ("organization::insert", "the machine's operator alone"),
    ("session::end", "a credential was checked just before"),
    ("session::end_all", "part of a change that was proven"),
    (
        "session::end_others",
        "a credential was checked just before",
    ),
    ("session::insert", "a credential was checked just before"),
    (
        "session::insert_token",
        "a credential was checked just before",
    ),
    (
        "session::reauthenticate",
        "a credential was checked just before",
    ),
    (
        "session::revoke_token",
        "a credential was checked just before",
    ),
    ("session::use_link", "the link is the credential"),
];

/// The constants of a file whose statement changes something.
fn changing(text: &str) -> Vec<&str> {
    let statements = text.split(" = ").zip(text.split(" = ").skip(1));
    let changing = statements.filter(|(_, sql)| CHANGES.iter().any(|verb| sql.starts_with(verb)));
    let names = changing.filter_map(|(before, _)| before.split_whitespace().next_back());
    names.collect()
}

/// Every function that others may call, with its parameters and its body.
fn functions(text: &str) -> Vec<(&str, &str, &str)> {
    let declared = text
        .split("\npub fn ")
        .chain(text.split("\npub(crate) fn "));
    let functions = declared.filter_map(|rest| {
        let (name, rest) = rest.split_once(['(', '<'])?;
        let whole = rest.split("\n}").next()?;
        let (parameters, body) = whole.split_once("{\n")?;
        Some((name, parameters, body))
    });
    functions
        .filter(|(name, ..)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        .collect()
}

/// Whether `word` stands in `text` as a whole.
fn says(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// The functions of the store's files that change something without a proof.
fn unproven(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let Some(module) = file.path.strip_prefix("crates/ql-store/src/") else {
            continue;
        };
        let module = module.trim_end_matches(".rs");
        let statements = changing(&file.text);
        for (name, parameters, body) in functions(&file.text) {
            let changes = statements.iter().any(|statement| says(body, statement));
            let proven = PROOFS.iter().any(|proof| says(parameters, proof));
            if changes && !proven {
                found.push(format!("{module}::{name}"));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn what_changes_something_demands_a_proof() {
    let found = unproven(&tree::files());
    let listed = WITHOUT.map(|(function, _)| function);
    let unlisted = found.iter().filter(|name| !listed.contains(&name.as_str()));
    let mut wrong: Vec<String> = unlisted
        .map(|name| format!("{name} changes something and demands no proof"))
        .collect();
    let needless = listed
        .iter()
        .filter(|name| !found.contains(&(**name).to_owned()));
    wrong.extend(needless.map(|name| format!("{name} is left out and needn't be")));
    nothing_wrong(&wrong);
}

#[test]
fn one_without_a_proof_is_found() {
    let statement = format!("    ADD = {}INTO notes\";\n", CHANGES[0]);
    let function = |parameters: &str| {
        format!(
            "\npub fn add(tx: &mut Tx<'_>{parameters}) -> Result<()> {{\n    tx.execute(ADD)\n}}\n"
        )
    };
    let file = |path: &str, parameters: &str| {
        File::new(path, &(statement.clone() + &function(parameters)))
    };
    let files = [
        file("crates/ql-store/src/checked.rs", ", by: &Authorized<Edit>"),
        file("crates/ql-store/src/unchecked.rs", ", by: &Actor"),
        file("crates/ql-app/src/elsewhere.rs", ""),
    ];
    assert_eq!(unproven(&files), ["unchecked::add"]);
}
