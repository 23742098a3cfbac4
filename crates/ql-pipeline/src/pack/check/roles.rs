//! Who may do what.

use super::super::problem::{Code, Problems};
use super::super::table::Row;
use super::super::{Role, RuleKind};
use super::{Tables, names, unknown_rule};
use crate::tier::Tier;

/// The highest number of a role.
const MAX_NUMBER: u8 = 99;

pub(super) fn check(tables: &Tables, problems: &mut Problems) {
    let rows = &tables.roles.rows;
    for (index, row) in rows.iter().enumerate() {
        number(row, &rows[..index], problems);
        publication(row, &rows[..index], problems);
        let attests = row.at.within("attests");
        names(
            &row.entry.attests,
            &attests,
            |rule| not_its(tables, rule),
            problems,
        );
    }
}

fn number(row: &Row<Role>, earlier: &[Row<Role>], problems: &mut Problems) {
    let number = row.entry.number;
    let at = row.at.within("number");
    if number > MAX_NUMBER {
        let message = format!("roles have numbers up to {MAX_NUMBER}");
        problems.add(&at, Code::Value, message);
    }
    if let Some(other) = earlier.iter().find(|other| other.entry.number == number) {
        let message = format!("{number} is the number of `{}` already", other.entry.id);
        problems.add(&at, Code::Duplicate, message);
    }
}

/// One role publishes, with nothing that could mislead it.
fn publication(row: &Row<Role>, earlier: &[Row<Role>], problems: &mut Problems) {
    let role = &row.entry;
    if !role.publishes {
        return;
    }
    let id = &role.id;
    if let Some(other) = earlier.iter().find(|other| other.entry.publishes) {
        let other = &other.entry.id;
        let message = format!("`{id}` publishes, and so does `{other}`; one role of a pack may");
        problems.add(&row.at.within("publishes"), Code::Publishers, message);
    }
    if role.tier != Tier::None {
        let tier = role.tier.as_str();
        let message = format!(
            "`{id}` publishes with a model (`{tier}`); what publishes calls none, so its tier is `none`"
        );
        problems.add(&row.at.within("tier"), Code::PublisherNotBare, message);
    }
    let at = row.at.within("reads_untrusted");
    if role.has_all_three() {
        let message = format!(
            "`{id}` reads untrusted material and private data, and publishes; a role has two of these at most"
        );
        problems.add(&at, Code::RuleOfTwo, message);
    } else if role.reads_untrusted {
        let message = format!("`{id}` publishes; what publishes reads nothing untrusted");
        problems.add(&at, Code::PublisherNotBare, message);
    }
}

/// Why no role can attest a rule.
fn not_its(tables: &Tables, rule: &str) -> Option<(Code, String)> {
    let is_decided = |kind| kind == RuleKind::Deterministic;
    if tables
        .rules
        .get(rule)
        .is_some_and(|rule| is_decided(rule.kind))
    {
        let message =
            format!("`{rule}` is deterministic: the engine decides it, nobody attests it");
        return Some((Code::NotAttestable, message));
    }
    unknown_rule(tables, rule)
}
