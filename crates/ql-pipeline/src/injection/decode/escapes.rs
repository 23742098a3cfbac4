//! Percent encoding, character references and escapes.

use super::{Decoded, readable};
use crate::injection::finding::Layer;

/// How many escapes make a run.
const FEWEST: usize = 3;

/// Finds words with escapes in them.
pub(super) fn find(text: &str) -> Vec<Decoded> {
    let mut found = Vec::new();
    if text.contains('%') {
        found.extend(runs(text, '%', percent, Layer::Percent));
    }
    if text.contains("&#") {
        found.extend(runs(text, '&', reference, Layer::Escapes));
    }
    if text.contains("\\u") || text.contains("\\x") || text.contains("\\U") {
        found.extend(runs(text, '\\', escape, Layer::Escapes));
    }
    found
}

/// What reads one escape at the beginning of a text: its length and its bytes.
type Read = fn(&str) -> Option<(usize, Vec<u8>)>;

/// Stretches of lines in which at least [`FEWEST`] escapes stand.
fn runs(text: &str, sign: char, read: Read, layer: Layer) -> impl Iterator<Item = Decoded> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let span = start..start + line.len();
        start = span.end;
        let (bytes, escapes, letters) = undone(line, sign, read);
        if escapes < FEWEST {
            return None;
        }
        let text = readable(bytes)?;
        // No honest program encodes letters in a URL.
        let tells = layer == Layer::Percent && letters >= 4;
        Some(Decoded {
            layer,
            span,
            text,
            tells,
        })
    })
}

/// The line without escapes, how many there were, and how many stood for a Latin letter.
fn undone(line: &str, sign: char, read: Read) -> (Vec<u8>, usize, usize) {
    let mut bytes = Vec::new();
    let (mut escapes, mut letters) = (0, 0);
    let mut rest = line;
    while let Some(at) = rest.find(sign) {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        let (length, one) = read(rest).unwrap_or_else(|| (1, vec![rest.as_bytes()[0]]));
        if length > 1 {
            escapes += 1;
            letters += usize::from(one.len() == 1 && one[0].is_ascii_alphabetic());
        }
        bytes.extend(one);
        rest = &rest[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    (bytes, escapes, letters)
}

fn percent(text: &str) -> Option<(usize, Vec<u8>)> {
    let digits = text.get(1..3)?;
    Some((3, vec![u8::from_str_radix(digits, 16).ok()?]))
}

fn reference(text: &str) -> Option<(usize, Vec<u8>)> {
    let inside = text.strip_prefix("&#")?;
    let end = inside.bytes().take(9).position(|byte| byte == b';')?;
    let digits = &inside[..end];
    let value = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((end + 3, char::from_u32(value)?.to_string().into_bytes()))
}

fn escape(text: &str) -> Option<(usize, Vec<u8>)> {
    let width = match text.as_bytes().get(1)? {
        b'u' => 4,
        b'x' => 2,
        b'U' => 8,
        _ => return None,
    };
    let value = u32::from_str_radix(text.get(2..2 + width)?, 16).ok()?;
    Some((2 + width, char::from_u32(value)?.to_string().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let texts: Vec<(String, bool)> = find(
            "a%20b%20c%20d\n%69%67%6e%6f%72%65\n&#105;&#x67;&#110;\n\\u0069\\u0067\\u006e \\x6f\n%zz%%\\",
        )
        .into_iter()
        .map(|decoded| (decoded.text.trim().to_owned(), decoded.tells))
        .collect();
        let expected = [
            ("a b c d", false),
            ("ignore", true),
            ("ign", false),
            ("ign o", false),
        ];
        assert_eq!(
            texts,
            expected.map(|(text, tells)| (text.to_owned(), tells))
        );
    }
}
