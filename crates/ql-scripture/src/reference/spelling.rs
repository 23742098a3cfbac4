//! How far a written word is from a name.

/// How far a word is from a name, in half letters, or nothing if it is too far.
///
/// A name cut short and an abbreviation that keeps the order of its letters are near; a vowel for
/// another, a vowel more or less and two letters swapped are half an error. Behind a number or a word
/// such as "gospel" there may be one error more.
pub(super) fn distance(word: &str, name: &str, led: bool) -> Option<u32> {
    if word.len() < 3 || word.as_bytes().first() != name.as_bytes().first() {
        return None;
    }
    if word.len() > 3 && name.starts_with(word) {
        return Some(0);
    }
    let (once, name_once) = (without_doubles(word), without_doubles(name));
    let steps = edits(&once, &name_once);
    let allowed = match name.len() {
        ..=5 => u32::from(swapped(&once, &name_once)),
        6 => 2,
        7 => 3,
        8..=9 => 4,
        _ => 5,
    };
    let allowed = allowed.min(u32::try_from(once.len()).unwrap_or(0) / 2);
    if steps <= allowed + if led { 2 } else { 0 } {
        return Some(steps);
    }
    abbreviates(word.as_bytes(), name.as_bytes(), led).then_some(steps)
}

/// Whether a word keeps some letters of a name in their order: most of them, or consonants alone.
fn abbreviates(word: &[u8], name: &[u8], led: bool) -> bool {
    let vowels = word[1..].iter().any(|byte| is_vowel(*byte));
    let share = if led { 6 } else { 7 };
    let enough = !vowels || word.len() * 10 >= name.len() * share;
    enough && name.len() > 4 && is_part(word, name)
}

/// Letters that stand twice in a row, once.
fn without_doubles(word: &str) -> Vec<u8> {
    let mut letters = word.as_bytes().to_vec();
    letters.dedup();
    letters
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Whether the letters of one stand in the other in their order.
fn is_part(word: &[u8], name: &[u8]) -> bool {
    let mut letters = name.iter();
    word.iter()
        .all(|letter| letters.any(|other| other == letter))
}

/// Whether two neighbours changed places and nothing else did.
fn swapped(word: &[u8], name: &[u8]) -> bool {
    word.len() == name.len() && edits(word, name) == 1 && {
        let (mut one, mut two) = (word.to_vec(), name.to_vec());
        one.sort_unstable();
        two.sort_unstable();
        one == two
    }
}

/// The least cost of turning one into the other, in half letters.
fn edits(word: &[u8], name: &[u8]) -> u32 {
    let single = |letter: u8| if is_vowel(letter) { 1 } else { 2 };
    let mut before: Vec<u32> = Vec::new();
    let mut row: Vec<u32> = vec![0];
    for letter in name {
        row.push(row[row.len() - 1] + single(*letter));
    }
    for (i, letter) in word.iter().enumerate() {
        let mut next = vec![row[0] + single(*letter)];
        for (j, other) in name.iter().enumerate() {
            let changed = match (letter == other, is_vowel(*letter) && is_vowel(*other)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            let mut least = (row[j] + changed)
                .min(row[j + 1] + single(*letter))
                .min(next[j] + single(*other));
            if i > 0 && j > 0 && word[i - 1] == *other && *letter == name[j - 1] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[row.len() - 1]
}
