//! Mutations of bundles: everything that somebody without the ledger's key could try, from one bit to
//! a story told anew with every hash computed again.

use std::collections::BTreeMap;

use ql_core::canon;
use ql_core::hash::Digest;
use serde_json::{Value, json};

use crate::random::Random;

mod forge;
mod python;

pub use self::python::PythonVerifier;

/// A bundle taken apart.
#[derive(Debug, Clone)]
struct Parts {
    header: Value,
    lines: Vec<String>,
}

impl Parts {
    fn of(bundle: &str) -> Self {
        let mut lines = bundle.lines().map(str::to_owned);
        let header = lines.next().expect("a header");
        Self {
            header: serde_json::from_str(&header).expect("JSON"),
            lines: lines.collect(),
        }
    }

    fn write(&self) -> Vec<u8> {
        let mut text = canon::to_string(&self.header) + "\n";
        for line in &self.lines {
            text += line;
            text += "\n";
        }
        text.into_bytes()
    }

    fn list(&mut self, name: &str) -> &mut Vec<Value> {
        self.header[name].as_array_mut().expect("a list")
    }

    fn places(&self) -> Vec<u64> {
        serde_json::from_value(self.header["leaves"].clone()).expect("places")
    }
}

/// What was done to a bundle.
#[derive(Debug)]
pub struct Mutant {
    /// What kind of change.
    pub kind: &'static str,
    /// The bundle after it.
    pub bundle: Vec<u8>,
}

type Change = fn(&mut Tamper, &Parts) -> Vec<u8>;

const CHANGES: [(&str, Change); 22] = [
    ("flip one bit", Tamper::flip),
    ("flip one bit of the header", Tamper::flip_header),
    ("overwrite bytes", Tamper::overwrite),
    ("delete bytes", Tamper::delete_bytes),
    ("insert bytes", Tamper::insert_bytes),
    ("cut the file", Tamper::cut),
    ("delete a line", Tamper::delete_line),
    ("delete an entry with its place", Tamper::delete_entry),
    ("repeat an entry", Tamper::repeat_entry),
    ("insert an entry of another bundle", Tamper::insert_entry),
    ("swap two entries", Tamper::swap_lines),
    ("swap two entries with their places", Tamper::swap_entries),
    ("change a place", Tamper::change_place),
    ("change a proof hash", Tamper::change_node),
    ("change the checkpoint", Tamper::change_checkpoint),
    ("put another key", Tamper::change_key),
    ("parts of another bundle", Tamper::cross),
    ("edit an entry", Tamper::edit),
    ("edit an entry, links made anew", forge::edit_and_relink),
    ("cut the story, proof made anew", forge::cut_story),
    ("sign anew with another key", forge::sign_anew),
    (
        "sign anew with another key and name it",
        forge::sign_anew_and_name,
    ),
];

/// Changes bundles at random; the same seed makes the same changes.
#[derive(Debug)]
pub struct Tamper {
    random: Random,
    bundles: Vec<Parts>,
}

impl Tamper {
    /// Changes these bundles.
    pub fn new(seed: u64, bundles: &[String]) -> Self {
        Self {
            random: Random::new(seed),
            bundles: bundles.iter().map(|bundle| Parts::of(bundle)).collect(),
        }
    }

