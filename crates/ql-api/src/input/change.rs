//! The three ways to say what a draft's fields become, as arguments.

use ql_core::edit::{Change, TextEdit};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::argument::Combination;

/// Exactly one of the three is given.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ChangeArguments {
    /// All fields, by the template's schema. Existing item: one of fields, `merge_patch`, edits.
    #[serde(default)]
    fields: Option<Map<String, Value>>,
    /// JSON Merge Patch on the base; null removes a field.
    #[serde(default)]
    merge_patch: Option<Map<String, Value>>,
    /// Text replaced in the base, in order: the shortest way to change a sentence.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    edits: Option<Vec<Edit>>,
}

/// One replacement of text in one field.
#[derive(Deserialize, JsonSchema)]
struct Edit {
    /// JSON pointer to a text, such as /body.
    pointer: String,
    /// What stands there, exactly.
    #[schemars(length(min = 1))]
    find: String,
    /// What shall stand there.
    replace: String,
    /// How often find occurs; 1 when left out.
    #[schemars(range(min = 1, max = 10_000))]
    #[serde(default)]
    count: Option<u32>,
}

impl ChangeArguments {
    /// The fields of a new item, which needs all of them.
    pub(crate) fn of_new(self, combination: &mut Combination) -> Option<Value> {
        let [_, others @ ..] = self.given();
        combination.refuse("a new item", others);
        let because = "a new item needs all its fields";
        combination
            .required("/fields", self.fields, because)
            .map(Value::Object)
    }

    /// The change of an existing item, exactly one of the three.
    pub(crate) fn of_existing(self, combination: &mut Combination) -> Option<Change> {
        let mut given = self.given().into_iter().filter(|(_, given)| *given);
        if let Some((first, _)) = given.next() {
            combination.refuse(first.trim_start_matches('/'), given);
        }
        let fields = self
            .fields
            .map(|fields| Change::Fields(Value::Object(fields)));
        let patch = self
            .merge_patch
            .map(|patch| Change::MergePatch(Value::Object(patch)));
        let edits = self
            .edits
            .map(|edits| edits.into_iter().map(Edit::read).collect());
        let change = fields.or(patch).or(edits.map(Change::Edits));
        combination.required(
            "/fields",
            change,
            "give exactly one of fields, merge_patch and edits",
        )
    }

    /// The pointers of the three, and which are given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 3] {
        [
            ("/fields", self.fields.is_some()),
            ("/merge_patch", self.merge_patch.is_some()),
            ("/edits", self.edits.is_some()),
        ]
    }
}

impl Edit {
    fn read(self) -> TextEdit {
        TextEdit {
            pointer: self.pointer,
            find: self.find,
            replace: self.replace,
            count: self.count.unwrap_or(1),
        }
    }
}
