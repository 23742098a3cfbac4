//! The cookies: a session, and a token for the forms that come before one.

use axum::response::Response;
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

use crate::config::WebConfig;

/// Which cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// The secret of a member's session.
    Session,
    /// What the sign-in form sends back.
    Form,
}

impl Cookie {
    /// The cookie's name. Over plain HTTP on the machine itself a browser would refuse the `__Host-`
    /// prefix.
    fn name(self, config: &WebConfig) -> &'static str {
        match (self, config.is_secure()) {
            (Self::Session, true) => "__Host-ql_session",
            (Self::Session, false) => "ql_session",
            (Self::Form, true) => "__Host-ql_form",
            (Self::Form, false) => "ql_form",
        }
    }

    /// The value that the browser sent.
    pub(crate) fn read(self, headers: &HeaderMap, config: &WebConfig) -> Option<String> {
        let name = self.name(config);
        let sent = headers.get_all(COOKIE).into_iter();
        let pairs = sent
            .filter_map(|value| value.to_str().ok())
            .flat_map(|v| v.split(';'));
        let mut found = pairs.filter_map(|pair| pair.trim().split_once('='));
        found
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.to_owned())
    }

    /// Adds the cookie to an answer; an empty value takes it away.
    pub(crate) fn set(self, response: &mut Response, config: &WebConfig, value: &str) {
        let name = self.name(config);
        let secure = if config.is_secure() { "; Secure" } else { "" };
        let age = if value.is_empty() { "; Max-Age=0" } else { "" };
        let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}{age}");
        // Values are hexadecimal or empty, so the text is always a header's.
        if let Ok(header) = HeaderValue::from_str(&text) {
            response.headers_mut().append(SET_COOKIE, header);
        }
    }
}
