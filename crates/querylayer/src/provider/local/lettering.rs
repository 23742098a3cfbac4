//! Words as outlines, so that a picture is the same on every machine, whatever fonts it has.

use std::fmt::Write as _;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Where words may stand, in pixels.
const LEFT: f32 = 80.0;
const WIDTH: f32 = 1120.0;
const TOP: f32 = 90.0;
const HEIGHT: f32 = 490.0;
/// The sizes that are tried, and the distance of lines, in parts of the size.
const SIZES: [u16; 9] = [128, 112, 96, 84, 72, 60, 48, 36, 26];
const LINE: f32 = 1.2;

/// A font.
pub(super) struct Font {
    bytes: std::borrow::Cow<'static, [u8]>,
}

impl Font {
    /// Noto Sans, which comes with the program: Latin, Greek and Cyrillic letters.
    pub(super) fn own() -> Self {
        let bytes = notosans::BOLD_TTF.into();
        Self { bytes }
    }

    /// The first font in a file; none where it holds none.
    pub(super) fn parse(bytes: Vec<u8>) -> Option<Self> {
        Face::parse(&bytes, 0).ok()?;
        let bytes = bytes.into();
        Some(Self { bytes })
    }

    /// Words as large as they fit, as elements of SVG.
    ///
    /// # Errors
    /// The font or this program can't write them; the message names the characters.
    pub(super) fn lettering(&self, words: &str) -> Result<String, String> {
        let face = Face::parse(&self.bytes, 0).map_err(|error| error.to_string())?;
        check(&face, words)?;
        let sizes = SIZES.into_iter().map(f32::from);
        let fitting = sizes.filter_map(|size| {
            let lines = lines(&face, words, size)?;
            let fits = lines_high(&lines, size) <= HEIGHT;
            fits.then_some((lines, size))
        });
        let (lines, size) = fitting
            .into_iter()
            .next()
            .ok_or("the title is too long for a picture")?;
        Ok(drawn(&face, &lines, size))
    }
}

/// Letters are set side by side, which is how these scripts are written. Others join or reorder
/// theirs, and would come out wrong.
fn check(face: &Face<'_>, words: &str) -> Result<(), String> {
    let is_simple = |c: char| {
        matches!(c, '\u{20}'..='\u{58f}' | '\u{1e00}'..='\u{206f}' | '\u{20a0}'..='\u{2bff}'
            | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ffef}')
            && !matches!(c, '\u{300}'..='\u{36f}')
    };
    let is_written = |c: &char| is_simple(*c) && face.glyph_index(*c).is_some();
    let wrong: String = words
        .chars()
        .filter(|c| !c.is_whitespace() && !is_written(c))
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "`{wrong}` can't be drawn by the thumbnail template; give the tier a `font` that has these \
         letters, or a model that draws where their script joins letters or runs to the left"
    ))
}

fn scale(face: &Face<'_>, size: f32) -> f32 {
    size / f32::from(face.units_per_em())
}

/// How far a character moves the pen, in units of the font.
fn advance(face: &Face<'_>, glyph: GlyphId) -> f32 {
    face.glyph_hor_advance(glyph).map_or(0.0, f32::from)
}

fn width(face: &Face<'_>, text: &str, size: f32) -> f32 {
    let glyphs = text.chars().filter_map(|c| face.glyph_index(c));
    glyphs.map(|glyph| advance(face, glyph)).sum::<f32>() * scale(face, size)
}

/// The lines that words take; none where one word is wider than the picture.
fn lines(face: &Face<'_>, words: &str, size: f32) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        if width(face, word, size) > WIDTH {
            return None;
        }
        match lines.last_mut() {
            Some(line) if width(face, &format!("{line} {word}"), size) <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    Some(lines)
}

#[expect(clippy::cast_precision_loss, reason = "a picture has few lines")]
fn lines_high(lines: &[String], size: f32) -> f32 {
    lines.len() as f32 * size * LINE
}

fn drawn(face: &Face<'_>, lines: &[String], size: f32) -> String {
    let (scale, mut svg) = (scale(face, size), String::new());
    let mut baseline = TOP + (HEIGHT - lines_high(lines, size)) / 2.0;
    for line in lines {
        baseline += size * LINE;
        let mut outline = Outline::default();
        for glyph in line.chars().filter_map(|c| face.glyph_index(c)) {
            face.outline_glyph(glyph, &mut outline);
            outline.pen += advance(face, glyph);
        }
        let _ = write!(
            svg,
            r#"<path transform="translate({LEFT} {baseline}) scale({scale} -{scale})" d="{}"/>"#,
            outline.path
        );
    }
    svg
}

/// A line of glyphs as the data of an SVG path, in units of the font.
#[derive(Default)]
struct Outline {
    path: String,
    pen: f32,
}

impl Outline {
    fn step(&mut self, command: char, points: &[(f32, f32)]) {
        self.path.push(command);
        for (x, y) in points {
            let _ = write!(self.path, "{} {} ", x + self.pen, y);
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.step('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.step('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.step('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.step('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}
