//! What a pack calls itself.

use super::fields::Fields;
use super::problem::{At, Code, Problems};
use super::source::Source;
use super::table::{is_id, not_an_id};

/// The file.
pub(super) const FILE: &str = "pack.toml";

/// The name and the version of a pack.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) version: String,
}

impl Header {
    /// Reads them, and says what is wrong with them.
    pub(super) fn read(source: &Source<'_>, problems: &mut Problems) -> Self {
        let whole = At::file(FILE);
        let mut fields = Fields::new(source.table.clone(), &source.lines, whole.clone(), problems);
        let (name, version) = (
            fields.need::<String>("name"),
            fields.need::<String>("version"),
        );
        fields.end();
        if let Some(name) = name.as_ref().filter(|name| !is_id(name)) {
            problems.add(&whole.within("name"), Code::Id, not_an_id(name));
        }
        if let Some(version) = version.as_ref().filter(|version| !is_version(version)) {
            let message = format!("`{version}` is no version: three numbers, as in 1.0.0");
            problems.add(&whole.within("version"), Code::Value, message);
        }
        Self {
            name: name.unwrap_or_default(),
            version: version.unwrap_or_default(),
        }
    }
}

/// Three whole numbers without leading zeros.
fn is_version(text: &str) -> bool {
    let numbers: Vec<&str> = text.split('.').collect();
    let is_number = |part: &&str| {
        let digits = (1..=5).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        digits && (*part == "0" || !part.starts_with('0'))
    };
    numbers.len() == 3 && numbers.iter().all(is_number)
}
