//! Which cases are well-formed, and which half a case is of.
//!
//! A case is well-formed if every verse that is expected exists, there is at least one, and the
//! input is a reference and nothing else: numbers of up to three digits, their punctuation, words for
//! chapter, verse, "and" and "to", and names of books. A name is spelt right if its letters, in their
//! order, are the first and some others of an English name. Everything else is dirty: prose,
//! misspellings, marks out of place.

use ql_scripture::Book;

/// Names that books have besides the usual one.
const NAMES: &str = "acts of the apostles, apocalypse, canticles, ecclesiasticus, kingdoms, \
    paralipomenon, psalter, qoheleth, song of solomon, song of the three holy children, \
    song of the three jews, song of the three youths, wisdom of jesus ben son of sirach, \
    bel and the serpent, bel and the snake, epistle of jeremiah, epistle of jeremy, \
    prayer of manasses, additions to esther, susannah";

/// Words that stand in references besides names.
const WORDS: &str = "the gospel according to of st saint book first second third fourth i ii iii iv \
    nd rd th chapter chapters chap chaps ch chs verse verses vv v vs vss ver and cf see also \
    through thru f ff a b c d title";

/// Marks that stand between numbers and behind names.
const MARKS: &str = ".:,;-–—&()";

/// Whether the input is a reference and nothing else.
pub(crate) fn is_reference(input: &str) -> bool {
    let marks = |c: char| c.is_alphanumeric() || c.is_whitespace() || MARKS.contains(c);
    let pieces = pieces(input);
    let said = pieces.iter().all(|piece| match piece.parse::<u32>() {
        Ok(_) => piece.len() <= 3,
        Err(_) => is_spelt(piece),
    });
    input.chars().all(marks) && said
}

/// Runs of letters and runs of digits, in lower case.
fn pieces(input: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut before = None;
    for c in input.to_lowercase().chars() {
        let kind = c.is_alphanumeric().then(|| c.is_ascii_digit());
        match (kind, pieces.last_mut()) {
            (Some(_), Some(piece)) if kind == before => piece.push(c),
            (Some(_), _) => pieces.push(c.into()),
            (None, _) => {}
        }
        before = kind;
    }
    pieces
}

fn is_spelt(word: &str) -> bool {
    let books = Book::ALL
        .iter()
        .flat_map(|book| [book.english(), book.osis()]);
    let mut names = books
        .chain([NAMES])
        .flat_map(|names| names.split([' ', ',']));
    let known = WORDS.split_whitespace().any(|known| known == word);
    known || names.any(|name| abbreviates(word, &name.to_lowercase()))
}

/// Whether the letters of a word are the first and some others of a name, in their order.
fn abbreviates(word: &str, name: &str) -> bool {
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let mut letters = name.chars();
    let all = word
        .chars()
        .all(|letter| letters.any(|other| other == letter));
    all && word.chars().next() == name.chars().next()
}

/// 0 or 1, by a hash of the input in lower case with a fixed seed.
pub(crate) fn half(input: &str) -> u32 {
    let hash = input
        .to_lowercase()
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
    let mixed = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    (mixed ^ mixed >> 12) & 1
}
