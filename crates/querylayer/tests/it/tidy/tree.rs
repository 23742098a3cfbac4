//! Reading the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files that are made, not written; `.gitignore` names them too.
const MADE: [&str; 6] = [
    ".git",
    "target",
    "data",
    "node_modules",
    "__pycache__",
    "mutants.out",
];

/// A text file of the repository.
pub(super) struct File {
    /// From the root, with slashes.
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The lines with their numbers from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }

    pub(super) fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| e == "rs")
    }

    pub(super) fn is_markdown(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| e == "md")
    }
}

/// The root of the repository.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One file's text.
pub(super) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every text file, in the order of its path.
pub(super) fn files() -> Vec<File> {
    let mut found = Vec::new();
    collect(&root(), "", &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let entry = entry.expect("an entry of the folder");
        let name = entry.file_name().to_string_lossy().into_owned();
        let snapshot = name.ends_with(".pending-snap") || name.ends_with(".snap.new");
        if snapshot || MADE.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), found);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            found.push(File { path, text });
        }
    }
}
