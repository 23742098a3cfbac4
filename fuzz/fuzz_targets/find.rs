//! The finder on any text, in every language.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ql_scripture::{Language, Reader, fuzz};

static READERS: LazyLock<Vec<Reader>> =
    LazyLock::new(|| Language::ALL.into_iter().map(Reader::of).collect());

fuzz_target!(|text: &str| {
    for reader in READERS.iter() {
        fuzz::find(reader, text);
    }
});
