//! The session cookie.

use axum::http::{HeaderMap, header};

/// The value of a cookie; sent twice it is none, since somebody else may have set the other.
pub(super) fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter();
    let pairs = all.filter_map(|value| value.to_str().ok());
    let pairs = pairs.flat_map(|value| value.split(';'));
    let mut values = pairs.filter_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='));
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::COOKIE, value.parse().expect("a header"));
        }
        cookie(&headers, "ql_session")
    }

    #[test]
    fn the_session_cookie_is_read_by_its_whole_name_and_only_when_it_stands_once() {
        assert_eq!(cookies(&["a=1; ql_session=abc"]), Some("abc".to_owned()));
        assert_eq!(cookies(&["a=1", "ql_session=abc"]), Some("abc".to_owned()));
        assert_eq!(cookies(&["ql_session2=abc; xql_session=abc"]), None);
        assert_eq!(cookies(&["ql_session=abc; ql_session=def"]), None);
        assert_eq!(cookies(&[]), None);
    }
}
