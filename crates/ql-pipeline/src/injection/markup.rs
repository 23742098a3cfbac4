//! What of a text is shown, and what stands in comments, hidden elements and attributes.

use std::ops::Range;

use super::finding::Layer;
use super::words::Part;

/// A tag is no longer than this; what looks like one and is, is text.
const LONGEST_TAG: usize = 4096;

/// Elements whose tags are left out of the text. Others stay in it: `<SYSTEM>` is no HTML.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "img", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub",
    "sup", "time", "tt", "u", "var", "wbr",
];
const BLOCK: &[&str] = &[
    "address",
    "article",
    "aside",
    "audio",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "input",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "meta",
    "nav",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "picture",
    "pre",
    "script",
    "section",
    "select",
    "source",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
    "video",
];

/// Elements that are never shown.
const UNSHOWN: &[&str] = &["template", "noscript"];

/// What in an opening tag hides its element, without spaces and in small letters.
const HIDING: &[&str] = &[
    "display:none",
    "visibility:hidden",
    "font-size:0",
    "font-size:1px",
    "opacity:0;",
    "opacity:0\"",
    "opacity:0'",
    "color:white",
    "color:#fff",
    "color:transparent",
    "left:-9",
    "top:-9",
    "text-indent:-9",
    "aria-hidden=\"true\"",
    "type=\"hidden\"",
];

/// Text of one layer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) layer: Layer,
    pub(super) parts: Vec<Part>,
}

/// Takes a text apart. The first piece is what is shown.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut cutter = Cutter {
        text,
        shown: Vec::new(),
        others: Vec::new(),
        from: 0,
        is_new: false,
        hidden: None,
    };
    cutter.run();
    let shown = Piece {
        layer: Layer::PlainText,
        parts: cutter.shown,
    };
    [shown].into_iter().chain(cutter.others).collect()
}

struct Cutter<'a> {
    text: &'a str,
    shown: Vec<Part>,
    others: Vec<Piece>,
    /// Where the text since the last tag begins.
    from: usize,
    is_new: bool,
    hidden: Option<Hidden<'a>>,
}

/// A hidden element that is open.
struct Hidden<'a> {
    name: &'a str,
    depth: usize,
    layer: Layer,
    parts: Vec<Part>,
}

struct Tag<'a> {
    name: &'a str,
    closes: bool,
    range: Range<usize>,
    attributes: Range<usize>,
}

