//! What callers send, read and checked the same way on every surface: schemas made from types,
//! their closed-world check, and the arguments that tools and REST calls share.

pub(crate) mod argument;
pub(crate) mod change;
pub(crate) mod lifecycle;
pub(crate) mod link;
pub(crate) mod operation;
pub(crate) mod payload;
pub(crate) mod publication;
pub(crate) mod schema;
pub(crate) mod shape;

use serde_json::Value;

/// What a value is, with its article, for a sentence.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
