//! A result of an agent as people read it: piece by piece, with findings at the words that they are
//! about.

use std::ops::Range;

use ql_app::director::{DocumentView, Finding};
use serde_json::Value;

use crate::labels;
use crate::page::{DocumentPart, Line, Marked, Note};

/// Members of documents in the order in which people read them; others follow by the alphabet.
const ORDER: [&str; 35] = [
    "title",
    "heading",
    "passage",
    "word",
    "thesis",
    "summary",
    "hook",
    "description",
    "picture",
    "genre",
    "context",
    "setting",
    "reading",
    "rationale",
    "note",
    "text",
    "words",
    "on_screen",
    "alt",
    "sections",
    "passages",
    "readings",
    "shots",
    "segments",
    "shorts",
    "alternatives",
    "variants",
    "chapters",
    "figures",
    "closing",
    "open_questions",
    "ideas",
    "tags",
    "artifact",
    "attestations",
];

/// Members that head what follows them.
const HEADINGS: [&str; 3] = ["title", "heading", "passage"];

/// Members whose objects are short enough to stand in one line each.
const SHORT: [&str; 4] = ["attestations", "figures", "chapters", "artifact"];

/// A piece of a result before anything is found in it.
struct Piece {
    pointer: String,
    label: String,
    is_heading: bool,
    text: String,
    /// Which findings are about it.
    found: Vec<usize>,
    /// The bytes that findings mark.
    marks: Vec<(Range<usize>, usize)>,
}

/// A result as parts with their lines, and the findings about the whole of it. Findings are
/// numbered from `first` in the order in which they are met; `note` makes the margin's note.
pub(crate) fn read(
    document: &DocumentView,
    first: usize,
    note: impl Fn(usize, &Finding) -> Note,
) -> (Vec<Note>, Vec<DocumentPart>) {
    let mut parts = parts(&document.result);
    let findings = &document.findings;
    let mut whole = Vec::new();
    for (index, finding) in findings.iter().enumerate() {
        match place(&mut parts, &finding.pointer) {
            Some(piece) => piece.found.push(index),
            None => whole.push(index),
        }
    }
    let met = whole
        .iter()
        .copied()
        .chain(pieces(&parts).flat_map(|piece| piece.found.clone()));
    let met: Vec<usize> = met.collect();
    let number =
        |index: usize| first + met.iter().position(|met| *met == index).unwrap_or_default();
    for (index, finding) in findings.iter().enumerate() {
        mark(&mut parts, &document.result, (finding, number(index)));
    }
    let noted = |index: &usize| note(number(*index), &findings[*index]);
    let shown = |piece: Piece| Line {
        anchor: anchor(&piece.pointer, &document.stage),
        notes: piece.found.iter().map(noted).collect(),
        spans: spans(&piece.text, piece.marks),
        pointer: piece.pointer,
        label: piece.label,
        is_heading: piece.is_heading,
    };
    let whole = whole.iter().map(noted).collect();
    let parts = parts.into_iter().map(|(title, pieces)| DocumentPart {
        title,
        lines: pieces.into_iter().map(shown).collect(),
    });
    (whole, parts.collect())
}

type Parts = Vec<(&'static str, Vec<Piece>)>;

fn pieces(parts: &Parts) -> impl Iterator<Item = &Piece> {
    parts.iter().flat_map(|(_, pieces)| pieces)
}

fn anchor(pointer: &str, stage: &str) -> String {
    let place = pointer.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    format!("at-{}{place}", stage.to_ascii_lowercase())
}

/// The parts of a result that people read; those without anything in them are left out.
fn parts(result: &Value) -> Parts {
    let mut document = Vec::new();
    walk(&result["output"], "/output", &mut document);
    let parts = [
        ("The document", document),
        (
            "Quotations of Scripture",
            each(result, "scripture", quotation),
        ),
        ("Claims about the world", each(result, "claims", claim)),
        ("What isn't certain", each(result, "uncertainties", plain)),
        (
            "Interpretive notes",
            each(result, "interpretive_notes", plain),
        ),
        (
            "Doctrines it rests on",
            each(result, "cited_doctrines", plain),
        ),
    ];
    let some = parts.into_iter().filter(|(_, pieces)| !pieces.is_empty());
    some.collect()
}

fn walk(value: &Value, pointer: &str, pieces: &mut Vec<Piece>) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            let rank = |key: &str| ORDER.iter().position(|known| *known == key);
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort_by_key(|key| (rank(key).unwrap_or(ORDER.len()), key.as_str()));
            for key in keys {
                walk(&members[key], &labels::join(pointer, key), pieces);
            }
        }
        Value::Array(items) => {
            let is_short = SHORT
                .iter()
                .any(|key| pointer.ends_with(&format!("/{key}")));
            for (index, item) in items.iter().enumerate() {
                let here = format!("{pointer}/{index}");
                match item {
                    Value::Object(_) if is_short => pieces.push(piece(here, line(item))),
                    _ => walk(item, &here, pieces),
                }
            }
        }
        leaf => pieces.push(piece(pointer.to_owned(), text(leaf))),
    }
}

