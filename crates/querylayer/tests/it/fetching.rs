//! Fetching from sources that redirect, stall, grow, move, vanish, and lead into one's own network.
//!
//! In these tests 127.0.0.1 stands for the public network; every other loopback address stays what it
//! is. The servers count what reaches them.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ql_app::fetch::{FetchFailure, Fetched, Fetcher as _};
use ql_core::address::{NotPublic, Refused, check_public};
use querylayer::fetch::{GuardedFetcher, Limits, Permit, Resolver, Resolving};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const INSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

fn public(address: IpAddr) -> Result<(), NotPublic> {
    if address == PUBLIC {
        Ok(())
    } else {
        check_public(address)
    }
}

/// A source that counts what it is asked.
struct Source {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Source {
    async fn on(address: IpAddr, port: u16) -> Self {
        let listener = TcpListener::bind((address, port)).await.expect("a port");
        let (address, asked) = (listener.local_addr().expect("bound"), Arc::default());
        let counted = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                AtomicUsize::fetch_add(&counted, 1, Ordering::SeqCst);
                tokio::spawn(serve(stream));
            }
        });
        Self { address, asked }
    }

    async fn new() -> Self {
        Self::on(PUBLIC, 0).await
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn limits(&self) -> Limits {
        Limits {
            ports: vec![self.address.port()],
            bytes: 64 << 10,
            time: Duration::from_secs(5),
            redirects: 5,
        }
    }

    fn fetcher(&self, permit: Permit, answers: &[&[IpAddr]]) -> (GuardedFetcher, Names) {
        let names = Names::of(answers);
        let resolver = Box::new(names.clone());
        let fetcher = GuardedFetcher::with(resolver, permit, self.limits());
        (fetcher.expect("TLS"), names)
    }

    async fn fetch(&self, path: &str) -> Result<Fetched, FetchFailure> {
        let (fetcher, _) = self.fetcher(public, &[]);
        fetcher.fetch(&self.url(path)).await
    }
}

/// A name server whose answers change: one list of addresses per question.
#[derive(Clone)]
struct Names(Arc<Mutex<Vec<Vec<IpAddr>>>>);

impl Names {
    fn of(answers: &[&[IpAddr]]) -> Self {
        let left = answers.iter().rev().map(|answer| answer.to_vec());
        Self(Arc::new(Mutex::new(left.collect())))
    }

    fn left(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }
}

impl Resolver for Names {
    fn resolve<'r>(&'r self, _: &'r str) -> Resolving<'r> {
        let next = self.0.lock().expect("no panic").pop();
        Box::pin(std::future::ready(
            next.ok_or_else(|| std::io::Error::other("no such name")),
        ))
    }
}

const PAGE: &str = "<p>Adults pay 10 euros.</p>";

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

async fn serve(mut stream: TcpStream) {
    let mut request = [0; 4096];
    let read = stream.read(&mut request).await.unwrap_or_default();
    let request = String::from_utf8_lossy(&request[..read]).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let port = stream.local_addr().map_or(0, |address| address.port());
    let html = "content-type: text/html\r\n";
    let to =
        |status: &str, location: &str| answer(status, &format!("location: {location}\r\n"), b"");
    let whole = match path {
        "/page" => answer("200 OK", html, PAGE.as_bytes()),
        "/moved" => to("301 Moved Permanently", "/page"),
        "/elsewhere" => to("302 Found", "/page"),
        "/first-elsewhere" => to("302 Found", "/moved"),
        "/loop" => to("302 Found", "/loop"),
        "/inside" => to("302 Found", &format!("http://127.0.0.2:{port}/secret")),
        "/inside-decimal" => to("302 Found", &format!("http://2130706434:{port}/secret")),
        "/again" => to("302 Found", &format!("http://source.example:{port}/secret")),
        "/other-port" => to("302 Found", "http://127.0.0.1:1/"),
        "/file" => to("302 Found", "file:///etc/passwd"),
        "/gone" => answer("410 Gone", "", b""),
        "/gzip" => answer(
            "200 OK",
            "content-encoding: gzip\r\n",
            &gzip(PAGE.as_bytes()),
        ),
        "/bomb" => answer(
            "200 OK",
            "content-encoding: gzip\r\n",
            &gzip(&vec![b'a'; 8 << 20]),
        ),
        "/broken-gzip" => answer("200 OK", "content-encoding: gzip\r\n", b"not gzip"),
        "/brotli" => answer("200 OK", "content-encoding: br\r\n", b"x"),
        "/announced" => answer("200 OK", "", &vec![b'a'; 65 << 10]),
        "/nonsense" => b"SSH-2.0-OpenSSH\r\n\r\n".to_vec(),
        "/cut" => b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort".to_vec(),
        "/endless" => return grow(stream).await,
        // Whoever stalls says nothing and keeps the connection.
        "/stalls" => return std::future::pending().await,
        _ => answer("404 Not Found", "", b""),
    };
    // A client that has seen enough may have hung up.
    let _ = stream.write_all(&whole).await;
}

