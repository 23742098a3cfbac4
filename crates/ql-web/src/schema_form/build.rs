//! From a schema and fields to inputs.

use ql_core::problem::Problem;
use serde_json::{Map, Value, json};

use super::{Control, DEEPEST, Input, Part, problems_at};
use crate::labels;

/// Texts that may be longer than this get several lines.
const LONGEST_LINE: u64 = 160;

/// Texts that may be longer than this get a tall box.
const LONGEST_BOX: u64 = 10_000;

/// The inputs for an object with `schema` and `fields`, each with the problems of its place.
///
/// Fields that the schema doesn't declare stand at the end as JSON.
pub fn build(schema: &Value, fields: &Value, problems: &[Problem]) -> Vec<Input> {
    let empty = Map::new();
    let fields = fields.as_object().unwrap_or(&empty);
    Builder { problems }.object("", schema, fields, 0)
}

struct Builder<'a> {
    problems: &'a [Problem],
}

impl Builder<'_> {
    fn object(
        &self,
        pointer: &str,
        schema: &Value,
        fields: &Map<String, Value>,
        depth: usize,
    ) -> Vec<Input> {
        let required = |key: &str| {
            let list = schema["required"].as_array();
            list.is_some_and(|keys| keys.iter().any(|name| name == key))
        };
        let mut inputs = Vec::new();
        for key in labels::keys(schema, fields, &all_declared(schema)) {
            let place = labels::join(pointer, &key);
            let declared = &schema["properties"][key.as_str()];
            let value = fields.get(&key);
            inputs.push(Input {
                label: labels::title(declared, &key),
                help: declared["description"].as_str().map(str::to_owned),
                required: required(&key),
                control: self.control(&place, declared, value, (required(&key), depth)),
                problems: problems_at(self.problems, &place),
                pointer: place,
            });
        }
        inputs
    }

    fn control(
        &self,
        pointer: &str,
        schema: &Value,
        value: Option<&Value>,
        (required, depth): (bool, usize),
    ) -> Control {
        let shape = shape(schema, depth);
        if !fits(shape, value) {
            return Control::Json(pretty(value));
        }
        match shape {
            Shape::Text => text(schema, value),
            Shape::Number => Control::Line {
                kind: "number",
                value: value.map(Value::to_string).unwrap_or_default(),
                longest: None,
            },
            Shape::Choice => Control::Choice {
                value: value.and_then(Value::as_str).unwrap_or_default().to_owned(),
                options: strings(&schema["enum"]),
            },
            Shape::Flag if required => Control::Check(value == Some(&json!(true))),
            Shape::Flag => Control::Choice {
                value: value.map(Value::to_string).unwrap_or_default(),
                options: vec!["true".into(), "false".into()],
            },
            Shape::Lines => Control::Lines(strings(value.unwrap_or(&Value::Null)).join("\n")),
            Shape::Object => Control::Group {
                inputs: self.object(pointer, schema, &fields_of(value), depth + 1),
                present: (!required).then_some(value.is_some()),
            },
            Shape::Parts => self.list(pointer, schema, value, depth),
            Shape::Other => Control::Json(pretty(value)),
        }
    }

    fn list(&self, pointer: &str, schema: &Value, value: Option<&Value>, depth: usize) -> Control {
        let items = value
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let part = |(index, item): (usize, &Value)| {
            let pointer = format!("{pointer}/{index}");
            let fields = fields_of(Some(item));
            Part {
                inputs: self.object(&pointer, &schema["items"], &fields, depth + 1),
                pointer,
            }
        };
        let most = schema["maxItems"].as_u64();
        Control::List {
            parts: items.iter().enumerate().map(part).collect(),
            may_grow: most.is_none_or(|most| (items.len() as u64) < most),
        }
    }
}

/// The ways in which this form can edit a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Number,
    Choice,
    Flag,
    Lines,
    Object,
    Parts,
    Other,
}

/// How a value of that schema is edited, `depth` objects deep.
pub(super) fn shape(schema: &Value, depth: usize) -> Shape {
    let has_fields = |schema: &Value| schema["properties"].is_object() && depth < DEEPEST;
    match schema["type"].as_str() {
        Some("string") if schema["enum"].is_array() => Shape::Choice,
        Some("string") => Shape::Text,
        Some("integer" | "number") => Shape::Number,
        Some("boolean") => Shape::Flag,
        Some("object") if has_fields(schema) => Shape::Object,
        Some("array") => match schema["items"]["type"].as_str() {
            Some("string") => Shape::Lines,
            Some("object") if has_fields(&schema["items"]) => Shape::Parts,
            _ => Shape::Other,
        },
        _ => Shape::Other,
    }
}

/// Whether a value that stands can be edited in that way without losing anything.
fn fits(shape: Shape, value: Option<&Value>) -> bool {
    let Some(value) = value else { return true };
    let all = |is: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(is));
    match shape {
        Shape::Text | Shape::Choice => value.is_string(),
        Shape::Number => value.is_number(),
        Shape::Flag => value.is_boolean(),
        Shape::Lines => all(|item| item.as_str().is_some_and(|text| !text.contains('\n'))),
        Shape::Object => value.is_object(),
        Shape::Parts => all(Value::is_object),
        Shape::Other => true,
    }
}

fn text(schema: &Value, value: Option<&Value>) -> Control {
    let value = value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let longest = schema["maxLength"].as_u64();
    let markup = match schema["contentMediaType"].as_str() {
        Some("text/markdown") => Some("Markdown"),
        Some("text/html") => Some("HTML"),
        _ => None,
    };
    let kind = match schema["format"].as_str() {
        Some("date") => "date",
        Some("uri") => "url",
        _ => "text",
    };
    // A text with a pattern is a code or an address, however long it may be.
    let is_free = kind == "text" && schema["pattern"].is_null();
    let unbounded = longest.is_none() && is_free;
    let many_lines = longest.is_some_and(|longest| longest > LONGEST_LINE) && is_free;
    if markup.is_some() || many_lines || unbounded || value.contains('\n') {
        let tall = longest.is_none_or(|longest| longest > LONGEST_BOX) && markup.is_some();
        return Control::Text {
            value,
            longest,
            markup,
            tall,
        };
    }
    Control::Line {
        kind,
        value,
        longest,
    }
}

fn all_declared(schema: &Value) -> Map<String, Value> {
    let keys = labels::declared(schema).into_iter();
    keys.map(|key| (key, Value::Null)).collect()
}

fn fields_of(value: Option<&Value>) -> Map<String, Value> {
    value
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn pretty(value: Option<&Value>) -> String {
    value.map(|value| format!("{value:#}")).unwrap_or_default()
}
