//! Any text as a quotation of two small editions.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ql_scripture::corpus::library::Library;
use ql_scripture::quote::Claim;
use ql_scripture::{Passage, Span, Verse, fuzz};

static EDITIONS: LazyLock<Library> = LazyLock::new(fuzz::editions);

fuzz_target!(|text: &str| {
    for (from, to) in [("Gen.1.1", "Gen.1.1"), ("Gen.1.1", "Gen.1.3"), ("Gen.1.1", "Ps.3.2")] {
        let verse = |text: &str| text.parse::<Verse>().ok();
        let ends = verse(from).zip(verse(to));
        let span = ends.and_then(|(from, to)| Span::new(from, to));
        let passage: Passage = span.into_iter().collect();
        for edition in ["one", "two"] {
            let passage = &passage;
            fuzz::quote(&EDITIONS, &Claim { edition, passage, text });
        }
    }
});
