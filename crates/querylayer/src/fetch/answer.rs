//! One request and its answer, within limits.

use std::io::Read;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use ql_app::fetch::{FetchFailure, Fetched};
use ql_core::address::Destination;

use super::connection::Stream;

const USER_AGENT: &str = concat!("QueryLayer/", env!("CARGO_PKG_VERSION"));

/// What came back from one hop.
pub(super) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Where an answer leads on to.
pub(super) struct Redirection<'a> {
    pub(super) location: &'a str,
    pub(super) is_permanent: bool,
}

/// Asks for a destination over a connection, and reads the answer as far as `limit`.
pub(super) async fn ask(
    stream: Box<dyn Stream>,
    destination: &Destination,
    limit: usize,
) -> Result<Answer, FetchFailure> {
    let request = Request::get(destination.target())
        .header(header::HOST, destination.authority())
        .header(header::USER_AGENT, USER_AGENT)
        .header(header::ACCEPT, "text/html, text/plain;q=0.9, */*;q=0.5")
        .header(header::ACCEPT_ENCODING, "gzip, deflate")
        .header(header::CONNECTION, "close")
        .body(Body::empty())
        .map_err(|_| FetchFailure::Unreadable)?;
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| broken(&error))?;
    let answering = async {
        let answer = sender.send_request(request).await;
        let (parts, body) = answer.map_err(|error| broken(&error))?.into_parts();
        let mut answer = Answer {
            status: parts.status,
            headers: parts.headers,
            body: Vec::new(),
        };
        // What is only passed by isn't read.
        if answer.redirection().is_none() {
            answer.body = answer.read(body, limit).await?;
        }
        Ok(answer)
    };
    tokio::pin!(answering);
    tokio::select! {
        answer = &mut answering => answer,
        // The connection ends with the answer or before it; either way the answer says how.
        _ = connection => answering.await,
    }
}

fn broken(error: &hyper::Error) -> FetchFailure {
    if error.is_parse() {
        FetchFailure::Unreadable
    } else {
        FetchFailure::Unreachable
    }
}

impl Answer {
    /// Where the answer leads on to, where it does.
    pub(super) fn redirection(&self) -> Option<Redirection<'_>> {
        let is_permanent = match self.status.as_u16() {
            301 | 308 => true,
            302 | 303 | 307 => false,
            _ => return None,
        };
        Some(Redirection {
            location: self.header(header::LOCATION)?,
            is_permanent,
        })
    }

    fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    async fn read(
        &self,
        body: hyper::body::Incoming,
        limit: usize,
    ) -> Result<Vec<u8>, FetchFailure> {
        let read = Limited::new(body, limit).collect().await;
        let bytes = match read {
            Ok(collected) => collected.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Err(FetchFailure::TooLarge),
            Err(_) => return Err(FetchFailure::Unreachable),
        };
        match self.header(header::CONTENT_ENCODING) {
            None | Some("identity" | "") => Ok(bytes.into()),
            Some("gzip" | "x-gzip") => decode(flate2::read::MultiGzDecoder::new(&*bytes), limit),
            Some("deflate") => decode(flate2::read::ZlibDecoder::new(&*bytes), limit),
            Some(_) => Err(FetchFailure::Unreadable),
        }
    }

    /// The answer as the end of a fetch.
    pub(super) fn into_fetched(self, url: String, moved: bool) -> Fetched {
        let content_type = self.header(header::CONTENT_TYPE).map(str::to_owned);
        Fetched {
            status: self.status.as_u16(),
            url,
            moved,
            content_type,
            body: self.body,
        }
    }
}

/// Decodes at most `limit` bytes: a small body can hold an enormous one.
fn decode(decoder: impl Read, limit: usize) -> Result<Vec<u8>, FetchFailure> {
    let mut bytes = Vec::new();
    let mut bounded = decoder.take(limit as u64 + 1);
    bounded
        .read_to_end(&mut bytes)
        .map_err(|_| FetchFailure::Unreadable)?;
    if bytes.len() > limit {
        return Err(FetchFailure::TooLarge);
    }
    Ok(bytes)
}
