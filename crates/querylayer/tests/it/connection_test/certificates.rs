//! TLS of the real server, with certificates that don't hold and with one that does.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ql_testkit::TempDir;

use super::{Tester, steady};
use crate::process::{Server, arg, binary};

/// A folder of certificates, all of one private authority or of themselves.
struct Authority(TempDir);

impl Authority {
    fn new() -> Self {
        let authority = Self(TempDir::new());
        let settings = "[ca]\ndefault_ca = here\n[here]\ndatabase = index.txt\nserial = serial\n\
             new_certs_dir = .\nunique_subject = no\ndefault_md = sha256\npolicy = any\nx509_extensions = leaf\n\
             copy_extensions = copy\n[any]\ncommonName = supplied\n[leaf]\nbasicConstraints = CA:FALSE\n";
        for (name, text) in [("ca.cnf", settings), ("index.txt", ""), ("serial", "01")] {
            std::fs::write(authority.file(name), text).expect("written");
        }
        for key in ["ca.key", "site.key"] {
            authority.openssl(&[
                "ecparam",
                "-name",
                "prime256v1",
                "-genkey",
                "-noout",
                "-out",
                key,
            ]);
        }
        authority.openssl(&[
            "req",
            "-x509",
            "-key",
            "ca.key",
            "-days",
            "2",
            "-subj",
            "/CN=Private",
            "-out",
            "ca.pem",
        ]);
        authority
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn openssl(&self, arguments: &[&str]) {
        let done = Command::new("openssl")
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("openssl is installed");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{arguments:?}: {said}");
    }

    /// A certificate of the authority for a name, good between two instants.
    fn issue(&self, name: &str, (from, until): (&str, &str)) -> PathBuf {
        let alternative = format!("subjectAltName=DNS:{name}");
        self.openssl(&[
            "req",
            "-new",
            "-key",
            "site.key",
            "-subj",
            &format!("/CN={name}"),
            "-addext",
            &alternative,
            "-out",
            "site.csr",
        ]);
        self.openssl(&[
            "ca",
            "-batch",
            "-notext",
            "-config",
            "ca.cnf",
            "-cert",
            "ca.pem",
            "-keyfile",
            "ca.key",
            "-in",
            "site.csr",
            "-startdate",
            from,
            "-enddate",
            until,
            "-out",
            "site.pem",
        ]);
        self.file("site.pem")
    }

    fn self_signed(&self, name: &str) -> PathBuf {
        let alternative = format!("subjectAltName=DNS:{name}");
        self.openssl(&[
            "req",
            "-x509",
            "-key",
            "site.key",
            "-days",
            "2",
            "-subj",
            &format!("/CN={name}"),
            "-addext",
            &alternative,
            "-out",
            "site.pem",
        ]);
        self.file("site.pem")
    }
}

const LONG: (&str, &str) = ("20200101000000Z", "20990101000000Z");
const PAST: (&str, &str) = ("20200101000000Z", "20200201000000Z");
const FUTURE: (&str, &str) = ("20980101000000Z", "20990101000000Z");

/// A server that speaks TLS, ended with the value.
struct Secured {
    child: Child,
    port: u16,
    token: String,
    _folder: TempDir,
}

impl Secured {
    fn start(cert: &Path, key: &Path) -> Self {
        let server = Server::start();
        let token = server.text("token").to_owned();
        let folder = server.stop();
        let mut child = binary()
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--public-url",
                "https://localhost",
            ])
            .args(["--tls-cert", arg(cert), "--tls-key", arg(key)])
            .args(["--data", arg(&folder.path().join("data"))])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("a line");
        let port = line
            .split("127.0.0.1:")
            .nth(1)
            .map(|rest| {
                rest.chars()
                    .take_while(char::is_ascii_digit)
                    .collect::<String>()
            })
            .and_then(|digits| digits.parse().ok())
            .unwrap_or_else(|| panic!("no port in {line}"));
        Self {
            child,
            port,
            token,
            _folder: folder,
        }
    }

    fn tester(&self, scheme: &str, host: &str, trusted: &Path) -> Tester {
        let url = format!("{scheme}://{host}:{}/mcp", self.port);
        Tester::new(&url, &self.token).env("SSL_CERT_FILE", arg(trusted))
    }
}

impl Drop for Secured {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn certificates_that_dont_hold_are_told_apart() {
    let authority = Authority::new();
    let (key, ca) = (authority.file("site.key"), authority.file("ca.pem"));
    authority.issue("localhost", LONG);
    let server = Secured::start(&authority.file("site.pem"), &key);
    let (well, text) = server.tester("https", "localhost", &ca).said();
    assert!(well, "{text}");
    let nobody = authority.file("index.txt");
    let mut wrong = vec![server.tester("https", "localhost", &nobody).wrong()];
    // The server takes each new file by itself.
    authority.self_signed("localhost");
    wrong.push(server.tester("https", "localhost", &ca).wrong());
    authority.issue("localhost", PAST);
    wrong.push(server.tester("https", "localhost", &ca).wrong());
    authority.issue("localhost", FUTURE);
    wrong.push(server.tester("https", "localhost", &ca).wrong());
    authority.issue("cms.example.com", LONG);
    wrong.push(server.tester("https", "localhost", &ca).wrong());
    wrong.push(server.tester("http", "localhost", &ca).wrong());
    let port = server.port.to_string();
    insta::assert_snapshot!(steady(&wrong.join("\n"), &[(&port, "[PORT]")]), @r"
    NOT certificate: nobody that this machine trusts signed the certificate of localhost: its authority is a private one, or the certificates between are missing in the server's file. Serve the whole chain. Of a private authority or a certificate of your own, name the file: SSL_CERT_FILE here, NODE_EXTRA_CA_CERTS for clients in Node
    NOT certificate: nobody that this machine trusts signed the certificate of localhost: it signed itself. Serve the whole chain. Of a private authority or a certificate of your own, name the file: SSL_CERT_FILE here, NODE_EXTRA_CA_CERTS for clients in Node
    NOT certificate: the certificate of localhost is too old. Renew it; the server reads the new file by itself
    NOT certificate: the certificate of localhost isn't valid yet. Compare this machine's clock with another one
    NOT certificate: the certificate isn't for localhost, but for cms.example.com. Use a name that the certificate is for, or get one for this name
    NOT server: what localhost:[PORT] answers isn't HTTP, as if it spoke TLS: invalid HTTP version parsed. Try https://localhost:[PORT]/mcp
    ");
}

#[test]
fn a_port_without_tls() {
    let server = Server::start();
    let url = server.text("mcp_url").replace("http://", "https://");
    let port = url
        .rsplit(':')
        .next()
        .and_then(|rest| rest.split('/').next());
    let wrong = Tester::new(&url, server.text("token")).wrong();
    insta::assert_snapshot!(steady(&wrong, &[(port.expect("a port"), "[PORT]")]), @"NOT certificate: port [PORT] of 127.0.0.1 doesn't speak TLS. Name the port that does; if the server itself is meant to speak it, start it with --tls-cert and --tls-key. On its own machine it's http://127.0.0.1:[PORT]/mcp");
}
