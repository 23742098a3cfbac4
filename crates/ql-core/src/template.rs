//! Content templates: what fields a page of some kind has.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::TemplateId;
use crate::problem::{Problem, escape};
use crate::time::Timestamp;

/// One immutable version of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// The template that this is a version of.
    pub id: TemplateId,
    /// The site-wide key, such as `article`.
    pub key: String,
    /// 1 for the first.
    pub version: i64,
    /// The name people see.
    pub title: String,
    /// What the template is for, in a sentence or two.
    pub description: String,
    /// JSON Schema (2020-12) of the fields.
    pub schema: Value,
    /// How to show the fields.
    pub display: Display,
    /// When this version was made.
    pub created_at: Timestamp,
}

/// Hints for showing a page's fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Display {
    /// The field that names a page; `title` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_field: Option<String>,
    /// Fields in the order they are shown; the rest follow in the schema's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// Fields whose text is Markdown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markdown: Vec<String>,
    /// Anything else the hints say, kept as it came.
    #[serde(flatten)]
    pub more: serde_json::Map<String, Value>,
}

impl Template {
    /// What a page with these fields is called.
    pub fn title_of(&self, fields: &Value) -> String {
        let named = self.display.title_field.as_deref().unwrap_or("title");
        let text = |key: &str| {
            fields
                .get(key)
                .and_then(Value::as_str)
                .filter(|t| !t.trim().is_empty())
        };
        text(named)
            .or_else(|| text("title"))
            .or_else(|| text("name"))
            .unwrap_or("Untitled")
            .to_owned()
    }
}

/// A compiled schema of fields.
#[derive(Debug)]
pub struct FieldSchema(jsonschema::Validator);

impl FieldSchema {
    /// Compiles a template's schema.
    ///
    /// # Errors
    /// All reasons why `schema` can't serve: it isn't an object schema with properties, it isn't
    /// valid JSON Schema 2020-12, or it refers outside itself.
    pub fn compile(schema: &Value) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            problems.push(Problem::new(
                "/type",
                "type",
                "a template's schema has `\"type\": \"object\"` at its root",
            ));
        }
        match schema.get("properties").and_then(Value::as_object) {
            Some(properties) if !properties.is_empty() => {}
            _ => problems.push(Problem::new(
                "/properties",
                "required",
                "a template's schema names at least one field under `properties`",
            )),
        }
        find_remote_references(schema, "", &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(schema)
            .map(Self)
            .map_err(|error| {
                vec![Problem::new(
                    error.instance_path().to_string(),
                    "invalid_schema",
                    error.to_string(),
                )]
            })
    }

    /// Everything that is wrong with `fields`, with pointers into them.
    pub fn problems(&self, fields: &Value) -> Vec<Problem> {
        self.0
            .iter_errors(fields)
            .map(|error| {
                Problem::new(
                    error.instance_path().to_string(),
                    "schema",
                    error.to_string(),
                )
            })
            .collect()
    }
}

fn find_remote_references(schema: &Value, pointer: &str, problems: &mut Vec<Problem>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                let here = format!("{pointer}/{}", escape(key));
                let remote = matches!(key.as_str(), "$ref" | "$dynamicRef")
                    && value
                        .as_str()
                        .is_some_and(|target| !target.starts_with('#'));
                if remote {
                    problems.push(Problem::new(
                        here,
                        "remote_reference",
                        "a template's schema refers only to itself, as in `#/$defs/…`",
                    ));
                } else {
                    find_remote_references(value, &here, problems);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find_remote_references(item, &format!("{pointer}/{index}"), problems);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_problem_of_the_fields_is_named_with_its_place() {
        let schema = json!({"type": "object", "required": ["title"], "additionalProperties": false,
            "properties": {"title": {"type": "string"}, "year": {"type": "integer", "minimum": 1900}}});
        let schema = FieldSchema::compile(&schema).expect("a sound schema");
        let problems = schema.problems(&json!({"year": 12, "extra": true}));
        let lines: Vec<String> = problems
            .iter()
            .map(|p| format!("{} {}", p.pointer, p.message))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        /year 12 is less than the minimum of 1900
         Additional properties are not allowed ('extra' was unexpected)
         "title" is a required property
        "#);
    }

    #[test]
    fn schemas_that_cannot_serve_are_refused_with_every_reason() {
        let problems = FieldSchema::compile(
            &json!({"type": "array", "items": {"$ref": "https://example.org/x"}}),
        )
        .expect_err("refused");
        let places: Vec<&str> = problems.iter().map(|p| p.pointer.as_str()).collect();
        assert_eq!(places, ["/type", "/properties", "/items/$ref"]);
        assert!(
            FieldSchema::compile(
                &json!({"type": "object", "properties": {"a": {"type": "strin"}}})
            )
            .is_err()
        );
    }
}
