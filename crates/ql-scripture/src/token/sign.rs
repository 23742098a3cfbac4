//! What one character is to a text.

/// The kinds of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Part of a word; also every character that isn't known.
    Letter,
    /// A figure of a number.
    Digit,
    /// White space within a line.
    Space,
    /// The end of a line.
    Line,
    /// A full stop.
    Stop,
    /// Another end of a sentence.
    Exclamation,
    /// A question mark.
    Question,
    /// Punctuation within sentences, marks of emphasis and of paragraphs.
    Comma,
    /// A quotation mark.
    Quote,
    /// An apostrophe between letters, a quotation mark elsewhere.
    Apostrophe,
    /// A hyphen.
    Hyphen,
    /// A dash.
    Dash,
    /// The Hebrew maqaf, which joins words as a space parts them.
    Joiner,
    /// An ellipsis in one character.
    Ellipsis,
    /// Nothing: it has no width, or it says something about the text that isn't the text.
    Nothing,
}

impl Sign {
    /// What the character is.
    pub(crate) const fn of(character: char) -> Self {
        if character.is_ascii() {
            return ASCII[character as usize];
        }
        beyond_ascii(character)
    }

    /// Whether words are made of it.
    pub(crate) const fn is_of_words(self) -> bool {
        matches!(self, Self::Letter | Self::Digit)
    }
}

const ASCII: [Sign; 128] = {
    let mut table = [Sign::Letter; 128];
    let mut at = 0_u8;
    while at < 128 {
        table[at as usize] = ascii(at);
        at += 1;
    }
    table
};

const fn ascii(byte: u8) -> Sign {
    match byte {
        b'0'..=b'9' => Sign::Digit,
        b' ' | b'\t' => Sign::Space,
        b'\n' | b'\r' | 0x0b | 0x0c => Sign::Line,
        b'.' => Sign::Stop,
        b'!' => Sign::Exclamation,
        b'?' => Sign::Question,
        b',' | b';' | b':' | b'(' | b')' | b'*' | b'_' | b'/' => Sign::Comma,
        b'"' => Sign::Quote,
        b'\'' | b'`' => Sign::Apostrophe,
        b'-' => Sign::Hyphen,
        b'[' | b']' => Sign::Nothing,
        _ => Sign::Letter,
    }
}

const fn beyond_ascii(character: char) -> Sign {
    match character {
        '’' | '‘' | '\u{2bc}' | '\u{2bb}' | '\u{1fbd}' | '´' => Sign::Apostrophe,
        '“' | '”' | '„' | '‟' | '‚' | '‛' | '«' | '»' | '‹' | '›' | '「' | '」' | '『' | '』' => {
            Sign::Quote
        }
        '\u{2010}' | '\u{2011}' => Sign::Hyphen,
        '\u{2012}'..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' => Sign::Dash,
        '\u{5be}' => Sign::Joiner,
        '…' | '‥' | '⋯' => Sign::Ellipsis,
        '\u{37e}' | '？' | '؟' => Sign::Question,
        '。' | '．' | '۔' | '।' | '॥' | '\u{5c3}' => Sign::Stop,
        '！' | '¡' => Sign::Exclamation,
        // Middle dots, pilcrow and section, daggers, paseq and the inverted nun, commas of others.
        '·' | '\u{387}' | '¶' | '§' | '†' | '‡' | '¿' | '\u{5c0}' | '\u{5c6}' | '，' | '、'
        | '；' | '：' | '،' | '؛' | '（' | '）' => Sign::Comma,
        '\u{85}' | '\u{2028}' | '\u{2029}' => Sign::Line,
        // No width: soft hyphen, joiners, marks of direction; not overrides of direction, which
        // change what is read.
        '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        // Accents of cantillation, meteg, rafe and the dots above and below.
        | '\u{591}'..='\u{5af}' | '\u{5bd}' | '\u{5bf}' | '\u{5c4}' | '\u{5c5}'
        // Sigla of editions.
        | '\u{2e00}'..='\u{2e0d}' | '⟦' | '⟧' => Sign::Nothing,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' => Sign::Digit,
        _ if character.is_whitespace() => Sign::Space,
        _ => Sign::Letter,
    }
}

/// The letters of a typographic ligature of the Latin alphabet, or the character itself.
pub(crate) fn ligature(character: char) -> impl Iterator<Item = char> {
    let letters = match character {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        _ => "",
    };
    let itself = letters.is_empty().then_some(character);
    itself.into_iter().chain(letters.chars())
}