    /// The kinds of changes.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        CHANGES.iter().map(|(kind, _)| *kind)
    }

    /// The next mutant, which differs from its original.
    pub fn mutate(&mut self) -> Mutant {
        loop {
            let (kind, change) = CHANGES[self.random.below(CHANGES.len())];
            let at = self.random.below(self.bundles.len());
            let original = self.bundles[at].clone();
            let bundle = change(self, &original);
            if bundle != original.write() {
                return Mutant { kind, bundle };
            }
        }
    }

    fn flip(&mut self, parts: &Parts) -> Vec<u8> {
        let mut bytes = parts.write();
        let (at, bit) = (self.random.below(bytes.len()), self.random.below(8));
        bytes[at] ^= 1 << bit;
        bytes
    }

    fn flip_header(&mut self, parts: &Parts) -> Vec<u8> {
        let mut bytes = parts.write();
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(1);
        let (at, bit) = (self.random.below(end), self.random.below(8));
        bytes[at] ^= 1 << bit;
        bytes
    }

    fn overwrite(&mut self, parts: &Parts) -> Vec<u8> {
        let mut bytes = parts.write();
        for _ in 0..=self.random.below(8) {
            let at = self.random.below(bytes.len());
            bytes[at] = u8::try_from(self.random.below(256)).unwrap_or_default();
        }
        bytes
    }

    fn delete_bytes(&mut self, parts: &Parts) -> Vec<u8> {
        let mut bytes = parts.write();
        let at = self.random.below(bytes.len());
        let end = (at + 1 + self.random.below(40)).min(bytes.len());
        bytes.drain(at..end);
        bytes
    }

    fn insert_bytes(&mut self, parts: &Parts) -> Vec<u8> {
        let mut bytes = parts.write();
        let at = self.random.below(bytes.len() + 1);
        let from = self.random.below(bytes.len());
        let end = (from + 1 + self.random.below(40)).min(bytes.len());
        let copy = bytes[from..end].to_vec();
        bytes.splice(at..at, copy);
        bytes
    }

    fn cut(&mut self, parts: &Parts) -> Vec<u8> {
        let mut bytes = parts.write();
        bytes.truncate(self.random.below(bytes.len()));
        bytes
    }

    fn delete_line(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let at = self.random.below(parts.lines.len());
        parts.lines.remove(at);
        parts.write()
    }

    fn delete_entry(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let at = self.random.below(parts.lines.len());
        parts.lines.remove(at);
        parts.list("leaves").remove(at);
        parts.write()
    }

    fn repeat_entry(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let (from, to) = (
            self.random.below(parts.lines.len()),
            self.random.below(parts.lines.len()),
        );
        let (line, place) = (
            parts.lines[from].clone(),
            parts.list("leaves")[from].clone(),
        );
        parts.lines.insert(to, line);
        parts.list("leaves").insert(to, place);
        parts.write()
    }

    fn insert_entry(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let other = self.random.below(self.bundles.len());
        let from = self.random.below(self.bundles[other].lines.len());
        let line = self.bundles[other].lines[from].clone();
        let place = self.bundles[other].places()[from];
        let at = self.random.below(parts.lines.len());
        parts.lines.insert(at, line);
        parts.list("leaves").insert(at, json!(place));
        parts.write()
    }

    fn swap_lines(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let at = self.random.below(parts.lines.len());
        let other = self.random.below(parts.lines.len());
        parts.lines.swap(at, other);
        parts.write()
    }

    fn swap_entries(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let at = self.random.below(parts.lines.len());
        let other = self.random.below(parts.lines.len());
        parts.lines.swap(at, other);
        parts.list("leaves").swap(at, other);
        parts.write()
    }

    fn change_place(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let at = self.random.below(parts.lines.len());
        let step = self.random.below(3000);
        parts.list("leaves")[at] = json!(step);
        parts.write()
    }

    fn change_node(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let (choice, bit) = (self.random.below(4), self.random.below(256));
        let number = self.random.number();
        let nodes = parts.list("nodes");
        let fresh = json!(Digest::of(&number.to_be_bytes()));
        let at = usize::try_from(number).unwrap_or_default() % nodes.len().max(1);
        match choice {
            _ if nodes.is_empty() => nodes.push(fresh),
            0 => nodes.insert(at, fresh),
            1 => drop(nodes.remove(at)),
            2 => nodes[at] = fresh,
            _ => nodes[at] = json!(flipped(&nodes[at], bit)),
        }
        parts.write()
    }

    fn change_checkpoint(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let note = parts.header["checkpoint"].as_str().expect("a note");
        let mut lines: Vec<String> = note.split('\n').map(str::to_owned).collect();
        let at = self.random.below(3);
        lines[at] = match at {
            0 => format!("{}0", lines[0]),
            1 => self.random.below(5000).to_string(),
            _ => lines[2].chars().rev().collect(),
        };
        parts.header["checkpoint"] = json!(lines.join("\n"));
        parts.write()
    }

    fn change_key(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let key = forge::stranger(self.random.number()).public().to_string();
        parts.header["key"] = json!(key);
        parts.write()
    }

    /// The header, a member of it, or the end of another bundle.
    fn cross(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let other = self.random.below(self.bundles.len());
        let other = self.bundles[other].clone();
        let members = ["checkpoint", "key", "leaves", "nodes", "successions"];
        match self.random.below(members.len() + 3) {
            0 => parts.header = other.header,
            1 => parts.lines = other.lines,
            2 => {
                if let (Some(mine), Some(last)) = (parts.lines.last_mut(), other.lines.last()) {
                    mine.clone_from(last);
                }
            }
            choice => {
                let member = members[choice - 3];
                parts.header[member] = other.header[member].clone();
            }
        }
        parts.write()
    }

    /// Another value at one place of an entry, in canonical form.
    fn edit(&mut self, parts: &Parts) -> Vec<u8> {
        let mut parts = parts.clone();
        let at = self.random.below(parts.lines.len());
        parts.lines[at] = self.edited(&parts.lines[at]);
        parts.write()
    }

    fn edited(&mut self, line: &str) -> String {
        let mut entry: BTreeMap<String, Value> = serde_json::from_str(line).expect("an entry");
        let names: Vec<String> = entry.keys().cloned().collect();
        let name = self.random.pick(&names).clone();
        let value = entry.get_mut(&name).expect("a member");
        self.change(value);
        canon::to_string(&json!(entry))
    }

    /// Changes a value, or something within it.
    fn change(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) if !members.is_empty() && self.random.below(4) > 0 => {
                let at = self.random.below(members.len());
                if let Some(value) = members.values_mut().nth(at) {
                    self.change(value);
                }
            }
            Value::Array(items) if !items.is_empty() && self.random.below(4) > 0 => {
                let at = self.random.below(items.len());
                self.change(&mut items[at]);
            }
            Value::String(text) if text.len() == 64 => {
                *value = json!(Digest::of(&self.random.number().to_be_bytes()));
            }
            Value::String(text) if self.random.below(2) == 0 => text.push('0'),
            Value::Number(number) => {
                let number = number.as_i64().unwrap_or_default();
                *value =
                    json!(number + 1 + i64::try_from(self.random.below(9)).unwrap_or_default());
            }
            Value::Bool(truth) => *truth = !*truth,
            Value::Null => *value = json!("something"),
            Value::String(_) | Value::Array(_) | Value::Object(_) => *value = json!(null),
        }
    }
}

/// A digest with one bit turned.
fn flipped(digest: &Value, bit: usize) -> Digest {
    let digest: Digest = digest
        .as_str()
        .unwrap_or_default()
        .parse()
        .expect("a digest");
    let mut bytes = *digest.as_bytes();
    bytes[bit / 8] ^= 1 << (bit % 8);
    Digest::from_bytes(&bytes).expect("32 bytes")
}
