//! What is different between two packs.

use ql_core::hash::Digest;
use ql_pipeline::pack::{Pack, PackFile, diff};

use super::{Draft, another, shipped};

fn lines(old: &Pack, new: &Pack) -> String {
    let changes = diff(old, new).into_iter();
    let lines: Vec<String> = changes.map(|change| change.to_string()).collect();
    lines.join("\n")
}

#[test]
fn a_pack_does_not_differ_from_itself() {
    assert_eq!(lines(&shipped(), &shipped()), "");
}

#[test]
fn entries_that_come_and_go_and_fields_that_change_have_a_line_each() {
    let old = Draft::small().fit();
    let new = Draft::small()
        .with("pack.toml", "1.0.0", "1.1.0")
        .with("constitution.md", "what is written", "all that is written")
        .with(
            "roles.toml",
            "attests = [\"R-1\"]",
            "attests = [\"R-1\", \"R-3\"]",
        )
        .with("roles.toml", "task = \"Sends.\"", "task = \"Sends it.\"")
        .with(
            "stages.toml",
            "gate = \"THEOLOGY_VERIFIED\"",
            "gate = \"SCRIPTURE_VERIFIED\"",
        )
        .and(
            "rules.toml",
            "[[rule]]\nid = \"R-3\"\ntitle = \"T\"\nquestion = \"Q?\"\nkind = \"attested\"\n",
        )
        .with("doctrines.toml", "D-1", "D-2")
        .with("disputed.toml", "[\"Gen 1:1\"]", "[\"Gen 1:1-2\"]")
        .and(
            "translations.toml",
            "max_verses = 500\nmedia = [\"video\"]\n",
        )
        .fit();
    insta::assert_snapshot!(lines(&old, &new), @r#"
    constitution.md changed: 53bf09e6 → 931c907d
    disputed.toml changed: baab53aa → 2c84561f
    doctrines.toml changed: a6f9baec → d07af92e
    pack.toml changed: 48f608df → 12c5acf4
    roles.toml changed: a2f80f03 → cb20bd07
    rules.toml changed: 0761194c → fbc7734d
    stages.toml changed: c8d8a89a → 2be4ffb0
    translations.toml changed: 9893b520 → e5d41954
    pack.toml: version: "1.0.0" → "1.1.0"
    roles.toml: `reader`: attests: ["R-1"] → ["R-1","R-3"]
    roles.toml: `sender`: task: "Sends." → "Sends it."
    stages.toml: `SEALED`: gate: "THEOLOGY_VERIFIED" → "SCRIPTURE_VERIFIED"
    rules.toml: `R-3` added
    doctrines.toml: `D-1` removed
    doctrines.toml: `D-2` added
    disputed.toml: `P-1`: passages: ["Gen 1:1"] → ["Gen 1:1-2"]
    translations.toml: `version`: grant.max_verses: none → 500
    translations.toml: `version`: grant.media: [] → ["video"]
    "#);
}

#[test]
fn files_that_come_and_go_are_named() {
    let old = Draft::small().fit();
    let mut new = old.clone();
    let gone = new.files.remove(0);
    new.files.push(PackFile {
        path: "glossary.toml".to_owned(),
        text: String::new(),
        sha256: Digest::of(b""),
    });
    assert_eq!(gone.path, "constitution.md");
    insta::assert_snapshot!(lines(&old, &new), @"
    constitution.md removed
    glossary.toml added
    ");
}

#[test]
fn changed_words_that_say_the_same_are_a_changed_file_alone() {
    let old = Draft::small().fit();
    let new = Draft::small().and("rules.toml", "# A remark.\n").fit();
    insta::assert_snapshot!(lines(&old, &new), @"rules.toml changed: 0761194c → e18ff3c6");
}

#[test]
fn programs_are_told_what_was_and_what_is() {
    let old = Draft::small().fit();
    let new = Draft::small()
        .with("roles.toml", "Sends.", "Sends it.")
        .fit();
    let changes = serde_json::to_value(&diff(&old, &new)[1]).expect("JSON");
    insta::assert_snapshot!(changes, @r#"{"field":"task","file":"roles.toml","from":"Sends.","id":"sender","to":"Sends it."}"#);
    assert!(diff(&another(), &shipped()).len() > 100);
}
