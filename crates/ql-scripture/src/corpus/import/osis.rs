//! OSIS in XML. Verses may be elements or be marked at their ends.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::Tradition;
use super::draft::Draft;
use super::lines;
use crate::corpus::problem::Place;
use crate::span::Span;
use crate::verse::Verse;

/// Elements whose content is no part of a verse.
const NOT_TEXT: [&str; 6] = ["header", "note", "rdg", "figure", "index", "title"];

/// Divisions that hold no verses.
const NOT_VERSES: [&str; 6] = [
    "introduction",
    "preface",
    "titlePage",
    "glossary",
    "index",
    "colophon",
];

/// Elements that part words even where no space does.
const BREAKS: [&str; 6] = ["l", "lg", "lb", "p", "div", "row"];

/// Reads the verses of a document.
pub(super) fn read(text: &str, tradition: Tradition, draft: &mut Draft) {
    let mut reader = Reader::from_str(text);
    let mut document = Document {
        tradition,
        draft,
        elements: Vec::new(),
        open: None,
        chapter: None,
        line: 1,
    };
    let mut seen = 0;
    loop {
        let event = reader.read_event();
        let at = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        let passed = text.as_bytes().get(seen..at).unwrap_or_default();
        match event {
            Ok(Event::Eof) => break,
            Ok(event) => document.take(&event),
            Err(error) => {
                let message = format!("the XML is broken: {error}");
                return document.refuse("xml", message);
            }
        }
        document.line += lines(passed);
        seen = seen.max(at);
    }
    document.end();
}

/// An element that is open.
#[derive(Debug)]
struct Element {
    kind: Kind,
    /// Whether text in it belongs to a verse.
    takes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Other,
    Verse,
    Word,
    /// A note that says how a written word is read.
    Variant,
}

/// A verse that is open.
#[derive(Debug)]
struct Open {
    span: Span,
    part: bool,
    text: String,
    line: usize,
}

struct Document<'d> {
    tradition: Tradition,
    draft: &'d mut Draft,
    elements: Vec<Element>,
    open: Option<Open>,
    chapter: Option<Verse>,
    line: usize,
}

