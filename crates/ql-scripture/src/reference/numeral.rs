//! Roman numerals.

/// The value of a Roman numeral up to 399, in one case.
pub(super) fn roman(word: &str) -> Option<u32> {
    let one_case = word.bytes().all(|b| b.is_ascii_lowercase())
        || word.bytes().all(|b| b.is_ascii_uppercase());
    if !one_case || word.len() > 9 {
        return None;
    }
    let mut values = Vec::with_capacity(word.len());
    for byte in word.bytes() {
        values.push(match byte.to_ascii_lowercase() {
            b'i' => 1,
            b'v' => 5,
            b'x' => 10,
            b'l' => 50,
            b'c' => 100,
            _ => return None,
        });
    }
    let mut total = 0;
    for (index, value) in values.iter().enumerate() {
        match values.get(index + 1) {
            Some(next) if next > value => total -= value,
            _ => total += value,
        }
    }
    let total = u32::try_from(total).ok()?;
    (to_roman(total) == word.to_ascii_lowercase()).then_some(total)
}

/// The one right way to write a number in Roman numerals.
fn to_roman(mut number: u32) -> String {
    let steps = [
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut text = String::new();
    for (value, letters) in steps {
        while number >= value {
            text.push_str(letters);
            number -= value;
        }
    }
    text
}
