//! A text as words with what is known of each. Words of which nothing is known are only counted.

use std::ops::Range;

use super::disguise::Disguise;
use super::finding::Layer;
use super::letters::{self, Scripts, fold, is_invisible, is_unspaced};
use super::lexicon::{Known, Lexicon};

/// No word of a language is longer; what is, is cut.
const LONGEST_WORD: usize = 256;

/// From how many letters on a word that isn't known is tried as several.
const JOINED: usize = 15;

/// How a word stands in its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    /// At the beginning of a sentence, a line, a bracket or a quotation.
    pub(super) const START: Self = Self(1);
    /// Before a colon.
    pub(super) const COLON: Self = Self(2);
    /// Before a closing bracket.
    pub(super) const CLOSED: Self = Self(4);
    /// Part of an identifier that goes on.
    pub(super) const GOES_ON: Self = Self(8);
    /// At the end of a sentence.
    pub(super) const LAST: Self = Self(16);

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) const fn has(self, all: Self) -> bool {
        self.0 & all.0 == all.0
    }
}

/// A known word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// Its bytes in the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Which word it is, unknown ones counted too.
    pub(super) nth: u32,
    pub(super) sentence: u32,
    pub(super) classes: super::lexicon::Classes,
    pub(super) marks: Marks,
    /// What had to be undone to know it.
    pub(super) undone: Option<Layer>,
}

/// A text's words.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) known: Vec<Word>,
    /// Words that give a disguise away.
    pub(super) disguises: Vec<(Disguise, Range<usize>)>,
    /// Words in which Latin letters are mixed with others that look like them.
    pub(super) mixed: Vec<Range<usize>>,
}

/// Reads the words of some ranges of a text, one after the other.
pub(super) fn read(text: &str, ranges: &[Part], lexicon: &Lexicon) -> Words {
    let mut reader = Reader::new(lexicon);
    for part in ranges {
        reader.part(text, part);
    }
    reader.finish()
}

/// A range of a text, and whether a new sentence begins with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) range: Range<usize>,
    pub(super) is_new: bool,
}

/// A letter that stands alone.
#[derive(Clone, Copy)]
struct Single {
    letter: char,
    start: usize,
    end: usize,
}

struct Reader<'a> {
    lexicon: &'a Lexicon,
    words: Words,
    nth: u32,
    sentence: u32,
    /// Whether the next word stands at a beginning.
    starts: bool,
    /// Whether the next word follows an at sign that follows a word.
    at_sign: bool,
    word: Current,
    singles: Vec<Single>,
    /// How many words were known before the single letters, and whether those stand at a beginning.
    before_singles: usize,
    singles_start: bool,
}

/// The word that is being read.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each tells another thing of the word"
)]
struct Current {
    folded: String,
    scripts: Scripts,
    start: usize,
    end: usize,
    letters: usize,
    is_unspaced: bool,
    has_figures: bool,
    /// Where in `folded` a capital follows a small letter.
    humps: Vec<usize>,
    was_small: bool,
    has_invisible: bool,
}

impl<'a> Reader<'a> {
    fn new(lexicon: &'a Lexicon) -> Self {
        Self {
            lexicon,
            words: Words::default(),
            nth: 0,
            sentence: 0,
            starts: true,
            at_sign: false,
            word: Current::default(),
            singles: Vec::new(),
            before_singles: 0,
            singles_start: false,
        }
    }

