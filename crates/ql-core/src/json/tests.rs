use super::{Rejected, read};
use crate::problem::Problem;
use insta::assert_snapshot;
use serde_json::Value;

fn problems(text: &str) -> Vec<String> {
    match read(text.as_bytes()) {
        Err(Rejected::Refused { problems, .. }) => {
            let line = |p: &Problem| format!("{} {}", p.pointer, p.code);
            problems.iter().map(line).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_accepted_is_what_any_reader_reads() {
    for text in [
        "null",
        r#"{"a":[1,-2,3.5,true,false,null,"é\u00e9\ud83d\ude00"],"b":{"":{}}}"#,
        "[9007199254740992,-9007199254740992,0.1,-0.0,1e-300]",
        " [ ] ",
    ] {
        let other: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(read(text.as_bytes()), Ok(other), "{text}");
    }
}

#[test]
fn every_broken_rule_is_reported_with_its_place() {
    let text = r#"{"a":{"x~y":1,"x~y":2},"b":[0,{"n":9007199254740993}],"a":"\u0000"}"#;
    assert_snapshot!(problems(text).join("\n"), @r"
    /a/x~0y duplicate_key
    /b/1/n inexact_number
    /a duplicate_key
    /a nul
    ");
    assert_eq!(problems(r#"{"c\u0000":1}"#), ["/c\0 nul"]);
    assert_eq!(
        problems("[-9007199254740993,1e16,18446744073709551616]").len(),
        3
    );
}

#[test]
fn the_first_of_two_equal_names_stands_so_the_id_is_known() {
    let Err(Rejected::Refused { value, .. }) = read(br#"{"id":1,"a":[],"a":2}"#) else {
        panic!("accepted");
    };
    assert_eq!(value, serde_json::json!({ "id": 1, "a": [] }));
}

#[test]
fn reports_are_bounded_and_deep_texts_do_not_overflow() {
    let many = format!("[{}0]", "9007199254740993,".repeat(1000));
    assert_eq!(problems(&many).len(), 20);
    let deep = format!("{}{}", "[".repeat(500_000), "]".repeat(500_000));
    assert_eq!(problems(&deep).len(), 1);
    let objects = format!("{}1{}", r#"{"a":"#.repeat(200_000), "}".repeat(200_000));
    assert_eq!(problems(&objects).len(), 1);
}

#[test]
fn malformed_texts_say_where() {
    for (text, place) in [
        (r#"{"a":[1,{"b":}]}"#, "/a/1/b"),
        (r#"{"a":"\ud800"}"#, "/a"),
        ("[1,]", "/1"),
        ("", ""),
    ] {
        match read(text.as_bytes()) {
            Err(Rejected::Malformed { pointer, .. }) => assert_eq!(pointer, place, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}
