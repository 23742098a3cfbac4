//! Profiles get their identity once, and are listed as they are.

use std::fs;

use super::hermes::Machine;
use crate::process::{arg, refused, said};

fn listed(machine: &Machine) -> String {
    let home = machine.home();
    said(&["connect", "hermes", "profiles", "--home", arg(&home)])
}

#[test]
fn an_identity_is_given_once_and_moves_with_the_folder() {
    let machine = Machine::new();
    let id = machine.enrolled("writer");
    assert!(id.starts_with("prf_") && id.len() == 30, "{id}");
    assert_eq!(
        machine.enroll("writer", &[])["profile_id"],
        id,
        "asked again"
    );
    machine.rename("writer", "author");
    assert_eq!(machine.enroll("author", &[])["profile_id"], id);
    let replaced = machine.enroll("author", &["--new-id"]);
    assert_ne!(replaced["profile_id"], id);
    let left: Vec<_> = fs::read_dir(machine.folder("author"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["querylayer.toml"], "nothing else is left behind");
}

#[test]
fn profiles_are_listed_as_they_are() {
    let machine = Machine::new();
    let first = machine.enrolled("writer");
    machine.copy("writer", &machine.folder("copy"));
    let second = machine.enrolled("reader");
    machine.create("plain");
    machine.create("broken");
    machine.create("Not A Profile");
    fs::write(
        machine.folder("broken").join("querylayer.toml"),
        "profile_id = 7",
    )
    .expect("written");
    let text = listed(&machine)
        .replace(&first, "[FIRST]")
        .replace(&second, "[SECOND]");
    let text: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    insta::assert_snapshot!(text.join("\n"), @"
    NAME NOTE PROFILE_ID
    default not enrolled –
    broken querylayer.toml isn't what enrolling wrote: invalid type: integer `7`, expected a string –
    copy another profile has the same id, so neither is taken; enroll the copy with --new-id [FIRST]
    plain not enrolled –
    reader [SECOND]
    writer another profile has the same id, so neither is taken; enroll the copy with --new-id [FIRST]
    ");
    let home = machine.home();
    let broken = [
        "connect",
        "hermes",
        "enroll",
        "--profile",
        "broken",
        "--home",
        arg(&home),
    ];
    insta::assert_snapshot!(refused(&broken).1, @"querylayer: querylayer.toml in the profile's folder isn't what enrolling wrote: invalid type: integer `7`, expected a string; look at it, and take it away if nothing needs it");
    let none = [
        "connect",
        "hermes",
        "enroll",
        "--profile",
        "Writer",
        "--home",
        arg(&home),
    ];
    insta::assert_snapshot!(refused(&none).1, @"querylayer: there is no profile Writer; there is default, broken, copy, plain, reader, writer");
}

/// Hermes sets `HERMES_HOME` to the folder of the profile that it runs for.
#[test]
fn the_folder_of_a_profile_leads_to_all_of_them() {
    let machine = Machine::new();
    machine.enrolled("writer");
    machine.enrolled("reader");
    let folder = machine.folder("reader");
    let within = said(&["connect", "hermes", "profiles", "--home", arg(&folder)]);
    assert_eq!(within, listed(&machine));
}
