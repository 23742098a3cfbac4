//! What differs between the fields of two revisions: texts word by word, everything else as
//! values.
//!
//! [`Diff::between`] walks both objects at once; the template turns the rows into one table that stands side by side on wide screens and in line on narrow ones.

mod align;
mod rows;
mod words;

use std::borrow::Cow;

use askama::Template;
use serde_json::{Map, Value};

pub use rows::Row;
pub use words::Span;

use crate::labels;

/// Every difference between two sets of fields. It prints as markup.
#[derive(Debug, Clone, PartialEq, Eq, Default, Template)]
#[template(path = "part/diff.html")]
pub struct Diff {
    /// The places that differ, in the order of the template.
    pub changed: Vec<FieldChange>,
    /// The labels of the top-level fields that don't.
    pub same: Vec<String>,
    /// Words (and whole values) that the new side has and the old one lacks.
    pub added: usize,
    /// Words (and whole values) that the old side has and the new one lacks.
    pub removed: usize,
}

/// One place that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// The place's JSON pointer in the new fields, or in the old ones where it was removed.
    pub pointer: String,
    /// The place in the words of the template: `Sections 2 › Body`.
    pub label: String,
    /// The two sides, line by line.
    pub rows: Vec<Row>,
}

impl Diff {
    /// The differences from `old` to `new`; `schema` gives the labels and the order.
    ///
    /// `old` is `null` when nothing was there before.
    pub fn between(old: &Value, new: &Value, schema: &Value) -> Self {
        let empty = Map::new();
        let old = old.as_object().unwrap_or(&empty);
        let new = new.as_object().unwrap_or(&empty);
        let mut walk = Walk {
            schema,
            diff: Self::default(),
        };
        for key in labels::keys(schema, old, new) {
            let pointer = labels::join("", &key);
            let before = walk.diff.changed.len();
            walk.visit(&pointer, old.get(&key), new.get(&key));
            if walk.diff.changed.len() == before {
                walk.diff.same.push(labels::label(schema, &pointer));
            }
        }
        walk.diff
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }
}

crate::part::markup!(Diff);

struct Walk<'a> {
    schema: &'a Value,
    diff: Diff,
}

impl Walk<'_> {
    /// Objects and lists of objects are walked into, also where one side lacks them altogether, so
    /// that each place is shown under its own label.
    fn visit(&mut self, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        if old == new {
            return;
        }
        let before = self.diff.changed.len();
        if let (Some(old), Some(new)) = (as_object(old), as_object(new)) {
            let schema = labels::schema_at(self.schema, pointer);
            for key in labels::keys(schema, &old, &new) {
                self.visit(&labels::join(pointer, &key), old.get(&key), new.get(&key));
            }
        } else if let (Some(old), Some(new)) = (as_parts(old), as_parts(new)) {
            self.visit_items(pointer, old, new);
        }
        if self.diff.changed.len() == before {
            self.push(pointer, old, new);
        }
    }

    /// Arrays of objects are compared element by element, each with the one most like it, so that
    /// a part put in front doesn't make every later part look changed.
    fn visit_items(&mut self, pointer: &str, old: &[Value], new: &[Value]) {
        let texts = |items: &[Value]| -> Vec<String> { items.iter().map(print).collect() };
        for (left, right) in align::align(&texts(old), &texts(new)) {
            let place = format!("{pointer}/{}", right.or(left).unwrap_or_default());
            let (old, new) = (left.map(|n| &old[n]), right.map(|n| &new[n]));
            self.visit(&place, old, new);
        }
    }

    fn push(&mut self, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        let (old, new) = (old.map(print), new.map(print));
        let (rows, added, removed) = rows::rows(old.as_deref(), new.as_deref());
        self.diff.added += added;
        self.diff.removed += removed;
        self.diff.changed.push(FieldChange {
            pointer: pointer.to_owned(),
            label: labels::label(self.schema, pointer),
            rows,
        });
    }
}

/// An object, or the empty one for what isn't there.
fn as_object(value: Option<&Value>) -> Option<Cow<'_, Map<String, Value>>> {
    match value {
        None => Some(Cow::Owned(Map::new())),
        Some(Value::Object(fields)) => Some(Cow::Borrowed(fields)),
        Some(_) => None,
    }
}

/// A list of objects, or the empty one for what isn't there.
fn as_parts(value: Option<&Value>) -> Option<&[Value]> {
    match value {
        None => Some(&[]),
        Some(Value::Array(items)) if items.iter().all(Value::is_object) => Some(items),
        Some(_) => None,
    }
}