async fn grow(mut stream: TcpStream) {
    let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut sent = stream.write_all(head).await;
    while sent.is_ok() {
        sent = stream.write_all(b"400\r\n").await;
        if sent.is_ok() {
            sent = stream
                .write_all(&[[b'a'; 1024].as_slice(), b"\r\n"].concat())
                .await;
        }
    }
}

fn said(fetched: Result<Fetched, FetchFailure>) -> String {
    match fetched {
        Ok(fetched) => {
            let moved = if fetched.moved { ", moved" } else { "" };
            format!("{} {} bytes{moved}", fetched.status, fetched.body.len())
        }
        Err(failure) => format!("{} ({failure})", failure.code()),
    }
}

#[tokio::test]
async fn each_behaviour_of_a_source_has_its_answer() {
    let source = Source::new().await;
    let mut lines = Vec::new();
    for path in [
        "/page",
        "/moved",
        "/elsewhere",
        "/first-elsewhere",
        "/loop",
        "/gone",
        "/missing",
        "/gzip",
        "/bomb",
        "/broken-gzip",
        "/brotli",
        "/announced",
        "/endless",
        "/nonsense",
        "/cut",
        "/other-port",
        "/file",
    ] {
        lines.push(format!("{path}: {}", said(source.fetch(path).await)));
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    /page: 200 27 bytes
    /moved: 200 27 bytes, moved
    /elsewhere: 200 27 bytes
    /first-elsewhere: 200 27 bytes
    /loop: too_many_redirects (too many redirections)
    /gone: 410 0 bytes
    /missing: 404 0 bytes
    /gzip: 200 27 bytes
    /bomb: too_large (the source is longer than is read)
    /broken-gzip: unreadable (the answer can't be read)
    /brotli: unreadable (the answer can't be read)
    /announced: too_large (the source is longer than is read)
    /endless: too_large (the source is longer than is read)
    /nonsense: unreadable (the answer can't be read)
    /cut: connection (the source can't be reached)
    /other-port: port (this port isn't one that is fetched from)
    /file: scheme (only http and https are fetched)
    ");
    let page = source.fetch("/page").await.expect("a page");
    assert_eq!(page.body, PAGE.as_bytes());
    assert_eq!(page.url, source.url("/page"));
}

#[tokio::test]
async fn a_source_that_stalls_is_given_up_in_time() {
    let source = Source::new().await;
    let limits = Limits {
        time: Duration::from_millis(200),
        ..source.limits()
    };
    let fetcher = GuardedFetcher::with(Box::new(Names::of(&[])), public, limits).expect("TLS");
    assert_eq!(
        fetcher.fetch(&source.url("/stalls")).await,
        Err(FetchFailure::TimedOut)
    );
}

#[tokio::test]
async fn nobody_answers_where_nobody_listens_and_tls_is_spoken_or_nothing() {
    let source = Source::new().await;
    let secure = source.url("/page").replace("http:", "https:");
    let (fetcher, _) = source.fetcher(public, &[]);
    assert_eq!(fetcher.fetch(&secure).await, Err(FetchFailure::Tls));
    let closed = TcpListener::bind((PUBLIC, 0)).await.expect("a port");
    let port = closed.local_addr().expect("bound").port();
    drop(closed);
    let limits = Limits {
        ports: vec![port],
        ..source.limits()
    };
    let fetcher = GuardedFetcher::with(Box::new(Names::of(&[])), public, limits).expect("TLS");
    let nobody = fetcher.fetch(&format!("http://127.0.0.1:{port}/")).await;
    assert_eq!(nobody, Err(FetchFailure::Unreachable));
}

/// The rules of a server as it runs: nothing that leads to this machine is asked, however it is
/// written.
#[tokio::test]
async fn no_spelling_of_an_address_leads_inside() {
    let source = Source::new().await;
    let port = source.address.port();
    let (fetcher, _) = source.fetcher(check_public, &[&[PUBLIC]]);
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.0.0.0x1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "0",
        "localhost",
    ] {
        let fetched = fetcher.fetch(&format!("http://{host}:{port}/page")).await;
        let refused = matches!(fetched, Err(FetchFailure::Refused(Refused::Address(_))));
        assert!(refused, "{host}: {fetched:?}");
    }
    for url in [
        format!("http://user:secret@127.0.0.1:{port}/page"),
        "http://127.0.0.1:22/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let fetched = fetcher.fetch(&url).await;
        assert!(
            matches!(fetched, Err(FetchFailure::Refused(_))),
            "{url}: {fetched:?}"
        );
    }
    assert_eq!(source.asked(), 0, "no request reached it");
    // The control: the same source is reached where its address is permitted.
    assert_eq!(source.fetch("/page").await.map(|page| page.status), Ok(200));
    assert_eq!(source.asked(), 1);
}

#[tokio::test]
async fn a_server_as_it_is_set_up_refuses_loopback_and_no_setting_changes_it() {
    let source = Source::new().await;
    let fetcher = GuardedFetcher::new(source.limits()).expect("TLS");
    let fetched = fetcher.fetch(&source.url("/page")).await;
    let loopback = FetchFailure::Refused(Refused::Address(NotPublic::Loopback));
    assert_eq!(fetched, Err(loopback));
    let port = source.address.port();
    let named = fetcher
        .fetch(&format!("http://localhost:{port}/page"))
        .await;
    assert_eq!(named, Err(loopback));
    assert_eq!(source.asked(), 0);
}

#[tokio::test]
async fn a_redirection_leads_nowhere_that_could_not_be_asked_itself() {
    let source = Source::new().await;
    let inside = Source::on(INSIDE, source.address.port()).await;
    for path in ["/inside", "/inside-decimal"] {
        let fetched = source.fetch(path).await;
        let loopback = Refused::Address(NotPublic::Loopback);
        assert_eq!(fetched, Err(FetchFailure::Refused(loopback)), "{path}");
    }
    assert_eq!((source.asked(), inside.asked()), (2, 0));
}

/// A name that is public in one breath and inside in the next.
#[tokio::test]
async fn a_name_that_changes_its_address_leads_nowhere() {
    let source = Source::new().await;
    let inside = Source::on(INSIDE, source.address.port()).await;
    let named = format!("http://source.example:{}", source.address.port());
    let loopback = Err(FetchFailure::Refused(Refused::Address(NotPublic::Loopback)));

    let (fetcher, _) = source.fetcher(public, &[&[PUBLIC, INSIDE]]);
    assert_eq!(
        fetcher.fetch(&format!("{named}/page")).await,
        loopback,
        "one of two is inside"
    );
    assert_eq!((source.asked(), inside.asked()), (0, 0));

    let (fetcher, names) = source.fetcher(public, &[&[PUBLIC], &[INSIDE]]);
    let fetched = fetcher.fetch(&format!("{named}/page")).await;
    assert_eq!(fetched.map(|page| page.status), Ok(200));
    assert_eq!(
        (names.left(), inside.asked()),
        (1, 0),
        "one question, and its answer is used"
    );

    let (fetcher, names) = source.fetcher(public, &[&[PUBLIC], &[INSIDE]]);
    assert_eq!(
        fetcher.fetch(&format!("{named}/again")).await,
        loopback,
        "asked anew at each hop"
    );
    assert_eq!((names.left(), inside.asked()), (0, 0));

    let (fetcher, _) = source.fetcher(check_public, &[&[PUBLIC]]);
    let before = source.asked();
    assert_eq!(fetcher.fetch(&format!("{named}/page")).await, loopback);
    assert_eq!(source.asked(), before, "no request reached it");
    let (fetcher, _) = source.fetcher(public, &[&[]]);
    assert_eq!(fetcher.fetch(&named).await, Err(FetchFailure::NoSuchName));
}