impl Document<'_> {
    fn refuse(&mut self, code: &'static str, message: impl Into<String>) {
        self.draft.refuse(code, Place::line(self.line), message);
    }

    fn takes(&self) -> bool {
        self.elements.last().is_none_or(|element| element.takes)
    }

    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(start) => {
                let element = self.begin(start);
                self.elements.push(element);
            }
            Event::Empty(start) => {
                let element = self.begin(start);
                if element.kind == Kind::Verse && !is_mark(start) {
                    self.close();
                }
            }
            Event::End(_) => {
                if self.elements.pop().is_some_and(|e| e.kind == Kind::Verse) {
                    self.close();
                }
            }
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => match character(reference) {
                Some(character) => self.text(character.encode_utf8(&mut [0; 4])),
                None => self.refuse("entity", "an entity that XML doesn't define"),
            },
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Eof => {}
        }
    }

    fn text(&mut self, text: &str) {
        if !self.takes() {
            return;
        }
        let word = self.elements.iter().any(|e| e.kind == Kind::Word);
        match &mut self.open {
            // The parts of a Hebrew word are parted by strokes.
            Some(open) if word => open.text.extend(text.chars().filter(|c| *c != '/')),
            Some(open) => open.text.push_str(text),
            None if text.trim().is_empty() => {}
            None => self.refuse("outside", "there is text outside of the verses"),
        }
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> Element {
        let name = start.local_name();
        let name = name.as_ref();
        let kind = attribute(start, "type").unwrap_or_default();
        let takes = self.takes();
        let element = |kind, takes| Element { kind, takes };
        if BREAKS.contains(&name)
            && let Some(open) = &mut self.open
        {
            open.text.push(' ');
        }
        match name {
            "verse" => return element(self.verse(start), takes),
            "chapter" => self.chapter(start),
            "w" if kind == "x-ketiv" && self.tradition == Tradition::Read => {
                return element(Kind::Other, false);
            }
            "w" => return element(Kind::Word, takes),
            "note" if kind == "variant" && self.tradition == Tradition::Read => {
                return element(Kind::Variant, false);
            }
            "rdg" if kind == "x-qere" && self.in_variant() => {
                if let Some(open) = &mut self.open {
                    open.text.push(' ');
                }
                return element(Kind::Other, true);
            }
            "title" if takes && self.is_title_of_psalm(start, &kind) => {
                return element(self.title(), true);
            }
            _ => {}
        }
        let not_text = NOT_TEXT.contains(&name);
        let left_out = takes && (not_text || name == "div" && NOT_VERSES.contains(&kind.as_str()));
        if left_out {
            self.draft.leave_out(name);
        }
        element(Kind::Other, takes && !left_out)
    }

    fn in_variant(&self) -> bool {
        let last = self.elements.last();
        last.is_some_and(|element| element.kind == Kind::Variant)
    }

    /// Begins or ends a verse, and says whether it is an element around its text.
    fn verse(&mut self, start: &BytesStart<'_>) -> Kind {
        if attribute(start, "eID").is_some() {
            self.close();
            return Kind::Other;
        }
        let ids = attribute(start, "osisID").unwrap_or_default();
        match span(&ids) {
            Some((span, part)) => {
                if let Some(before) = self.open.take() {
                    let message = format!("{} has no end", before.span);
                    self.refuse("unclosed", message);
                }
                self.chapter = Some(span.from());
                self.open = Some(Open {
                    span,
                    part,
                    text: String::new(),
                    line: self.line,
                });
            }
            None => self.refuse("reference", format!("`{ids}` is no OSIS reference")),
        }
        if is_mark(start) {
            Kind::Other
        } else {
            Kind::Verse
        }
    }

    fn chapter(&mut self, start: &BytesStart<'_>) {
        let id = attribute(start, "osisID").unwrap_or_default();
        let first = format!("{id}.1").parse::<Verse>().ok();
        self.chapter = first.or(self.chapter);
    }

    fn is_title_of_psalm(&self, start: &BytesStart<'_>, kind: &str) -> bool {
        let canonical = attribute(start, "canonical").is_some_and(|value| value == "true");
        (kind == "psalm" || canonical) && self.open.is_none() && self.chapter.is_some()
    }

    /// Opens verse 0 of the chapter.
    fn title(&mut self) -> Kind {
        self.open = self.chapter.map(|chapter| Open {
            span: Span::of(Verse {
                verse: 0,
                ..chapter
            }),
            part: true,
            text: String::new(),
            line: self.line,
        });
        Kind::Verse
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return self.refuse("unopened", "a verse ends that didn't begin");
        };
        let place = Place::line(open.line).at(open.span);
        if open.part {
            self.draft.put_part(open.span, &open.text, place);
        } else {
            self.draft.put(open.span, &open.text, place);
        }
    }

    fn end(&mut self) {
        if let Some(open) = self.open.take() {
            self.refuse("unclosed", format!("{} has no end", open.span));
        }
        if !self.elements.is_empty() {
            self.refuse("xml", "the document is cut off");
        }
    }
}

/// Whether an element marks where a verse begins and doesn't hold its text.
fn is_mark(start: &BytesStart<'_>) -> bool {
    attribute(start, "sID").is_some() || attribute(start, "eID").is_some()
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).ok().flatten()?;
    Some(found.value.into_owned())
}

/// The verses of `Gen.1.1`, `Gen.1.1 Gen.1.2` or `Gen.1.1!a`, and whether it is a part of a verse.
fn span(ids: &str) -> Option<(Span, bool)> {
    let part = ids.contains('!');
    let verse = |id: &str| {
        let id = id.rsplit(':').next().unwrap_or(id);
        let id = id.split('!').next().unwrap_or(id);
        id.parse::<Verse>().ok()
    };
    let verses: Option<Vec<Verse>> = ids.split_whitespace().map(verse).collect();
    let verses = verses?;
    Some((Span::new(*verses.first()?, *verses.last()?)?, part))
}

/// The character that a reference stands for.
fn character(reference: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character);
    }
    match reference.xml10_content().as_ref() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}
