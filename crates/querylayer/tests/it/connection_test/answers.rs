//! What else can be at an address, or before the server.

use std::net::{IpAddr, Ipv4Addr, TcpListener};

use super::foreign::{Foreign, answer};
use super::{Tester, authority, steady};
use crate::process::Server;

/// Of the right form, and never issued.
const TOKEN: &str = "qla_0000000000000000000000000000004BxdyD";
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// What is said of a server that always answers so.
fn of(said: &str) -> String {
    let foreign = Foreign::saying(said);
    let url = foreign.url();
    let wrong = Tester::new(&url, TOKEN).wrong();
    steady(&wrong, &[(authority(&url), "[AT]")])
}

#[test]
fn addresses_that_nobody_can_be_asked_at() {
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").to_string()
    };
    let wrong: Vec<String> = [
        "cms.example.com/mcp",
        "ftp://cms.example.com/mcp",
        "https://me:secret@cms.example.com/mcp",
        "https://cms.example.com/mcp?token=qla_0000",
        "http://cms.example.com/mcp",
        &format!("http://{closed}/mcp"),
    ]
    .into_iter()
    .map(|url| {
        steady(
            &Tester::new(url, TOKEN).wrong(),
            &[
                (&closed, "[CLOSED]"),
                (
                    authority(&closed)
                        .split(':')
                        .next_back()
                        .unwrap_or_default(),
                    "[PORT]",
                ),
            ],
        )
    })
    .collect();
    insta::assert_snapshot!(wrong.join("\n"), @r"
    NOT address: `cms.example.com/mcp` can't be read: relative URL without a base. Write the whole address, such as https://cms.example.com/mcp
    NOT address: `ftp://cms.example.com/mcp` begins with neither https:// nor http://. Write the whole address, such as https://cms.example.com/mcp
    NOT address: the address holds a secret, which logs and proxies then see; the token goes into the Authorization header. Write the whole address, such as https://cms.example.com/mcp
    NOT address: the address holds a secret, which logs and proxies then see; the token goes into the Authorization header. Write the whole address, such as https://cms.example.com/mcp
    NOT address: over http anybody on the way to cms.example.com can read the token, so it isn't sent. Use https://cms.example.com/mcp
    NOT reach: no program listens on port [PORT] of 127.0.0.1. Start the server, or compare the port with the one that it printed at its start
    ");
}

/// The words are the operating system's.
#[test]
fn a_name_without_an_address() {
    let tester = Tester::new("https://no..name/mcp", TOKEN);
    assert_eq!(tester.code(), "host_unknown");
}

