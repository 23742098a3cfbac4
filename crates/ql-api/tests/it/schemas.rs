//! What is published is plain, and what is published is what is enforced.

use insta::assert_snapshot;
use ql_core::scope::ScopeSet;
use serde_json::{Map, Value, json};

use crate::actor::{Actor, BOTH};
use crate::fixture::registry;
use crate::world::World;

/// What a tool may take of a list on average, in bytes: so 25 of them stay below 40 KB.
const BYTES_PER_TOOL: usize = 1600;

/// What a single one may take at most; the one that takes every kind of payload is the largest.
const MOST_BYTES: usize = 6000;

#[tokio::test]
async fn a_published_tool_is_plain() {
    let list = Actor::writer().request("tools/list", json!({})).await;
    let tool = &list.json()["result"]["tools"][1];
    assert_snapshot!(tool, @r#"{"annotations":{"destructiveHint":false,"idempotentHint":false,"openWorldHint":false,"readOnlyHint":false},"description":"Gives back what it was given and nothing else.","inputSchema":{"additionalProperties":false,"properties":{"fields":{"description":"Anything.","type":"object"},"idempotency_key":{"description":"Unique to this act; makes repeating the same call harmless.","maxLength":128,"minLength":1,"type":"string"},"main_source":{"description":"The first source again, alone.","properties":{"retrieved_at":{"description":"When it was read.","format":"date-time","type":"string"},"stance":{"description":"What it says about the claim. (supports: speaks for it; contradicts: speaks against it)","enum":["supports","contradicts"],"type":"string"},"url":{"description":"Where it is.","maxLength":20,"minLength":1,"type":"string"}},"required":["url","stance"],"type":"object"},"run_id":{"description":"The run.","pattern":"^run_[0-9a-z]{2}$","type":"string"},"sources":{"description":"Where it's from.","items":{"properties":{"retrieved_at":{"description":"When it was read.","format":"date-time","type":"string"},"stance":{"description":"What it says about the claim. (supports: speaks for it; contradicts: speaks against it)","enum":["supports","contradicts"],"type":"string"},"url":{"description":"Where it is.","maxLength":20,"minLength":1,"type":"string"}},"required":["url","stance"],"type":"object"},"maxItems":3,"type":"array"},"urgent":{"description":"Whether to hurry.","type":"boolean"}},"required":["run_id","fields"],"type":"object"},"name":"querylayer_write","title":"Write"}"#);
}

#[test]
fn the_gate_passes_the_fixture() {
    for tool in registry().all() {
        let tool = serde_json::to_value(tool).expect("JSON");
        assert_eq!(defects(&tool), [""; 0], "{tool}");
    }
}

#[test]
fn the_gate_passes_every_tool() {
    let document = ql_api::mcp::tools_document();
    let tools = document["tools"].as_array().expect("tools");
    for tool in tools {
        assert_eq!(defects(tool), [""; 0], "{tool}");
    }
}

/// Every session of every agent pays for the whole list.
#[test]
fn tools_are_described_within_their_budget() {
    let document = ql_api::mcp::tools_document();
    let sizes: Vec<(usize, &Value)> = (document["tools"].as_array().expect("tools").iter())
        .map(|tool| (tool.to_string().len(), &tool["name"]))
        .collect();
    let (bytes, most) = (
        sizes.iter().map(|(size, _)| size).sum::<usize>(),
        BYTES_PER_TOOL * sizes.len(),
    );
    assert!(bytes <= most, "{bytes} > {most}: {sizes:?}");
    for (size, name) in sizes {
        assert!(size <= MOST_BYTES, "{name} takes {size} bytes");
    }
}

/// The gate's negative control: each defect is one that some client rejects.
#[test]
fn the_gate_names_what_clients_reject() {
    let tool = json!({
        "name": "Query.Layer", "title": "", "description": "d",
        "annotations": { "readOnlyHint": true },
        "outputSchema": { "type": "string" },
        "inputSchema": {
            "$schema": "x", "type": "object", "anyOf": [],
            "properties": {
                "a": { "$ref": "#/$defs/A" },
                "b": { "type": ["string", "null"], "description": "b" },
                "c": true,
                "d": { "type": "integer", "format": "uint32", "description": "d" },
                "e": { "type": "object", "additionalProperties": false, "description": "e" },
                "f": { "type": "array", "items": true, "description": "f" }
            }
        }
    });
    assert_snapshot!(defects(&tool).join("\n"), @r#"
    name Query.Layer
    no title
    description
    no destructiveHint
    no idempotentHint
    no openWorldHint
    inputSchema is open
    inputSchema uses $schema
    inputSchema uses anyOf
    inputSchema > a uses $ref
    inputSchema > a has no single type
    inputSchema > a has no description
    inputSchema > b has no single type
    inputSchema > c is no object schema
    inputSchema > d has format "uint32"
    inputSchema > e uses additionalProperties
    inputSchema > f[] is no object schema
    outputSchema is no object with properties
    "#);
}

/// A tool that every client reads.
fn plain() -> Value {
    json!({
        "name": "querylayer_plain", "title": "Plain", "description": "Does nothing, and says so plainly.",
        "annotations": {
            "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false
        },
        "inputSchema": {
            "type": "object", "additionalProperties": false,
            "properties": {
                "count": { "type": "integer", "description": "How many." },
                "names": {
                    "type": "array", "maxItems": 3, "description": "Which.", "items": { "type": "string" }
                }
            }
        },
        "outputSchema": {
            "type": "object", "properties": { "ok": { "type": "boolean", "description": "Whether." } }
        }
    })
}

/// One published schema of each kind that broke somebody, with the number of its case in
/// docs/mcp-cases.md, and what the gate says about it.
///
/// Cases 22 to 32 and 34. 22: anthropics/claude-code#5973, opentokenz/mcpx#28, PostHog/posthog#61040,
/// eric-tramel/moraine#256. 23: anthropics/claude-code#88049. 24: diegosouzapw/OmniRoute#13552.
/// 25: google-gemini/gemini-cli#13326, anomalyco/opencode#12295. 26: google-gemini/gemini-cli#14970.
/// 27: longbridge/developers#1264, apollographql/apollo-mcp-server#245, GaloyMoney/drua#321.
/// 28: github/copilot-cli#4623. 29: promptfoo/promptfoo#6902, github/github-mcp-server#376.
/// 30: openai/openai-agents-python#449, unclecode/crawl4ai#2207. 31: openai/codex#8174,
/// github/copilot-cli#1879, barryw/ImmichMCP#4. 32: awslabs/mcp#616. 34: opentokenz/mcpx#28.
#[test]
fn every_schema_that_broke_a_client_is_caught_by_the_gate() {
    assert_eq!(defects(&plain()), [""; 0], "the control");
    let cases = [
        (22, "/inputSchema/anyOf", json!([{ "required": ["count"] }])),
        (22, "/inputSchema/oneOf", json!([])),
        (22, "/inputSchema/allOf", json!([])),
        (23, "/inputSchema", json!({ "type": "string" })),
        (
            24,
            "/inputSchema/properties/a~1b",
            json!({ "type": "string", "description": "Which." }),
        ),
        (
            24,
            "/inputSchema/properties/count",
            json!({ "$ref": "#/x", "type": "integer", "description": "n" }),
        ),
        (25, "/inputSchema/$defs", json!({})),
        (
            26,
            "/inputSchema/$schema",
            json!("https://json-schema.org/draft/2020-12/schema"),
        ),
        (27, "/inputSchema/properties/count/format", json!("uint32")),
        (28, "/inputSchema/properties/names/items", json!(true)),
        (
            28,
            "/inputSchema/properties/names/items/type",
            json!(["string", "null"]),
        ),
        (29, "/inputSchema/additionalProperties", json!(true)),
        (
            29,
            "/inputSchema/properties/names/items/additionalProperties",
            json!(false),
        ),
        (30, "/inputSchema/properties", Value::Null),
        (31, "/name", json!("querylayer.plain")),
        (32, "/name", json!(format!("querylayer_{}", "x".repeat(45)))),
        (34, "/outputSchema/type", Value::Null),
    ];
    let mut said = Vec::new();
    for (case, pointer, value) in cases {
        let mut tool = plain();
        let (parent, name) = pointer.rsplit_once('/').expect("a place below the root");
        let parent = tool.pointer_mut(parent).expect("a place");
        parent[name.replace("~1", "/")] = value;
        said.push(format!("{case}: {}", defects(&tool).join("; ")));
    }
    assert_snapshot!(said.join("\n"), @r#"
    22: inputSchema uses anyOf
    22: inputSchema uses oneOf
    22: inputSchema uses allOf
    23: inputSchema is open; inputSchema is no object with properties
    24: inputSchema names a property a/b
    24: inputSchema > count uses $ref
    25: inputSchema uses $defs
    26: inputSchema uses $schema
    27: inputSchema > count has format "uint32"
    28: inputSchema > names[] is no object schema
    28: inputSchema > names[] has no single type
    29: inputSchema is open
    29: inputSchema > names[] uses additionalProperties
    30: inputSchema is no object with properties
    31: name querylayer.plain
    32: name querylayer_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    34: outputSchema is no object with properties; outputSchema has no single type
    "#);
}

/// Case 32, awslabs/mcp#616: with the prefixes that clients add, 64 characters are all there is.
/// Case 37, github/copilot-cli#4006, vercel/ai#19240, knowsuchagency/mcp2cli#64: clients read one page.
#[tokio::test]
async fn all_tools_are_on_one_page_and_their_names_leave_room_for_prefixes() {
    let world = World::new().await;
    let mut published = ql_api::mcp::tools_document()["tools"].clone();
    let offered = ql_api::mcp::tools_of(ScopeSet::ALL);
    let all = published.as_array_mut().expect("tools");
    all.retain(|tool| offered.iter().any(|name| tool["name"] == **name));
    for speaks in BOTH {
        let actor = world.agent().await.speaking(speaks);
        let result = actor.request("tools/list", json!({})).await.json()["result"].clone();
        assert_eq!(result["nextCursor"], Value::Null);
        assert_eq!(result["tools"], published, "{speaks:?}");
    }
    for tool in ql_api::mcp::tools_document()["tools"]
        .as_array()
        .expect("tools")
    {
        let name = tool["name"].as_str().expect("a name");
        assert!(format!("mcp__ql__{name}").len() <= 64, "{name}");
    }
}

/// What is wrong with a published tool.
pub(crate) fn defects(tool: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let name = tool["name"].as_str().unwrap_or_default();
    let sound = name.len() <= 49
        && name.starts_with("querylayer_")
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if !sound {
        found.push(format!("name {name}"));
    }
    if tool["title"].as_str().is_none_or(str::is_empty) {
        found.push("no title".to_owned());
    }
    let text = tool["description"].as_str().unwrap_or_default();
    let alarming = [
        "system:",
        "do not reveal",
        "do not tell",
        "ignore previous",
        "you are now",
    ];
    let alarms = alarming
        .iter()
        .any(|words| text.to_lowercase().contains(words));
    if !(20..=1000).contains(&text.chars().count()) || alarms {
        found.push("description".to_owned());
    }
    for hint in [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    ] {
        if !tool["annotations"][hint].is_boolean() {
            found.push(format!("no {hint}"));
        }
    }
    if tool["inputSchema"]["additionalProperties"] != json!(false) {
        found.push("inputSchema is open".to_owned());
    }
    root_defects("inputSchema", &tool["inputSchema"], &mut found);
    if let Some(schema) = tool.get("outputSchema") {
        root_defects("outputSchema", schema, &mut found);
    }
    found
}

fn root_defects(place: &str, schema: &Value, found: &mut Vec<String>) {
    if schema["type"] != "object" || !schema["properties"].is_object() {
        found.push(format!("{place} is no object with properties"));
    }
    let mut inner = schema.clone();
    if let Some(object) = inner.as_object_mut() {
        object.remove("additionalProperties");
        object.insert("description".to_owned(), json!("the tool has one"));
    }
    schema_defects(place, &inner, found);
}

fn schema_defects(place: &str, schema: &Value, found: &mut Vec<String>) {
    let Some(object) = schema.as_object() else {
        return found.push(format!("{place} is no object schema"));
    };
    let refused = [
        "$schema",
        "$ref",
        "$defs",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "additionalProperties",
        "const",
    ];
    for keyword in refused
        .into_iter()
        .filter(|keyword| object.contains_key(*keyword))
    {
        found.push(format!("{place} uses {keyword}"));
    }
    if !schema["type"].is_string() {
        found.push(format!("{place} has no single type"));
    }
    if object
        .get("format")
        .is_some_and(|format| format != "date-time")
    {
        found.push(format!("{place} has format {}", object["format"]));
    }
    if place.contains(" > ")
        && !place.ends_with("[]")
        && object.get("description").is_none_or(|d| d == "")
    {
        found.push(format!("{place} has no description"));
    }
    for (name, property) in object
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&Map::new())
    {
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.len() > 64 || !name.bytes().all(letters) {
            found.push(format!("{place} names a property {name}"));
        }
        schema_defects(&format!("{place} > {name}"), property, found);
    }
    if let Some(items) = object.get("items") {
        schema_defects(&format!("{place}[]"), items, found);
    }
}

/// Every place of a valid call is replaced with every kind of value and taken out; what the
/// endpoint accepts, an independent validator accepts, and what it refuses, that one refuses too,
/// once `null` is absent and the world is closed.
#[tokio::test]
async fn what_is_published_is_what_is_enforced() {
    let actor = Actor::writer();
    let list = actor.request("tools/list", json!({})).await.json();
    let schema = closed(list["result"]["tools"][1]["inputSchema"].clone());
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema");
    let source = json!({ "url": "https://a.example", "stance": "supports", "retrieved_at": "2026-11-30T12:00:00Z" });
    let valid = json!({
        "run_id": "run_01", "fields": { "a": 1 }, "sources": [source, source], "urgent": true, "main_source": source
    });
    let mut seen = [0_u32; 2];
    for changed in mutations(&valid) {
        let answer = actor
            .call("querylayer_write", changed.clone())
            .await
            .answer();
        let accepted = answer["ok"] == true;
        assert_eq!(
            accepted,
            validator.is_valid(&without_null(&changed)),
            "{changed}\n{answer}"
        );
        seen[usize::from(accepted)] += 1;
    }
    assert!(
        seen[0] > 100 && seen[1] > 15,
        "both verdicts were tried: {seen:?}"
    );
}

fn mutations(valid: &Value) -> Vec<Value> {
    let replacements = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(2.5),
        json!(""),
        json!("x"),
        json!("x".repeat(21)),
        json!("run_zz"),
        json!("2026-02-30T00:00:00Z"),
        json!([]),
        json!([1]),
        json!({}),
        json!({ "x": 1 }),
        json!([1, 2, 3, 4]),
    ];
    let mut all = vec![valid.clone()];
    for pointer in pointers("", valid) {
        for replacement in &replacements {
            let mut changed = valid.clone();
            *changed.pointer_mut(&pointer).expect("a place") = replacement.clone();
            all.push(changed);
        }
        let (parent, name) = pointer.rsplit_once('/').expect("a place below the root");
        let mut removed = valid.clone();
        let mut added = valid.clone();
        if let Some(object) = removed.pointer_mut(parent).and_then(Value::as_object_mut) {
            object.remove(name);
            all.push(removed);
        }
        if let Some(object) = added.pointer_mut(parent).and_then(Value::as_object_mut) {
            object.insert("extra".to_owned(), json!(1));
            all.push(added);
        }
    }
    all
}

fn pointers(at: &str, value: &Value) -> Vec<String> {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(object) => object
            .iter()
            .map(|(name, child)| (name.clone(), child))
            .collect(),
        Value::Array(array) => array
            .iter()
            .enumerate()
            .map(|(index, child)| (index.to_string(), child))
            .collect(),
        _ => Vec::new(),
    };
    let below = |(name, child): (String, &Value)| {
        let place = format!("{at}/{name}");
        let mut all = pointers(&place, child);
        all.push(place);
        all
    };
    children.into_iter().flat_map(below).collect()
}

/// The schema as it's meant: objects with properties are closed at every depth.
fn closed(mut schema: Value) -> Value {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for property in properties.values_mut() {
            *property = closed(property.take());
        }
        schema["additionalProperties"] = json!(false);
    }
    if let Some(items) = schema.get_mut("items") {
        *items = closed(items.take());
    }
    schema
}

/// The arguments as they're meant: null members are absent, but in the free-form `fields`.
fn without_null(arguments: &Value) -> Value {
    match arguments {
        Value::Object(object) => {
            let kept = object.iter().filter(|(_, value)| !value.is_null());
            let meant = |name: &str, value: &Value| {
                if name == "fields" {
                    value.clone()
                } else {
                    without_null(value)
                }
            };
            Value::Object(
                kept.map(|(name, value)| (name.clone(), meant(name, value)))
                    .collect(),
            )
        }
        Value::Array(array) => Value::Array(array.iter().map(without_null).collect()),
        other => other.clone(),
    }
}
