//! The published schemas of a tool.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::tool::Effect;
use crate::input::schema::closed;

/// The argument that makes a repeated call harmless.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency_key";

/// The published input schema of a parameter type, with an idempotency key where calls change
/// something.
pub(crate) fn input<T: JsonSchema>(effect: Effect) -> Map<String, Value> {
    let mut schema = closed::<T>();
    if effect.is_repeatable()
        && let Some(Value::Object(properties)) = schema.get_mut("properties")
    {
        let key = json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 128,
            "description": "Unique to this act; makes repeating the same call harmless."
        });
        properties.insert(IDEMPOTENCY_KEY.to_owned(), key);
    }
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema
}
