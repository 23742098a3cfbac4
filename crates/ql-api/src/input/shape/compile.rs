//! From a published schema to its checker.

use ql_core::problem::escape;
use regex::Regex;
use serde_json::{Map, Value};

use super::{Member, Range, Shape};
use crate::input::kind_of;

/// A schema that uses what isn't enforced here, and so must not be published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {problem}")]
pub struct SchemaDefect {
    pointer: String,
    problem: String,
}

impl Shape {
    /// Compiles a published schema.
    ///
    /// # Errors
    /// The first keyword or form that the checker doesn't enforce.
    pub(crate) fn compile(schema: &Map<String, Value>) -> Result<Self, SchemaDefect> {
        compile(schema, "")
    }
}

fn compile(schema: &Map<String, Value>, pointer: &str) -> Result<Shape, SchemaDefect> {
    let defect = |problem: String| SchemaDefect {
        pointer: pointer.to_owned(),
        problem,
    };
    let kind = schema.get("type").and_then(Value::as_str);
    let kind = kind.ok_or_else(|| defect("`type` must be one word".to_owned()))?;
    let known: &[&str] = match kind {
        "object" => &["properties", "required", "additionalProperties"],
        "array" => &["items", "minItems", "maxItems", "uniqueItems"],
        "string" => &["minLength", "maxLength", "pattern", "enum", "format"],
        "integer" => &["minimum", "maximum"],
        "boolean" => &[],
        other => return Err(defect(format!("type `{other}` isn't used here"))),
    };
    let annotation = ["type", "description", "examples", "default"];
    let other = schema
        .keys()
        .find(|key| !known.contains(&key.as_str()) && !annotation.contains(&key.as_str()));
    if let Some(keyword) = other {
        return Err(defect(format!(
            "`{keyword}` isn't enforced on type `{kind}`"
        )));
    }
    match kind {
        "object" => compile_object(schema, pointer),
        "array" => compile_array(schema, pointer),
        "string" => compile_text(schema).map_err(defect),
        "integer" => Ok(Shape::Integer(range(schema, "minimum", "maximum"))),
        _ => Ok(Shape::Boolean),
    }
}

fn compile_object(schema: &Map<String, Value>, pointer: &str) -> Result<Shape, SchemaDefect> {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return Ok(Shape::FreeObject);
    };
    let required = schema.get("required").and_then(Value::as_array);
    let members = properties.iter().map(|(name, property)| {
        let place = format!("{pointer}/properties/{}", escape(name));
        let required = required.is_some_and(|names| names.iter().any(|other| other == name));
        Ok((
            name.clone(),
            Member {
                shape: compile_nested(property, &place)?,
                required,
            },
        ))
    });
    members.collect::<Result<_, _>>().map(Shape::Object)
}

fn compile_array(schema: &Map<String, Value>, pointer: &str) -> Result<Shape, SchemaDefect> {
    let items = schema.get("items").unwrap_or(&Value::Null);
    let count = range(schema, "minItems", "maxItems");
    if count.most.is_none() {
        let problem = "an array without `maxItems` lets one call ask for anything".to_owned();
        return Err(SchemaDefect {
            pointer: pointer.to_owned(),
            problem,
        });
    }
    Ok(Shape::Array {
        items: Box::new(compile_nested(items, &format!("{pointer}/items"))?),
        count,
        unique: schema.get("uniqueItems") == Some(&Value::Bool(true)),
    })
}

fn compile_nested(schema: &Value, pointer: &str) -> Result<Shape, SchemaDefect> {
    match schema {
        Value::Object(schema) => compile(schema, pointer),
        other => Err(SchemaDefect {
            pointer: pointer.to_owned(),
            problem: format!("is {}; expected a schema", kind_of(other)),
        }),
    }
}

fn compile_text(schema: &Map<String, Value>) -> Result<Shape, String> {
    let pattern = schema
        .get("pattern")
        .and_then(Value::as_str)
        .map(Regex::new)
        .transpose();
    let choices = schema.get("enum").and_then(Value::as_array).map(|choices| {
        choices
            .iter()
            .filter_map(|choice| choice.as_str().map(str::to_owned))
            .collect()
    });
    Ok(Shape::Text {
        length: range(schema, "minLength", "maxLength"),
        pattern: pattern.map_err(|error| error.to_string())?,
        choices,
        instant: schema
            .get("format")
            .is_some_and(|format| format == "date-time"),
    })
}

fn range(schema: &Map<String, Value>, least: &str, most: &str) -> Range {
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    Range {
        least: bound(least),
        most: bound(most),
    }
}
