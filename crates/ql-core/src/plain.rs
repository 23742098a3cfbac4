//! The form that everything of the ledger is written in: canonical JSON (RFC 8785) of whole numbers
//! that are short enough for every reader, so that every reader reads the same from it.
//!
//! A text is checked in one pass and without making values of it. Two texts in this form are the
//! same value only if they are the same bytes, and none has a key twice.

/// What isn't as it should be, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {what}")]
pub struct NotPlain {
    /// The byte, from 0.
    pub at: usize,
    /// The rule.
    pub what: &'static str,
}

/// How deep values may be nested.
const DEPTH: usize = 100;
/// How many characters a number may have: every reader holds all of these exactly.
const LONGEST: usize = 15;

/// Checks that `text` is one value in this form and nothing else.
///
/// # Errors
/// The first thing that isn't.
pub fn check(text: &str) -> Result<(), NotPlain> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
    };
    scan.value(0)?;
    if scan.at == text.len() {
        Ok(())
    } else {
        scan.fail("something follows the value")
    }
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Scan<'t> {
    fn fail<T>(&self, what: &'static str) -> Result<T, NotPlain> {
        Err(NotPlain { at: self.at, what })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<(), NotPlain> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(_) | None => self.fail("expected a value"),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), NotPlain> {
        if !self.bytes[self.at..].starts_with(word) {
            return self.fail("expected a value");
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), NotPlain> {
        let whole = self.at;
        let negative = self.take(b'-');
        let begin = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        let digits = &self.bytes[begin..self.at];
        let zero = digits.first() == Some(&b'0');
        if digits.is_empty() || (zero && (negative || digits.len() > 1)) {
            return self.fail("the number isn't written in its shortest form");
        }
        if self.at - whole > LONGEST {
            return self.fail("the number is too long");
        }
        match self.peek() {
            Some(b'.' | b'e' | b'E') => self.fail("the number isn't whole"),
            Some(_) | None => Ok(()),
        }
    }

    fn string(&mut self) -> Result<(), NotPlain> {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1F) | None => return self.fail("the string isn't closed"),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), NotPlain> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                let hex = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
                let short = [b"08", b"09", b"0a", b"0c", b"0d"];
                let needed = match self.bytes.get(self.at + 1..self.at + 5) {
                    Some([b'0', b'0', high @ (b'0' | b'1'), low]) => {
                        hex(*low) && !short.contains(&&[*high, *low])
                    }
                    Some(_) | None => false,
                };
                if !needed {
                    return self.fail("the escape isn't written in its shortest form");
                }
                self.at += 5;
                Ok(())
            }
            Some(_) | None => self.fail("the escape isn't written in its shortest form"),
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), NotPlain> {
        if depth > DEPTH {
            return self.fail("nested too deep");
        }
        self.at += 1;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.value(depth)?;
            if self.take(b']') {
                return Ok(());
            }
            if !self.take(b',') {
                return self.fail("expected `,` or `]`");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), NotPlain> {
        if depth > DEPTH {
            return self.fail("nested too deep");
        }
        self.at += 1;
        if self.take(b'}') {
            return Ok(());
        }
        let mut before: Option<&[u8]> = None;
        loop {
            let key = self.key()?;
            if before.is_some_and(|before| !is_before(before, key)) {
                return self.fail("the keys aren't in ascending order, each once");
            }
            before = Some(key);
            if !self.take(b':') {
                return self.fail("expected `:`");
            }
            self.value(depth)?;
            if self.take(b'}') {
                return Ok(());
            }
            if !self.take(b',') {
                return self.fail("expected `,` or `}`");
            }
        }
    }

    /// A key as it is written, with its quotes.
    fn key(&mut self) -> Result<&'t [u8], NotPlain> {
        let begin = self.at;
        if self.peek() != Some(b'"') {
            return self.fail("expected a key");
        }
        self.string()?;
        Ok(&self.bytes[begin..self.at])
    }
}

