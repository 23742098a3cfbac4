//! What must hold of every input.

use std::fs;
use std::sync::LazyLock;

use proptest::prelude::{Strategy, any, prop, proptest};
use proptest::sample::select;

use ql_scripture::{Book, Language, Reader, fuzz};

static READERS: LazyLock<Vec<(Language, Reader)>> = LazyLock::new(|| {
    let readers = Language::ALL
        .into_iter()
        .map(|language| (language, Reader::of(language)));
    readers.collect()
});

/// Pieces that references are made of, in no order that means something.
const PIECES: [&str; 40] = [
    "Gen", "Ps", "1 ", "2", "John", "Jude", "I", "iii", "23rd", "Psalm", "chapter", "of", "verse",
    "v.", "ff", "f", "a", ":", ".", ",", ";", "-", "–", " ", "and", "to", "title", "151", "0",
    "16", "119", "999", "Song", "of Songs", "é", "*", "(", ")", "pm", "Könige",
];

fn reader() -> impl Strategy<Value = usize> {
    0..Language::ALL.len()
}

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(select(&PIECES[..]), 0..14);
    let jumble = pieces.prop_map(|pieces| pieces.concat());
    let bytes = prop::collection::vec(any::<u8>(), 0..60);
    let noise = bytes.prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let spaced =
        prop::collection::vec(select(&PIECES[..]), 0..14).prop_map(|pieces| pieces.join(" "));
    proptest::prop_oneof![jumble, spaced, noise]
}

proptest! {
    #[test]
    fn the_strict_reader_answers_everything(reader in reader(), text in text()) {
        fuzz::parse(&READERS[reader].1, &text);
    }

    #[test]
    fn the_finder_answers_everything(reader in reader(), text in text()) {
        fuzz::find(&READERS[reader].1, &text);
    }

    #[test]
    fn what_is_written_is_read(reader in reader(), bytes in prop::collection::vec(any::<u8>(), 6..30)) {
        let (language, reader) = &READERS[reader];
        let passage = fuzz::passage(reader.versification(), &bytes);
        if !passage.is_empty() {
            fuzz::write(reader, *language, &passage);
        }
    }
}

#[test]
fn every_book_is_written_and_read_in_every_language() {
    for (language, reader) in READERS.iter() {
        for book in Book::ALL.iter().copied() {
            let versification = reader.versification();
            let whole = versification
                .book(book)
                .expect("a book of the English numbering");
            let first = versification.chapter(book, 1).expect("a first chapter");
            fuzz::write(
                reader,
                *language,
                &[whole, first.from().into()].into_iter().collect(),
            );
            fuzz::write(reader, *language, &first.into());
        }
    }
}

/// A row with a book that doesn't exist, or a heading that nobody reads, would be left out.
#[test]
fn every_row_of_names_is_understood() {
    let headings = [
        "number",
        "marks",
        "chapter",
        "verse",
        "and",
        "to",
        "title",
        "psalms",
        "following",
        "next",
        "lead",
        "1",
        "2",
        "3",
        "4",
        "5",
    ];
    for language in Language::ALL {
        let code = language.code();
        let path = format!("{}/data/names/{code}.tsv", env!("CARGO_MANIFEST_DIR"));
        let table = fs::read_to_string(path).expect("the names of a language");
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let known = if let Some(heading) = columns[0].strip_prefix('@') {
                columns.len() == 2 && headings.contains(&heading)
            } else {
                let mut books = columns[0].split(',').map(Book::from_osis);
                columns.len() == 4 && books.all(|book| book.is_some())
            };
            assert!(known, "{code}: {line}");
        }
    }
}
