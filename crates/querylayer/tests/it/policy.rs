//! Policy packs on the command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ql_testkit::TempDir;

use crate::process::{arg, json, refused, run, said};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shipped() -> PathBuf {
    root().join("packs/biblical-teaching")
}

/// A copy of the shipped pack in which a file has other words.
fn changed(file: &str, from: &str, to: &str) -> TempDir {
    let folder = TempDir::new();
    for entry in fs::read_dir(shipped()).expect("the pack") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.contains(from), "`{from}` in {file}");
    fs::write(path, text.replacen(from, to, 1)).expect("written");
    folder
}

#[test]
fn a_fit_pack_is_summed_up() {
    let found = json(&["policy", "lint", arg(&shipped()), "--json"]);
    let mut found = found.as_object().expect("an object").clone();
    let digest = found.remove("policy_pack_sha256").expect("a digest");
    assert_eq!(digest.as_str().map(str::len), Some(64));
    insta::assert_snapshot!(serde_json::Value::from(found), @r#"{"disputed":17,"doctrines":13,"name":"biblical-teaching","ok":true,"roles":12,"rules":17,"stages":19,"translations":3,"version":"1.0.0"}"#);
    let lines = said(&["policy", "lint", arg(&shipped())]);
    assert!(lines.contains("name: biblical-teaching\n"), "{lines}");
}

#[test]
fn everything_wrong_is_said_and_the_exit_code_says_so_too() {
    let folder = changed("roles.toml", "tier = \"none\"", "tier = \"writing\"");
    fs::write(folder.path().join("notes.md"), "later").expect("written");
    let output = run(&["policy", "lint", arg(folder.path())]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(output.stdout).expect("text"), @"
    the pack isn't fit for use; 2 to mend
      roles.toml, line 97: `publishing` publishes with a model (`writing`); what publishes calls none, so its tier is `none`
      notes.md: no pack has this file; it has pack.toml, constitution.md, roles.toml, stages.toml, rules.toml, doctrines.toml, disputed.toml, translations.toml alone
    ");
    let output = run(&["policy", "lint", arg(folder.path()), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    insta::assert_snapshot!(found["problems"][0], @r#"{"code":"publisher_not_bare","file":"roles.toml","line":97,"message":"`publishing` publishes with a model (`writing`); what publishes calls none, so its tier is `none`","pointer":"/role/10/tier"}"#);
    assert_eq!(found["ok"], false);
    let (code, wrong) = refused(&["policy", "hash", arg(folder.path())]);
    assert_eq!(code, Some(1));
    assert!(
        wrong.contains("the pack isn't fit for use; 2 to mend"),
        "{wrong}"
    );
    let (code, wrong) = refused(&["policy", "lint", arg(&folder.path().join("none"))]);
    assert_eq!(code, Some(1));
    assert!(wrong.contains("can't be read"), "{wrong}");
}

#[test]
fn a_folder_within_and_a_file_that_is_too_large_are_named() {
    let folder = changed("pack.toml", "biblical", "our");
    fs::create_dir(folder.path().join("old")).expect("made");
    let long = "#".repeat(200_000);
    fs::write(folder.path().join("rules.toml"), long).expect("written");
    let output = run(&["policy", "lint", arg(folder.path())]);
    insta::assert_snapshot!(String::from_utf8(output.stdout).expect("text"), @"
    the pack isn't fit for use; 2 to mend
      rules.toml: a file of a pack has 131072 bytes at most
      old/: no pack has this file; it has pack.toml, constitution.md, roles.toml, stages.toml, rules.toml, doctrines.toml, disputed.toml, translations.toml alone
    ");
}

#[test]
fn the_documented_lines_make_the_digest_of_a_pack() {
    let page = fs::read_to_string(root().join("docs/policy-packs.md")).expect("the page");
    let lines = page
        .split("```sh\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let mut shell = Command::new("sh");
    shell
        .args(["-e", "-c", lines.expect("lines for a shell")])
        .current_dir(root());
    let output = shell.output().expect("a shell");
    assert!(output.status.success());
    let by_hand = String::from_utf8(output.stdout).expect("text");
    let by_hand: Vec<&str> = by_hand
        .lines()
        .map(|line| line.trim_end_matches([' ', '-']))
        .collect();
    let found = json(&["policy", "hash", arg(&shipped()), "--json"]);
    let digests = [&found["constitution_sha256"], &found["policy_pack_sha256"]];
    assert_eq!(
        digests.map(|digest| digest.as_str().expect("a text")),
        by_hand[..]
    );
    let lines = said(&["policy", "hash", arg(&shipped())]);
    assert!(
        lines.contains(&format!("{}  constitution.md\n", by_hand[0])),
        "{lines}"
    );
    assert!(
        lines.ends_with(&format!("{}  policy_pack_sha256\n", by_hand[1])),
        "{lines}"
    );
}

#[test]
fn changes_have_a_line_each() {
    let folder = changed("stages.toml", "gate = \"SCRIPTURE_VERIFIED\"\n", "");
    let (old, new) = (shipped(), folder.path());
    let lines = said(&["policy", "diff", arg(&old), arg(new)]);
    let (file, lines) = lines.split_once('\n').expect("two lines");
    assert!(file.starts_with("stages.toml changed: "), "{file}");
    insta::assert_snapshot!(lines, @r#"stages.toml: `BIBLICAL_RESEARCH_COMPLETED`: gate: "SCRIPTURE_VERIFIED" → none"#);
    let changes = json(&["policy", "diff", arg(&old), arg(new), "--json"]);
    assert_eq!(changes[1]["field"], "gate");
    assert_eq!(said(&["policy", "diff", arg(&old), arg(&old)]), "");
    let bad = changed("pack.toml", "1.0.0", "one");
    let (code, wrong) = refused(&["policy", "diff", arg(&old), arg(bad.path())]);
    assert_eq!(code, Some(1));
    assert!(wrong.contains("`one` is no version"), "{wrong}");
}
