//! Whether the passages that a pack names exist.

use ql_scripture::Reader;

use super::super::problem::{At, Code, Problems};
use super::Tables;

pub(super) fn check(tables: &Tables, problems: &mut Problems) {
    let reader = Reader::english();
    for row in &tables.doctrines.rows {
        passages(&reader, &row.entry.basis, &row.at.within("basis"), problems);
    }
    for row in &tables.disputed.rows {
        let at = row.at.within("passages");
        passages(&reader, &row.entry.passages, &at, problems);
    }
}

fn passages(reader: &Reader, list: &[String], at: &At<'static>, problems: &mut Problems) {
    if list.is_empty() {
        problems.add(at, Code::Required, "names no passage; name at least one");
    }
    for (index, text) in list.iter().enumerate() {
        if let Err(error) = reader.parse(text) {
            let message = format!("`{text}`: {}", error.reason);
            problems.add(&at.within(index), Code::Reference, message);
        }
    }
}