#[test]
fn a_wrong_path_of_the_right_server() {
    let server = Server::start();
    let wrong: Vec<String> = [
        "/",
        "/mcpp",
        "/api/v1/mcp",
        "/delivery/v1/sites/elmsea/items",
    ]
    .into_iter()
    .map(|path| Tester::new(&format!("{}{path}", server.url()), server.text("token")).wrong())
    .map(|wrong| steady(&wrong, &[(&server.url(), "[URL]")]))
    .collect();
    insta::assert_snapshot!(wrong.join("\n"), @r#"
    NOT server: something else than an MCP endpoint answers (405 Method Not Allowed: a page titled “That address doesn&#39;t take this · QueryLayer”). The endpoint is at [URL]/mcp, unless a proxy puts it elsewhere
    NOT server: nothing is at /mcpp there. The endpoint is at [URL]/mcp, unless a proxy puts it elsewhere
    NOT server: nothing is at /api/v1/mcp there. The endpoint is at [URL]/mcp, unless a proxy puts it elsewhere
    NOT server: something else than an MCP endpoint answers (405 Method Not Allowed: {"type":"urn:querylayer:problem:method_not_allowed","title":"Method not allowed","status":405,"detail":"delivery is only read","code":"method_not_allowed","remedy":"Use GET or HEAD. Content is changed). The endpoint is at [URL]/mcp, unless a proxy puts it elsewhere
    "#);
}

#[test]
fn other_answers_than_the_endpoints() {
    let html = "text/html; charset=utf-8";
    let moved = "HTTP/1.1 301 Moved Permanently\r\nlocation: https://cms.example.com/mcp\r\ncontent-length: 0\r\n\r\n";
    let basic = "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic realm=\"staff\"\r\ncontent-length: 0\r\n\r\n";
    let another = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"weather","version":"1"}}}"#;
    let wrong: Vec<String> = [
        moved,
        basic,
        &answer(
            "200 OK",
            html,
            "<!doctype html><title>Welcome\u{1b}[2J to nginx!</title>",
        ),
        &answer("404 Not Found", html, "<title>404 Not Found</title>"),
        &answer("403 Forbidden", html, "<title>Attention required</title>"),
        &answer(
            "400 Bad Request",
            html,
            "The plain HTTP request was sent to HTTPS port",
        ),
        &answer("502 Bad Gateway", html, "<title>502 Bad Gateway</title>"),
        &answer("503 Service Unavailable", html, ""),
        &answer("500 Internal Server Error", "text/plain", "Traceback"),
        &answer("418 I'm a teapot", "text/plain", "short and stout"),
        &answer("200 OK", "application/json", another),
        "SSH-2.0-OpenSSH_9.2\r\n",
        "",
    ]
    .into_iter()
    .map(of)
    .collect();
    insta::assert_snapshot!(wrong.join("\n"), @r#"
    NOT server: the address leads to https://cms.example.com/mcp; clients don't take the token along. Give clients the address at which the endpoint itself answers
    NOT server: something before the server wants a login of its own (401 Unauthorized: Basic realm="staff"). Let the proxy pass this path on without one; QueryLayer checks the token itself
    NOT server: something else than an MCP endpoint answers (200 OK: a page titled “Welcome [2J to nginx!”). Another program listens there, or a proxy doesn't pass this path on: compare host and port with what the server printed at its start
    NOT server: nothing is at /mcp there. Another program listens there, or a proxy doesn't pass this path on: compare host and port with what the server printed at its start
    NOT server: something before the server forbids it (403 Forbidden: a page titled “Attention required”). Let the proxy or firewall there pass POST with Authorization to this path
    NOT server: that port speaks TLS. Use https://[AT]/mcp
    NOT server: a proxy answers that it doesn't reach the server (502 Bad Gateway). Look whether the server runs, and whether the proxy knows its address
    NOT server: a proxy answers that it doesn't reach the server (503 Service Unavailable). Look whether the server runs, and whether the proxy knows its address
    NOT server: the server failed (500 Internal Server Error): it doesn't say why. Look at the server's log; beside its data folder, querylayer doctor says more
    NOT server: something else than an MCP endpoint answers (418 I'm a teapot: short and stout). Another program listens there, or a proxy doesn't pass this path on: compare host and port with what the server printed at its start
    NOT server: another MCP server answers, `weather`. Compare the address with the one on the connection's page on the dashboard
    NOT server: what [AT] answers isn't HTTP, as if it spoke TLS: invalid HTTP version parsed. Try https://[AT]/mcp
    NOT server: what [AT] answers isn't HTTP, as if it spoke TLS: connection closed before message completed. Try https://[AT]/mcp
    "#);
}

/// It takes the connection and never says a word.
#[test]
fn silence_ends_after_the_time() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let wrong = Tester::new(&url, TOKEN).with(&["--timeout", "1"]).wrong();
    insta::assert_snapshot!(steady(&wrong, &[(authority(&url), "[AT]")]), @"NOT server: nothing came from [AT] within 1 s. Look whether a firewall drops what goes there, and whether the server is up: on its machine, /healthz answers at once");
}

/// A pass-through at another address of this machine keeps the Host that the client used.
#[test]
fn a_host_that_isnt_configured() {
    let server = Server::start();
    let ip = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let proxy = Foreign::before(server.text("mcp_url"), ip, |request| Ok(request.to_owned()));
    let url = proxy.url();
    let wrong = Tester::new(&url, server.text("token")).wrong();
    insta::assert_snapshot!(steady(&wrong, &[(authority(&url), "[AT]")]), @"NOT server: the server isn't configured to be reached as [AT]. Start it with --public-url http://[AT], or let the proxy pass the Host header on unchanged");
}

#[test]
fn a_proxy_that_keeps_the_token_for_itself() {
    let server = Server::start();
    let proxy = Foreign::before(server.text("mcp_url"), HERE, |request| {
        let kept = |line: &&str| !line.to_ascii_lowercase().starts_with("authorization:");
        Ok(request
            .split("\r\n")
            .filter(kept)
            .collect::<Vec<_>>()
            .join("\r\n"))
    });
    insta::assert_snapshot!(Tester::new(&proxy.url(), server.text("token")).wrong(), @"NOT server: the token was sent, and the server says that none arrived. Let the proxy pass the Authorization header on");
}

/// The server is right and the token is good; only a page at `/.well-known` is too much.
#[test]
fn a_page_where_clients_look_for_an_oauth_server() {
    let server = Server::start();
    let proxy = Foreign::before(server.text("mcp_url"), HERE, |request| {
        if request.starts_with("GET /.well-known/") {
            return Err(answer("200 OK", "application/json", "{}").into_bytes());
        }
        Ok(request.to_owned())
    });
    let url = proxy.url();
    let tester = Tester::new(&url, server.text("token"));
    insta::assert_snapshot!(steady(&tester.wrong(), &[(authority(&url), "[AT]")]), @"NOT oauth: http://[AT]/.well-known/oauth-protected-resource answers 200 OK, where clients look for an OAuth server; some then ignore the token. Let the proxy pass /.well-known/ on to QueryLayer, which answers 404");
}
