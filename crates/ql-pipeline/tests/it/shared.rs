//! The texts and cases that stand beside the repository, since no Bible text is part of it.

use std::path::{Path, PathBuf};
use std::{env, fs};

const WHERE: &str =
    "name their folder with QL_SHARED_DATA, or put it beside the checkout as shared/data";

/// The folder that holds them.
fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    env::var_os("QL_SHARED_DATA").map_or_else(beside, PathBuf::from)
}

/// The text of one of the files, or nothing where they are missing and needn't be there.
///
/// Where somebody said where they are, a missing one is a failure.
pub(crate) fn read(file: &str) -> Option<String> {
    let path = folder().join(file);
    if !path.exists() {
        is_missing(&path);
        return None;
    }
    Some(fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests must see what was left out"
)]
fn is_missing(path: &Path) {
    let (path, said) = (path.display(), env::var_os("QL_SHARED_DATA").is_some());
    assert!(!said, "{path} is missing: {WHERE}");
    eprintln!("{path} is missing, so its tests are left out: {WHERE}");
}
