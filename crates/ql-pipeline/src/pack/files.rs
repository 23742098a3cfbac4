//! The files of a pack, and which bytes can be theirs.

use std::collections::BTreeMap;

use super::disputed::Disputed;
use super::doctrine::Doctrine;
use super::header;
use super::problem::{At, Code, Problems};
use super::role::Role;
use super::rule::Rule;
use super::stage::Stage;
use super::table::Entry;
use super::translation::Translation;

/// The file that says in prose how productions are made.
pub const CONSTITUTION: &str = "constitution.md";

/// The files of a pack, all of which it has, in the order in which problems are told.
pub const FILES: [&str; 8] = [
    header::FILE,
    CONSTITUTION,
    Role::FILE,
    Stage::FILE,
    Rule::FILE,
    Doctrine::FILE,
    Disputed::FILE,
    Translation::FILE,
];

/// How many bytes a file of a pack may have. The whole of it travels with every task.
pub const MAX_FILE_BYTES: usize = 128 * 1024;

/// How many bytes all files of a pack may have.
pub const MAX_PACK_BYTES: usize = 512 * 1024;

/// The texts of a pack's files, by path.
pub(super) type Texts = BTreeMap<String, String>;

/// The texts of the files that a pack has, and what is wrong with the others.
pub(super) fn texts(mut files: Vec<(String, Vec<u8>)>, problems: &mut Problems) -> Texts {
    files.sort_by(|a, b| a.0.cmp(&b.0));
    let size: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    if size > MAX_PACK_BYTES {
        let message = format!("a pack has {MAX_PACK_BYTES} bytes at most, not {size}");
        problems.add(&At::file(header::FILE), Code::TooLarge, message);
    }
    let is_given = |file: &&str| files.iter().any(|(path, _)| path == file);
    for missing in FILES.into_iter().filter(|file| !is_given(file)) {
        problems.add(
            &At::file(missing),
            Code::MissingFile,
            "every pack has this file",
        );
    }
    let mut texts = Texts::new();
    for (path, bytes) in files {
        match text(&path, bytes, &texts) {
            Ok(text) => drop(texts.insert(path, text)),
            Err((code, message)) => problems.add(&At::file(&path), code, message),
        }
    }
    texts
}

/// The text of one file, if it is one of a pack's.
fn text(path: &str, bytes: Vec<u8>, earlier: &Texts) -> Result<String, (Code, String)> {
    if !FILES.contains(&path) {
        let message = format!("no pack has this file; it has {} alone", FILES.join(", "));
        return Err((Code::UnexpectedFile, message));
    }
    if earlier.contains_key(path) {
        return Err((Code::DuplicateFile, "the file was given twice".to_owned()));
    }
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("a file of a pack has {MAX_FILE_BYTES} bytes at most");
        return Err((Code::TooLarge, message));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        (Code::NotUtf8, format!("not UTF-8 after {valid} bytes"))
    })
}