fn piece(pointer: String, text: String) -> Piece {
    let inner = pointer.strip_prefix("/output").unwrap_or(&pointer);
    let last = pointer.rsplit('/').next().unwrap_or_default();
    Piece {
        label: labels::label(&Value::Null, inner),
        is_heading: HEADINGS.contains(&last),
        pointer,
        text,
        found: Vec::new(),
        marks: Vec::new(),
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A short object in one line.
fn line(item: &Value) -> String {
    let members = item.as_object().into_iter().flatten();
    let words = members.filter(|(_, value)| !value.is_null() && value.as_str() != Some(""));
    let words: Vec<String> = words
        .map(|(key, value)| format!("{}: {}", labels::title(&Value::Null, key), text(value)))
        .collect();
    words.join(" · ")
}

/// A list of a result, each as its label and its words.
fn each(result: &Value, list: &str, read: fn(&Value) -> (String, String)) -> Vec<Piece> {
    let items = result[list].as_array().into_iter().flatten().enumerate();
    items
        .map(|(index, item)| {
            let (label, text) = read(item);
            Piece {
                label,
                is_heading: false,
                ..piece(format!("/{list}/{index}"), text)
            }
        })
        .collect()
}

fn quotation(item: &Value) -> (String, String) {
    let label = format!("{} · {}", text(&item["ref"]), text(&item["translation"]));
    (label, text(&item["quote"]))
}

fn claim(item: &Value) -> (String, String) {
    let source = &item["source"];
    let said = ["author", "work", "locator", "url"]
        .into_iter()
        .filter_map(|member| source[member].as_str())
        .filter(|text| !text.is_empty());
    let said: Vec<&str> = said.collect();
    let label = if said.is_empty() {
        "without a source".to_owned()
    } else {
        format!("source: {}", said.join(", "))
    };
    (label, text(&item["claim"]))
}

fn plain(item: &Value) -> (String, String) {
    (String::new(), text(item))
}

/// The piece in which a pointer lies.
fn place<'p>(parts: &'p mut Parts, pointer: &str) -> Option<&'p mut Piece> {
    let mut all = parts.iter_mut().flat_map(|(_, pieces)| pieces);
    all.find(|piece| within(pointer, &piece.pointer))
}

fn within(pointer: &str, outer: &str) -> bool {
    pointer
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Marks the words that a finding is about: those that it names, or all of its piece; a quotation
/// also wherever the document has it.
fn mark(parts: &mut Parts, result: &Value, (finding, number): (&Finding, usize)) {
    let Some(piece) = place(parts, &finding.pointer) else {
        return;
    };
    let whole = 0..piece.text.len();
    let is_exact = finding.pointer == piece.pointer;
    let named = is_exact.then(|| named(finding, &piece.text)).flatten();
    let range = named.unwrap_or(whole);
    piece.marks.push((range, number));
    let Some((_, quote)) = quote_of(result, &finding.pointer) else {
        return;
    };
    let spoken = parts
        .iter_mut()
        .filter(|(title, _)| *title == "The document");
    for piece in spoken.flat_map(|(_, pieces)| pieces) {
        let places = piece.text.match_indices(quote);
        let places: Vec<Range<usize>> = places.map(|(at, it)| at..at + it.len()).collect();
        piece
            .marks
            .extend(places.into_iter().map(|place| (place, number)));
    }
}

/// The bytes that a finding names in the text of its piece.
fn named(finding: &Finding, text: &str) -> Option<Range<usize>> {
    let at = |name: &str| usize::try_from(finding.evidence[name].as_u64()?).ok();
    let range = at("from")?..at("to")?;
    text.get(range.clone())
        .is_some_and(|words| !words.is_empty())
        .then_some(range)
}

/// The reference and the words of the quotation in which a pointer lies.
pub(crate) fn quote_of<'r>(result: &'r Value, pointer: &str) -> Option<(&'r str, &'r str)> {
    let index = pointer.strip_prefix("/scripture/")?.split('/').next()?;
    let quotation = &result["scripture"][index.parse::<usize>().ok()?];
    let (reference, quote) = (quotation["ref"].as_str()?, quotation["quote"].as_str()?);
    (!quote.is_empty()).then_some((reference, quote))
}

/// A text cut where marks begin and end. Of marks that overlap the first counts.
fn spans(text: &str, mut marks: Vec<(Range<usize>, usize)>) -> Vec<Marked> {
    marks.sort_by_key(|(range, number)| (range.start, range.end, *number));
    let (mut spans, mut at) = (Vec::new(), 0);
    let mut add = |range: Range<usize>, finding: Option<usize>| {
        if let Some(words) = text.get(range).filter(|words| !words.is_empty()) {
            let text = words.to_owned();
            spans.push(Marked { text, finding });
        }
    };
    for (range, number) in marks {
        if range.start < at || range.end > text.len() {
            continue;
        }
        add(at..range.start, None);
        at = range.end;
        add(range, Some(number));
    }
    add(at..text.len(), None);
    spans
}
