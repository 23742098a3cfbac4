//! The words of a page as a reader sees them, in a form in which they can be compared.

use encoding_rs::{Encoding, UTF_8};
use html5gum::{DefaultEmitter, Token, Tokenizer};

/// What a body is, as far as its words can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Plain,
}

/// The words of a body, or none where its media type has no words that can be read.
pub(super) fn of(content_type: Option<&str>, body: &[u8]) -> Option<String> {
    let kind = kind(content_type, body)?;
    let text = decode(content_type, body);
    Some(normalized(&match kind {
        Kind::Html => without_markup(&text),
        Kind::Plain => text,
    }))
}

/// A quotation in the form of [`of`], with markup and entities read as a page's are.
pub(super) fn of_quotation(excerpt: &str) -> [String; 2] {
    [normalized(excerpt), normalized(&without_markup(excerpt))]
}

fn kind(content_type: Option<&str>, body: &[u8]) -> Option<Kind> {
    let Some(content_type) = content_type else {
        let begins = body.trim_ascii_start().first() == Some(&b'<');
        return Some(if begins { Kind::Html } else { Kind::Plain });
    };
    let essence = content_type.split(';').next().unwrap_or_default();
    match essence.trim().to_ascii_lowercase().as_str() {
        "text/html" | "application/xhtml+xml" | "text/xml" | "application/xml" => Some(Kind::Html),
        "application/json" | "application/ld+json" => Some(Kind::Plain),
        text if text.starts_with("text/") => Some(Kind::Plain),
        other if other.ends_with("+xml") => Some(Kind::Html),
        _ => None,
    }
}

/// Reads bytes by their mark, by the character set that was named with them, or by the one that the
/// page names in its first thousand bytes; else as UTF-8.
fn decode(content_type: Option<&str>, body: &[u8]) -> String {
    let named = content_type.and_then(charset);
    let head = String::from_utf8_lossy(&body[..body.len().min(1024)]).to_ascii_lowercase();
    let encoding = named.or_else(|| charset(&head)).unwrap_or(UTF_8);
    encoding.decode(body).0.into_owned()
}

fn charset(text: &str) -> Option<&'static Encoding> {
    let (_, rest) = text.split_once("charset=")?;
    let label = rest.trim_start_matches(['"', '\'']);
    let end = label.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:".contains(c)));
    Encoding::for_label(&label.as_bytes()[..end.unwrap_or(label.len())])
}

/// Elements whose contents nobody reads.
const UNREAD: [&str; 6] = ["script", "style", "noscript", "template", "svg", "head"];
/// Elements that don't part words.
const INLINE: [&str; 21] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s",
    "small", "span", "strong", "sub", "sup", "u", "wbr",
];

fn without_markup(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let (mut text, mut unread) = (String::new(), Vec::<Vec<u8>>::new());
    let is = |names: &[&str], name: &[u8]| names.iter().any(|known| known.as_bytes() == name);
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => {
                if is(&UNREAD, &tag.name) && !tag.self_closing {
                    unread.push(tag.name.to_vec());
                } else if tag.name.as_slice() == b"body" {
                    // A head that was never closed ends here.
                    unread.clear();
                }
                if !is(&INLINE, &tag.name) {
                    text.push(' ');
                }
            }
            Token::EndTag(tag) => {
                if let Some(at) = unread.iter().rposition(|name| *name == tag.name.to_vec()) {
                    unread.truncate(at);
                }
                if !is(&INLINE, &tag.name) {
                    text.push(' ');
                }
            }
            Token::String(words) if unread.is_empty() => {
                text.push_str(&String::from_utf8_lossy(&words));
            }
            Token::String(_) | Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    text
}

/// The same words with single spaces, plain quotation marks and dashes, and without characters that
/// nobody sees.
fn normalized(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' => {}
            '‘' | '’' | '‚' | '′' => plain.push('\''),
            '“' | '”' | '„' | '«' | '»' | '″' => plain.push('"'),
            '‐'..='―' | '−' => plain.push('-'),
            '…' => plain.push_str("..."),
            other if other.is_whitespace() => plain.push(' '),
            other => plain.push(other),
        }
    }
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_a_reader_sees_it() {
        let html = "<!doctype html><html><head><title>T</title><style>p{}</style></head><body>\
            <h1>Tickets</h1><p>Adults&nbsp;pay <b>10</b>&#8239;&euro; &mdash; children\n  don&rsquo;t.</p>\
            <script>let x = '<p>not this</p>';</script><!-- nor this --><div>One</div><div>two</div>\
            <svg><text>nor that</text></svg>th<i>ree</i></body></html>";
        let text = of(Some("text/html; charset=utf-8"), html.as_bytes());
        insta::assert_snapshot!(text.expect("words"), @"Tickets Adults pay 10 € - children don't. One two three");
    }

    #[test]
    fn character_sets_and_media_types_are_heeded() {
        let latin = b"<p>caf\xe9</p>";
        assert_eq!(
            of(Some("text/html; charset=iso-8859-1"), latin).as_deref(),
            Some("café")
        );
        let named = b"<meta charset='windows-1252'><p>caf\xe9</p>";
        assert_eq!(of(Some("text/html"), named).as_deref(), Some("café"));
        assert_eq!(
            of(Some("text/plain"), "a <b>\n c".as_bytes()).as_deref(),
            Some("a <b> c")
        );
        assert_eq!(of(None, b" <p>a</p>").as_deref(), Some("a"));
        assert_eq!(of(Some("application/pdf"), b"%PDF"), None);
        assert_eq!(of(Some("image/png"), b"x"), None);
    }

    #[test]
    fn a_head_that_is_not_closed_hides_no_body() {
        let text = of(Some("text/html"), b"<head><title>T</title><body>Words");
        assert_eq!(text.as_deref(), Some("Words"));
    }
}
