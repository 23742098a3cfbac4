//! The normal form of a text: the words that a quotation and its edition are compared by.
//!
//! A word is what stands between spaces and the punctuation of a closed list ([`Sign`]); within it
//! canonical equivalence (NFC) is all that makes two spellings one. Sigla, accents of cantillation,
//! square brackets and characters without width are taken out of words without parting them. A
//! character that isn't on the list belongs to a word, whatever it is, so that nothing passes
//! unseen because nobody thought of it.

mod sign;

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use sign::Sign;

/// What stands before a word, or after the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap(u16);

impl Gap {
    /// Punctuation that parts clauses.
    pub(crate) const PUNCTUATION: Self = Self(1);
    /// The end of a sentence.
    pub(crate) const SENTENCE: Self = Self(1 << 1);
    /// A quotation mark.
    pub(crate) const QUOTE: Self = Self(1 << 2);
    /// One hyphen between two letters, also where the line ends after it.
    pub(crate) const HYPHEN: Self = Self(1 << 3);
    /// A hyphen or a dash, whatever stands around it.
    pub(crate) const DASH: Self = Self(1 << 4);
    /// Three dots or more: something is left out.
    pub(crate) const ELLIPSIS: Self = Self(1 << 5);
    /// A question mark.
    pub(crate) const QUESTION: Self = Self(1 << 6);
    /// The line ends after a hyphen, which may stand for nothing.
    pub(crate) const BROKEN: Self = Self(1 << 7);

    /// Whether it has one of these properties.
    pub(crate) const fn has(self, properties: Self) -> bool {
        self.0 & properties.0 != 0
    }

    const fn with(self, properties: Self) -> Self {
        Self(self.0 | properties.0)
    }
}

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its bytes in the text as it was given.
    pub(crate) range: Range<usize>,
    /// What stands before it.
    pub(crate) gap: Gap,
}

/// Hands every word of `text` in its normal form to `take`, and answers what stands at the end.
pub(crate) fn scan(text: &str, mut take: impl FnMut(&str, Token)) -> Gap {
    let mut gap = Reading::default();
    let mut word: Option<Word> = None;
    let mut next = 0;
    while let Some(character) = text[next..].chars().next() {
        let at = next;
        if word.is_none()
            && let Some(end) = plain_word(text, at)
        {
            let (range, gap) = (at..end, std::mem::take(&mut gap).end());
            take(&text[range.clone()], Token { range, gap });
            next = end;
            continue;
        }
        next += character.len_utf8();
        let sign = match Sign::of(character) {
            Sign::Apostrophe if word.is_some_and(|w| !w.digits) && goes_on(&text[next..]) => {
                Sign::Letter
            }
            sign => sign,
        };
        let separator = character == ',' && word.is_some_and(|w| w.digits);
        if sign == Sign::Nothing || separator && is_group(&text[next..]) {
            word = word.map(Word::changed);
            continue;
        }
        // Letters and figures part by themselves, as in a verse number that touches its verse.
        let parts = word.is_some_and(|w| w.digits != (sign == Sign::Digit));
        if let Some(done) = word.take_if(|_| parts || !sign.is_of_words()) {
            done.hand_over(text, gap.end(), &mut take);
            gap = Reading::default();
        }
        if sign.is_of_words() {
            word = Some(Word::extended(word, at, character, sign));
        } else {
            gap.pass(sign);
        }
    }
    if let Some(done) = word {
        done.hand_over(text, gap.end(), &mut take);
        gap = Reading::default();
    }
    gap.end()
}

/// The end of a word of ASCII letters before a common sign, as most words of Latin texts are. It is
/// what the general way would find, in a fraction of its time.
fn plain_word(text: &str, at: usize) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    let length = rest.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let plain = matches!(rest[length], b' ' | b',' | b';' | b':' | b'.' | b'?' | b'!');
    (plain && length > 0).then_some(at + length)
}

/// Whether three figures follow and no more, so that a comma before them is part of a number.
fn is_group(rest: &str) -> bool {
    let figures = rest.bytes().take_while(u8::is_ascii_digit).take(4);
    figures.count() == 3
}

/// Whether a letter follows, whatever stands before it that is nothing.
fn goes_on(rest: &str) -> bool {
    let mut signs = rest.chars().map(Sign::of);
    signs.find(|sign| *sign != Sign::Nothing) == Some(Sign::Letter)
}

/// The words of a text in their normal form with their places, and what stands after the last.
pub(crate) fn words(text: &str) -> (Vec<(String, Token)>, Gap) {
    let mut words = Vec::new();
    let rest = scan(text, |word, token| words.push((word.to_owned(), token)));
    (words, rest)
}

/// A word that is being read.
#[derive(Clone, Copy, Debug)]
struct Word {
    start: usize,
    end: usize,
    digits: bool,
    /// Whether it is the text between its ends as it stands.
    plain: bool,
}

impl Word {
    fn changed(self) -> Self {
        Self {
            plain: false,
            ..self
        }
    }

    fn extended(word: Option<Self>, at: usize, character: char, sign: Sign) -> Self {
        let before = word.unwrap_or(Self {
            start: at,
            end: at,
            digits: sign == Sign::Digit,
            plain: true,
        });
        Self {
            end: at + character.len_utf8(),
            plain: before.plain && character.is_ascii(),
            ..before
        }
    }

