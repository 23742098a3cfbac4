//! The bearer credential of a request (RFC 6750), taken out of it before anything can log it.

use axum::http::{HeaderMap, header};

/// What a request presented.
#[derive(Clone, PartialEq, Eq)]
pub enum Credential {
    /// No bearer token: no header, another scheme, or an empty token (a client whose variable
    /// wasn't set sends that).
    None,
    /// A token, or something that can't be one (then an empty string, which never matches).
    Bearer(String),
}

/// Removes the `Authorization` header and reads it. Tokens in the query string aren't looked at.
pub fn take(headers: &mut HeaderMap) -> Credential {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let credential = match (sent.next(), sent.next()) {
        (None, _) => Credential::None,
        (Some(_), Some(_)) => Credential::Bearer(String::new()),
        (Some(value), None) => value
            .to_str()
            .map_or(Credential::Bearer(String::new()), read),
    };
    headers.remove(header::AUTHORIZATION);
    credential
}

fn read(value: &str) -> Credential {
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    let token = token.trim();
    if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() {
        Credential::Bearer(token.to_owned())
    } else {
        Credential::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(values: &[&str]) -> Credential {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().expect("a header"));
        }
        let credential = take(&mut headers);
        assert!(headers.is_empty());
        credential
    }

    #[test]
    fn the_scheme_is_read_without_case_and_an_empty_token_is_none() {
        let token = |text: &str| Credential::Bearer(text.to_owned());
        assert!(taken(&[]) == Credential::None);
        assert!(taken(&["Bearer qla_x"]) == token("qla_x"));
        assert!(taken(&["bearer  qla_x "]) == token("qla_x"));
        assert!(taken(&["Bearer"]) == Credential::None);
        assert!(taken(&["Bearer "]) == Credential::None);
        assert!(taken(&["Basic YTpi"]) == Credential::None);
        assert!(taken(&["Bearer a", "Bearer b"]) == token(""));
    }
}
