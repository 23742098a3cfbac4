//! A JSON array of objects, taken apart piece by piece as it arrives: no more than one element is
//! held, and nothing here goes deeper when the JSON does.

use ql_core::opportunity::{NoteCode, RowNote};
use serde_json::{Map, Value};

use super::cells::{Column, MAX_ROW, Parsed, Unreadable, row};

/// Where in the array the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the array.
    Before,
    /// Before an element, or before the end where none must follow.
    Between { may_end: bool },
    /// In an element.
    Within(Depth),
    /// After an element.
    Behind,
    /// After the array.
    After,
}

/// How far into an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Depth {
    open: usize,
    in_string: bool,
    escaped: bool,
}

/// A reader of one artifact.
pub(super) struct Json {
    place: Place,
    element: Vec<u8>,
    /// Whether the element is larger than a row may be; its bytes aren't kept then.
    too_large: bool,
    /// How many elements came before.
    number: i64,
}

impl Json {
    pub(super) fn new() -> Self {
        Self {
            place: Place::Before,
            element: Vec::new(),
            too_large: false,
            number: 0,
        }
    }

    /// Reads the next piece; each row goes to `take` when it is whole. No piece is the end.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        take: &mut impl FnMut(Parsed),
    ) -> Result<(), Unreadable> {
        if bytes.is_empty() && self.place != Place::After {
            return Err(("truncated", "the array doesn't end"));
        }
        for byte in bytes {
            self.step(*byte, take)?;
        }
        Ok(())
    }

    fn step(&mut self, byte: u8, take: &mut impl FnMut(Parsed)) -> Result<(), Unreadable> {
        self.place = match self.place {
            Place::Within(depth) => match depth.after(byte) {
                Some(deeper) => {
                    self.keep(byte);
                    Place::Within(deeper)
                }
                // A comma, a bracket or white space ends a bare element, and isn't a part of it.
                None if depth.is_bare() => {
                    take(self.element());
                    return self.behind(byte);
                }
                None => {
                    self.keep(byte);
                    take(self.element());
                    Place::Behind
                }
            },
            place if byte.is_ascii_whitespace() => place,
            Place::Before if byte == b'[' => Place::Between { may_end: true },
            Place::Before => return Err(("not_an_array", "expected a JSON array of objects")),
            Place::Between { may_end: true } if byte == b']' => Place::After,
            Place::Between { .. } if matches!(byte, b',' | b']' | b'}') => {
                return Err(("malformed", "the array's punctuation is wrong"));
            }
            Place::Between { .. } => {
                self.keep(byte);
                Place::Within(Depth::from(byte))
            }
            Place::Behind => return self.behind(byte),
            Place::After => return Err(("trailing", "something follows the array")),
        };
        Ok(())
    }

    /// The byte after an element.
    fn behind(&mut self, byte: u8) -> Result<(), Unreadable> {
        self.place = match byte {
            b',' => Place::Between { may_end: false },
            b']' => Place::After,
            byte if byte.is_ascii_whitespace() => Place::Behind,
            _ => return Err(("malformed", "the array's punctuation is wrong")),
        };
        Ok(())
    }

    fn keep(&mut self, byte: u8) {
        if self.element.len() >= MAX_ROW {
            self.too_large = true;
        } else {
            self.element.push(byte);
        }
    }

    /// The element that just ended, as a row.
    fn element(&mut self) -> Parsed {
        self.number += 1;
        let line = self.number;
        let bytes = std::mem::take(&mut self.element);
        let too_large = std::mem::take(&mut self.too_large);
        let refused = |code| {
            let cell = String::new();
            Parsed::Refused(RowNote { line, code, cell })
        };
        if too_large {
            return refused(NoteCode::TooLarge);
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return refused(NoteCode::Encoding);
        };
        match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(cells) => {
                let named = cells.iter();
                row(
                    line,
                    named.map(|(name, value)| (Column::named(name), name.as_str(), value.clone())),
                )
            }
            Err(_) => refused(NoteCode::NotAnObject),
        }
    }
}

