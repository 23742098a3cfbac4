//! A body that is taken piece by piece: how it is written, how large it may be, how slow.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt as _;

use super::refusal;
use super::route::Answered;
use crate::edge::body::{BodyLimit, BodyRefusal};

/// How much of a body that is refused is still read, so that its sender gets to read why.
const WORTH_READING: usize = 8 << 20;

/// A body on its way in.
pub(super) struct Upload {
    media_type: String,
    body: Body,
    limit: BodyLimit,
    read: usize,
}

impl Upload {
    /// The body of a request; the limit's time is that of each piece.
    pub(super) fn new(headers: &HeaderMap, body: Body, limit: BodyLimit) -> Self {
        let media_type = headers.get(header::CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok());
        Self {
            media_type: media_type.unwrap_or_default().to_owned(),
            body,
            limit,
            read: 0,
        }
    }

    /// How it says that it is written.
    pub(super) fn media_type(&self) -> &str {
        &self.media_type
    }

    /// The next piece; none at the end.
    pub(super) async fn next(&mut self) -> Answered<Option<Bytes>> {
        let limit = self.limit;
        let refused = |found| refusal::body(found, limit);
        loop {
            let frame = match tokio::time::timeout(self.limit.time, self.body.frame()).await {
                Err(_) => return Err(refused(BodyRefusal::TooSlow)),
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => return Err(refused(BodyRefusal::Broken)),
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(piece) = frame.into_data() else {
                continue;
            };
            self.read += piece.len();
            if self.read > self.limit.bytes {
                return Err(refused(BodyRefusal::TooLarge));
            }
            return Ok(Some(piece));
        }
    }

    /// Reads a part of what is left and forgets it.
    pub(super) async fn forget(&mut self) {
        self.limit.bytes = self.limit.bytes.min(self.read + WORTH_READING);
        while let Ok(Some(_)) = self.next().await {}
    }
}
