//! Small servers that misbehave, each on a free port until the value goes.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// What it does with a request's head and body: the bytes that it answers.
type Manners = dyn Fn(&str) -> Vec<u8> + Send + Sync;

/// A server that answers every request as it was told to.
pub(crate) struct Foreign {
    address: SocketAddr,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Foreign {
    /// One that answers with these manners.
    pub(crate) fn new(manners: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::at(Ipv4Addr::LOCALHOST.into(), manners)
    }

    /// One at another address of this machine.
    pub(crate) fn at(
        ip: IpAddr,
        manners: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((ip, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let ends = Arc::new(AtomicBool::new(false));
        let (ending, manners): (_, Arc<Manners>) = (Arc::clone(&ends), Arc::new(manners));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ending.load(Ordering::SeqCst) {
                    return;
                }
                let manners = Arc::clone(&manners);
                std::thread::spawn(move || stream.map(|stream| serve(stream, &*manners)));
            }
        });
        Self {
            address,
            ends,
            thread: Some(thread),
        }
    }

    /// One that answers the same to everybody.
    pub(crate) fn saying(answer: &str) -> Self {
        let answer = answer.as_bytes().to_vec();
        Self::new(move |_| answer.clone())
    }

    /// One before a real server that changes what is asked, or answers itself.
    pub(crate) fn before(
        server: &str,
        ip: IpAddr,
        change: impl Fn(&str) -> Result<String, Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let server = super::authority(server).to_owned();
        Self::at(ip, move |request| match change(request) {
            Ok(request) => forwarded(&server, &request),
            Err(answer) => answer,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // Wakes the listener, which then ends.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn serve(mut stream: TcpStream, manners: &Manners) {
    let request = read_request(&mut stream);
    // Whoever asked may have gone.
    drop(stream.write_all(&manners(&request)));
}

/// A whole request: its head, and as much of a body as it announces.
fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = header(head, "content-length").and_then(|length| length.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut piece) {
            Ok(read @ 1..) => request.extend_from_slice(&piece[..read]),
            _ => return text,
        }
    }
}

pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
}

/// What the real server answers, over a connection that ends with the answer.
pub(crate) fn forwarded(server: &str, request: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(server).expect("the server listens");
    let request = request.replacen("\r\n", "\r\nconnection: close\r\n", 1);
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    answer
}

/// An answer with a body.
pub(crate) fn answer(status: &str, kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}