    fn hand_over(self, text: &str, gap: Gap, take: &mut impl FnMut(&str, Token)) {
        let range = self.start..self.end;
        let raw = &text[range.clone()];
        let token = Token { range, gap };
        if self.plain && !raw.contains('`') {
            take(raw, token);
        } else {
            take(&normal(raw), token);
        }
    }
}

/// The normal form of one word: NFC, one apostrophe, nothing that is taken out of words.
fn normal(raw: &str) -> Cow<'_, str> {
    let kept = raw
        .chars()
        .filter_map(|character| match Sign::of(character) {
            // Of commas only those within numbers come here.
            Sign::Nothing | Sign::Comma => None,
            Sign::Apostrophe => Some('\''),
            _ => Some(character),
        });
    kept.flat_map(sign::ligature)
        .nfc()
        .collect::<String>()
        .into()
}

/// A gap that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    properties: Gap,
    signs: u32,
    hyphens: u32,
    dots: u32,
    hyphen_first: bool,
    space: bool,
    line: bool,
}

impl Reading {
    fn pass(&mut self, sign: Sign) {
        let properties = match sign {
            Sign::Line | Sign::Space => {
                self.space = true;
                self.line |= sign == Sign::Line;
                return;
            }
            Sign::Hyphen => {
                self.hyphen_first = self.signs == 0 && !self.space;
                self.hyphens += 1;
                Gap::DASH
            }
            Sign::Joiner => Gap::DASH,
            Sign::Dash => Gap::DASH.with(Gap::PUNCTUATION),
            Sign::Stop => {
                self.dots += 1;
                Gap::SENTENCE.with(Gap::PUNCTUATION)
            }
            Sign::Exclamation => Gap::SENTENCE.with(Gap::PUNCTUATION),
            Sign::Question => Gap::SENTENCE.with(Gap::QUESTION).with(Gap::PUNCTUATION),
            Sign::Ellipsis => Gap::ELLIPSIS.with(Gap::PUNCTUATION),
            Sign::Quote | Sign::Apostrophe => Gap::QUOTE,
            Sign::Comma | Sign::Letter | Sign::Digit | Sign::Nothing => Gap::PUNCTUATION,
        };
        self.properties = self.properties.with(properties);
        self.signs += 1;
    }

    fn end(self) -> Gap {
        let mut gap = self.properties;
        if self.dots >= 3 {
            gap = gap.with(Gap::ELLIPSIS);
        }
        if self.hyphens == 0 {
            return gap;
        }
        let alone = self.signs == 1 && self.hyphen_first;
        match (alone, self.space, self.line) {
            (true, false, _) => gap.with(Gap::HYPHEN),
            (true, true, true) => gap.with(Gap::HYPHEN).with(Gap::BROKEN),
            _ => gap.with(Gap::PUNCTUATION),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let (words, _) = words(text);
        let words: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        words.join("|")
    }

    #[test]
    fn words_are_parted_by_listed_punctuation_alone() {
        insta::assert_snapshot!(shown("The LORD’s hand—is not “short”; *O* ¶ man's…"), @"The|LORD's|hand|is|not|short|O|man's");
        insta::assert_snapshot!(shown("[T]he ⸀λόγος\u{200b}ς hi\u{ad}dden"), @"The|λόγοςς|hidden");
        insta::assert_snapshot!(shown("16For ³God 1,775"), @"16|For|³|God|1775");
        insta::assert_snapshot!(shown("n\u{336}ot ~~not~~ \u{202e}ton a=b"), @"n̶ot|~~not~~|\u{202e}ton|a=b");
        insta::assert_snapshot!(shown("עַל־פְּנֵ֣י הָאָֽרֶץ׃"), @"עַל|פְּנֵי|הָאָרֶץ");
        assert_eq!(shown("… — ’ “”"), "");
        assert_eq!(shown("caf\u{65}\u{301}"), shown("caf\u{e9}"));
    }

    #[test]
    fn gaps_say_what_parts_two_words() {
        let gap = |text: &str| words(text).0[1].1.gap;
        assert!(gap("burnt-offering").has(Gap::HYPHEN));
        assert!(gap("right-\n  eousness").has(Gap::BROKEN));
        assert!(!gap("he - she").has(Gap::HYPHEN));
        assert!(gap("he—she").has(Gap::DASH));
        assert!(!gap("he she").has(Gap::DASH));
        assert!(gap("he . . . she").has(Gap::ELLIPSIS));
        assert!(!gap("he. She").has(Gap::ELLIPSIS));
        assert!(gap("he? She").has(Gap::QUESTION));
        assert!(!gap("he she").has(Gap::PUNCTUATION));
        assert!(!gap("burnt-offering").has(Gap::PUNCTUATION));
    }

    #[test]
    fn places_are_of_the_text_as_given() {
        let text = "“In the ⸀begin\u{200b}ning”";
        let (words, _) = words(text);
        let raw: Vec<&str> = words.iter().map(|(_, t)| &text[t.range.clone()]).collect();
        assert_eq!(raw, ["In", "the", "begin\u{200b}ning"]);
    }
}
