//! From named cells to a row, or to why there is none.

use std::collections::BTreeSet;

use ql_core::opportunity::{NoteCode, Row, RowNote};
use serde_json::Value;

/// The most bytes of one row.
pub(super) const MAX_ROW: usize = 64 << 10;

/// What one row of an artifact came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Parsed {
    /// It is kept, perhaps with a mark.
    Kept(Box<Row>, Option<RowNote>),
    /// It is refused.
    Refused(RowNote),
}

/// Why a whole artifact can't be read: a stable code, and the reason in words.
pub(super) type Unreadable = (&'static str, &'static str);

/// What a column of an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Query,
    Title,
    Cluster,
    Intent,
    Url,
    More,
}

impl Column {
    /// The column that a name stands for, case, white space, `_` and `-` aside.
    pub(super) fn named(name: &str) -> Self {
        let plain = name
            .trim_start_matches('\u{feff}')
            .replace(['_', '-'], " ")
            .to_lowercase();
        let plain: Vec<&str> = plain.split_whitespace().collect();
        match plain.join(" ").as_str() {
            "query" | "keyword" | "primary keyword" | "search query" | "search term" => Self::Query,
            "title" | "topic" | "page title" => Self::Title,
            "cluster" | "parent" | "parent topic" | "topic cluster" => Self::Cluster,
            "intent" | "search intent" => Self::Intent,
            "url" | "target url" | "address" => Self::Url,
            _ => Self::More,
        }
    }

    /// The most characters of a cell; of further cells the size of the row is the limit.
    const fn limit(self) -> usize {
        match self {
            Self::Query | Self::Title => 300,
            Self::Cluster => 200,
            Self::Intent => 100,
            Self::Url => 2_000,
            Self::More => MAX_ROW,
        }
    }
}

/// Whether an artifact with these columns has rows at all: something must name the query.
pub(super) fn check_header<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Unreadable> {
    let mut known = BTreeSet::new();
    let mut others = BTreeSet::new();
    for name in names {
        let column = Column::named(name);
        let fresh = match column {
            Column::More => others.insert(name),
            named => known.insert(named),
        };
        if !fresh {
            return Err(("duplicate_column", "two columns have one meaning"));
        }
    }
    if known.contains(&Column::Query) || known.contains(&Column::Title) {
        Ok(())
    } else {
        Err((
            "no_query_column",
            "no column is called query, keyword, topic or title; a CSV artifact is separated by commas",
        ))
    }
}

/// The row that cells make at a line, each with what it is, its name and its value.
pub(super) fn row<'a>(line: i64, cells: impl Iterator<Item = (Column, &'a str, Value)>) -> Parsed {
    let note = |code, cell: &str| RowNote {
        line,
        code,
        cell: cell.chars().take(100).collect(),
    };
    let mut row = Row {
        line,
        ..Row::default()
    };
    let mut mark = None;
    for (column, name, value) in cells {
        let text = match plain(&value) {
            Ok(None) => continue,
            Ok(Some(text)) => text,
            Err(code) => return Parsed::Refused(note(code, name)),
        };
        if text.contains('\0') || name.contains('\0') {
            return Parsed::Refused(note(NoteCode::Encoding, ""));
        }
        if text.chars().count() > column.limit() {
            return Parsed::Refused(note(NoteCode::TooLong, name));
        }
        if mark.is_none() && is_formula(&text) {
            mark = Some(note(NoteCode::Formula, name));
        }
        match column {
            Column::Query => row.query = text,
            Column::Title => row.title = text,
            Column::Cluster => row.cluster = Some(text),
            Column::Intent => row.intent = Some(text),
            Column::Url => row.url = Some(text),
            Column::More => drop(row.more.insert(name.to_owned(), value)),
        }
    }
    match (row.query.is_empty(), row.title.is_empty()) {
        (true, true) => return Parsed::Refused(note(NoteCode::NoQuery, "")),
        (true, false) => row.query.clone_from(&row.title),
        (false, true) => row.title.clone_from(&row.query),
        (false, false) => {}
    }
    // A query of punctuation alone folds to nothing and could be compared with nothing.
    if row.match_key().is_empty() {
        return Parsed::Refused(note(NoteCode::NoQuery, ""));
    }
    Parsed::Kept(Box::new(row), mark)
}

/// A cell's text; none for an empty one.
fn plain(value: &Value) -> Result<Option<String>, NoteCode> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text.trim().to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Array(_) | Value::Object(_) => return Err(NoteCode::Nested),
    };
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Whether a spreadsheet would calculate the cell. A number with its sign is none.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_numbers() {
        for formula in [
            "=HYPERLINK(\"x\")",
            "+1+1",
            "-cmd|' /C calc'!A0",
            "@SUM(A1)",
        ] {
            assert!(is_formula(formula), "{formula}");
        }
        for plain in ["-5", "+3.2", "tea", "a=b", "1-2"] {
            assert!(!is_formula(plain), "{plain}");
        }
    }

    #[test]
    fn columns_go_by_many_names() {
        for (name, column) in [
            ("\u{feff}Keyword", Column::Query),
            ("primary_keyword", Column::Query),
            ("Search  Intent", Column::Intent),
            ("target-url", Column::Url),
            ("Volume", Column::More),
        ] {
            assert_eq!(Column::named(name), column, "{name}");
        }
        assert!(check_header(["a", "Keyword"].into_iter()).is_ok());
        assert!(check_header(["query", "keyword"].into_iter()).is_err());
        assert!(check_header(["volume"].into_iter()).is_err());
    }
}
