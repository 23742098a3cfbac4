//! Envelopes as they come in.

use insta::assert_snapshot;
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::read::{self, MAX_BYTES};
use ql_pipeline::envelope::{Unfit, schema};
use serde_json::{Value, json};

use crate::world::World;

fn told(text: &[u8]) -> String {
    match read::result(text, DocKind::Script) {
        Ok((result, _)) => format!("read, {} dollars", result.cost_usd),
        Err(Unfit::Problems(problems)) => problems
            .iter()
            .map(|problem| format!("{} {}: {}", problem.pointer, problem.code, problem.message))
            .collect::<Vec<_>>()
            .join("\n"),
        Err(other) => other.to_string(),
    }
}

fn with(change: impl Fn(&mut Value)) -> String {
    let mut result = World::new().result;
    change(&mut result);
    told(result.to_string().as_bytes())
}

#[test]
fn everything_that_does_not_fit_is_said_at_once() {
    assert_snapshot!(with(|_| {}), @"read, 0.41 dollars");
    assert_snapshot!(with(|result| {
        result["task_id"] = json!("17");
        result["status"] = json!("PERFECT");
        result["extra"] = json!(1);
        result["output"]["sections"][0]["note"] = json!("x");
        result["output"]["title"] = json!("");
        result["claims"][0]["source"]["url"] = json!("not an address");
        result["scripture"][0]["verified"] = json!("yes");
    }), @r#"
    /claims/0/source schema: {"locator":"p. 42","url":"not an address","work":"A Commentary"} is not valid under any of the schemas listed in the 'anyOf' keyword
    /scripture/0/verified schema: "yes" is not of type "boolean"
    /status schema: "PERFECT" is not valid under any of the schemas listed in the 'oneOf' keyword
    /task_id schema: "17" is not a "uuid"
     schema: Additional properties are not allowed ('extra' was unexpected)
    /output/sections/0 schema: Additional properties are not allowed ('note' was unexpected)
    /output/title schema: "" is shorter than 1 character
    "#);
}

#[test]
fn money_has_six_decimals() {
    assert_snapshot!(with(|result| result["cost_usd"] = json!(0.123_456)), @"read, 0.123456 dollars");
    assert_snapshot!(with(|result| result["cost_usd"] = json!(0.123_456_7)), @" schema: 0.1234567 has more than six decimals; amounts are whole millionths of a dollar");
    assert_snapshot!(with(|result| result["cost_usd"] = json!(-1)), @"/cost_usd schema: -1 is less than the minimum of 0");
}

#[test]
fn a_member_twice_and_a_text_too_long_are_refused() {
    let text = World::new()
        .result
        .to_string()
        .replacen('{', "{\"status\":\"REJECTED\",", 1);
    assert_snapshot!(told(text.as_bytes()), @"/status duplicate_key: the name stands twice in this object");
    assert_snapshot!(told(&vec![b' '; MAX_BYTES + 1]), @"an envelope has at most 4194304 bytes, and this one has more");
    assert_snapshot!(told(b"{\"task_id\": "), @"not JSON: EOF while parsing a value at line 1 column 12");
    let deep = format!("{}1{}", "[".repeat(70), "]".repeat(70));
    assert_snapshot!(told(deep.as_bytes()), @"/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0 too_deep: nesting is deeper than 64 levels");
}

#[test]
fn a_task_reads_back_and_its_key_is_bound_to_its_body() {
    let task = World::new().task;
    let text = serde_json::to_vec(&task).expect("json");
    let read = read::task(&text).expect("fit");
    assert_eq!(read, task);
    let mut again = task.clone();
    again.task_id = "01939d2c-0000-7000-8000-000000000009".into();
    assert_eq!(again.body_digest(), task.body_digest());
    again.objective.push('!');
    assert_ne!(again.body_digest(), task.body_digest());
    let mut foreign = json!(task);
    foreign["inputs"]["note"] = json!("do as I say");
    let refused = read::task(foreign.to_string().as_bytes()).expect_err("refused");
    assert!(
        matches!(refused, Unfit::Problems(_)),
        "no field for anything else"
    );
}

#[test]
fn schemas_refuse_unknown_members_everywhere_and_refer_to_nothing_outside() {
    fn look(schema: &Value, at: &str, faults: &mut Vec<String>) {
        if let Value::Object(members) = schema {
            let object = members.get("type") == Some(&json!("object"));
            let is_map = members
                .get("additionalProperties")
                .is_some_and(Value::is_object);
            if object && !is_map && members.get("additionalProperties") != Some(&json!(false)) {
                faults.push(at.to_owned());
            }
            if members
                .get("$ref")
                .and_then(Value::as_str)
                .is_some_and(|to| !to.starts_with("#/"))
            {
                faults.push(format!("{at}: refers outside"));
            }
        }
        match schema {
            Value::Object(members) => {
                members
                    .iter()
                    .for_each(|(key, value)| look(value, &format!("{at}/{key}"), faults));
            }
            Value::Array(items) => items.iter().for_each(|item| look(item, at, faults)),
            _ => {}
        }
    }
    let mut faults = Vec::new();
    look(&schema::all(), "", &mut faults);
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn the_published_schemas_are_those_of_the_golden_file() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/envelopes.json");
    let now = serde_json::to_string_pretty(&schema::all()).expect("json") + "\n";
    if std::env::var_os("QL_UPDATE").is_some() {
        std::fs::write(file, &now).expect("the golden file");
    }
    let golden = std::fs::read_to_string(file).expect("the golden file; QL_UPDATE=1 writes it");
    assert_eq!(
        now, golden,
        "QL_UPDATE=1 writes the file anew; look at the difference first"
    );
}
