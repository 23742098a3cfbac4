//! Secrets never reach the disk: Strapi #25256, where a copy of the database gave production's
//! tokens away.

use ql_core::role::Role;
use ql_testkit::TestApp;

fn contains(haystack: &[u8], needle: &str) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

/// Everything in the folder of the database, write-ahead log included.
fn everything_on_disk(test: &TestApp) -> Vec<u8> {
    let folder = test.database().parent().expect("a folder").to_owned();
    let files = std::fs::read_dir(folder).expect("a folder");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        std::fs::read(entry.expect("a file").path()).expect("bytes")
    };
    files.flat_map(read).collect()
}

#[tokio::test]
async fn no_secret_is_in_any_file_after_everything_was_used() {
    let test = TestApp::embedded_with_a_story().await;
    let operator = test.operator().await;
    let member = test.home.members[&Role::Editor];
    let link = test
        .app
        .create_sign_in_link(&operator, member)
        .await
        .expect("a link");
    let session = test.app.sign_in_with_link(&link).await.expect("in");
    let signed_in = test
        .app
        .authenticate_session(&session.secret)
        .await
        .expect("in");
    let password = "a password that nobody else has";
    test.app
        .set_password(&signed_in, password)
        .await
        .expect("set");
    let by_password = test
        .app
        .sign_in_with_password("editor@acme.example", password)
        .await
        .expect("in");
    let personal = test
        .app
        .issue_personal_token(&signed_in, "script")
        .await
        .expect("a token");
    test.app
        .authenticate_personal_token(personal.secret.expose())
        .await
        .expect("in");
    let connection = &test.home.connection.secret;

    let disk = everything_on_disk(&test);

    let secrets = [
        ("a connection's secret", connection.expose()),
        ("a personal token", personal.secret.expose()),
        ("a sign-in link", &link),
        ("a session's cookie", &session.secret),
        ("another session's cookie", &by_password.secret),
        ("a password", password),
    ];
    for (what, secret) in secrets {
        assert!(!contains(&disk, secret), "{what} is on the disk");
        assert!(
            !contains(&disk, &secret[12..]),
            "most of {what} is on the disk"
        );
    }
    assert!(
        contains(&disk, connection.prefix()),
        "the search finds what is there: the stored prefix"
    );
}

#[tokio::test]
async fn no_secret_is_in_what_is_printed_for_debugging() {
    let test = TestApp::new().await;
    let signed_in = test.sign_in(&test.home, Role::Owner).await;
    let operator = test.operator().await;
    let link = test
        .app
        .create_sign_in_link(&operator, test.home.members[&Role::Editor])
        .await
        .expect("a link");
    let session = test.app.sign_in_with_link(&link).await.expect("in");
    let printed = format!(
        "{:?} {session:?} {signed_in:?} {:?}",
        test.home.connection, test.app
    );
    for secret in [
        test.home.connection.secret.expose(),
        &session.secret,
        &session.session.csrf,
    ] {
        assert!(!printed.contains(secret), "{printed}");
    }
}
