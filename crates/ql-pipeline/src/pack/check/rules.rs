//! What is validated, and whether anybody can.

use super::super::problem::{At, Code, Problems};
use super::super::{Rule, RuleKind};
use super::{Tables, attests, names, unknown_role};

pub(super) fn check(tables: &Tables, problems: &mut Problems) {
    for row in &tables.rules.rows {
        let rule = &row.entry;
        if rule.kind == RuleKind::Attested && !tables.is_attested(&rule.id) {
            let message = format!(
                "`{}` has to be attested and no role may; name it in the `attests` of one",
                rule.id
            );
            problems.add(&row.at, Code::NobodyAttests, message);
        }
        looks(rule, &row.at, problems);
        let not_its = |role: &str| not_its(tables, role, &rule.id);
        let at = row.at.within("not_applicable_by");
        names(&rule.not_applicable_by, &at, not_its, problems);
    }
}

/// Whether it's said what the server looks at, where the server decides, and only there.
fn looks(rule: &Rule, at: &At<'static>, problems: &mut Problems) {
    match (rule.kind, rule.check) {
        (RuleKind::Deterministic, None) => {
            let message = "`check` is missing; a deterministic rule says what the server looks at";
            problems.add(at, Code::Required, message);
        }
        (RuleKind::Attested, Some(_)) => {
            let message = "the server looks at nothing where a role attests; leave `check` out";
            problems.add(&at.within("check"), Code::Value, message);
        }
        (RuleKind::Deterministic, Some(_)) | (RuleKind::Attested, None) => {}
    }
}

/// Why a role can't say of a rule that it doesn't apply.
fn not_its(tables: &Tables, role: &str, rule: &str) -> Option<(Code, String)> {
    if tables
        .roles
        .get(role)
        .is_some_and(|role| !attests(role, rule))
    {
        let message = format!(
            "`{role}` doesn't attest `{rule}`, so it can't say that the rule doesn't apply"
        );
        return Some((Code::NotItsRule, message));
    }
    unknown_role(tables, role)
}
