//! Any passage, written and read again in every language.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ql_scripture::{Language, Reader, fuzz};

static READERS: LazyLock<Vec<(Language, Reader)>> = LazyLock::new(|| {
    let readers = Language::ALL.into_iter();
    readers
        .map(|language| (language, Reader::of(language)))
        .collect()
});

fuzz_target!(|bytes: &[u8]| {
    for (language, reader) in READERS.iter() {
        let passage = fuzz::passage(reader.versification(), bytes);
        if !passage.is_empty() {
            fuzz::write(reader, *language, &passage);
        }
    }
});
