//! Serving safely: what is refused at the start, TLS, and the end.

use crate::process::{Server, arg, binary, refused};

#[test]
fn plain_http_where_others_could_listen_is_refused() {
    let server = Server::start();
    let data = server.data();
    let (code, said) = refused(&["serve", "--listen", "0.0.0.0:0", "--data", arg(&data)]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(said.trim(), @"querylayer: plain HTTP on 0.0.0.0:0 would send tokens in the clear; give --tls-cert and --tls-key, or --behind-proxy with the network of the proxy that ends TLS");
}

#[test]
fn an_unknown_engine_is_refused_and_a_password_is_never_repeated() {
    let (code, said) = refused(&["serve", "--database", "mysql://user:secret@localhost/x"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("begins with postgres://"), "{said}");
    assert!(!said.contains("secret"), "{said}");
    let nobody = "postgres://user:secret@127.0.0.1:1/x";
    let folder = ql_testkit::TempDir::new();
    let data = folder.path().join("data");
    let (code, unreachable) = refused(&["serve", "--database", nobody, "--data", arg(&data)]);
    assert_eq!(code, Some(1));
    assert!(unreachable.contains("can't be reached"), "{unreachable}");
    assert!(!unreachable.contains("secret"), "{unreachable}");
}

#[test]
fn unknown_settings_of_the_file_are_refused_by_name() {
    let folder = ql_testkit::TempDir::new();
    let file = folder.path().join("querylayer.toml");
    std::fs::write(&file, "listenn = \"127.0.0.1:0\"").expect("written");
    let (code, said) = refused(&["serve", "--config", arg(&file)]);
    assert_eq!(code, Some(1));
    assert!(said.contains("listenn"), "{said}");
}

#[tokio::test]
async fn an_unknown_host_is_not_served() {
    let server = Server::start();
    let answer = crate::process::http()
        .build()
        .expect("a client")
        .post(server.text("mcp_url"))
        .header("host", "evil.example")
        .send()
        .await;
    assert_eq!(answer.expect("an answer").status(), 403);
}

#[test]
fn tls_is_served_with_the_certificate_of_the_file_and_with_a_renewed_one() {
    let folder = Server::start().stop();
    let (cert, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    make_certificate(&cert, &key, "first.example");
    let port = free_port();
    let mut child = binary()
        .args([
            "serve",
            "--listen",
            &format!("127.0.0.1:{port}"),
            "--data",
            arg(&folder.path().join("data")),
        ])
        .args(["--tls-cert", arg(&cert), "--tls-key", arg(&key)])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    let out = child.stdout.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
    assert!(line.contains("https://"), "{line}");
    let first = subject(port);
    make_certificate(&cert, &key, "second.example");
    let second = subject(port);
    child.kill().expect("an end");
    child.wait().expect("an end");
    assert!(
        first.contains("first.example") && second.contains("second.example"),
        "{first} {second}"
    );
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn make_certificate(cert: &std::path::Path, key: &std::path::Path, name: &str) {
    let made = std::process::Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-subj",
            &format!("/CN={name}"),
            "-keyout",
            arg(key),
            "-out",
            arg(cert),
        ])
        .output()
        .expect("openssl is installed");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
}

/// The subject of the certificate that a client is shown.
fn subject(port: u16) -> String {
    let output = std::process::Command::new("openssl")
        .args(["s_client", "-connect", &format!("127.0.0.1:{port}")])
        .stdin(std::process::Stdio::null())
        .output()
        .expect("openssl is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .find(|line| line.starts_with("subject"))
        .unwrap_or_default()
        .to_owned()
}
