//! The ledger on the command line: what an operator takes along and what an auditor does with it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::process::{Server, arg, json, refused, run, said};

/// What `ledger verify` says of a file, with the exit code.
fn verdict(arguments: &[&str]) -> (Option<i32>, Value) {
    let all: Vec<&str> = [&["ledger", "verify", "--json"][..], arguments].concat();
    let output = run(&all);
    let found = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), found)
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("written");
}

#[test]
fn a_bundle_of_a_running_server_is_checked_without_it() {
    let server = Server::start();
    let (site, data) = (server.text("site").to_owned(), server.data());
    let folder = data.with_file_name("audit");
    fs::create_dir(&folder).expect("a folder");
    let (old, bundle, later) = (
        folder.join("old"),
        folder.join("site.qlbundle"),
        folder.join("later.qlbundle"),
    );
    let checkpoint = said(&["ledger", "checkpoint", "--data", arg(&data)]);
    write(&old, &checkpoint);
    let size = checkpoint.lines().nth(1).expect("a size").to_owned();
    let key = json(&["ledger", "checkpoint", "--json", "--data", arg(&data)])["key"].clone();
    let key = key.as_str().expect("a key").to_owned();
    let out = ["-o", arg(&bundle), "--data", arg(&data)];
    said(&[&["ledger", "export", "--site", &site][..], &out].concat());
    let (_, again) = refused(&[&["ledger", "export", "--site", &site][..], &out].concat());
    assert!(again.contains("can't be made"), "{again}");

    // The auditor has the bundle, the key and the checkpoint, and nothing else.
    let (status, found) = verdict(&[arg(&bundle), "--key", &key]);
    assert_eq!(status, Some(0), "{found}");
    assert_eq!(
        (found["subject"].as_str(), &found["key_compared"]),
        (Some(&*site), &true.into())
    );
    let (status, found) = verdict(&[arg(&bundle), "--checkpoint", arg(&old)]);
    assert_eq!(
        (status, found["code"].as_str()),
        (Some(1), Some("unconnected"))
    );
    let since = ["--since", &size, "-o", arg(&later), "--data", arg(&data)];
    said(&[&["ledger", "export", "--site", &site][..], &since].concat());
    let (status, found) = verdict(&[arg(&later), "--key", &key, "--checkpoint", arg(&old)]);
    assert_eq!(
        (status, &found["checkpoint_compared"]),
        (Some(0), &true.into())
    );

    // A new key takes over; who knows the first one follows.
    let rotated = json(&["ledger", "rotate-key", "--json", "--data", arg(&data)]);
    assert_eq!(rotated["number"], 2);
    let after = folder.join("after.qlbundle");
    let out = ["-o", arg(&after), "--data", arg(&data)];
    said(&[&["ledger", "export", "--site", &site][..], &out].concat());
    for known in [&key, rotated["key"].as_str().expect("a key")] {
        assert_eq!(verdict(&[arg(&after), "--key", known]).0, Some(0));
    }
    let text = fs::read_to_string(&after).expect("a bundle");
    write(&after, &text.replacen("site.created", "site.creates", 1));
    assert_eq!(verdict(&[arg(&after)]).1["ok"], false);
    assert_eq!(
        json(&["ledger", "verify", "--json", "--data", arg(&data)])["ok"],
        true
    );
}

#[test]
fn the_same_commands_work_on_a_stopped_folder_and_one_entry_is_proven() {
    let folder = Server::start().stop();
    let data = folder.path().join("data");
    let key_file = data.join("keys/ledger.key");
    let mode = fs::metadata(&key_file).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let checked = json(&["ledger", "verify", "--json", "--data", arg(&data)]);
    assert_eq!(
        checked["entries"], checked["in_the_tree"],
        "everything was signed before the end"
    );

    let key = json(&["ledger", "checkpoint", "--json", "--data", arg(&data)])["key"].clone();
    let key = key.as_str().expect("a key");
    let site = json(&["site", "list", "--json", "--data", arg(&data)])[0]["id"].clone();
    let site = site.as_str().expect("a site");
    let bundle = said(&["ledger", "export", "--site", site, "--data", arg(&data)]);
    let first: Value =
        serde_json::from_str(bundle.lines().nth(1).expect("an entry")).expect("JSON");
    let entry = first["entry"].as_str().expect("an id");
    let proof = folder.path().join("entry.tlog-proof");
    said(&[
        "ledger",
        "prove",
        entry,
        "-o",
        arg(&proof),
        "--data",
        arg(&data),
    ]);
    let (status, found) = verdict(&[arg(&proof), "--key", key]);
    assert_eq!((status, &found["ok"]), (Some(0), &true.into()));
    assert!(
        found["entry"]
            .as_str()
            .is_some_and(|text| text.contains(entry))
    );
    let (_, without) = refused(&["ledger", "verify", arg(&proof)]);
    assert!(without.contains("--key"), "{without}");

    // Without its key the folder still works; the doctor says what is missing.
    let lost = folder.path().join("ledger.key");
    fs::rename(&key_file, &lost).expect("moved");
    said(&["site", "rename", site, "Renamed", "--data", arg(&data)]);
    let doctor = run(&["doctor", "--data", arg(&data)]);
    let text = String::from_utf8(doctor.stdout).expect("text");
    assert!(
        text.contains(
            "NOT ledger_key: this server doesn't have the ledger's current key; 1 entries wait"
        ),
        "{text}"
    );
    let (_, said_so) = refused(&["ledger", "rotate-key", "--data", arg(&data)]);
    assert!(said_so.contains("ledger_unsigned"), "{said_so}");
    fs::rename(&lost, &key_file).expect("moved back");
    said(&["ledger", "checkpoint", "--data", arg(&data)]);
    assert!(run(&["doctor", "--data", arg(&data)]).status.success());
}
