//! Policy packs: loaded, refused, hashed and compared.

mod course;
mod diffs;
mod files;
mod hashes;
mod laws;
mod roles;
mod rules;
mod shipped;
mod tables;
mod traditions;

use std::path::{Path, PathBuf};

use ql_pipeline::pack::{self, Pack, folder};

/// The pack that is shipped.
fn shipped() -> Pack {
    open("../../packs/biblical-teaching")
}

/// The pack of another tradition, which only these tests have.
fn another() -> Pack {
    open("tests/packs/jewish-torah-teaching")
}

fn at(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn open(folder: &str) -> Pack {
    let loaded = folder::open(&at(folder)).expect("a folder that can be read");
    loaded.unwrap_or_else(|unfit| panic!("{unfit}"))
}

/// The files of a pack as small as one can be that has something of everything.
const SMALL: [(&str, &str); 8] = [
    ("constitution.md", "# Charter\n\nSay what is written.\n"),
    ("pack.toml", "name = \"small\"\nversion = \"1.0.0\"\n"),
    (
        "roles.toml",
        r#"[[role]]
id = "reader"
number = 1
name = "Reader"
task = "Reads."
tier = "reasoning"
exegesis = "with_rationale"
attests = ["R-1"]
reads_untrusted = true

[[role]]
id = "sender"
number = 2
name = "Sender"
task = "Sends."
tier = "none"
publishes = true
reads_private = true
"#,
    ),
    (
        "stages.toml",
        r#"[[stage]]
id = "BEGUN"
name = "Begun"
by = "human"

[[stage]]
id = "READ"
name = "Read"
by = { role = "reader" }
doc_kind = "research_report"
needs = ["BEGUN"]
rules = ["R-1"]

[[stage]]
id = "SEALED"
name = "Sealed"
by = "server"
needs = ["READ"]
rules = ["R-1", "R-2"]
gate = "THEOLOGY_VERIFIED"

[[stage]]
id = "APPROVED"
name = "Approved"
by = "human"
needs = ["SEALED"]

[[stage]]
id = "SENT"
name = "Sent"
by = { role = "sender" }
doc_kind = "release_manifest"
needs = ["APPROVED"]

[[stage]]
id = "GONE"
name = "Gone"
by = "human"
needs = ["BEGUN"]
side = true
"#,
    ),
    (
        "rules.toml",
        r#"[[rule]]
id = "R-1"
title = "Read"
question = "Was it read?"
kind = "attested"
not_applicable_by = ["reader"]

[[rule]]
id = "R-2"
title = "Counted"
question = "Is it whole?"
kind = "deterministic"
check = "quotations"
"#,
    ),
    (
        "doctrines.toml",
        r#"[[doctrine]]
id = "D-1"
title = "One"
statement = "There is one."
standing = "held"
basis = ["Deut 6:4"]
"#,
    ),
    (
        "disputed.toml",
        r#"[[disputed]]
id = "P-1"
passages = ["Gen 1:1"]
matter = "How it begins."
"#,
    ),
    (
        "translations.toml",
        r#"[[translation]]
name = "A version"

[translation.grant]
edition = "version"
as_of = "2026-12-01"
source = "its first page"
"#,
    ),
];

/// The small pack, changed by hand.
struct Draft(Vec<(String, Vec<u8>)>);

impl Draft {
    fn small() -> Self {
        let files = SMALL.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        Self(files.into())
    }

    /// Puts other words in the place of some that stand once in a file.
    fn with(mut self, path: &str, from: &str, to: &str) -> Self {
        let file = self.0.iter_mut().find(|(other, _)| other == path);
        let (_, bytes) = file.expect("a file of the pack");
        let text = String::from_utf8(bytes.clone()).expect("text");
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {path}");
        *bytes = text.replace(from, to).into_bytes();
        self
    }

    /// Puts something at the end of a file.
    fn and(mut self, path: &str, more: &str) -> Self {
        let file = self.0.iter_mut().find(|(other, _)| other == path);
        file.expect("a file of the pack").1.extend(more.as_bytes());
        self
    }

    /// Puts another file beside those that are there.
    fn beside(mut self, path: &str, bytes: &[u8]) -> Self {
        self.0.push((path.to_owned(), bytes.to_vec()));
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.0.retain(|(other, _)| other != path);
        self
    }

    fn fit(self) -> Pack {
        pack::load(self.0).unwrap_or_else(|unfit| panic!("{unfit}"))
    }

    /// What is said of a pack that isn't fit.
    fn wrong(self) -> String {
        let unfit = pack::load(self.0).expect_err("a pack that isn't fit");
        unfit.to_string()
    }
}

/// What is said of the small pack after one change.
fn wrong(path: &str, from: &str, to: &str) -> String {
    Draft::small().with(path, from, to).wrong()
}
