//! Every tool for every kind of caller and every relation to what is named: the table of who gets
//! what.
//!
//! What belongs to another site, to another organization and to nobody must be answered alike, byte
//! for byte; the table then says with which code.

mod callers;
pub(crate) mod rows;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ql_api::mcp;
use serde_json::{Value, json};

use self::callers::{Callers, STRANGERS};
use self::rows::{ROWS, Row, slots};
use crate::actor::{Actor, Reply};
use crate::belongings::Belongings;

/// What an answer is, in a word or two.
fn class(reply: &Reply) -> String {
    let body = reply.json();
    if reply.status != 200 {
        let code = &body["error"]["data"]["code"];
        return format!("{} {}", reply.status.as_u16(), code.as_str().unwrap_or("-"));
    }
    if let Some(message) = body["error"]["message"].as_str() {
        let unknown = message.starts_with("Unknown tool");
        return if unknown { "no tool" } else { message }.to_owned();
    }
    let answer = reply.answer();
    match (&body["result"]["isError"], &answer["ok"]) {
        (Value::Bool(false), Value::Bool(true)) => "ok".to_owned(),
        (Value::Bool(false), _) => answer["code"].as_str().expect("a code").to_owned(),
        _ => "fault".to_owned(),
    }
}

/// Everything about an answer but the identifier that was named, which a refusal may repeat.
fn without(reply: &Reply, id: &str) -> String {
    let mut headers: Vec<String> = reply
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    headers.sort();
    let whole = format!("{}\n{}\n{}", reply.status, headers.join("\n"), reply.body);
    whole.replace(id, "[id]")
}

/// The answers to a row when one identifier isn't the caller's own; all others are.
async fn elsewhere(
    actor: &Actor,
    row: &Row,
    slot: &str,
    (own, others): (&Belongings, &[Belongings]),
) -> String {
    let mut first = None;
    for other in others {
        let named = own.with(slot, other);
        let reply = actor.call(row.tool, named.fill(row.arguments)).await;
        let shown = without(&reply, other.get(slot));
        let (expected, _) = first.get_or_insert((shown.clone(), class(&reply)));
        assert_eq!(&shown, expected, "{} {slot}: {}", row.tool, other.get(slot));
    }
    first.expect("somewhere else").1
}

/// One row for one caller: the answer with its own identifiers, and for each that isn't.
async fn answers(callers: &Callers, caller: &str, row: &Row) -> String {
    let (actor, own) = callers.prepare(caller, row).await;
    let mut answers = Vec::new();
    for slot in slots(row.arguments) {
        let others = callers.elsewhere(caller);
        let answer = elsewhere(&actor, row, slot, (&own, &others)).await;
        answers.push(format!("{slot} elsewhere: {answer}"));
    }
    let reply = actor.call(row.tool, own.fill(row.arguments)).await;
    answers.insert(0, class(&reply));
    callers.restore().await;
    answers.join(", ")
}

#[tokio::test]
async fn every_tool_answers_every_caller_as_the_contract_says() {
    let callers = Callers::new().await;
    let mut table = format!("nobody: no token, {}\n", STRANGERS.join(", "));
    for row in ROWS {
        let arguments: Value = serde_json::from_str(row.arguments).expect("JSON");
        let _ = writeln!(table, "{} {arguments}, {}", row.tool, row.scope);
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for caller in callers::KNOWN {
            let answer = answers(&callers, caller, row).await;
            match lines.iter_mut().find(|(known, _)| *known == answer) {
                Some((_, names)) => names.push(caller),
                None => lines.push((answer, vec![caller])),
            }
        }
        for (answer, names) in lines {
            let _ = writeln!(table, "  {}: {answer}", names.join(", "));
        }
        let strangers = strangers(&callers, row).await;
        let _ = writeln!(table, "  nobody: {strangers}");
    }
    insta::assert_snapshot!("tools", table);
}

/// What those are answered who have no connection, or none any more: the same, every one.
async fn strangers(callers: &Callers, row: &Row) -> String {
    let mut first = None;
    for stranger in STRANGERS {
        let actor = callers.stranger(stranger);
        let reply = actor.call(row.tool, callers.home.fill(row.arguments)).await;
        let shown = without(&reply, "-");
        let (expected, _) = first.get_or_insert((shown.clone(), class(&reply)));
        assert_eq!(&shown, expected, "{} {stranger}", row.tool);
    }
    let (_, class_of_all) = first.expect("a stranger");
    let nothing = callers.stranger(STRANGERS[0]).without_token();
    let reply = nothing
        .call(row.tool, callers.home.fill(row.arguments))
        .await;
    assert_eq!(class(&reply), class_of_all, "{} without a token", row.tool);
    class_of_all
}

/// The arguments of a schema that name something, at any depth.
fn identifiers(schema: &Value, found: &mut BTreeSet<String>) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        if name.ends_with("_id") || name.ends_with("_ids") {
            found.insert(name.clone());
        }
        identifiers(member, found);
    }
    if schema["items"].is_object() {
        identifiers(&schema["items"], found);
    }
}

/// The members of the arguments whose value names something of the caller's.
fn named(arguments: &Value, found: &mut BTreeSet<String>) {
    let filled = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('{'));
    for (name, value) in arguments.as_object().into_iter().flatten() {
        if filled(value) || filled(&value[0]) {
            found.insert(name.clone());
        }
        named(value, found);
    }
    for element in arguments.as_array().into_iter().flatten() {
        named(element, found);
    }
}

/// A tool that is new, and an argument of one that names something, must be put into the table.
#[test]
fn every_tool_and_every_identifier_that_one_takes_stands_in_the_table() {
    let document = mcp::tools_document();
    let mut missing = Vec::new();
    for tool in document["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        let rows: Vec<&Row> = ROWS.iter().filter(|row| row.tool == name).collect();
        if rows.is_empty() {
            missing.push(name.to_owned());
        }
        let (mut takes, mut tried) = (BTreeSet::new(), BTreeSet::new());
        identifiers(&tool["inputSchema"], &mut takes);
        for row in rows {
            named(
                &serde_json::from_str(row.arguments).expect("JSON"),
                &mut tried,
            );
        }
        missing.extend(takes.difference(&tried).map(|id| format!("{name} {id}")));
    }
    missing.retain(|missing| !rows::NOT_TRIED.contains(&missing.as_str()));
    assert_eq!(missing, [""; 0]);
}

/// The negative control: with an identifier that is the caller's own, the answers differ.
#[tokio::test]
async fn an_answer_that_tells_would_be_found() {
    let callers = Callers::new().await;
    let row = Row {
        tool: "querylayer_list_content",
        scope: "content:read",
        arguments: r#"{"content_id": "{content}"}"#,
    };
    let (actor, own) = callers.prepare("every scope", &row).await;
    let told = actor.call(row.tool, own.fill(row.arguments)).await;
    let never = own.with("content", &callers.elsewhere("every scope")[0]);
    let untold = actor.call(row.tool, never.fill(row.arguments)).await;
    assert_ne!(
        without(&told, own.get("content")),
        without(&untold, never.get("content"))
    );
    assert_eq!(class(&told), "ok");
    assert_eq!(json!(class(&untold)), "not_found");
}
