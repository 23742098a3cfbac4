//! What is different between two packs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use super::table::Entry;
use super::{Pack, PackFile};

/// One difference between two packs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The file.
    pub file: String,
    /// The entry of the file's table; none for the file as a whole.
    pub id: Option<String>,
    /// The field of the entry, with dots within; none for the entry as a whole.
    pub field: Option<String>,
    /// What it was; null where it wasn't there.
    pub from: Value,
    /// What it is; null where it isn't there.
    pub to: Value,
}

/// The change on one line: ``roles.toml: `seo`: tier: "writing" → "reasoning"``.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(id) = &self.id {
            write!(f, ": `{id}`")?;
        }
        if let Some(field) = &self.field {
            return write!(f, ": {field}: {} → {}", Shown(&self.from), Shown(&self.to));
        }
        match (self.from.is_null(), self.to.is_null()) {
            (true, _) => f.write_str(" added"),
            (_, true) => f.write_str(" removed"),
            (false, false) => write!(f, " changed: {} → {}", short(&self.from), short(&self.to)),
        }
    }
}

/// The first eight digits of a file's digest.
fn short(digest: &Value) -> &str {
    digest
        .as_str()
        .and_then(|hex| hex.get(..8))
        .unwrap_or_default()
}

struct Shown<'a>(&'a Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("none"),
            other => other.fmt(f),
        }
    }
}

/// Everything that is different: files by their digests, then what they say, entry by entry and
/// field by field.
pub fn diff(old: &Pack, new: &Pack) -> Vec<Change> {
    let mut changes = files(old, new);
    let header = |pack: &Pack| json!({"name": pack.name, "version": pack.version});
    let header = fields("pack.toml", None, &header(old), &header(new));
    changes.extend(header);
    changes.extend(entries(&old.roles, &new.roles));
    changes.extend(entries(&old.stages, &new.stages));
    changes.extend(entries(&old.rules, &new.rules));
    changes.extend(entries(&old.doctrines, &new.doctrines));
    changes.extend(entries(&old.disputed, &new.disputed));
    changes.extend(entries(&old.translations, &new.translations));
    changes
}

fn files(old: &Pack, new: &Pack) -> Vec<Change> {
    let digests = |files: &[PackFile]| -> BTreeMap<String, Value> {
        let pairs = files.iter();
        pairs
            .map(|file| (file.path.clone(), json!(file.sha256)))
            .collect()
    };
    let change = |(file, from, to)| Change {
        file,
        id: None,
        field: None,
        from,
        to,
    };
    let different = different(&digests(&old.files), &digests(&new.files));
    different.into_iter().map(change).collect()
}

fn entries<T: Entry + Serialize>(old: &[T], new: &[T]) -> Vec<Change> {
    let by_id = |entries: &[T]| -> BTreeMap<String, Value> {
        let pairs = entries.iter();
        pairs
            .map(|entry| (entry.id().to_owned(), json!(entry)))
            .collect()
    };
    let mut changes = Vec::new();
    for (id, from, to) in different(&by_id(old), &by_id(new)) {
        if from.is_object() && to.is_object() {
            changes.extend(fields(T::FILE, Some(&id), &from, &to));
        } else {
            let (file, id) = (T::FILE.to_owned(), Some(id));
            changes.push(Change {
                file,
                id,
                field: None,
                from,
                to,
            });
        }
    }
    changes
}

/// The fields that differ, those of tables within by their way.
fn fields(file: &str, id: Option<&str>, old: &Value, new: &Value) -> Vec<Change> {
    let flat = |value: &Value| {
        let mut fields = BTreeMap::new();
        flatten("", value, &mut fields);
        fields
    };
    let change = |(field, from, to)| Change {
        file: file.to_owned(),
        id: id.map(str::to_owned),
        field: Some(field),
        from,
        to,
    };
    let different = different(&flat(old), &flat(new));
    different.into_iter().map(change).collect()
}

fn flatten(name: &str, value: &Value, fields: &mut BTreeMap<String, Value>) {
    let Value::Object(members) = value else {
        fields.insert(name.to_owned(), value.clone());
        return;
    };
    for (key, value) in members {
        let dot = if name.is_empty() { "" } else { "." };
        flatten(&format!("{name}{dot}{key}"), value, fields);
    }
}

/// The names whose values differ, with both; null where there is none.
fn different(
    old: &BTreeMap<String, Value>,
    new: &BTreeMap<String, Value>,
) -> Vec<(String, Value, Value)> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value = |of: &BTreeMap<String, Value>, name| of.get(name).cloned().unwrap_or_default();
    names
        .into_iter()
        .map(|name| (name.clone(), value(old, name), value(new, name)))
        .filter(|(_, from, to)| from != to)
        .collect()
}
