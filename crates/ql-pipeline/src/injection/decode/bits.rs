//! Base64, base32, hexadecimal, binary and decimal codes.

use std::ops::Range;

use super::{Decoded, is_prose, readable};
use crate::injection::finding::Layer;

/// Finds runs of each alphabet.
pub(super) fn find(text: &str) -> Vec<Decoded> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    found.extend(runs(bytes, is_base64, 12).filter_map(|run| base64(text, run)));
    found.extend(runs(bytes, is_hex, 12).filter_map(|run| hexadecimal(text, run)));
    found.extend(runs(bytes, is_bit, 32).filter_map(|run| binary(text, run)));
    found.extend(runs(bytes, is_code, 20).filter_map(|run| decimal(text, run)));
    found
}

const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

const fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || matches!(byte, b' ' | b'\\' | b'x' | b':' | b',')
}

const fn is_bit(byte: u8) -> bool {
    matches!(byte, b'0' | b'1' | b' ' | b'\n')
}

const fn is_code(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b' ' | b',' | b'-')
}

/// The longest runs of bytes of a kind that have a least length.
fn runs(bytes: &[u8], is: impl Fn(u8) -> bool, least: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            at += bytes[at..].iter().take_while(|byte| is(**byte)).count();
            let run = start..at;
            at += 1;
            if run.len() >= least {
                return Some(run);
            }
        }
        None
    })
}

fn decoded(layer: Layer, span: Range<usize>, bytes: Vec<u8>) -> Option<Decoded> {
    let text = readable(bytes)?;
    let tells = is_prose(&text);
    Some(Decoded {
        layer,
        span,
        text,
        tells,
    })
}

/// The bytes of digits of a base that is a power of two, the highest bit first.
fn packed(digits: impl Iterator<Item = Option<u32>>, width: u32) -> Option<Vec<u8>> {
    let (mut bits, mut held) = (0_u32, 0);
    let mut bytes = Vec::new();
    for digit in digits {
        bits = (bits << width | digit?) & 0xffff;
        held += width;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn base64(text: &str, run: Range<usize>) -> Option<Decoded> {
    let digits = text[run.clone()].trim_end_matches('=');
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let bytes = packed(digits.bytes().map(value), 6)?;
    decoded(Layer::Base64, run.clone(), bytes).or_else(|| base32(digits, run))
}

fn base32(digits: &str, run: Range<usize>) -> Option<Decoded> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'2'..=b'7' => Some(u32::from(byte - b'2') + 26),
        _ => None,
    };
    decoded(Layer::Base64, run, packed(digits.bytes().map(value), 5)?)
}

fn hexadecimal(text: &str, run: Range<usize>) -> Option<Decoded> {
    let plain = text[run.clone()].replace("0x", " ").replace("\\x", " ");
    let words: Vec<&str> = plain
        .split([' ', ':', ',', '\\', 'x'])
        .filter(|word| !word.is_empty())
        .collect();
    // Words such as `add` beside a long run aren't part of it.
    let even = words.iter().filter(|word| word.len() % 2 == 0);
    let digits: String = even.copied().collect();
    if digits.len() < 12 {
        return None;
    }
    let bytes = packed(digits.chars().map(|digit| digit.to_digit(16)), 4)?;
    decoded(Layer::Hexadecimal, run, bytes)
}

fn binary(text: &str, run: Range<usize>) -> Option<Decoded> {
    let digits: Vec<char> = text[run.clone()]
        .chars()
        .filter(|digit| !digit.is_whitespace())
        .collect();
    if digits.len() < 24 || !digits.len().is_multiple_of(8) {
        return None;
    }
    let bytes = packed(digits.into_iter().map(|digit| digit.to_digit(2)), 1)?;
    decoded(Layer::Binary, run, bytes)
}

fn decimal(text: &str, run: Range<usize>) -> Option<Decoded> {
    let numbers = text[run.clone()]
        .split([' ', ',', '-'])
        .filter(|word| !word.is_empty());
    let bytes: Option<Vec<u8>> = numbers.map(|number| number.parse().ok()).collect();
    let bytes = bytes?;
    let printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    if bytes.len() < 8 || !bytes.iter().all(printable) {
        return None;
    }
    decoded(Layer::Decimal, run, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Layer, String, bool)> {
        let of = |decoded: Decoded| (decoded.layer, decoded.text, decoded.tells);
        find(text).into_iter().map(of).collect()
    }

    #[test]
    fn codes_are_read() {
        let says = "feed all my sheep";
        let expected = |layer| [(layer, says.to_owned(), true)];
        assert_eq!(
            found("see ZmVlZCBhbGwgbXkgc2hlZXA= now"),
            expected(Layer::Base64)
        );
        assert_eq!(
            found("MZSWKZBAMFWGYIDNPEQHG2DFMVYA===="),
            expected(Layer::Base64)
        );
        assert_eq!(
            found("x: 6665656420616c6c206d79207368656570."),
            expected(Layer::Hexadecimal)
        );
        let spaced: Vec<String> = says.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found(&spaced.join(" ")), expected(Layer::Hexadecimal));
        let bits: Vec<String> = says.bytes().map(|byte| format!("{byte:08b}")).collect();
        assert_eq!(found(&bits.join(" ")), expected(Layer::Binary));
        let codes: Vec<String> = says.bytes().map(|byte| byte.to_string()).collect();
        assert_eq!(found(&codes.join(", ")), expected(Layer::Decimal));
    }

    #[test]
    fn words_and_digests_are_no_codes() {
        assert_eq!(found("Transubstantiation and Consubstantiation"), []);
        assert_eq!(
            found("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            []
        );
        assert_eq!(found("1000000 2000000 1, 2, 3, 4, 5, 6, 7, 8, 9, 10"), []);
        assert_eq!(found("00000000 11111111 00000000 11111111"), []);
    }
}
