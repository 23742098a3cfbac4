//! Bearer secrets: `qla_` for an agent's connection, `qlp_` for a member's personal token.
//!
//! Four characters of prefix, thirty of base 62 (178 bits) and six of checksum, the IEEE CRC-32 of
//! the 34 characters before it. Only the first twelve characters and the SHA-256 are ever stored.

use std::fmt;

use subtle::ConstantTimeEq as _;

use crate::hash::Digest;
use crate::id::IdGen;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY: usize = 30;
const CHECK: usize = 6;
const LENGTH: usize = 4 + BODY + CHECK;

/// What a token opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// One agent's connection to one site.
    Connection,
    /// A member's own programs.
    Personal,
}

impl TokenKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::Connection => "qla_",
            Self::Personal => "qlp_",
        }
    }
}

/// A secret in the clear. It has no `Display`; `Debug` shows the stored prefix alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Makes a new secret.
    pub fn generate(kind: TokenKind, ids: &dyn IdGen) -> Self {
        let mut text = String::with_capacity(LENGTH);
        text.push_str(kind.prefix());
        while text.len() < 4 + BODY {
            let mut bytes = [0; 32];
            ids.fill(&mut bytes);
            // 248 is the largest multiple of 62 below 256: dropping the rest keeps every
            // character equally likely.
            let fair = bytes.iter().filter(|byte| **byte < 248);
            text.extend(
                fair.map(|byte| char::from(BASE62[usize::from(byte % 62)]))
                    .take(4 + BODY - text.len()),
            );
        }
        let check = checksum(&text);
        text.push_str(&check);
        Self(text)
    }

    /// Reads a presented text as a token of `kind`; none when prefix, length, alphabet or checksum
    /// are wrong, which needs no look at the database.
    pub fn parse(kind: TokenKind, text: &str) -> Option<Self> {
        let body = text.get(..LENGTH - CHECK)?;
        let sound = text.len() == LENGTH
            && body.starts_with(kind.prefix())
            && body
                .bytes()
                .skip(4)
                .all(|byte| byte.is_ascii_alphanumeric())
            && checksum(body) == text[LENGTH - CHECK..];
        sound.then(|| Self(text.to_owned()))
    }

    /// The secret itself, for the one answer that shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The first twelve characters, which are stored and shown.
    pub fn prefix(&self) -> &str {
        &self.0[..12]
    }

    /// The SHA-256 that is stored and looked up.
    pub fn fingerprint(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({}…)", self.prefix())
    }
}

/// Compares two fingerprints in constant time.
pub fn same_fingerprint(a: &Digest, b: &Digest) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

fn checksum(text: &str) -> String {
    let mut value = crc32fast::hash(text.as_bytes());
    let mut digits = [b'0'; CHECK];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(value % 62) as usize];
        value /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SystemIdGen;

    #[test]
    fn a_token_has_the_documented_form_and_reads_back() {
        let token = Token::generate(TokenKind::Connection, &SystemIdGen::default());
        let text = token.expose();
        assert_eq!((text.len(), token.prefix()), (40, &text[..12]));
        assert_eq!(
            Token::parse(TokenKind::Connection, text),
            Some(token.clone())
        );
        assert!(!format!("{token:?}").contains(&text[12..]));
    }

    #[test]
    fn any_changed_character_fails_the_checksum() {
        let token = Token::generate(TokenKind::Connection, &SystemIdGen::default());
        for index in 0..LENGTH {
            let mut bytes = token.expose().as_bytes().to_vec();
            bytes[index] = if bytes[index] == b'a' { b'b' } else { b'a' };
            let changed = String::from_utf8(bytes).expect("ASCII");
            assert_eq!(
                Token::parse(TokenKind::Connection, &changed),
                None,
                "{index}"
            );
        }
    }

    #[test]
    fn kinds_do_not_stand_in_for_each_other() {
        let token = Token::generate(TokenKind::Personal, &SystemIdGen::default());
        assert_eq!(Token::parse(TokenKind::Connection, token.expose()), None);
        assert_eq!(Token::parse(TokenKind::Connection, "qla_ü"), None);
    }

    #[test]
    fn the_checksum_is_crc32_in_base_62_left_padded() {
        assert_eq!(checksum("qla_000000000000000000000000000000").len(), 6);
        assert_eq!(checksum("123456789"), "3jZRME");
    }
}
