//! What fetching an address gives: a body within limits, or why there is none.

use crate::address::Refused;

/// What was fetched, at the end of all redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// Where the answer came from.
    pub url: String,
    /// Whether a permanent redirection led to another place.
    pub moved: bool,
    /// The media type that was named, with its parameters.
    pub content_type: Option<String>,
    /// The body, decoded.
    pub body: Vec<u8>,
}

/// Why nothing was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum FetchFailure {
    /// The rules forbid it; nothing was sent there.
    #[error("{0}")]
    Refused(#[from] Refused),
    /// The name has no address.
    #[error("the name has no address")]
    NoSuchName,
    /// Nobody answers there, or the connection broke.
    #[error("the source can't be reached")]
    Unreachable,
    /// It took too long.
    #[error("the source took too long")]
    TimedOut,
    /// TLS couldn't be agreed on.
    #[error("TLS with the source couldn't be agreed on")]
    Tls,
    /// It led from one address to the next too often.
    #[error("too many redirections")]
    TooManyRedirects,
    /// The body is longer than is read.
    #[error("the source is longer than is read")]
    TooLarge,
    /// The answer isn't HTTP, or its body can't be decoded.
    #[error("the answer can't be read")]
    Unreadable,
}

impl FetchFailure {
    /// A stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::NoSuchName => "no_such_name",
            Self::Unreachable => "connection",
            Self::TimedOut => "timed_out",
            Self::Tls => "tls",
            Self::TooManyRedirects => "too_many_redirects",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
        }
    }
}
