//! One SQLite.

use toml::{Table, Value};

use super::tree;

/// The versions of a package that a lock file holds.
fn versions(lock: &str, package: &str) -> Vec<String> {
    let lock: Table = lock.parse().expect("a lock file in TOML");
    let packages = lock.get("package").and_then(Value::as_array);
    packages
        .into_iter()
        .flatten()
        .filter(|found| found["name"].as_str() == Some(package))
        .filter_map(|found| found["version"].as_str().map(str::to_owned))
        .collect()
}

/// Two copies of SQLite in one process would each keep their own locks on the same file.
#[test]
fn exactly_one_sqlite_is_linked() {
    let found = versions(&tree::read("Cargo.lock"), "libsqlite3-sys");
    assert_eq!(found.len(), 1, "{found:?}");
    let two =
        "[[package]]\nname = \"a\"\nversion = \"1\"\n[[package]]\nname = \"a\"\nversion = \"2\"\n";
    assert_eq!(versions(two, "a"), ["1", "2"]);
}
