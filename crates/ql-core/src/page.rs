//! Pages of lists: a limit and an opaque position.

use std::str::FromStr;

/// How much of a list to give, and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// 1 to 100.
    limit: u32,
    /// The key of the last row of the page before.
    pub after: Option<Cursor>,
}

impl PageRequest {
    /// The default number of rows.
    pub const DEFAULT: u32 = 25;
    /// The most rows on a page.
    pub const MAX: u32 = 100;

    /// A page of `limit` rows, capped to 1..=100, after `after`.
    pub fn new(limit: Option<u32>, after: Option<Cursor>) -> Self {
        Self {
            limit: limit.unwrap_or(Self::DEFAULT).clamp(1, Self::MAX),
            after,
        }
    }

    /// The number of rows wanted.
    pub const fn limit(&self) -> u32 {
        self.limit
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self::new(None, None)
    }
}

/// A position in a list: the sort key and the id of the last row seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The sort key, an integer such as a time in microseconds.
    pub key: i64,
    /// The row's identifier, which breaks ties.
    pub id: String,
}

impl Cursor {
    /// The cursor's opaque text.
    pub fn encode(&self) -> String {
        let text = format!("{}.{}", self.key, self.id);
        let check = crc32fast::hash(text.as_bytes());
        let digits = text.bytes().map(|byte| format!("{byte:02x}"));
        std::iter::once(format!("{check:08x}"))
            .chain(digits)
            .collect()
    }
}

/// A text that isn't a cursor this server made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this cursor wasn't made by this list; leave it out to start again")]
pub struct InvalidCursor;

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        if text.len() < 8 || !text.len().is_multiple_of(2) || !text.is_ascii() {
            return Err(InvalidCursor);
        }
        let bytes: Option<Vec<u8>> = text.as_bytes()[8..]
            .chunks_exact(2)
            .map(|pair| {
                std::str::from_utf8(pair)
                    .ok()
                    .and_then(|hex| u8::from_str_radix(hex, 16).ok())
            })
            .collect();
        let plain = bytes
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or(InvalidCursor)?;
        if format!("{:08x}", crc32fast::hash(plain.as_bytes())) != text[..8] {
            return Err(InvalidCursor);
        }
        let (key, id) = plain.split_once('.').ok_or(InvalidCursor)?;
        Ok(Self {
            key: key.parse().map_err(|_| InvalidCursor)?,
            id: id.to_owned(),
        })
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Where the next page starts; none on the last one.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Cuts `rows`, read with one row more than `request` asks for, into a page.
    pub fn cut(mut rows: Vec<T>, request: &PageRequest, cursor: impl Fn(&T) -> Cursor) -> Self {
        let limit = request.limit() as usize;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = if more { rows.last().map(cursor) } else { None };
        Self { items: rows, next }
    }

    /// The same page with every row changed.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(change).collect(),
            next: self.next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_read_back_and_forgeries_do_not() {
        let cursor = Cursor {
            key: -5,
            id: "cnt_1".into(),
        };
        let text = cursor.encode();
        assert_eq!(text.parse(), Ok(cursor));
        assert_eq!(text[..text.len() - 2].parse::<Cursor>(), Err(InvalidCursor));
        for bad in ["", "x", "zzzzzzzzzz", "00000000", "é000000000"] {
            assert_eq!(bad.parse::<Cursor>(), Err(InvalidCursor), "{bad}");
        }
    }

    #[test]
    fn the_last_page_has_no_next() {
        let request = PageRequest::new(Some(2), None);
        let key = |n: &i64| Cursor {
            key: *n,
            id: String::new(),
        };
        assert_eq!(Page::cut(vec![1, 2, 3], &request, key).next, Some(key(&2)));
        assert_eq!(Page::cut(vec![1, 2], &request, key).next, None);
    }
}
