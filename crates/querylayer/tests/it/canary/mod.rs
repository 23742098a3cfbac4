//! One secret of each kind, used for real against a server that logs everything, and then looked for
//! in everything that the server, its commands and its files left behind.

mod logged;
mod user;

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ql_core::hash::Digest;
use ql_testkit::TempDir;

use self::logged::{Logged, break_a_connection, commands};
use self::user::{Left, User};
use crate::process::binary;

/// What a secret may not be found as: itself, most of it, and what it looks like in base 64.
fn shapes(secret: &str) -> [String; 3] {
    let most = secret[secret.len() - 24..].to_owned();
    let encoded = STANDARD.encode(secret);
    [secret.to_owned(), most, encoded]
}

fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

/// Every file below a folder, but those in `left_out`.
fn files(folder: &Path, left_out: &str, found: &mut Left) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        if path.is_dir() && !path.ends_with(left_out) {
            files(&path, left_out, found);
        } else if path.is_file() {
            found.push((name, std::fs::read(&path).expect("a file")));
        }
    }
}

#[tokio::test]
async fn no_secret_is_in_anything_that_a_run_leaves_behind() {
    let mut server = Logged::start();
    let user = User::arrive(&server).await;
    let (secrets, mut left) = (user.secrets(), user.use_them().await);
    let broken = break_a_connection(&server, &secrets[0].1);
    left.push(("no request".to_owned(), broken));
    left.extend(commands(&server));
    files(&server.data(), "keys", &mut left);
    let output = server.end();
    files(&server.data(), "keys", &mut left);
    files(&server.folder.path().join("copy"), "keys", &mut left);
    left.push(("the output".to_owned(), output));

    let mut found = Vec::new();
    for (what, secret) in &secrets {
        for shape in shapes(secret) {
            let holding = left
                .iter()
                .filter(|(_, bytes)| holds(bytes, shape.as_bytes()));
            found.extend(holding.map(|(place, _)| format!("{what} in {place}")));
        }
    }
    assert_eq!(found, [""; 0]);
    let mut keys = Left::new();
    files(&server.data().join("keys"), "", &mut keys);
    no_key_is_in(&left, &keys);

    // The negative control: the same search finds what is kept of a token where it belongs.
    let token = &secrets[0].1;
    let holding = |bytes: &[u8]| -> Vec<&str> {
        let holding = left.iter().filter(|(_, text)| holds(text, bytes));
        holding.map(|(place, _)| place.as_str()).collect()
    };
    let prefixes = holding(&token.as_bytes()[..12]);
    assert!(
        prefixes.contains(&"connection list --site elmsea --json"),
        "{prefixes:?}"
    );
    assert!(
        prefixes
            .iter()
            .any(|place| place.ends_with("querylayer.db")),
        "{prefixes:?}"
    );
    let fingerprint = Digest::of(token.as_bytes());
    let kept = holding(fingerprint.as_bytes());
    assert!(
        kept.iter().any(|place| place.ends_with("querylayer.db")),
        "{kept:?}"
    );
    let (_, output) = left.last().expect("the output");
    assert!(
        holds(output, b"a connection broke"),
        "the log was kept: {}",
        String::from_utf8_lossy(output)
    );
}

/// The keys are in their folder and its copy alone.
fn no_key_is_in(left: &[(String, Vec<u8>)], keys: &[(String, Vec<u8>)]) {
    assert!(!keys.is_empty(), "the search has something to look for");
    for (key, bytes) in keys {
        // A key is raw bytes, or the last word of a text.
        let last = std::str::from_utf8(bytes).map(|text| text.split_whitespace().next_back());
        let secret = match last {
            Ok(Some(last)) => last.as_bytes(),
            _ => bytes,
        };
        for shape in [secret, STANDARD.encode(bytes).as_bytes()] {
            let holding = left.iter().filter(|(_, text)| holds(text, shape));
            let holding: Vec<&str> = holding.map(|(place, _)| place.as_str()).collect();
            assert_eq!(holding, [""; 0], "{key}");
        }
    }
}

/// The credential of a database server stays where it was given.
#[test]
fn no_database_password_is_in_what_a_failing_start_says() {
    for (url, secret) in [
        (
            "postgres://someone:canary-passphrase@127.0.0.1:1/nothing",
            "canary-passphrase",
        ),
        (
            "postgres://someone@127.0.0.1:1/nothing?password=canary-passphrase",
            "canary-passphrase",
        ),
        (
            "mysql://someone:canary-passphrase@127.0.0.1:1/nothing",
            "canary-passphrase",
        ),
        (
            "postgres://someone:canary%20passphrase@127.0.0.1:port/nothing",
            "canary%20passphrase",
        ),
    ] {
        let folder = TempDir::new();
        let output = binary()
            .env("RUST_LOG", "trace")
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--database",
                url,
                "--data",
            ])
            .arg(folder.path())
            .output()
            .expect("the program starts");
        assert!(!output.status.success(), "{url}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains(secret), "{said}");
        assert!(said.contains("querylayer: "), "{said}");
    }
}
