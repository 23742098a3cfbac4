//! Any text, searched for quotations of two small editions.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ql_scripture::corpus::library::Library;
use ql_scripture::fuzz;

static EDITIONS: LazyLock<Library> = LazyLock::new(fuzz::editions);

fuzz_target!(|text: &str| fuzz::scan(&EDITIONS, text));
