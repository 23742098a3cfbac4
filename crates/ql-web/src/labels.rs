//! The words and the order that a template's JSON Schema gives to a page's fields.

use ql_core::template::Template;
use serde_json::{Map, Value};

use crate::view::words::capital;

/// The schema of the value at a JSON pointer, `null` where the schema says nothing.
pub(crate) fn schema_at<'a>(schema: &'a Value, pointer: &str) -> &'a Value {
    steps(pointer).fold(schema, |schema, step| child(schema, &step))
}

/// The key under which [`ordered`] notes the order of a template's hints.
const ORDER: &str = "x-order";

/// A template's schema that remembers the order in which its hints show the fields.
pub(crate) fn ordered(template: &Template) -> Value {
    let mut schema = template.schema.clone();
    schema[ORDER] = template.display.order.clone().into();
    schema
}

/// The declared keys of an object. Canonical JSON sorts an object's keys, so the order is the one
/// of the hints, then the one of `required`, which is a list and keeps it, then the alphabet's.
pub(crate) fn declared(schema: &Value) -> Vec<String> {
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let mut keys: Vec<String> = Vec::new();
    let listed = [&schema[ORDER], &schema["required"]];
    let listed = listed.into_iter().filter_map(Value::as_array).flatten();
    for key in listed.filter_map(Value::as_str) {
        if properties.contains_key(key) && !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
    }
    for key in properties.keys() {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    keys
}

/// The keys that either object has: the declared ones in their order, then the rest.
pub(crate) fn keys(
    schema: &Value,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> Vec<String> {
    let mut keys = declared(schema);
    keys.retain(|key| old.contains_key(key) || new.contains_key(key));
    for key in new.keys().chain(old.keys()) {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    keys
}

/// A place in words: `Sections 2 › Body` for `/sections/1/body`.
pub(crate) fn label(schema: &Value, pointer: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut here = schema;
    for step in steps(pointer) {
        let next = child(here, &step);
        let index = step.parse::<usize>().ok();
        match (index, words.last_mut()) {
            (Some(index), Some(last)) if here["properties"].is_null() => {
                *last = format!("{last} {}", index + 1);
            }
            _ => words.push(title(next, &step)),
        }
        here = next;
    }
    words.join(" › ")
}

/// The schema's own title for a field, or its key made readable.
pub(crate) fn title(schema: &Value, key: &str) -> String {
    if let Some(title) = schema["title"].as_str() {
        return title.to_owned();
    }
    capital(&key.replace(['_', '-'], " "))
}

/// The pointer to `key` under `pointer`.
pub(crate) fn join(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", ql_core::problem::escape(key))
}

/// The keys and indices that a pointer goes through.
fn steps(pointer: &str) -> impl Iterator<Item = String> {
    let unescape = |step: &str| step.replace("~1", "/").replace("~0", "~");
    pointer.split('/').skip(1).map(unescape)
}

fn child<'a>(schema: &'a Value, step: &str) -> &'a Value {
    match &schema["properties"][step] {
        Value::Null => &schema["items"],
        declared => declared,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_read_in_the_words_of_the_template() {
        let schema = json!({"properties": {
            "sections": {"title": "Sections", "items": {"properties": {"body": {"title": "Text"}}}},
            "opening_hours": {"type": "array"}}});
        let places = [
            "/sections/1/body",
            "/sections/0",
            "/opening_hours/2/days",
            "/a~1b",
        ];
        let table: Vec<String> = places.map(|pointer| label(&schema, pointer)).into();
        insta::assert_snapshot!(table.join("\n"), @"
        Sections 2 › Text
        Sections 1
        Opening hours 3 › Days
        A/b
        ");
    }
}
