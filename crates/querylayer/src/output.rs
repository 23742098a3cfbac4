//! What commands print: one JSON document with `--json`, else short lines for people.

use std::io::{IsTerminal as _, Write as _};

use anyhow::Result;
use serde_json::Value;

/// Prints `value` on standard output, as JSON or for people.
///
/// # Errors
/// When standard output is closed.
pub fn print(value: &Value, json: bool) -> Result<()> {
    let text = if json {
        format!("{value}\n")
    } else {
        render(value)
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints one line on standard output.
///
/// # Errors
/// When standard output is closed.
pub fn line(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Whether colour may be used on standard output.
pub fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The columns that people look for first.
const FIRST: [&str; 9] = [
    "id", "name", "slug", "email", "role", "state", "harness", "agent", "prefix",
];

fn render(value: &Value) -> String {
    match value {
        Value::Array(rows) if rows.is_empty() => "nothing yet\n".to_owned(),
        Value::Array(rows) if rows.iter().all(Value::is_object) => table(rows),
        Value::Object(members) => {
            let lines = members
                .iter()
                .map(|(key, value)| format!("{key}: {}\n", cell(value)));
            lines.collect::<Vec<_>>().concat()
        }
        other => format!("{}\n", cell(other)),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items)
            if items
                .iter()
                .all(|item| !item.is_object() && !item.is_array()) =>
        {
            items.iter().map(cell).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

fn table(rows: &[Value]) -> String {
    let Some(Value::Object(first)) = rows.first() else {
        return String::new();
    };
    let mut columns: Vec<&String> = first.keys().collect();
    columns.sort_by_key(|name| {
        FIRST
            .iter()
            .position(|first| first == name)
            .unwrap_or(FIRST.len())
    });
    let mut lines: Vec<Vec<String>> =
        vec![columns.iter().map(|name| name.to_uppercase()).collect()];
    lines.extend(rows.iter().map(|row| {
        columns
            .iter()
            .map(|name| cell(&row[name.as_str()]))
            .collect()
    }));
    let widths: Vec<usize> = (0..columns.len())
        .map(|column| {
            lines
                .iter()
                .map(|line| line[column].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    lines.iter().map(|line| aligned(line, &widths)).collect()
}

fn aligned(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        text.push_str(cell);
        text.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
    }
    format!("{}\n", text.trim_end())
}
