//! Comma-separated values (RFC 4180), read piece by piece as they arrive: no more than one row is
//! held, whatever the artifact's size.

use csv_core::{ReadRecordResult, Reader};
use ql_core::opportunity::{NoteCode, RowNote};
use serde_json::Value;

use super::cells::{Column, MAX_ROW, Parsed, Unreadable, check_header, row};

const MAX_COLUMNS: usize = 256;

/// A reader of one artifact.
pub(super) struct Csv {
    reader: Reader,
    header: Option<Vec<(Column, String)>>,
    /// The bytes of the cells of the row that is being read, without separators.
    cells: Box<[u8]>,
    /// Where each of its cells ends.
    ends: [usize; MAX_COLUMNS],
    filled: (usize, usize),
    /// Why the row can't be kept, found before its end.
    spoiled: Option<NoteCode>,
    /// Whether the next byte begins a row.
    fresh: bool,
    /// The line that the row begins at.
    line: i64,
    /// How many lines ended so far.
    lines_ended: i64,
}

impl Csv {
    pub(super) fn new() -> Self {
        Self {
            reader: Reader::new(),
            header: None,
            cells: vec![0; MAX_ROW].into_boxed_slice(),
            ends: [0; MAX_COLUMNS],
            filled: (0, 0),
            spoiled: None,
            fresh: true,
            line: 1,
            lines_ended: 0,
        }
    }

    /// Reads the next piece; each row goes to `take` when it is whole. No piece is the end.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        take: &mut impl FnMut(Parsed),
    ) -> Result<(), Unreadable> {
        let at_end = bytes.is_empty();
        loop {
            if self.fresh {
                bytes = self.begin_row(bytes);
                if bytes.is_empty() && !at_end {
                    return Ok(());
                }
            }
            let (cells, ends) = self.filled;
            let (result, read, written, ended) =
                self.reader
                    .read_record(bytes, &mut self.cells[cells..], &mut self.ends[ends..]);
            self.lines_ended += line_ends(&bytes[..read]);
            bytes = &bytes[read..];
            self.filled = (cells + written, ends + ended);
            match result {
                ReadRecordResult::InputEmpty if at_end => {}
                ReadRecordResult::InputEmpty | ReadRecordResult::End => return Ok(()),
                ReadRecordResult::OutputFull => self.spoil(NoteCode::TooLarge),
                ReadRecordResult::OutputEndsFull => self.spoil(NoteCode::Ragged),
                ReadRecordResult::Record => {
                    let parsed = self.record()?;
                    if let Some(parsed) = parsed {
                        take(parsed);
                    }
                    self.filled = (0, 0);
                    self.spoiled = None;
                    self.fresh = true;
                }
            }
        }
    }

    /// Leaves out the line ends before a row, and notes the line that it begins at.
    fn begin_row<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let (before, row) = bytes.split_at(bytes.iter().take_while(is_end).count());
        self.lines_ended += line_ends(before);
        self.line = self.lines_ended + 1;
        self.fresh = row.is_empty();
        row
    }

    /// Goes on reading over what is there already: the row is refused, and only its end matters.
    fn spoil(&mut self, code: NoteCode) {
        self.spoiled.get_or_insert(code);
        self.filled = (0, 0);
    }

    /// The row that was just read; none where it is the header.
    fn record(&mut self) -> Result<Option<Parsed>, Unreadable> {
        let (length, count) = self.filled;
        let refused = |code| {
            let (line, cell) = (self.line, String::new());
            Ok(Some(Parsed::Refused(RowNote { line, code, cell })))
        };
        let Ok(text) = std::str::from_utf8(&self.cells[..length]) else {
            return match &self.header {
                None => Err(("encoding", "the header isn't UTF-8")),
                Some(_) => refused(self.spoiled.unwrap_or(NoteCode::Encoding)),
            };
        };
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends[..count]);
        // A cell may begin or end inside a character when another cell has the rest of its bytes.
        let cells: Option<Vec<&str>> = ranges.map(|(start, end)| text.get(start..*end)).collect();
        let Some(header) = &self.header else {
            let names = cells.filter(|_| self.spoiled.is_none());
            let names = names.ok_or(("header", "the header can't be read"))?;
            check_header(names.iter().copied())?;
            let columns = names
                .into_iter()
                .map(|name| (Column::named(name), name.to_owned()));
            self.header = Some(columns.collect());
            return Ok(None);
        };
        match (self.spoiled, cells) {
            (Some(code), _) => refused(code),
            (None, None) => refused(NoteCode::Encoding),
            (None, Some(cells)) if cells.len() != header.len() => refused(NoteCode::Ragged),
            (None, Some(cells)) => {
                let named = header.iter().zip(cells);
                let cells = named.map(|((column, name), cell)| {
                    (*column, name.as_str(), Value::String(cell.to_owned()))
                });
                Ok(Some(row(self.line, cells)))
            }
        }
    }
}