impl Depth {
    fn from(first: u8) -> Self {
        Self {
            open: usize::from(matches!(first, b'{' | b'[')),
            in_string: first == b'"',
            escaped: false,
        }
    }

    /// Whether the element is a number or a word, which nothing closes.
    const fn is_bare(self) -> bool {
        self.open == 0 && !self.in_string
    }

    /// How far into the element after a byte; none where the byte ends it.
    fn after(mut self, byte: u8) -> Option<Self> {
        if self.in_string {
            let ends = byte == b'"' && !self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            self.in_string = !ends;
            return (!ends || self.open > 0).then_some(self);
        }
        match byte {
            b',' | b']' | b'}' if self.open == 0 => None,
            _ if self.open == 0 && byte.is_ascii_whitespace() => None,
            b'"' => {
                self.in_string = true;
                Some(self)
            }
            b'{' | b'[' => {
                self.open += 1;
                Some(self)
            }
            b'}' | b']' => {
                self.open -= 1;
                (self.open > 0).then_some(self)
            }
            _ => Some(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(artifact: &[u8], size: usize) -> Result<String, Unreadable> {
        let mut json = Json::new();
        let mut lines = Vec::new();
        let mut take = |parsed| {
            lines.push(match parsed {
                Parsed::Kept(row, mark) => {
                    let mark = mark.map(|note| format!(" {}", note.code));
                    format!("{}: {}{}", row.line, row.query, mark.unwrap_or_default())
                }
                Parsed::Refused(note) => {
                    format!("{}: refused {} {}", note.line, note.code, note.cell)
                }
            });
        };
        for piece in artifact.chunks(size).chain([&[][..]]) {
            json.push(piece, &mut take)?;
        }
        Ok(lines.join("\n"))
    }

    #[test]
    fn rows_come_out_alike_however_they_arrive() {
        let bomb = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
        let large = "x".repeat(1 << 20);
        let artifact = format!(
            r#"  [ {{"query": "a \"b\", [c]", "volume": 12}},
            {{"topic": "t", "x": {{"deep": [1]}}}}, 12 , "text", null,{{}},
            {{"query": "=cmd()"}}, {bomb}, {{"query": {bomb}}}, {{"query": "{large}"}}, {{"query": "nul \u0000"}}, {{"query": "last"}} ] "#
        );
        let whole = read(artifact.as_bytes(), artifact.len()).expect("readable");
        insta::assert_snapshot!(whole, @r#"
        1: a "b", [c]
        2: refused nested x
        3: refused not_an_object 
        4: refused not_an_object 
        5: refused not_an_object 
        6: refused no_query 
        7: =cmd() formula
        8: refused not_an_object 
        9: refused not_an_object 
        10: refused too_large 
        11: refused encoding 
        12: last
        "#);
        for size in [1, 11, 4096] {
            assert_eq!(
                read(artifact.as_bytes(), size).as_ref(),
                Ok(&whole),
                "{size}"
            );
        }
        assert_eq!(read(b"[]", 1).as_deref(), Ok(""));
        assert_eq!(
            read(b"[{\"query\":\"\xff\"}]", 1).as_deref(),
            Ok("1: refused encoding ")
        );
    }

    #[test]
    fn what_is_no_array_is_refused_as_a_whole() {
        let found: Vec<&str> = ["{\"a\": 1}", "[{}", "[{} {}]", "[,]", "[{},]", "[] x", ""]
            .into_iter()
            .map(|artifact| read(artifact.as_bytes(), 2).expect_err("refused").0)
            .collect();
        assert_eq!(
            found,
            [
                "not_an_array",
                "truncated",
                "malformed",
                "malformed",
                "malformed",
                "trailing",
                "truncated"
            ]
        );
    }
}
