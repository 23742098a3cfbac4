//! USFM, read with the `usfm3` parser.

use usfm3::low_level::{Category, Node, NodeKind, TextRole};
use usfm3::{Document, ParseOptions, Severity, Version};

use super::draft::Draft;
use super::lines;
use crate::book::Book;
use crate::corpus::problem::Place;
use crate::span::Span;
use crate::verse::Verse;

/// Reads one book.
pub(super) fn read(text: &str, draft: &mut Draft) {
    let options = ParseOptions { diagnostics: true };
    let document = usfm3::parse_with(text, Version::V3_1, options);
    for found in document.diagnostics() {
        let place = Place::line(found.span.line_col(text).line as usize);
        match found.severity {
            Severity::Error => draft.refuse("usfm", place, found.message.clone()),
            Severity::Warning => draft.remark("usfm", place, found.message.clone()),
            Severity::Info => {}
        }
    }
    let Some(book) = book(&document) else {
        let message = "the file doesn't begin with \\id and the code of a book of the Bible";
        draft.refuse("book", Place::line(1), message);
        return;
    };
    let mut lines = Lines::new(text);
    verses(&document, book, &mut lines, draft);
    Walk::new(&document, book).rest(draft);
}

fn book(document: &Document<'_>) -> Option<Book> {
    let mut code = String::new();
    document.for_each_vref(|row| {
        if code.is_empty() {
            row.book_code.clone_into(&mut code);
        }
    });
    Book::from_usfm(&code)
}

/// The verses as the parser cleans them: without notes, headings and marks.
fn verses(document: &Document<'_>, book: Book, lines: &mut Lines<'_>, draft: &mut Draft) {
    let nodes = document.tape().nodes.iter();
    let mut starts = nodes
        .filter(|node| node.kind == NodeKind::Verse)
        .map(|node| node.start as usize);
    document.for_each_vref(|row| {
        let place = Place::line(lines.of(starts.next().unwrap_or_default()));
        let chapter = u8::try_from(row.chapter)
            .ok()
            .filter(|chapter| *chapter > 0);
        let verse = |number| Some(Verse::new(book, chapter?, number));
        let span = numbers(row.label)
            .and_then(|(from, to, part)| Some((Span::new(verse(from)?, verse(to)?)?, part)));
        match span {
            Some((span, true)) => draft.put_part(span, row.text, place.at(span)),
            Some((span, false)) => draft.put(span, row.text, place.at(span)),
            None => {
                let message = format!("`\\v {}` in chapter {} is no verse", row.label, row.chapter);
                draft.refuse("verse", place, message);
            }
        }
    });
}

/// The first and last number of a label such as `3`, `3-4` or `3b`, and whether it is a part.
fn numbers(label: &str) -> Option<(u8, u8, bool)> {
    let number = |text: &str| {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let lawful = text.len() - digits.len() <= 1 && !digits.starts_with('+');
        let number = digits.parse().ok().filter(|number| lawful && *number > 0);
        Some((number?, digits.len() < text.len()))
    };
    let (from, to) = label.split_once(['-', '–']).unwrap_or((label, label));
    let ((from, begun), (to, cut)) = (number(from)?, number(to)?);
    Some((from, to, begun || cut))
}

/// What isn't in a verse: titles of psalms, which are kept, and the rest, which is counted.
struct Walk<'d> {
    document: &'d Document<'d>,
    nodes: &'d [Node],
    book: Book,
    chapter: Option<u8>,
    in_verse: bool,
}

impl<'d> Walk<'d> {
    fn new(document: &'d Document<'d>, book: Book) -> Self {
        Self {
            document,
            nodes: &document.tape().nodes,
            book,
            chapter: None,
            in_verse: false,
        }
    }

    fn rest(mut self, draft: &mut Draft) {
        let mut at = 0;
        let mut lines = Lines::new(self.document.source());
        while let Some(node) = self.nodes.get(at) {
            let line = lines.of(node.start as usize);
            at += 1;
            match node.kind {
                NodeKind::Chapter => {
                    self.chapter = u8::try_from(node.link).ok();
                    self.in_verse = false;
                }
                NodeKind::Verse => self.in_verse = true,
                NodeKind::MarkerOpen if self.skips(node, at, line, draft) => {
                    at = node.link as usize + 1;
                }
                NodeKind::Text if !self.in_verse && !self.text(node).trim().is_empty() => {
                    let message = "there is text outside of the verses";
                    draft.refuse("outside", Place::line(line), message);
                }
                _ => {}
            }
        }
    }

    /// Whether the marker's content isn't the text of a verse. A title is taken, others counted.
    fn skips(&self, node: &Node, inside: usize, line: usize, draft: &mut Draft) -> bool {
        let table = usfm3::low_level::MarkerTable::for_version(self.document.version());
        let Some(info) = table.info(node.marker) else {
            return false;
        };
        let excluded = info.text_role == TextRole::Excluded;
        if !excluded && info.category != Category::Identification {
            return false;
        }
        let end = (node.link as usize).clamp(inside, self.nodes.len());
        let content = &self.nodes[inside..end];
        // Numbers in the Hebrew manner: the title is part of verse 1, and was read with it.
        if content.iter().any(|node| node.kind == NodeKind::Verse) {
            return false;
        }
        match (info.name, self.chapter) {
            ("d", Some(chapter)) if !self.in_verse => {
                let title = Span::of(Verse::new(self.book, chapter, 0));
                let text = self.plain(content);
                draft.put_part(title, &text, Place::line(line).at(title));
            }
            ("id", _) => {}
            (name, _) => draft.leave_out(&format!("\\{name}")),
        }
        true
    }

    fn text(&self, node: &Node) -> &'d str {
        node.span().text(self.document.source())
    }

    /// The text of some nodes without that of notes.
    fn plain(&self, nodes: &[Node]) -> String {
        let mut text = String::new();
        let mut note = 0_u32;
        let table = usfm3::low_level::MarkerTable::for_version(self.document.version());
        for node in nodes {
            let info = table.info(node.marker);
            let is_note = info.is_some_and(|info| info.category == Category::Note);
            match node.kind {
                NodeKind::MarkerOpen if is_note => note += 1,
                NodeKind::MarkerClose if is_note => note = note.saturating_sub(1),
                NodeKind::Text if note == 0 => text.push_str(self.text(node)),
                _ => {}
            }
        }
        text
    }
}

/// Numbers of lines for places that come in rising order.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    fn of(&mut self, place: usize) -> usize {
        let passed = self.text.as_bytes().get(self.at..place).unwrap_or_default();
        self.line += lines(passed);
        self.at = self.at.max(place);
        self.line
    }
}
