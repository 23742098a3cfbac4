//! One keep-alive HTTP/1.1 connection with just enough parsing to measure a server by.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer, borrowed from the connection's buffer until the next exchange.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// Status line and header lines.
    pub(crate) head: &'a str,
    /// The body, which must be UTF-8 as all answers of the product are.
    pub(crate) body: &'a str,
}

impl Answer<'_> {
    /// The value of a header, whatever the case of its name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Wire {
    /// Connects to a server on this machine.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(64 * 1024),
        })
    }

    /// Sends one whole request and reads one whole answer.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.send(request).await?;
        self.answer().await
    }

    /// Sends a part of a request.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// Reads one whole answer.
    pub(crate) async fn answer(&mut self) -> Result<Answer<'_>> {
        self.buffer.clear();
        let head = self.read_head().await?;
        let (status, length) = measure(std::str::from_utf8(&self.buffer[..head])?)?;
        while self.buffer.len() < head + length {
            self.read_more().await?;
        }
        ensure!(self.buffer.len() == head + length, "bytes after the answer");
        Ok(Answer {
            status,
            head: std::str::from_utf8(&self.buffer[..head])?,
            body: std::str::from_utf8(&self.buffer[head..])?,
        })
    }

    async fn read_head(&mut self) -> Result<usize> {
        let mut searched = 0;
        loop {
            self.read_more().await?;
            let from = searched;
            if let Some(at) = find(&self.buffer[from..], b"\r\n\r\n") {
                return Ok(from + at + 4);
            }
            searched = self.buffer.len().saturating_sub(3);
        }
    }

    async fn read_more(&mut self) -> Result<()> {
        let read = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(read > 0, "the server closed the connection");
        Ok(())
    }
}

/// Status and body length of an answer's head.
fn measure(head: &str) -> Result<(u16, usize)> {
    let status = head
        .get(9..12)
        .and_then(|digits| digits.parse().ok())
        .with_context(|| format!("no status in {head:?}"))?;
    let length = match header(head, "content-length") {
        Some(digits) => digits.parse()?,
        None if matches!(status, 204 | 304) => 0,
        None => bail!("an answer without a length: {head}"),
    };
    Ok((status, if status == 304 { 0 } else { length }))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n").find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_what_follows_the_head() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n";
        assert_eq!(measure(head).unwrap(), (200, 12));
        assert_eq!(
            measure("HTTP/1.1 304 Not Modified\r\ncontent-length: 12\r\n\r\n").unwrap(),
            (304, 0)
        );
        assert!(measure("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").is_err());
    }
}