impl<'a> Cutter<'a> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(found) = self.text[at..].find('<') {
            let open = at + found;
            if self.text[open..].starts_with("<!--") {
                at = self.comment(open);
            } else if let Some(tag) = tag(self.text, open) {
                at = tag.range.end;
                self.text_until(open);
                self.from = at;
                self.is_new |= !INLINE
                    .iter()
                    .any(|name| tag.name.eq_ignore_ascii_case(name));
                self.tag(&tag);
            } else {
                at = open + 1;
            }
        }
        self.text_until(self.text.len());
        if let Some(hidden) = self.hidden.take() {
            self.push(hidden.layer, hidden.parts);
        }
    }

    fn comment(&mut self, open: usize) -> usize {
        self.text_until(open);
        let begin = open + 4;
        let inside = self.text[begin..]
            .find("-->")
            .map_or(self.text.len(), |end| begin + end);
        self.push(Layer::HtmlComment, vec![whole(begin..inside)]);
        self.from = (inside + 3).min(self.text.len());
        self.from
    }

    /// Keeps the text since the last tag.
    fn text_until(&mut self, end: usize) {
        if self.from >= end {
            return;
        }
        let part = Part {
            range: self.from..end,
            is_new: std::mem::take(&mut self.is_new),
        };
        match &mut self.hidden {
            Some(hidden) => hidden.parts.push(part),
            None => self.shown.push(part),
        }
        self.from = end;
    }

    fn tag(&mut self, tag: &Tag<'a>) {
        self.attributes(tag);
        if let Some(mut hidden) = self.hidden.take() {
            if tag.name.eq_ignore_ascii_case(hidden.name) {
                hidden.depth = if tag.closes {
                    hidden.depth - 1
                } else {
                    hidden.depth + 1
                };
            }
            if hidden.depth == 0 {
                self.push(hidden.layer, hidden.parts);
            } else {
                self.hidden = Some(hidden);
            }
        } else if let Some(layer) = self.hides(tag) {
            self.hidden = Some(Hidden {
                name: tag.name,
                depth: 1,
                layer,
                parts: Vec::new(),
            });
        }
    }

    fn hides(&self, tag: &Tag<'_>) -> Option<Layer> {
        let is = |name: &&str| tag.name.eq_ignore_ascii_case(name);
        if tag.closes || ["img", "input", "br", "hr", "meta", "link"].iter().any(is) {
            return None;
        }
        if is(&"title") {
            return Some(Layer::Metadata);
        }
        let attributes = &self.text[tag.attributes.clone()];
        let squeezed: String = attributes.split_whitespace().collect();
        let squeezed = squeezed.to_ascii_lowercase();
        let bare = attributes
            .split_whitespace()
            .any(|word| word.eq_ignore_ascii_case("hidden"));
        let hides = bare || HIDING.iter().any(|sign| squeezed.contains(sign));
        (hides || UNSHOWN.iter().any(is)).then_some(Layer::HiddenElement)
    }

    /// Keeps the values of attributes that hold several words.
    fn attributes(&mut self, tag: &Tag<'a>) {
        let mut at = tag.attributes.start;
        while let Some(found) = self.text[at..tag.attributes.end].find(['"', '\'']) {
            let open = at + found;
            let quote = self.text.as_bytes()[open];
            let inside = &self.text[open + 1..tag.attributes.end];
            let Some(length) = inside.find(char::from(quote)) else {
                return;
            };
            if inside[..length].contains(' ') {
                let value = open + 1..open + 1 + length;
                self.push(Layer::Metadata, vec![whole(value)]);
            }
            at = open + length + 2;
        }
    }

    fn push(&mut self, layer: Layer, parts: Vec<Part>) {
        self.others.push(Piece { layer, parts });
    }
}

const fn whole(range: Range<usize>) -> Part {
    Part {
        range,
        is_new: true,
    }
}

/// The tag that begins at `open`.
fn tag(text: &str, open: usize) -> Option<Tag<'_>> {
    let bytes = text.as_bytes();
    let closes = bytes.get(open + 1) == Some(&b'/');
    let begin = open + 1 + usize::from(closes);
    let rest = bytes.get(begin..)?;
    let length = rest
        .iter()
        .take(12)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let name = &text[begin..begin + length];
    let known = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    let follows = rest.get(length)?;
    if !matches!(follows, b' ' | b'>' | b'/' | b'\n' | b'\r' | b'\t')
        || !(known(INLINE) || known(BLOCK))
    {
        return None;
    }
    let end = rest
        .iter()
        .take(LONGEST_TAG)
        .position(|byte| *byte == b'>')?;
    Some(Tag {
        name,
        closes,
        range: open..begin + end + 1,
        attributes: begin + length..begin + end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Layer, String)> {
        let joined = |piece: Piece| {
            let parts = piece.parts.into_iter().map(|part| &text[part.range]);
            (piece.layer, parts.collect::<Vec<_>>().join("|"))
        };
        pieces(text).into_iter().map(joined).collect()
    }

    #[test]
    fn what_is_shown_is_told_from_what_is_not() {
        let page = "<p>One <b>two</b><!-- three --> <span style='Display: none'>four <span>5</span></span>\
            <img alt=\"six seven\">8 <SYSTEM> < 9";
        insta::assert_debug_snapshot!(cut(page), @r#"
        [
            (
                PlainText,
                "One |two| |8 <SYSTEM> < 9",
            ),
            (
                HtmlComment,
                " three ",
            ),
            (
                Metadata,
                "Display: none",
            ),
            (
                HiddenElement,
                "four |5",
            ),
            (
                Metadata,
                "six seven",
            ),
        ]
        "#);
    }

    #[test]
    fn broken_markup_is_text() {
        assert_eq!(cut("a <b").len(), 1);
        assert_eq!(cut("<!-- never closed")[1].1, " never closed");
        assert_eq!(
            cut("<div hidden>gone")[1],
            (Layer::HiddenElement, "gone".to_owned())
        );
        assert_eq!(cut("a <b x='never closed>c")[0].1, "a |c");
    }
}
