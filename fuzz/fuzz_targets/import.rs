//! Any bytes as an edition, in every format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ql_scripture::corpus::import::Format;
use ql_scripture::fuzz;

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Tsv, Format::JsonLines, Format::Usfm, Format::Osis] {
        fuzz::import(format, bytes);
    }
});
