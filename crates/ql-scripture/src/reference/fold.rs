//! Words without case and accents, for looking them up.

/// More than the longest word of any book's name.
const LONGEST: usize = 24;

/// A word in lower case without accents, kept in place.
#[derive(Clone, Copy)]
pub(super) struct Folded {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Folded {
    /// Folds a word; nothing if it is too long or in another script.
    pub(super) fn of(word: &str) -> Option<Self> {
        let mut folded = Self {
            bytes: [0; LONGEST],
            length: 0,
        };
        for c in word.chars() {
            match c {
                'a'..='z' | '0'..='9' | '&' => folded.push(c as u8)?,
                'A'..='Z' => folded.push(c as u8 | 0x20)?,
                '\u{300}'..='\u{36f}' => {}
                _ => base(c)?.bytes().try_for_each(|byte| folded.push(byte))?,
            }
        }
        Some(folded)
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        *self.bytes.get_mut(self.length)? = byte;
        self.length += 1;
        Some(())
    }

    /// The folded letters.
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

/// The plain letters of an accented one.
fn base(c: char) -> Option<&'static str> {
    Some(match c {
        'À'..='Å' | 'à'..='å' | 'Ā' | 'ā' | 'Ă' | 'ă' | 'Ą' | 'ą' | 'ª' => "a",
        'Ç' | 'ç' | 'Ć' | 'ć' | 'Č' | 'č' => "c",
        'È'..='Ë' | 'è'..='ë' | 'Ē' | 'ē' | 'Ę' | 'ę' | 'Ě' | 'ě' => "e",
        'Ì'..='Ï' | 'ì'..='ï' | 'Ī' | 'ī' | 'İ' | 'ı' => "i",
        'Ñ' | 'ñ' | 'Ń' | 'ń' => "n",
        'Ò'..='Ö' | 'Ø' | 'ò'..='ö' | 'ø' | 'Ō' | 'ō' | 'º' => "o",
        'Ù'..='Ü' | 'ù'..='ü' | 'Ū' | 'ū' => "u",
        'Ý' | 'ý' | 'ÿ' => "y",
        'Ś' | 'ś' | 'Š' | 'š' => "s",
        'Ž' | 'ž' | 'Ź' | 'ź' | 'Ż' | 'ż' => "z",
        'ß' => "ss",
        'Æ' | 'æ' => "ae",
        'Œ' | 'œ' => "oe",
        _ => return None,
    })
}