fn line_ends(bytes: &[u8]) -> i64 {
    bytes.iter().map(|byte| i64::from(*byte == b'\n')).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out, in short, of an artifact that arrives in pieces of a size.
    fn read(artifact: &[u8], size: usize) -> Result<String, Unreadable> {
        let mut csv = Csv::new();
        let mut lines = Vec::new();
        let mut take = |parsed| lines.push(short(parsed));
        for piece in artifact.chunks(size).chain([&[][..]]) {
            csv.push(piece, &mut take)?;
        }
        Ok(lines.join("\n"))
    }

    fn short(parsed: Parsed) -> String {
        match parsed {
            Parsed::Kept(row, mark) => {
                let mark = mark.map(|note| format!(" {} {}", note.code, note.cell));
                let more = Value::Object(row.more.clone());
                format!(
                    "{}: {} / {} / {:?} {more}{}",
                    row.line,
                    row.query,
                    row.title,
                    row.cluster,
                    mark.unwrap_or_default()
                )
            }
            Parsed::Refused(note) => format!("{}: refused {} {}", note.line, note.code, note.cell),
        }
    }

    #[test]
    fn rows_come_out_alike_however_they_arrive() {
        let mut artifact = b"\xef\xbb\xbfKeyword,Topic,Cluster,Volume\r\n\
            green tea,\"Green, \"\"the\"\" tea\",Tea,120\r\n\
            too,few\n\
            one,two,three,four,five\n\
            \"two\nlines\",t,,=1+1\n\
            caf\xff,broken,,\n\
            ,,Tea,1\n\n"
            .to_vec();
        artifact.extend([b"large,".as_slice(), &vec![b'x'; 1 << 20], b",,\nlast,,,-3"].concat());
        let whole = read(&artifact, artifact.len()).expect("readable");
        insta::assert_snapshot!(whole, @r#"
        2: green tea / Green, "the" tea / Some("Tea") {"Volume":"120"}
        3: refused ragged 
        4: refused ragged 
        5: two
        lines / t / None {"Volume":"=1+1"} formula Volume
        7: refused encoding 
        8: refused no_query 
        10: refused too_large 
        11: last / last / None {"Volume":"-3"}
        "#);
        for size in [1, 7, 4096] {
            assert_eq!(read(&artifact, size).as_ref(), Ok(&whole), "{size}");
        }
    }

    #[test]
    fn what_is_no_csv_artifact_is_refused_as_a_whole() {
        let found: Vec<String> = [
            &b"a;query\n1;2\n"[..],
            b"\xffquery\nx\n",
            b"query,keyword\n",
        ]
        .into_iter()
        .map(|artifact| read(artifact, 3).expect_err("refused").0.to_owned())
        .collect();
        assert_eq!(found, ["no_query_column", "encoding", "duplicate_column"]);
    }
}
