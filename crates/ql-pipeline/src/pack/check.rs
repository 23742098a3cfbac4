//! Whether the tables of a pack fit together.

mod passages;
mod roles;
mod rules;
mod stages;
mod translations;

use super::files::CONSTITUTION;
use super::problem::{At, Code, Problems};
use super::table::Table;
use super::{Disputed, Doctrine, Role, Rule, Stage, Translation};

/// The tables of a pack, as far as they could be read.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) roles: Table<Role>,
    pub(super) stages: Table<Stage>,
    pub(super) rules: Table<Rule>,
    pub(super) doctrines: Table<Doctrine>,
    pub(super) disputed: Table<Disputed>,
    pub(super) translations: Table<Translation>,
}

impl Tables {
    /// Whether some role may attest a rule; of roles that couldn't be read, one may.
    fn is_attested(&self, rule: &str) -> bool {
        let mut roles = self.roles.rows.iter();
        !self.roles.is_whole() || roles.any(|role| attests(&role.entry, rule))
    }
}

fn attests(role: &Role, rule: &str) -> bool {
    role.attests.iter().any(|own| own == rule)
}

/// A constitution says something.
pub(super) fn constitution(text: Option<&String>, problems: &mut Problems) {
    if text.is_some_and(|text| text.trim().is_empty()) {
        problems.add(
            &At::file(CONSTITUTION),
            Code::Required,
            "the constitution is empty",
        );
    }
}

/// Every table by itself and with the others.
pub(super) fn tables(tables: &Tables, problems: &mut Problems) {
    roles::check(tables, problems);
    rules::check(tables, problems);
    stages::check(tables, problems);
    passages::check(tables, problems);
    translations::check(tables, problems);
}

/// Each name of a list is known and stands there once; `unknown` says what one isn't.
fn names(
    list: &[String],
    at: &At<'static>,
    unknown: impl Fn(&str) -> Option<(Code, String)>,
    problems: &mut Problems,
) {
    for (index, name) in list.iter().enumerate() {
        let at = at.within(index);
        if list[..index].contains(name) {
            let message = format!("`{name}` stands here twice");
            problems.add(&at, Code::Duplicate, message);
        } else if let Some((code, message)) = unknown(name) {
            problems.add(&at, code, message);
        }
    }
}

fn unknown_role(tables: &Tables, id: &str) -> Option<(Code, String)> {
    let message = format!("`{id}` is no role of this pack");
    (!tables.roles.may_have(id)).then_some((Code::UnknownRole, message))
}

fn unknown_rule(tables: &Tables, id: &str) -> Option<(Code, String)> {
    let message = format!("`{id}` is no rule of this pack");
    (!tables.rules.may_have(id)).then_some((Code::UnknownRule, message))
}
