//! Ways to say what a draft's fields become: whole, as a merge patch, or as text edits.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::problem::{Problem, escape};

/// A change of fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// These are all the fields.
    Fields(Value),
    /// A JSON Merge Patch (RFC 7396) against the base.
    MergePatch(Value),
    /// Text edits against the base, applied in order.
    Edits(Vec<TextEdit>),
}

/// One replacement of text in one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    /// A JSON pointer to a text.
    pub pointer: String,
    /// What stands there.
    pub find: String,
    /// What shall stand there.
    pub replace: String,
    /// How often `find` occurs; another number of occurrences is refused. 1 when not given.
    #[serde(default = "one")]
    pub count: u32,
}

const fn one() -> u32 {
    1
}

impl Change {
    /// The fields after the change.
    ///
    /// # Errors
    /// Every edit that doesn't fit its base, each with the pointer of the edit in the request.
    pub fn apply(&self, base: Option<&Value>) -> Result<Value, Vec<Problem>> {
        match self {
            Self::Fields(fields) => Ok(fields.clone()),
            Self::MergePatch(patch) => {
                let mut fields = base.cloned().unwrap_or_else(|| Value::Object(Map::new()));
                merge(&mut fields, patch);
                Ok(fields)
            }
            Self::Edits(edits) => {
                let mut fields = base.cloned().unwrap_or_else(|| Value::Object(Map::new()));
                let problems: Vec<Problem> = edits
                    .iter()
                    .enumerate()
                    .filter_map(|(index, edit)| {
                        edit.apply(&mut fields)
                            .err()
                            .map(|p| p.under(&format!("/edits/{index}")))
                    })
                    .collect();
                if problems.is_empty() {
                    Ok(fields)
                } else {
                    Err(problems)
                }
            }
        }
    }
}

impl TextEdit {
    fn apply(&self, fields: &mut Value) -> Result<(), Problem> {
        let Some(target) = fields.pointer_mut(&self.pointer) else {
            return Err(Problem::new(
                "/pointer",
                "no_such_field",
                format!("the base has nothing at `{}`", self.pointer),
            ));
        };
        let Value::String(text) = target else {
            return Err(Problem::new(
                "/pointer",
                "not_a_text",
                format!("what stands at `{}` is no text", self.pointer),
            ));
        };
        if self.find.is_empty() {
            return Err(Problem::new(
                "/find",
                "empty",
                "`find` names the text to replace",
            ));
        }
        let found = text.matches(&self.find).count();
        if u32::try_from(found) != Ok(self.count) {
            return Err(Problem::new(
                "/count",
                "count_mismatch",
                format!(
                    "`find` occurs {found} times at `{}`, not {}",
                    self.pointer, self.count
                ),
            ));
        }
        *text = text.replace(&self.find, &self.replace);
        Ok(())
    }
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else {
        return;
    };
    for (key, change) in changes {
        if change.is_null() {
            members.remove(key);
        } else {
            merge(members.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}

/// One place where two sets of fields differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// A JSON pointer to the place.
    pub pointer: String,
    /// What happened there.
    pub change: FieldChangeKind,
}

/// What happened at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldChangeKind {
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// Both have it, and not the same.
    Changed,
}

/// The places where `after` differs from `before`, as deep as objects go.
pub fn differences(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    collect(before, after, "", &mut changes);
    changes
}

fn collect(before: &Value, after: &Value, pointer: &str, changes: &mut Vec<FieldChange>) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        if before != after {
            changes.push(FieldChange {
                pointer: pointer.to_owned(),
                change: FieldChangeKind::Changed,
            });
        }
        return;
    };
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let here = format!("{pointer}/{}", escape(key));
        match (old.get(key), new.get(key)) {
            (Some(a), Some(b)) => collect(a, b, &here, changes),
            (Some(_), None) => changes.push(FieldChange {
                pointer: here,
                change: FieldChangeKind::Removed,
            }),
            (None, _) => changes.push(FieldChange {
                pointer: here,
                change: FieldChangeKind::Added,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_cases_of_rfc_7396() {
        let cases = [
            (json!({"a":"b"}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"b"}), json!({"a":null}), json!({})),
            (json!({"a":["b"]}), json!({"a":"c"}), json!({"a":"c"})),
            (
                json!({"a":{"b":"c"}}),
                json!({"a":{"b":"d","c":null}}),
                json!({"a":{"b":"d"}}),
            ),
            (json!({"a":[{"b":"c"}]}), json!({"a":[1]}), json!({"a":[1]})),
            (json!({"e":null}), json!({"a":1}), json!({"e":null,"a":1})),
            (json!([1, 2]), json!({"a":"b","c":null}), json!({"a":"b"})),
            (
                json!({}),
                json!({"a":{"bb":{"ccc":null}}}),
                json!({"a":{"bb":{}}}),
            ),
        ];
        for (base, patch, want) in cases {
            assert_eq!(Change::MergePatch(patch).apply(Some(&base)), Ok(want));
        }
    }

    #[test]
    fn text_edits_apply_in_order_and_count_must_match() {
        let base = json!({"body": "one two two", "n": 1});
        let edit = |pointer: &str, find: &str, replace: &str, count| TextEdit {
            pointer: pointer.into(),
            find: find.into(),
            replace: replace.into(),
            count,
        };
        let good = Change::Edits(vec![
            edit("/body", "two", "three", 2),
            edit("/body", "one three", "four", 1),
        ]);
        assert_eq!(
            good.apply(Some(&base)),
            Ok(json!({"body": "four three", "n": 1}))
        );

        let bad = Change::Edits(vec![
            edit("/body", "two", "x", 1),
            edit("/n", "1", "2", 1),
            edit("/gone", "a", "b", 1),
            edit("/body", "", "b", 1),
        ]);
        let problems = bad.apply(Some(&base)).expect_err("refused");
        let lines: Vec<String> = problems
            .iter()
            .map(|p| format!("{} {}", p.pointer, p.code))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        /edits/0/count count_mismatch
        /edits/1/pointer not_a_text
        /edits/2/pointer no_such_field
        /edits/3/find empty
        ");
    }
}