/// A value as the reader sees it: texts as they are, objects a key a line, lists an item a line.
fn print(value: &Value) -> String {
    let lines: Vec<String> = match value {
        Value::String(text) => return text.clone(),
        Value::Array(items) => items.iter().map(print).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| format!("{key}: {}", print(value)))
            .collect(),
        other => return other.to_string(),
    };
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn side(spans: Option<&Vec<Span>>) -> String {
        let mark = |span: &Span| {
            if span.changed {
                format!("[{}]", span.text)
            } else {
                span.text.clone()
            }
        };
        spans.map_or_else(|| "∅".into(), |spans| spans.iter().map(mark).collect())
    }

    fn read(row: &Row) -> String {
        match row {
            Row::Same(text) => format!("  {text}"),
            Row::Fold(lines) => format!("  … {} lines", lines.len()),
            Row::Changed { old, new } => {
                format!("- {}\n+ {}", side(old.as_ref()), side(new.as_ref()))
            }
        }
    }

    fn shown(old: &Value, new: &Value) -> String {
        let diff = Diff::between(old, new, &schema());
        let mut lines = Vec::new();
        for change in &diff.changed {
            lines.push(format!("{} ({})", change.label, change.pointer));
            lines.extend(change.rows.iter().map(read));
        }
        let same = diff.same.join(", ");
        lines.push(format!("same: {same} | +{} -{}", diff.added, diff.removed));
        lines.join("\n")
    }

    fn schema() -> Value {
        let section = json!({"type": "object", "required": ["heading", "body"], "properties": {
            "heading": {"type": "string", "title": "Heading"},
            "body": {"type": "string", "title": "Text"}}});
        json!({"type": "object", "required": ["title", "price"], "properties": {
            "title": {"type": "string", "title": "Title"},
            "price": {"type": "number", "title": "Price"},
            "body": {"type": "string", "title": "Body"},
            "sections": {"type": "array", "title": "Sections", "items": section}}})
    }

    #[test]
    fn texts_differ_word_by_word_and_other_values_whole() {
        let old = json!({"title": "Visit us", "price": 7, "body": "One.\nAdults £7, children free.\nEnd."});
        let new = json!({"title": "Visit us", "price": 8, "body": "One.\nAdults £8, children and carers free.\nEnd."});
        insta::assert_snapshot!(shown(&old, &new), @"
        Price (/price)
        - 7
        + 8
        Body (/body)
          One.
        - Adults £[7], children free.
        + Adults £[8], children [and carers ]free.
          End.
        same: Title | +4 -2
        ");
    }

    #[test]
    fn a_part_put_in_front_leaves_the_others_alone() {
        let part = |heading: &str, body: &str| json!({"heading": heading, "body": body});
        let old = json!({"sections": [
            part("Tickets", "Adults pay seven pounds at the east gate."),
            part("Food", "Soup and bread.")]});
        let new = json!({"sections": [
            part("Dogs", "On a lead everywhere but the walled garden."),
            part("Tickets", "Adults pay eight pounds at the east gate."),
            part("Food", "Soup and bread.")]});
        insta::assert_snapshot!(shown(&old, &new), @"
        Sections 1 › Heading (/sections/0/heading)
        - ∅
        + Dogs
        Sections 1 › Text (/sections/0/body)
        - ∅
        + On a lead everywhere but the walled garden.
        Sections 2 › Text (/sections/1/body)
        - Adults pay [seven] pounds at the east gate.
        + Adults pay [eight] pounds at the east gate.
        same:  | +10 -1
        ");
    }

    #[test]
    fn a_first_version_is_all_new_and_a_removed_field_all_old() {
        let first = shown(&Value::Null, &json!({"title": "Hello there"}));
        insta::assert_snapshot!(first, @"
        Title (/title)
        - ∅
        + Hello there
        same:  | +2 -0
        ");
        let (old, new) = (
            json!({"title": "Hello", "extra": true}),
            json!({"title": "Hello"}),
        );
        insta::assert_snapshot!(shown(&old, &new), @"
        Extra (/extra)
        - true
        + ∅
        same: Title | +0 -1
        ");
    }

    #[test]
    fn unchanged_paragraphs_fold() {
        let lines = |changed: &str| {
            let mut lines: Vec<String> = (1..=20).map(|n| format!("Paragraph {n}.")).collect();
            lines[10] = changed.into();
            json!({"body": lines.join("\n")})
        };
        insta::assert_snapshot!(shown(&lines("It was so."), &lines("It is so.")), @"
        Body (/body)
          … 9 lines
          Paragraph 10.
        - It [was] so.
        + It [is] so.
          Paragraph 12.
          … 8 lines
        same:  | +1 -1
        ");
    }

    #[test]
    fn equal_fields_have_no_differences() {
        let fields = json!({"title": "Same", "sections": [{"heading": "a"}]});
        assert!(Diff::between(&fields, &fields, &schema()).is_empty());
    }
}
