//! Copies, restores, and what the doctor and the ledger say of a damaged folder.

use crate::process::{Server, arg, json, refused, run, said};

#[test]
fn a_backup_of_a_running_server_restores_into_a_folder_that_serves() {
    let server = Server::start();
    let (site, data) = (server.text("site").to_owned(), server.data());
    let copy = data.with_file_name("copy");
    said(&["backup", arg(&copy), "--data", arg(&data)]);
    let (_, again) = refused(&["backup", arg(&copy), "--data", arg(&data)]);
    assert!(again.contains("exists already"), "{again}");
    let (_, occupied) = refused(&["restore", arg(&copy), "--data", arg(&data)]);
    assert!(occupied.contains("holds data already"), "{occupied}");

    let restored = data.with_file_name("restored");
    said(&["restore", arg(&copy), "--data", arg(&restored)]);
    let sites = json(&["site", "list", "--json", "--data", arg(&restored)]);
    assert_eq!(sites[0]["id"].as_str(), Some(site.as_str()));
    assert_eq!(
        json(&["ledger", "verify", "--json", "--data", arg(&restored)])["ok"],
        true
    );
    let key =
        |folder: &std::path::Path| std::fs::read(folder.join("keys/preview.key")).expect("a key");
    assert_eq!(key(&restored), key(&data));
}

#[test]
fn tampering_with_the_database_is_found_by_ledger_verify_and_by_the_doctor() {
    let folder = Server::start().stop();
    let data = folder.path().join("data");
    assert!(run(&["doctor", "--data", arg(&data)]).status.success());

    tamper(&data.join("querylayer.db"));
    let verify = run(&["ledger", "verify", "--data", arg(&data)]);
    assert_eq!(verify.status.code(), Some(1));
    let said = String::from_utf8(verify.stdout).expect("text");
    assert!(
        said.contains("the stored bytes don't give the stored hash"),
        "{said}"
    );
    let doctor = run(&["doctor", "--data", arg(&data)]);
    assert_eq!(doctor.status.code(), Some(1));
    let said = String::from_utf8(doctor.stdout).expect("text");
    assert!(
        said.contains("NOT ledger")
            && said.contains("NOT append_only: history can be changed in ledger_entries"),
        "{said}"
    );
}

/// What somebody with the file and the schema at hand would do.
fn tamper(database: &std::path::Path) {
    let script = "DROP TRIGGER ledger_entries_no_update;
        UPDATE ledger_entries SET canon = replace(canon, '\"site.created\"', '\"site.removed\"') WHERE kind = 'site.created';";
    rusqlite::Connection::open(database)
        .and_then(|file| file.execute_batch(script))
        .expect("tampered");
}
