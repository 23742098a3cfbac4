//! Doctrine is data: what a policy pack says is in no code.
//!
//! Held against the shipped pack and the one of another tradition. In code, tests aside, there may
//! be no numbered id of a rule, doctrine or disputed passage, no title of a doctrine, and no id of a
//! role or stage as a string. What the code itself calls a kind of document, an operation of a plan,
//! an aggregate or a setting is its own word. A comment may name a few ids as examples, and no title.

use std::collections::BTreeSet;

use ql_core::step::Operation;
use ql_pipeline::document::DocKind;
use ql_pipeline::pack::{Pack, folder};

use super::nothing_wrong;
use super::tree::{self, File};

const PACKS: [&str; 2] = [
    "packs/biblical-teaching",
    "crates/ql-pipeline/tests/packs/jewish-torah-teaching",
];

/// Words of the product that a pack gives to a role too: an aggregate, and the setting of whoever
/// speaks, which is a member of speech requests.
const OWN: [&str; 2] = ["production", "voice"];

/// The demonstration of the shipped pack, with what its agents answer: data that is written as code.
const DEMONSTRATION: [&str; 2] = [
    "crates/querylayer/src/cmd/director/recorded.rs",
    "crates/querylayer/src/cmd/director/story.rs",
];

/// How many lines of comment in a file may name ids.
const EXAMPLES: usize = 3;

/// The words of a pack that code may not have.
#[derive(Default)]
struct Words {
    /// What numbered ids begin with, as in `VAL-`.
    series: BTreeSet<String>,
    /// Titles of doctrines, in small letters.
    titles: BTreeSet<String>,
    /// Ids of roles and stages.
    names: BTreeSet<String>,
}

impl Words {
    fn of(pack: &Pack) -> Self {
        let rules = pack.rules.iter().map(|of| &of.id);
        let doctrines = pack.doctrines.iter().map(|of| &of.id);
        let disputed = pack.disputed.iter().map(|of| &of.id);
        let numbered = rules.chain(doctrines).chain(disputed);
        let series = |id: &String| Some(format!("{}-", id.rsplit_once('-')?.0));
        let roles = pack.roles.iter().map(|of| of.id.clone());
        let stages = pack.stages.iter().map(|of| of.id.clone());
        let kinds = DocKind::ALL.map(DocKind::as_str);
        let operations = Operation::ALL.map(Operation::as_str);
        let own = [&kinds[..], &operations, &OWN].concat();
        let is_own = |name: &str| own.contains(&name);
        Self {
            series: numbered.filter_map(series).collect(),
            titles: pack
                .doctrines
                .iter()
                .map(|of| of.title.to_lowercase())
                .collect(),
            names: roles.chain(stages).filter(|name| !is_own(name)).collect(),
        }
    }

    fn of_both() -> Self {
        let mut words = Self::default();
        for path in PACKS {
            let loaded = folder::open(&tree::root().join(path)).expect("a folder");
            let pack = Self::of(&loaded.expect("a pack that is fit"));
            words.series.extend(pack.series);
            words.titles.extend(pack.titles);
            words.names.extend(pack.names);
        }
        words
    }

    /// A numbered id of a series.
    fn numbered(&self, text: &str) -> Option<String> {
        let is_numbered = |series: &&String| {
            let mut places = text.match_indices(series.as_str());
            places.any(|(at, _)| {
                let after = text[at + series.len()..].chars().next();
                after.is_some_and(|next| next.is_ascii_digit())
            })
        };
        self.series
            .iter()
            .find(is_numbered)
            .map(|series| format!("{series}…"))
    }

    fn title(&self, text: &str) -> Option<String> {
        let text = text.to_lowercase();
        self.titles
            .iter()
            .find(|title| text.contains(*title))
            .cloned()
    }

    fn name(&self, text: &str) -> Option<String> {
        let quoted = |name: &&String| text.contains(&format!("\"{name}\""));
        self.names.iter().find(quoted).cloned()
    }

    /// What a file has of the pack's words, outside its tests.
    fn found(&self, file: &File) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut examples = 0;
        for (number, line) in file.lines() {
            if line.trim() == "#[cfg(test)]" {
                break;
            }
            let (code, comment) = parts(line);
            let in_code = self.numbered(code).or_else(|| self.name(code));
            let word = in_code.or_else(|| self.title(line));
            wrong.extend(word.map(|word| format!("{}:{number} holds `{word}`", file.path)));
            examples += usize::from(self.numbered(comment).is_some());
        }
        if examples > EXAMPLES {
            wrong.push(format!(
                "{} names ids in {examples} lines of comment",
                file.path
            ));
        }
        wrong
    }
}

/// The code and the comment of a line.
fn parts(line: &str) -> (&str, &str) {
    let begins = line.trim_start().starts_with("//");
    let at = if begins { Some(0) } else { line.find(" // ") };
    line.split_at(at.unwrap_or(line.len()))
}

/// Whether a file is what the program is made of.
fn is_code(file: &File) -> bool {
    let test = file.path.contains("/tests/") || file.path.ends_with("/tests.rs");
    let made_of = file.path.starts_with("crates/") && file.path.contains("/src/");
    made_of && !test && file.is_rust()
}

#[test]
fn no_code_knows_any_pack() {
    let words = Words::of_both();
    let files = tree::files();
    let code: Vec<&File> = files.iter().filter(|file| is_code(file)).collect();
    assert!(code.len() > 300, "{} files were looked at", code.len());
    let is_demonstration = |file: &&File| DEMONSTRATION.contains(&file.path.as_str());
    let (demonstration, code): (Vec<&File>, Vec<&File>) =
        code.into_iter().partition(is_demonstration);
    let wrong: Vec<String> = code.iter().flat_map(|file| words.found(file)).collect();
    nothing_wrong(&wrong);
    let needed = demonstration
        .iter()
        .filter(|file| !words.found(file).is_empty());
    assert_eq!(
        needed.count(),
        DEMONSTRATION.len(),
        "one needn't be left out any more"
    );
}

#[test]
fn a_word_of_a_pack_in_code_is_found() {
    let words = Words::of_both();
    let found = |text: &str| words.found(&File::new("a.rs", text)).join("\n");
    insta::assert_snapshot!(found("if rule == \"VAL-14\" {"), @"a.rs:1 holds `VAL-…`");
    insta::assert_snapshot!(found("\n    id.starts_with(\"IKAR-0\")"), @"a.rs:2 holds `IKAR-…`");
    insta::assert_snapshot!(found("role(\"hermeneutics\")"), @"a.rs:1 holds `hermeneutics`");
    insta::assert_snapshot!(found("\"SHIUR_SENT\" => 1,"), @"a.rs:1 holds `SHIUR_SENT`");
    insta::assert_snapshot!(found("// As in Torah from heaven."), @"a.rs:1 holds `torah from heaven`");
    let examples = "/// As `VAL-04`.\n".repeat(4);
    insta::assert_snapshot!(found(&examples), @"a.rs names ids in 4 lines of comment");
    let lawful = "/// Its id: `VAL-04`.\n\"thumbnail\", hermeneutics_memo // of DOC-1\n#[cfg(test)]\n\"VAL-04\"";
    assert_eq!(found(lawful), "");
}