    fn part(&mut self, text: &str, part: &Part) {
        if part.is_new {
            self.stop();
        }
        let piece = &text[part.range.clone()];
        let mut letters = piece.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            self.letter(part.range.start + at, letter, next);
        }
        self.end_word(None);
    }

    fn letter(&mut self, at: usize, letter: char, next: Option<char>) {
        if letter.is_ascii_alphanumeric() {
            self.push(at, letter, false);
        } else if letter.is_ascii() {
            self.separator(letter, next);
        } else if is_invisible(letter) {
            let inside = next.is_some_and(|next| next.is_ascii_alphabetic() || is_invisible(next));
            self.word.has_invisible |= letter != '\u{ad}' && inside && !self.word.folded.is_empty();
        } else if letter.is_alphanumeric() || is_mark(letter) {
            self.push(at, letter, is_unspaced(letter));
        } else {
            self.separator(letter, next);
        }
    }

    fn push(&mut self, at: usize, letter: char, unspaced: bool) {
        let full = self.word.folded.len() >= LONGEST_WORD;
        if !self.word.folded.is_empty() && (full || self.word.is_unspaced != unspaced) {
            self.end_word(Some(letter));
        }
        let word = &mut self.word;
        if word.folded.is_empty() {
            word.start = at;
            word.is_unspaced = unspaced;
        }
        if word.was_small && letter.is_ascii_uppercase() {
            word.humps.push(word.folded.len());
        }
        word.was_small = letter.is_ascii_lowercase();
        word.has_figures |= letter.is_ascii_digit();
        word.letters += 1;
        word.end = at + letter.len_utf8();
        fold(letter, &mut word.folded, &mut word.scripts);
    }

    fn separator(&mut self, sign: char, next: Option<char>) {
        if matches!(sign, '\'' | '’') && next == Some('t') && self.word.folded.ends_with('n') {
            return; // `don't` is one word.
        }
        let was_word = !self.word.folded.is_empty();
        self.end_word(Some(sign));
        match sign {
            ' ' | ',' | '-' | '\'' | '’' | '/' | '&' | '_' => {}
            '@' => self.at_sign = was_word && next.is_some_and(char::is_alphanumeric),
            '.' | '!' | '?' => {
                if !next.is_some_and(char::is_alphanumeric) {
                    self.stop();
                }
            }
            '。' | '！' | '？' | ';' => self.stop(),
            '\n' if next == Some('\n') => self.stop(),
            _ => self.starts = true,
        }
    }

    /// Ends the sentence.
    fn stop(&mut self) {
        self.end_word(None);
        self.join_singles();
        if let Some(word) = self.words.known.last_mut()
            && word.nth + 1 == self.nth
        {
            word.marks.add(Marks::LAST);
        }
        self.sentence += 1;
        self.starts = true;
    }

    fn end_word(&mut self, next: Option<char>) {
        if self.word.folded.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.single_or_not(&word);
        if word.is_unspaced {
            self.segment(&word.folded, word.start..word.end, None);
        } else {
            self.whole(&word, next);
        }
        self.starts = false;
        self.at_sign = false;
        self.word.folded = word.folded;
        self.word.folded.clear();
    }

    fn whole(&mut self, word: &Current, next: Option<char>) {
        let (mut known, undone) = self.recognize(word);
        let mut marks = Marks::default();
        match next {
            Some(':' | '：') => marks.add(Marks::COLON),
            Some(']' | ')' | '>' | '】') => marks.add(Marks::CLOSED),
            Some('_') => {
                marks.add(Marks::GOES_ON);
                known
                    .classes
                    .add_all(self.lexicon.look_up("snakecase").classes);
            }
            _ => {}
        }
        if let Some(disguise) = known.disguise {
            self.words.disguises.push((disguise, word.start..word.end));
        }
        if self.at_sign {
            let address = self.lexicon.look_up("https").classes;
            known.classes.add_all(address);
        }
        let span = word.start..word.end;
        if !known.classes.is_empty() {
            return self.emit(known, span, marks, undone);
        }
        if !word.humps.is_empty() {
            self.humps(word);
        } else if word.letters >= JOINED && !word.has_figures {
            self.segment(&word.folded, span, Some(Layer::JoinedWords));
        } else {
            self.nth += 1;
        }
    }

    /// What is known of a word, and what had to be undone to know it.
    fn recognize(&mut self, word: &Current) -> (Known, Option<Layer>) {
        let mut known = self.lexicon.look_up(&word.folded);
        if word.letters > 3 && word.folded.ends_with("gpt") {
            known.classes.add_all(self.lexicon.look_up("gpt").classes);
        }
        let scripts = word.scripts;
        if scripts.lookalike
            && let Some(latin) = letters::as_latin(&word.folded)
        {
            if scripts.latin && word.letters > 2 && !word.has_figures {
                self.words.mixed.push(word.start..word.end);
            }
            let folded = self.lexicon.look_up(&latin);
            if !folded.classes.is_empty() {
                known.classes.add_all(folded.classes);
                return (known, Some(Layer::HomoglyphFolded));
            }
        }
        if known.classes.is_empty() && word.has_figures && word.letters > 3 {
            let plain = self
                .lexicon
                .look_up(&letters::without_figures(&word.folded));
            return (plain, Some(Layer::Leetspeak));
        }
        let undone = if word.has_invisible {
            Some(Layer::InvisibleCharacters)
        } else {
            scripts.styled.then_some(Layer::HomoglyphFolded)
        };
        (known, undone)
    }

    fn emit(&mut self, known: Known, span: Range<usize>, marks: Marks, undone: Option<Layer>) {
        let mut marks = marks;
        if self.starts {
            marks.add(Marks::START);
        }
        self.words.known.push(Word {
            start: span.start,
            end: span.end,
            nth: self.nth,
            sentence: self.sentence,
            classes: known.classes,
            marks,
            undone,
        });
        self.nth += 1;
        self.starts = false;
    }

    /// An identifier such as `sendEmail`, part by part.
    fn humps(&mut self, word: &Current) {
        let ends = word.humps.iter().copied().chain([word.folded.len()]);
        let mut start = 0;
        for end in ends {
            let known = self.lexicon.look_up(&word.folded[start..end]);
            let mut marks = Marks::default();
            if end < word.folded.len() {
                marks.add(Marks::GOES_ON);
            }
            start = end;
            if known.classes.is_empty() {
                self.nth += 1;
            } else {
                self.emit(known, word.start..word.end, marks, None);
            }
        }
    }

    /// Text without spaces, by the longest known words.
    fn segment(&mut self, text: &str, span: Range<usize>, undone: Option<Layer>) {
        let mut rest = text;
        let mut was_known = true;
        while let Some(first) = rest.chars().next() {
            if let Some((length, known)) = self.lexicon.longest(rest) {
                self.emit(known, span.clone(), Marks::default(), undone);
                rest = &rest[length..];
                was_known = true;
            } else {
                self.nth += u32::from(was_known);
                rest = &rest[first.len_utf8()..];
                was_known = false;
            }
        }
    }

    fn single_or_not(&mut self, word: &Current) {
        let mut letters = word.folded.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            return self.join_singles();
        };
        if word.is_unspaced || !letter.is_alphabetic() {
            return self.join_singles();
        }
        let too_far = self
            .singles
            .last()
            .is_some_and(|last| word.start > last.end + 5);
        if too_far {
            self.join_singles();
        }
        if self.singles.is_empty() {
            self.before_singles = self.words.known.len();
            self.singles_start = self.starts;
        }
        self.singles.push(Single {
            letter,
            start: word.start,
            end: word.end,
        });
    }

    /// Letters that stand alone, as the words that they spell.
    fn join_singles(&mut self) {
        let singles = std::mem::take(&mut self.singles);
        if singles.len() < 4 {
            return;
        }
        let starts = std::mem::replace(&mut self.starts, self.singles_start);
        self.words.known.truncate(self.before_singles);
        self.nth = self
            .nth
            .saturating_sub(u32::try_from(singles.len()).unwrap_or(u32::MAX));
        for group in singles.chunk_by(|one, next| next.start - one.end <= 1) {
            let joined: String = group.iter().map(|single| single.letter).collect();
            let span = group[0].start..group[group.len() - 1].end;
            let known = self.lexicon.look_up(&joined);
            let undone = Some(Layer::SpacedLetters);
            if known.classes.is_empty() {
                self.segment(&joined, span, undone);
            } else {
                self.emit(known, span, Marks::default(), undone);
            }
        }
        self.starts = starts;
    }

    fn finish(mut self) -> Words {
        self.stop();
        self.words
    }
}

/// Signs that are written upon or after letters, such as vowel signs.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}')
}
