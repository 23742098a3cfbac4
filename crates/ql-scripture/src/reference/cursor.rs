//! A place in a text, and the small pieces that are read from it.

/// A place in a text. Copies are cheap: what tries something tries it on a copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// The byte that it stands before.
    pub(super) fn at(self) -> usize {
        self.at
    }

    /// What follows.
    pub(super) fn rest(self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What stands between this place and a later one.
    pub(super) fn until(self, end: Self) -> &'t str {
        self.text.get(self.at..end.at).unwrap_or_default()
    }

    /// The next character.
    pub(super) fn peek(self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The same place, `bytes` further on.
    pub(super) fn skip(self, bytes: usize) -> Self {
        Self {
            at: self.at + bytes,
            ..self
        }
    }

    /// Behind the next character, if it is one of these.
    pub(super) fn eat(self, wanted: impl Fn(char) -> bool) -> Option<Self> {
        let c = self.peek().filter(|c| wanted(*c))?;
        Some(self.skip(c.len_utf8()))
    }

    /// Behind spaces, marks of emphasis and what can't be seen; a paragraph ends it.
    pub(super) fn blanks(self) -> Self {
        let mut at = self;
        let mut lines = 0;
        while let Some(next) = at.eat(is_blank) {
            // An underscore between letters is part of a programmer's word.
            if at.peek() == Some('_') && next.peek().is_some_and(is_letter) {
                break;
            }
            lines += usize::from(at.peek() == Some('\n'));
            if lines > 1 {
                return self;
            }
            at = next;
        }
        at
    }

    /// A run of letters, or of digits, or `&`.
    pub(super) fn piece(self) -> Option<(&'t str, Self)> {
        let first = self.peek()?;
        let length = if first.is_ascii_digit() {
            self.run(|c| c.is_ascii_digit())
        } else if first == '&' {
            1
        } else {
            self.run(is_letter)
        };
        let end = self.skip(length);
        (length > 0).then(|| (self.until(end), end))
    }

    /// A run of letters.
    pub(super) fn word(self) -> Option<(&'t str, Self)> {
        let (word, end) = self.piece()?;
        word.starts_with(is_letter).then_some((word, end))
    }

    /// One to three digits that don't begin with a needless zero, and no thousands.
    pub(super) fn number(self) -> Option<(u32, Self)> {
        let (digits, end) = self.piece()?;
        let plain = digits.len() <= 3 && (digits == "0" || !digits.starts_with('0'));
        let thousands = end.rest().starts_with(",0");
        let number = digits.parse().ok().filter(|_| plain && !thousands)?;
        Some((number, end))
    }

    fn run(self, part: impl Fn(char) -> bool) -> usize {
        let rest = self.rest();
        rest.find(|c| !part(c)).unwrap_or(rest.len())
    }
}

/// Letters with the marks that combine with them.
pub(super) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.is_alphabetic() || ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_blank(c: char) -> bool {
    let unseen = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    c.is_whitespace() || matches!(c, '*' | '_') || unseen
}

/// Every dash that is written between numbers.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}
