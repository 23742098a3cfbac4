//! Markup that would run or load something where it is rendered.

/// Elements that run or load something by themselves.
const ELEMENTS: &[&str] = &[
    "script", "iframe", "object", "embed", "applet", "base", "frame", "portal",
];

/// Addresses that run something.
const SCHEMES: &[&str] = &["javascript:", "vbscript:", "data:text/html"];

/// The byte at which a text has active markup.
pub(super) fn find(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    [element(&lower), handler(&lower), scheme(&lower)]
        .into_iter()
        .flatten()
        .min()
}

/// The insides of tags, each with the byte of its `<`.
fn tags(lower: &str) -> impl Iterator<Item = (usize, &str)> {
    lower.match_indices('<').filter_map(|(at, _)| {
        let rest = &lower[at + 1..];
        let inside = &rest[..rest.find(['<', '>']).unwrap_or(rest.len())];
        inside
            .starts_with(|c: char| c.is_ascii_alphabetic())
            .then_some((at, inside))
    })
}

fn element(lower: &str) -> Option<usize> {
    let active = |inside: &str| {
        let end = inside
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(inside.len());
        let refreshes = &inside[..end] == "meta" && inside.contains("http-equiv");
        ELEMENTS.contains(&&inside[..end]) || refreshes
    };
    tags(lower)
        .find(|(_, inside)| active(inside))
        .map(|(at, _)| at)
}

/// An attribute such as `onload=`.
fn handler(lower: &str) -> Option<usize> {
    let handles = |inside: &str| {
        inside.match_indices("on").any(|(at, _)| {
            let before = inside[..at].chars().next_back();
            let apart = before.is_some_and(|c| c.is_ascii_whitespace() || "\"'/".contains(c));
            let rest = inside[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let named = rest.len() < inside.len() - at - 2;
            apart && named && rest.trim_start().starts_with('=')
        })
    };
    tags(lower)
        .find(|(_, inside)| handles(inside))
        .map(|(at, _)| at)
}

/// An address in an attribute or a link that runs something.
fn scheme(lower: &str) -> Option<usize> {
    let leads = |at: usize| {
        let before = lower[..at].trim_end().chars().next_back();
        before.is_some_and(|c| "\"'=(<[:".contains(c))
    };
    SCHEMES
        .iter()
        .flat_map(|scheme| lower.match_indices(scheme))
        .map(|(at, _)| at)
        .filter(|at| leads(*at))
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_markup_is_found_and_plain_markup_is_not() {
        for active in [
            "<script>alert(1)</script>",
            "<SCRIPT src=x>",
            "a <iframe src='https://x.example'>",
            "<img src=x onerror=alert(1)>",
            "<svg/onload = alert(1)>",
            "<a href=\" javascript:alert(1)\">x</a>",
            "[x](javascript:alert(1))",
            "<meta http-equiv=\"refresh\" content=\"0\">",
            "<object data=\"x\">",
        ] {
            assert!(find(active).is_some(), "{active}");
        }
        for plain in [
            "<p class=\"on\">on = off</p>",
            "<scripture>In the beginning</scripture>",
            "JavaScript: the good parts",
            "a < b and b > c",
            "<a href=\"https://x.example/?onload=1\">x</a>",
            "",
        ] {
            assert_eq!(find(plain), None, "{plain}");
        }
    }
}
