//! Ready configuration for clients.

use anyhow::{Result, bail};
use ql_app::snippets::{Client, Snippet, snippets};
use serde_json::{Value, json};

use crate::output;

/// Prints the snippets for an endpoint, or only one client's.
///
/// # Errors
/// There is no such client.
pub fn run(url: &str, client: Option<&str>, as_json: bool) -> Result<()> {
    if let Some(client) =
        client.filter(|name| !Client::ALL.iter().any(|known| known.as_str() == *name))
    {
        let names: Vec<&str> = Client::ALL.iter().map(|known| known.as_str()).collect();
        bail!(
            "there is no snippet for `{client}`; there is one for {}",
            names.join(", ")
        );
    }
    if as_json {
        return output::print(&document(url, client), true);
    }
    output::line(&text(url, client))
}

/// The snippets as JSON.
pub fn document(url: &str, client: Option<&str>) -> Value {
    chosen(url, client)
        .map(|snippet| {
            json!({
                "client": snippet.client.as_str(),
                "title": snippet.title,
                "file": snippet.config.file,
                "language": snippet.config.language,
                "text": snippet.config.text,
                "token": snippet.token.map(|block| json!({
                    "file": block.file, "language": block.language, "text": block.text,
                })),
                "check": snippet.check.map(|check| json!({
                    "command": check.command, "says": check.says, "calls": check.calls,
                })),
                "note": snippet.note,
            })
        })
        .collect()
}

/// The snippets for people.
pub fn text(url: &str, client: Option<&str>) -> String {
    let parts: Vec<String> = chosen(url, client).map(|snippet| part(&snippet)).collect();
    parts.join("\n")
}

fn part(snippet: &Snippet) -> String {
    let config = &snippet.config;
    let mut parts = vec![
        format!("── {} · {}", snippet.title, config.file),
        config.text.trim_end().to_owned(),
    ];
    if let Some(token) = &snippet.token {
        parts.push(format!("── {}\n{}", token.file, token.text.trim_end()));
    }
    if let Some(check) = snippet.check {
        parts.push(format!("── check\n{}", check.command));
    }
    parts.push(format!("{}\n", snippet.note));
    parts.join("\n")
}

fn chosen(url: &str, client: Option<&str>) -> impl Iterator<Item = Snippet> {
    let client = client.map(str::to_owned);
    snippets(url).into_iter().filter(move |snippet| {
        client
            .as_deref()
            .is_none_or(|name| name == snippet.client.as_str())
    })
}
