//! Editions and quotations on the command line.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use ql_testkit::TempDir;
use serde_json::Value;

use crate::process::{arg, binary, json, refused, run, said};

const LINES: &str = "John.11.34\tAnd said, Where have ye laid him?\nJohn.11.35\tJesus wept.\n\
    Exod.20.15\tThou shalt not steal.\nPs.23.1\tThe LORD is my shepherd; I shall not want.\n";

/// Takes in a few lines as an edition and answers the folder of editions.
fn import(folder: &Path) -> String {
    let file = folder.join("few.tsv");
    fs::write(&file, LINES).expect("written");
    let corpora = folder.join("corpora");
    let about = [
        "--name",
        "A few",
        "--language",
        "en",
        "--licence",
        "public domain",
    ];
    let place = [
        "--id",
        "few",
        "--source",
        "by hand",
        "--corpora",
        arg(&corpora),
        "--json",
    ];
    let found = json(&[&["corpus", "import", arg(&file)][..], &about, &place].concat());
    assert_eq!((&found["verses"], &found["id"]), (&4.into(), &"few".into()));
    arg(&corpora).to_owned()
}

fn check(corpora: &str, reference: &str, text: &str) -> (Option<i32>, Value) {
    let place = ["--edition", "few", "--corpora", corpora, "--json", text];
    let output = run(&[&["scripture", "check", "--ref", reference][..], &place].concat());
    let found = serde_json::from_slice(&output.stdout).expect("one JSON document");
    (output.status.code(), found)
}

/// Puts lines into a command and answers what it says.
fn fed(arguments: &[&str], lines: &str) -> Output {
    let mut child = binary()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(lines.as_bytes()).expect("written");
    drop(input);
    child.wait_with_output().expect("an end")
}

#[test]
fn an_edition_is_taken_in_listed_shown_and_verified() {
    let folder = TempDir::new();
    let corpora = import(folder.path());
    let place = ["--corpora", &corpora];
    let list = json(&[&["corpus", "list", "--json"][..], &place].concat());
    assert_eq!(list[0]["id"], "few");
    let shown = json(
        &[
            &["corpus", "show", "few", "John 11:34-35", "--json"][..],
            &place,
        ]
        .concat(),
    );
    assert_eq!(shown[1]["text"], "Jesus wept.");
    let verified = json(&[&["corpus", "verify", "--json"][..], &place].concat());
    assert_eq!(
        (&verified[0]["ok"], &verified[0]["verses"]),
        (&true.into(), &4.into())
    );

    let verses = Path::new(&corpora).join("few/verses.tsv");
    let damaged = LINES.replace("not ", "");
    fs::write(&verses, damaged.as_bytes()).expect("written");
    let output = run(&[&["corpus", "verify"][..], &place].concat());
    assert_eq!(output.status.code(), Some(1));
    let (_, wrong) = refused(
        &[
            &[
                "scripture",
                "check",
                "--ref",
                "John 11:35",
                "--edition",
                "few",
                "Jesus wept.",
            ][..],
            &place,
        ]
        .concat(),
    );
    assert!(wrong.contains("not the one that was imported"), "{wrong}");
}

