//! A server that speaks what it's told to, and misbehaves on command.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What it does with the next request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// It answers.
    Says(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// It promises a body and hangs up in the middle of it.
    Breaks(Vec<u8>),
    /// It hangs up without a word.
    HangsUp,
    /// It takes the request and says nothing for as long as it lives.
    Silent,
}

impl Reply {
    /// An answer in JSON.
    pub(crate) fn ok(body: &Value) -> Self {
        Self::says(200, body)
    }

    /// A status with a body in JSON.
    pub(crate) fn says(status: u16, body: &Value) -> Self {
        Self::Says(status, Vec::new(), body.to_string().into_bytes())
    }

    /// The same with a header.
    pub(crate) fn with(self, name: &'static str, value: &str) -> Self {
        match self {
            Self::Says(status, mut headers, body) => {
                headers.push((name, value.to_owned()));
                Self::Says(status, headers, body)
            }
            other => other,
        }
    }
}

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    /// The line and the headers.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Value,
}

/// The server; it ends with the value.
pub(crate) struct Server {
    /// Its address.
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    serving: JoinHandle<()>,
}

impl Server {
    /// A server that gives these replies, one to each request.
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let serving = tokio::spawn(serve(listener, replies.into(), Arc::clone(&heard)));
        Self {
            url,
            heard,
            serving,
        }
    }

    /// What it heard so far.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("no panic").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, mut replies: VecDeque<Reply>, all: Arc<Mutex<Vec<Heard>>>) {
    let mut silent = Vec::new();
    while let Ok((mut stream, _)) = listener.accept().await {
        let heard = hear(&mut stream).await;
        all.lock().expect("no panic").push(heard);
        match replies.pop_front().expect("a reply for every request") {
            Reply::Says(status, headers, body) => {
                let headers = headers.into_iter();
                let headers: String = headers
                    .map(|(name, is)| [name, ": ", &is, "\r\n"].concat())
                    .collect();
                say(&mut stream, status, &headers, (&body, body.len())).await;
            }
            Reply::Breaks(body) => say(&mut stream, 200, "", (&body, body.len() + 100)).await,
            Reply::HangsUp => {}
            Reply::Silent => silent.push(stream),
        }
    }
}

async fn hear(stream: &mut TcpStream) -> Heard {
    let mut bytes = Vec::new();
    let end = loop {
        stream.read_buf(&mut bytes).await.expect("a request");
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).expect("text");
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.expect("a length").parse().expect("a number");
    while bytes.len() < end + 4 + length {
        stream.read_buf(&mut bytes).await.expect("a body");
    }
    let body = serde_json::from_slice(&bytes[end + 4..]).expect("JSON");
    Heard { head, body }
}

async fn say(stream: &mut TcpStream, status: u16, headers: &str, (body, length): (&[u8], usize)) {
    let head = format!(
        "HTTP/1.1 {status} So\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    // A client that had enough may have hung up.
    let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
}