/// Whether one key comes before another: by their characters, not by how these are written.
fn is_before(one: &[u8], other: &[u8]) -> bool {
    if one.contains(&b'\\') || other.contains(&b'\\') {
        let read = |key| serde_json::from_slice::<String>(key).unwrap_or_default();
        return read(one) < read(other);
    }
    one[..one.len() - 1] < other[..other.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn what_the_ledger_writes_is_plain() {
        let texts = [
            r#"{"":1,"\n":2,"A":3,"a":4,"é":5}"#,
            r#"{"a":[1,-2,0,999999999999999,true,false,null],"b_1":{"c":""}}"#,
            "{}",
            "[]",
            "\"é\u{7f}😀\\\"\\\\\\n\\u0000\\u001f\"",
        ];
        for text in texts {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    const OTHERWISE: [&str; 31] = [
        "",
        " 1",
        "1 ",
        "01",
        "-0",
        "1.0",
        "1e3",
        "1234567890123456",
        "-",
        "tru",
        "nul",
        r#"{"a":1,"a":1}"#,
        r#"{"b":1,"a":1}"#,
        r#"{"\n":1,"\b":2}"#,
        r#"{"a":1,"\n":2}"#,
        r#"{"a" :1}"#,
        r#"{"a":1,}"#,
        "{a:1}",
        "[1,]",
        "[1 ,2]",
        "[1",
        "{\"a\":1",
        "\"\n\"",
        "\"",
        r#""\/""#,
        r#""\u0041""#,
        r#""\u000A""#,
        r#""\u000a""#,
        r#""\u00e9""#,
        r#""\ud800""#,
        r#""\u001F""#,
    ];

    #[test]
    fn every_other_way_to_write_is_told_apart() {
        let found: Vec<String> = OTHERWISE
            .iter()
            .map(|text| format!("{text:?} {}", check(text).expect_err(text)))
            .collect();
        insta::assert_snapshot!(found.join("\n"), @r#"
        "" byte 0: expected a value
        " 1" byte 0: expected a value
        "1 " byte 1: something follows the value
        "01" byte 2: the number isn't written in its shortest form
        "-0" byte 2: the number isn't written in its shortest form
        "1.0" byte 1: the number isn't whole
        "1e3" byte 1: the number isn't whole
        "1234567890123456" byte 16: the number is too long
        "-" byte 1: the number isn't written in its shortest form
        "tru" byte 0: expected a value
        "nul" byte 0: expected a value
        "{\"a\":1,\"a\":1}" byte 10: the keys aren't in ascending order, each once
        "{\"b\":1,\"a\":1}" byte 10: the keys aren't in ascending order, each once
        "{\"\\n\":1,\"\\b\":2}" byte 12: the keys aren't in ascending order, each once
        "{\"a\":1,\"\\n\":2}" byte 11: the keys aren't in ascending order, each once
        "{\"a\" :1}" byte 4: expected `:`
        "{\"a\":1,}" byte 7: expected a key
        "{a:1}" byte 1: expected a key
        "[1,]" byte 3: expected a value
        "[1 ,2]" byte 2: expected `,` or `]`
        "[1" byte 2: expected `,` or `]`
        "{\"a\":1" byte 6: expected `,` or `}`
        "\"\n\"" byte 1: the string isn't closed
        "\"" byte 1: the string isn't closed
        "\"\\/\"" byte 2: the escape isn't written in its shortest form
        "\"\\u0041\"" byte 2: the escape isn't written in its shortest form
        "\"\\u000A\"" byte 2: the escape isn't written in its shortest form
        "\"\\u000a\"" byte 2: the escape isn't written in its shortest form
        "\"\\u00e9\"" byte 2: the escape isn't written in its shortest form
        "\"\\ud800\"" byte 2: the escape isn't written in its shortest form
        "\"\\u001F\"" byte 2: the escape isn't written in its shortest form
        "#);
        assert!(check(&format!("{}{}", "[".repeat(101), "]".repeat(101))).is_err());
    }

    /// Keys of the basic plane: beyond it RFC 8785 orders by UTF-16 units, and no key of the ledger is
    /// there.
    fn any_key() -> impl Strategy<Value = String> {
        "[\u{0}-\u{d7ff}]{0,8}"
    }

    fn any_plain() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-99_999_999_999_999..=999_999_999_999_999_i64).prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any_key(), inner, 0..6)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_canonical_form_of_such_values_is_plain(value in any_plain()) {
            prop_assert_eq!(check(&canon::to_string(&value)), Ok(()));
        }

        /// Whatever is accepted reads as a value, and that value is written the very same way.
        #[test]
        fn what_is_accepted_is_the_canonical_form(
            value in any_plain(),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut bytes = canon::to_string(&value).into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(text) = String::from_utf8(bytes) && check(&text).is_ok() {
                let read: Value = serde_json::from_str(&text).expect("JSON");
                prop_assert_eq!(canon::to_string(&read), text);
            }
        }
    }
}
