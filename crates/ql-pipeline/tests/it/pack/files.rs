//! The files themselves.

use ql_pipeline::pack::files::{FILES, MAX_FILE_BYTES};
use ql_pipeline::pack::folder;

use super::{Draft, at, wrong};

#[test]
fn the_small_pack_is_fit() {
    let pack = Draft::small().fit();
    assert_eq!(pack.name, "small");
    assert_eq!(pack.constitution(), "# Charter\n\nSay what is written.\n");
}

#[test]
fn each_file_is_there() {
    for file in FILES {
        let wrong = Draft::small().without(file).wrong();
        assert!(
            wrong.contains(&format!("{file}: every pack has this file")),
            "{wrong}"
        );
    }
    // What other files name of a missing one isn't said to be unknown: one thing is to be mended.
    insta::assert_snapshot!(Draft::small().without("rules.toml").wrong(), @"
    the pack isn't fit for use; 1 to mend
      rules.toml: every pack has this file
    ");
}

#[test]
fn no_other_file_is_there() {
    let draft = Draft::small().beside("notes.md", b"").beside("old/", b"");
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 2 to mend
      notes.md: no pack has this file; it has pack.toml, constitution.md, roles.toml, stages.toml, rules.toml, doctrines.toml, disputed.toml, translations.toml alone
      old/: no pack has this file; it has pack.toml, constitution.md, roles.toml, stages.toml, rules.toml, doctrines.toml, disputed.toml, translations.toml alone
    ");
}

#[test]
fn a_file_is_given_once() {
    insta::assert_snapshot!(Draft::small().beside("rules.toml", b"").wrong(), @"
    the pack isn't fit for use; 1 to mend
      rules.toml: the file was given twice
    ");
}

#[test]
fn what_is_not_text_is_refused() {
    let draft = Draft::small()
        .without("constitution.md")
        .beside("constitution.md", b"Be g\xf6od");
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 1 to mend
      constitution.md: not UTF-8 after 4 bytes
    ");
}

#[test]
fn a_file_and_a_pack_have_a_size_that_can_travel() {
    let long = "#".repeat(MAX_FILE_BYTES);
    insta::assert_snapshot!(Draft::small().and("constitution.md", &long).wrong(), @"
    the pack isn't fit for use; 1 to mend
      constitution.md: a file of a pack has 131072 bytes at most
    ");
    let mut draft = Draft::small();
    for file in &FILES[2..] {
        draft = draft.and(file, &long[..90_000]);
    }
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 1 to mend
      pack.toml: a pack has 524288 bytes at most, not 541426
    ");
}

#[test]
fn a_constitution_says_something() {
    let draft = Draft::small()
        .without("constitution.md")
        .beside("constitution.md", b" \n");
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 1 to mend
      constitution.md: the constitution is empty
    ");
}

#[test]
fn what_is_not_toml_is_refused_with_its_line_and_the_rest_is_still_looked_at() {
    let draft = Draft::small()
        .with(
            "rules.toml",
            "question = \"Was it read?\"",
            "question = Was it read?",
        )
        .with("pack.toml", "1.0.0", "1.0");
    insta::assert_snapshot!(draft.wrong(), @"
    the pack isn't fit for use; 2 to mend
      pack.toml, line 2: `1.0` is no version: three numbers, as in 1.0.0
      rules.toml, line 4: not TOML: string values must be quoted, expected literal string
    ");
}

#[test]
fn a_pack_has_a_name_and_a_version() {
    insta::assert_snapshot!(wrong("pack.toml", "small", "s mall"), @"
    the pack isn't fit for use; 1 to mend
      pack.toml, line 1: `s mall` is no id: a letter, then letters, figures, `_` and `-` of ASCII, 64 at most
    ");
    insta::assert_snapshot!(wrong("pack.toml", "1.0.0", "1.0.01"), @"
    the pack isn't fit for use; 1 to mend
      pack.toml, line 2: `1.0.01` is no version: three numbers, as in 1.0.0
    ");
    insta::assert_snapshot!(wrong("pack.toml", "version = \"1.0.0\"", "edition = 3"), @"
    the pack isn't fit for use; 2 to mend
      pack.toml: `version` is missing
      pack.toml, line 2: there is no field `edition` here
    ");
}

#[test]
fn a_folder_is_read_as_it_is() {
    let files = folder::files(&at("tests/packs")).expect("a folder that can be read");
    assert_eq!(files, [("jewish-torah-teaching/".to_owned(), Vec::new())]);
    let error = folder::open(&at("tests/packs/none")).expect_err("no such folder");
    assert!(
        error.to_string().contains("none can't be read: "),
        "{error}"
    );
}
