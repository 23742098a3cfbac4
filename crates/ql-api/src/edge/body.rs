//! Reading a request body within a size and a time.

use std::ops::RangeInclusive;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};

/// How large a refused body is read and thrown away, in bytes. A client that is still sending when
/// the connection closes never sees the answer, so moderately too large ones are drained; small
/// ones the HTTP library reads itself.
const WORTH_DRAINING: RangeInclusive<u64> = 16 << 10..=8 << 20;

/// How large a body may be and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyLimit {
    /// Bytes.
    pub bytes: usize,
    /// From the first byte asked for to the last one received.
    pub time: Duration,
}

/// Why a body wasn't read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyRefusal {
    /// It's larger than allowed.
    TooLarge,
    /// It took longer than allowed.
    TooSlow,
    /// The connection broke.
    Broken,
}

impl BodyLimit {
    /// Whether the headers already announce too much.
    ///
    /// # Errors
    /// [`BodyRefusal::TooLarge`].
    pub fn check_announced(&self, headers: &HeaderMap) -> Result<(), BodyRefusal> {
        match announced(headers) {
            Some(bytes) if bytes > self.bytes as u64 => Err(BodyRefusal::TooLarge),
            _ => Ok(()),
        }
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// The [`BodyRefusal`] to render.
    pub async fn read(&self, body: Body) -> Result<Bytes, BodyRefusal> {
        match tokio::time::timeout(self.time, Limited::new(body, self.bytes).collect()).await {
            Ok(Ok(collected)) => Ok(collected.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyRefusal::TooLarge),
            Ok(Err(_)) => Err(BodyRefusal::Broken),
            Err(_) => Err(BodyRefusal::TooSlow),
        }
    }

    /// Reads a body that is refused anyway and forgets it, so that the client gets to read why.
    /// Gives up after the time limit, and at once on very large ones.
    pub async fn drain(&self, headers: &HeaderMap, mut body: Body) {
        let announced = announced(headers);
        if announced.is_none_or(|bytes| !WORTH_DRAINING.contains(&bytes)) {
            return;
        }
        let rest = async { while let Some(Ok(_)) = body.frame().await {} };
        // Running out of time only means that the client may miss the explanation.
        let _ = tokio::time::timeout(self.time, rest).await;
    }
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}
