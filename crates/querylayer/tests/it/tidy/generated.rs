//! Parts of the documents that are made from the code.
//!
//! `QL_UPDATE=1 cargo test -p querylayer --test it tidy` writes them anew.

use std::fmt::Write as _;
use std::{fs, iter};

use ql_app::snippets::{Client, Snippet, snippet, snippets};
use ql_core::scope::{Scope, ScopeSet};
use querylayer::cmd::connection_test::Code;

use super::tree;

const ONBOARDING: &str = "docs/agent-onboarding.md";
const UPDATE: &str = "QL_UPDATE=1 cargo test -p querylayer --test it tidy";

/// The address that the documents use.
const URL: &str = "https://cms.example.com/mcp";

/// The address of a first server on one's own machine.
const FIRST_URL: &str = "http://127.0.0.1:8090/mcp";

/// The document with `body` in the place of its generated part `name`.
fn with_part(document: &str, name: &str, body: &str) -> Option<String> {
    let begin = format!("<!-- generated: {name} -->\n");
    let end = format!("<!-- end: {name} -->\n");
    let (before, rest) = document.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{body}\n{end}{after}"))
}

/// Compares the parts of a document with what the code says now, or writes them.
fn hold(path: &str, parts: &[(&str, String)]) {
    let stands = tree::read(path);
    let mut wanted = stands.clone();
    for (name, body) in parts {
        wanted = with_part(&wanted, name, body)
            .unwrap_or_else(|| panic!("{path} has no generated part `{name}`"));
    }
    if stands == wanted {
        return;
    }
    let update = std::env::var_os("QL_UPDATE").is_some();
    assert!(update, "{path} isn't what the code says; run {UPDATE}");
    fs::write(tree::root().join(path), wanted).expect("the document is written");
}

fn client_snippets() -> String {
    let parts: Vec<String> = snippets(URL).iter().map(client_snippet).collect();
    parts.join("\n\n") + "\n"
}

/// The two that the readme begins with, for the server that `quickstart` starts.
fn first_snippets() -> String {
    let parts: Vec<String> = [Client::Codex, Client::ClaudeCode]
        .into_iter()
        .map(|client| client_snippet(&snippet(client, FIRST_URL)))
        .collect();
    parts.join("\n\n") + "\n"
}

/// One client's part: each block with where it goes, then its check and what else to know.
fn client_snippet(snippet: &Snippet) -> String {
    let mut parts = vec![format!("### {}", snippet.title)];
    for block in iter::once(&snippet.config).chain(&snippet.token) {
        parts.push(format!("Goes into: {}", block.file));
        parts.push(format!(
            "```{}\n{}\n```",
            block.language,
            block.text.trim_end()
        ));
    }
    if let Some(check) = snippet.check {
        let how = if check.calls {
            ""
        } else {
            ", which reads the configuration and doesn't call the server"
        };
        parts.push(format!("Check with, and expect `{}`{how}:", check.says));
        parts.push(format!("```sh\n{}\n```", check.command));
    }
    parts.push(snippet.note.to_owned());
    parts.join("\n\n")
}

fn tool_table() -> String {
    let document = ql_api::mcp::tools_document();
    let tools = document["tools"].as_array().expect("a list of tools");
    let mut text =
        "| tool | does | changes something | scopes, one of |\n|---|---|---|---|\n".to_owned();
    for tool in tools {
        let name = tool["name"].as_str().unwrap_or_default();
        let reads = tool["annotations"]["readOnlyHint"] == true;
        writeln!(
            text,
            "| `{name}` | {} | {} | {} |",
            tool["title"].as_str().unwrap_or_default(),
            if reads { "no" } else { "yes" },
            scopes_of(name)
        )
        .expect("a string takes everything");
    }
    text
}

fn code_table() -> String {
    let rows = Code::ALL
        .iter()
        .map(|code| format!("| `{}` | {} |\n", code.as_str(), code.meaning()));
    format!("| code | means |\n|---|---|\n{}", rows.collect::<String>())
}

/// The scopes of which each alone lists the tool.
fn scopes_of(tool: &str) -> String {
    let listing = |scope: &Scope| {
        let held: ScopeSet = [*scope].into_iter().collect();
        ql_api::mcp::tools_of(held).iter().any(|name| name == tool)
    };
    let names: Vec<String> = Scope::ALL
        .into_iter()
        .filter(listing)
        .map(|scope| format!("`{scope}`"))
        .collect();
    names.join(", ")
}

#[test]
fn generated_parts_are_what_the_code_says() {
    let parts = [
        ("snippets", client_snippets()),
        ("tools", tool_table()),
        ("connection test", code_table()),
    ];
    hold(ONBOARDING, &parts);
    hold("README.md", &[("snippets", first_snippets())]);
}

#[test]
fn a_part_is_replaced_and_nothing_else() {
    let document = "a\n<!-- generated: x -->\n\nold\n\n<!-- end: x -->\nb\n";
    let new = with_part(document, "x", "new\n");
    assert_eq!(
        new.as_deref(),
        Some("a\n<!-- generated: x -->\n\nnew\n\n<!-- end: x -->\nb\n")
    );
    assert_eq!(with_part(document, "y", "new\n"), None);
}