#[test]
fn everything_wrong_with_an_import_is_said_and_nothing_is_kept() {
    let folder = TempDir::new();
    let file = folder.path().join("bad.tsv");
    fs::write(&file, "Gen.1\ta\nGen.1.2\n").expect("written");
    let corpora = folder.path().join("corpora");
    let about = [
        "--id",
        "Bad",
        "--name",
        "B",
        "--language",
        "en",
        "--licence",
        "none",
    ];
    let place = ["--source", "by hand", "--corpora", arg(&corpora)];
    let (code, wrong) = refused(&[&["corpus", "import", arg(&file)][..], &about, &place].concat());
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(wrong, @r"
    querylayer: the text was not imported; 3 to mend
      bad.tsv, line 1: `Gen.1` is no OSIS reference such as Gen.1.1
      bad.tsv, line 2: a line is a reference, a tab and a text
      id: up to 32 small letters, figures and hyphens
    ");
    assert!(!corpora.exists());
    let (_, none) = refused(&["scripture", "scan", arg(&file), "--corpora", arg(&corpora)]);
    assert!(none.contains("corpus import"), "{none}");
}

#[test]
fn a_quotation_is_verified_or_refused_with_the_difference() {
    let folder = TempDir::new();
    let corpora = import(folder.path());
    let (code, found) = check(&corpora, "Ex 20:15", "Thou shalt not steal");
    assert_eq!(
        (code, &found["grade"]),
        (Some(0), &"EXACT_NORMALISED".into())
    );
    let (code, found) = check(&corpora, "Ex 20:15", "Thou shalt steal.");
    assert_eq!(code, Some(1));
    assert_eq!(found["differences"][0]["expected"], "not");
    let (code, found) = check(&corpora, "Ex 20:99", "Thou shalt steal.");
    assert_eq!(
        (code, &found["code"]),
        (Some(1), &"SCRIPTURE_REFERENCE_INVALID".into())
    );
    let (code, usage) = refused(&["scripture", "check", "Jesus wept."]);
    assert_eq!(code, Some(2), "{usage}");
}

#[test]
fn references_are_read_and_found() {
    let read = json(&["scripture", "parse", "Matt 5:3-7, 9", "--json"]);
    assert_eq!(read["passage"], "Matt.5.3-Matt.5.7 Matt.5.9");
    let output = run(&["scripture", "parse", "Hezekiah 3:16"]);
    let code = output.status.code();
    assert_eq!(code, Some(1));
    let folder = TempDir::new();
    let file = folder.path().join("sermon.txt");
    fs::write(&file, "As Rom 8:31 has it.").expect("written");
    let found = json(&["scripture", "find", arg(&file), "--json"]);
    assert_eq!(found["references"][0]["passage"], "Rom.8.31");
}

#[test]
fn many_questions_are_answered_line_by_line_in_one_process() {
    let folder = TempDir::new();
    let corpora = import(folder.path());
    let lines = "{\"id\": 1, \"ref\": \"John 11:35\", \"edition\": \"few\", \"text\": \"Jesus wept.\"}\n\
        \n{\"id\": 2, \"ref\": \"John 11:35\", \"edition\": \"few\", \"text\": \"Jesus slept.\"}\n\
        {\"id\": 3, \"ref\": \"John 11:35\", \"edition\": \"none\", \"text\": \"Jesus wept.\"}\nnonsense\n";
    let output = fed(
        &["scripture", "check", "--batch", "--corpora", &corpora],
        lines,
    );
    assert_eq!(output.status.code(), Some(1), "one line is no question");
    let answers = String::from_utf8(output.stdout).expect("text");
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    let verified: Vec<&Value> = answers.iter().map(|answer| &answer["verified"]).collect();
    assert_eq!(
        verified,
        [&true.into(), &false.into(), &Value::Null, &Value::Null]
    );
    assert_eq!(answers[2]["id"], 3);
    assert!(answers[3]["error"].is_string());

    let lines = "{\"text\": \"He said: the LORD is my shepherd; I shall not want. So.\"}\n";
    let output = fed(
        &["scripture", "scan", "--batch", "--corpora", &corpora],
        lines,
    );
    assert!(output.status.success());
    let found: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(found["quotations"][0]["places"][0]["span"], "Ps.23.1");
    let lines = "{\"text\": \"John 3:16\"}\n{\"text\": \"John 3:99\"}\n";
    let output = fed(&["scripture", "parse", "--batch"], lines);
    assert!(output.status.success(), "both were answered");
    let usage = said(&["scripture", "--help"]);
    assert!(usage.contains("check"), "{usage}");
}
