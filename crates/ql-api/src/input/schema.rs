//! Schemas made from types and brought into the plain form that every client reads: no references,
//! no unions with null, no formats of one programming language.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// Formats that JSON Schema itself defines and that are enforced here.
pub(crate) const FORMATS: [&str; 1] = ["date-time"];

/// A schema as it's published below the root: closed all the same, but not saying so, since one
/// provider refuses the word there and another demands it at the root.
pub(crate) fn closed<T: JsonSchema>() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    normalize(&mut schema);
    let mut schema = match schema.to_value() {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    // The type's own comment is for readers of the code; the tool has its description.
    schema.remove("description");
    schema.entry("properties").or_insert_with(|| json!({}));
    schema
}

fn normalize(schema: &mut Schema) {
    schemars::transform::transform_subschemas(&mut normalize, schema);
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    object.remove("title");
    object.remove("additionalProperties");
    // What a missing argument means is said in its description, where a model reads it.
    object.remove("default");
    if let Some(items) = object.get_mut("items").and_then(Value::as_object_mut) {
        // The list has its description; that of the elements' type is for readers of the code.
        items.remove("description");
    }
    if object
        .get("format")
        .is_some_and(|format| !FORMATS.iter().any(|known| format == known))
    {
        object.remove("format");
    }
    without_null(object);
    one_of_constants(object);
}

/// `null` on input means absent, so nothing that is published speaks of it.
fn without_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(mut variants)) = object.remove("anyOf") else {
        return;
    };
    variants.retain(|variant| variant != &json!({ "type": "null" }));
    match (variants.pop(), variants.is_empty()) {
        (Some(Value::Object(only)), true) => {
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
        (last, _) => {
            variants.extend(last);
            object.insert("anyOf".to_owned(), Value::Array(variants));
        }
    }
}

/// An enumeration whose variants carry comments becomes a plain one whose description says them.
fn one_of_constants(object: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = object.get("oneOf") else {
        return;
    };
    let constants: Option<Vec<_>> = variants
        .iter()
        .map(|variant| variant.get("const").cloned())
        .collect();
    let Some(constants) = constants else { return };
    let meanings: Vec<String> = variants
        .iter()
        .filter_map(|variant| {
            let value = variant.get("const")?.as_str()?;
            Some(format!(
                "{value}: {}",
                variant.get("description")?.as_str()?
            ))
        })
        .collect();
    if !meanings.is_empty() {
        let own = object
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let text = format!("{own} ({})", meanings.join("; "));
        object.insert(
            "description".to_owned(),
            Value::String(text.trim().to_owned()),
        );
    }
    object.remove("oneOf");
    object.insert("type".to_owned(), json!("string"));
    object.insert("enum".to_owned(), Value::Array(constants));
}
