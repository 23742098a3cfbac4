//! From a posted form back to fields.

use ql_core::problem::Problem;
use serde_json::{Map, Value, json};

use super::build::{Shape, shape};
use super::{ADD_NAME, NAME_PREFIX};
use crate::labels;

/// The suffix of the box that takes away an optional group or a part of a list.
pub(super) const DROP: &str = "#drop";

/// The pointer of the list that a pressed button asks to grow.
pub fn adding(posted: &[(String, String)]) -> Option<&str> {
    let pressed = posted.iter().find(|(name, _)| name == ADD_NAME);
    pressed.map(|(_, pointer)| pointer.as_str())
}

/// The fields that a posted form stands for, with everything that can't be read.
///
/// An empty optional input is an absent field, an empty required one an empty text: the schema
/// then says what is missing. Texts get plain line ends.
pub fn read(schema: &Value, posted: &[(String, String)]) -> (Value, Vec<Problem>) {
    let mut reader = Reader {
        posted,
        problems: Vec::new(),
    };
    let fields = reader.object("", schema, 0);
    (Value::Object(fields), reader.problems)
}

struct Reader<'a> {
    posted: &'a [(String, String)],
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn posted(&self, pointer: &str) -> Option<String> {
        let mut named = self.posted.iter().filter_map(|(name, value)| {
            let place = name.strip_prefix(NAME_PREFIX)?;
            (place == pointer).then_some(value)
        });
        named.next().map(|value| value.replace("\r\n", "\n"))
    }

    fn object(&mut self, pointer: &str, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut fields = Map::new();
        for key in self.keys(pointer, schema) {
            let place = labels::join(pointer, &key);
            let declared = &schema["properties"][key.as_str()];
            let list = schema["required"].as_array();
            let required = list.is_some_and(|keys| keys.iter().any(|name| *name == *key));
            if let Some(value) = self.value(&place, declared, (required, depth)) {
                fields.insert(key, value);
            }
        }
        fields
    }

    /// The declared keys and the undeclared ones that came along as JSON.
    fn keys(&self, pointer: &str, schema: &Value) -> Vec<String> {
        let mut keys = labels::declared(schema);
        for (name, _) in self.posted {
            let Some(place) = name.strip_prefix(NAME_PREFIX) else {
                continue;
            };
            let Some(rest) = place
                .strip_prefix(pointer)
                .and_then(|p| p.strip_prefix('/'))
            else {
                continue;
            };
            let step = rest.split(['/', '#']).next().unwrap_or(rest);
            let key = step.replace("~1", "/").replace("~0", "~");
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    fn value(
        &mut self,
        pointer: &str,
        schema: &Value,
        (required, depth): (bool, usize),
    ) -> Option<Value> {
        match shape(schema, depth) {
            Shape::Object if required || self.stands(pointer) => {
                Some(Value::Object(self.object(pointer, schema, depth + 1)))
            }
            Shape::Object if self.posted(pointer).is_none() => None,
            Shape::Parts if self.posted(pointer).is_none() => {
                let parts = self.parts(pointer, &schema["items"], depth);
                (required || !parts.is_empty()).then_some(Value::Array(parts))
            }
            shape => self.leaf(pointer, shape, required),
        }
    }

    fn leaf(&mut self, pointer: &str, shape: Shape, required: bool) -> Option<Value> {
        let Some(text) = self.posted(pointer) else {
            return (shape == Shape::Flag && required).then_some(json!(false));
        };
        let is_empty = text.trim().is_empty();
        match shape {
            Shape::Text | Shape::Choice if is_empty => required.then(|| json!("")),
            Shape::Text | Shape::Choice => Some(Value::String(text)),
            Shape::Lines => {
                let lines: Vec<&str> = text
                    .lines()
                    .map(str::trim)
                    .filter(|l| !l.is_empty())
                    .collect();
                (required || !lines.is_empty()).then(|| json!(lines))
            }
            Shape::Flag if required => Some(json!(text == "true" || text == "on")),
            _ if is_empty => None,
            Shape::Number | Shape::Flag => Some(self.parse(pointer, text.trim(), shape)),
            Shape::Object | Shape::Parts | Shape::Other => Some(self.parse(pointer, &text, shape)),
        }
    }

    fn parse(&mut self, pointer: &str, text: &str, shape: Shape) -> Value {
        let expected = match shape {
            Shape::Number => "expected a number such as 12 or 12.5",
            Shape::Flag => "expected yes or no",
            _ => "expected JSON",
        };
        match serde_json::from_str(text) {
            Ok(Value::String(_)) | Err(_) if shape == Shape::Number => {}
            Ok(value) => return value,
            Err(_) => {}
        }
        self.problems.push(Problem::new(pointer, "type", expected));
        // What was written stays, so that the form shows it again.
        Value::String(text.to_owned())
    }

    /// Whether a group or part stands: it wasn't taken away and something is written in it.
    fn stands(&self, pointer: &str) -> bool {
        let inside = format!("{NAME_PREFIX}{pointer}/");
        let is_filled = |(name, value): &(String, String)| {
            name.starts_with(&inside) && !name.ends_with(DROP) && !value.trim().is_empty()
        };
        self.posted(&format!("{pointer}{DROP}")).is_none() && self.posted.iter().any(is_filled)
    }

    /// The parts of a list in the posted order, without the empty ones and the ones taken away.
    fn parts(&mut self, pointer: &str, schema: &Value, depth: usize) -> Vec<Value> {
        let mut parts = Vec::new();
        for index in 0.. {
            let place = format!("{pointer}/{index}");
            let inside = format!("{NAME_PREFIX}{place}/");
            let exists = |(name, _): &(String, String)| name.starts_with(&inside);
            if !self.posted.iter().any(exists) {
                break;
            }
            if self.stands(&place) {
                parts.push(Value::Object(self.object(&place, schema, depth + 1)));
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Control, Input, build};
    use super::*;

    /// What a browser would send for the form as it stands.
    fn posted(inputs: &[Input], sent: &mut Vec<(String, String)>) {
        for input in inputs {
            let mut add = |value: String| sent.push((input.name(), value));
            match &input.control {
                Control::Line { value, .. } | Control::Choice { value, .. } => add(value.clone()),
                Control::Text { value, .. } | Control::Lines(value) | Control::Json(value) => {
                    add(value.replace('\n', "\r\n"));
                }
                Control::Check(checked) => {
                    if *checked {
                        add("true".into());
                    }
                }
                Control::Group { inputs, .. } => posted(inputs, sent),
                Control::List { parts, .. } => {
                    for part in parts {
                        posted(&part.inputs, sent);
                    }
                }
            }
        }
    }

    fn send(schema: &Value, fields: &Value) -> Vec<(String, String)> {
        let mut sent = Vec::new();
        posted(&build(schema, fields, &[]), &mut sent);
        sent
    }

    fn sample(template: &str, page: &str) -> (Value, Value) {
        let template: Value = serde_json::from_str(template).expect("a template");
        let page: Value = serde_json::from_str(page).expect("a page");
        (template["schema"].clone(), page["fields"].clone())
    }

    fn landing_page() -> (Value, Value) {
        sample(
            include_str!("../../../../samples/site/templates/landing_page.json"),
            include_str!("../../../../samples/site/pages/visit.json"),
        )
    }

    #[test]
    fn an_untouched_form_gives_back_the_same_fields() {
        let article = sample(
            include_str!("../../../../samples/site/templates/article.json"),
            include_str!("../../../../samples/site/pages/counting-bees-in-the-long-border.json"),
        );
        for (schema, fields) in [article, landing_page()] {
            assert_eq!(read(&schema, &send(&schema, &fields)), (fields, vec![]));
        }
    }

    #[test]
    fn a_part_is_taken_away_by_its_box_and_an_empty_one_never_comes() {
        let (schema, mut fields) = landing_page();
        let sections = fields["sections"].as_array_mut().expect("sections");
        sections.push(json!({}));
        let mut sent = send(&schema, &fields);
        sent.push(("field:/sections/1#drop".into(), "on".into()));
        let (read, problems) = read(&schema, &sent);
        let headings: Vec<&Value> = read["sections"]
            .as_array()
            .expect("sections")
            .iter()
            .map(|s| &s["heading"])
            .collect();
        assert_eq!(headings, ["Tickets", "Access", "Food"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn an_optional_group_goes_when_it_is_emptied_or_taken_away() {
        let (schema, fields) = landing_page();
        let mut sent = send(&schema, &fields);
        sent.push(("field:/call_to_action#drop".into(), "on".into()));
        assert!(read(&schema, &sent).0["call_to_action"].is_null());
        sent.pop();
        sent.retain(|(name, _)| !name.starts_with("field:/call_to_action"));
        assert!(read(&schema, &sent).0["call_to_action"].is_null());
    }

    #[test]
    fn what_the_schema_does_not_know_is_kept_as_json() {
        let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
        let fields = json!({"title": "a", "legacy": {"x": [1, null]}, "odd/key": true});
        assert_eq!(read(&schema, &send(&schema, &fields)), (fields, vec![]));
    }

    #[test]
    fn a_number_that_is_none_is_said_and_kept() {
        let schema = json!({"type": "object", "properties": {"since": {"type": "integer"}}});
        let sent = vec![("field:/since".to_owned(), "last year".to_owned())];
        let (fields, problems) = read(&schema, &sent);
        assert_eq!(fields, json!({"since": "last year"}));
        assert_eq!(problems[0].pointer, "/since");
    }

    #[test]
    fn flags_and_choices_come_back_as_they_were() {
        let schema = json!({"type": "object", "required": ["open"], "properties": {
            "open": {"type": "boolean"}, "free": {"type": "boolean"},
            "size": {"type": "string", "enum": ["s", "m"]}}});
        for fields in [
            json!({"open": true, "free": false, "size": "m"}),
            json!({"open": false}),
        ] {
            assert_eq!(read(&schema, &send(&schema, &fields)), (fields, vec![]));
        }
    }
}
