//! Whether a production can run through its stages.

use std::collections::BTreeSet;

use super::super::super::order::order;
use super::super::super::problem::{Code, Problems};
use super::super::super::table::Row;
use super::super::super::{Actor, RuleKind, Stage};
use super::super::{Tables, attests};

pub(super) fn check(tables: &Tables, problems: &mut Problems) {
    let rows = &tables.stages.rows;
    beginning(rows, problems);
    let stages: Vec<&Stage> = rows.iter().map(|row| &row.entry).collect();
    let order = order(&stages);
    for circle in &order.circles {
        let way = circle.iter().chain(circle.first());
        let way: Vec<String> = way.map(|at| format!("`{}`", stages[*at].id)).collect();
        let message = format!("stages wait for each other: {}", way.join(" → "));
        let at = rows[circle[0]].at.within("needs");
        problems.add(&at, Code::Cycle, message);
    }
    // Of stages in a circle nobody can say what comes before them.
    if order.circles.is_empty() {
        let mut course = Course {
            before: vec![BTreeSet::new(); stages.len()],
            stages,
            tables,
        };
        for at in order.stages {
            course.before[at] = course.up_to(at);
            course.attestations(at, &rows[at], problems);
            course.publication(at, &rows[at], problems);
        }
    }
}

/// A production begins at one stage, and never goes on after a way out.
fn beginning(rows: &[Row<Stage>], problems: &mut Problems) {
    let regular = rows.iter().filter(|row| !row.entry.side);
    let mut first = None;
    for row in regular {
        let stage = &row.entry;
        let id = &stage.id;
        match first {
            None if stage.needs.is_empty() => first = Some(id),
            Some(first) if stage.needs.is_empty() => {
                let message = format!(
                    "`{id}` needs nothing, so nothing leads to it: a production begins at `{first}`; name what `{id}` comes after"
                );
                problems.add(&row.at, Code::Unreachable, message);
            }
            _ => {}
        }
        let is_way_out = |need: &&String| {
            let mut ways_out = rows.iter().filter(|other| other.entry.side);
            ways_out.any(|other| other.entry.id == **need)
        };
        if let Some(need) = stage.needs.iter().find(is_way_out) {
            let message = format!(
                "`{id}` comes after `{need}`, which is a way out, so no production comes to it"
            );
            problems.add(&row.at.within("needs"), Code::Unreachable, message);
        }
    }
}

/// The stages, each with all that come before it.
struct Course<'t> {
    stages: Vec<&'t Stage>,
    tables: &'t Tables,
    /// For each stage itself and all that it comes after, by index.
    before: Vec<BTreeSet<usize>>,
}

impl Course<'_> {
    /// A stage and all that come before it, whose own are known.
    fn up_to(&self, at: usize) -> BTreeSet<usize> {
        let needs = &self.stages[at].needs;
        let is_needed = |other: &usize| needs.contains(&self.stages[*other].id);
        let needed = (0..self.stages.len()).filter(is_needed);
        let all = needed.flat_map(|other| self.before[other].iter().copied());
        all.chain([at]).collect()
    }

    /// Each rule that has to be attested can have been when it's required.
    fn attestations(&self, at: usize, row: &Row<Stage>, problems: &mut Problems) {
        for (index, rule) in row.entry.rules.iter().enumerate() {
            let known = self.tables.rules.get(rule);
            let is_attested = known.is_some_and(|rule| rule.kind == RuleKind::Attested);
            let mut way = self.before[at].iter();
            let in_time = way.any(|stage| self.may_attest(self.stages[*stage], rule));
            // That no role attests it at all is said of the rule.
            if is_attested && !in_time && self.tables.is_attested(rule) {
                let message = format!(
                    "`{}` requires `{rule}`, but no stage up to it is of a role that attests it",
                    row.entry.id
                );
                let at = row.at.within("rules").within(index);
                problems.add(&at, Code::AttestedTooLate, message);
            }
        }
    }

    /// Whether a stage's role may attest a rule; one that isn't known might.
    fn may_attest(&self, stage: &Stage, rule: &str) -> bool {
        match &stage.by {
            Actor::Role(id) => {
                let role = self.tables.roles.get(id);
                role.is_none_or(|role| attests(role, rule))
            }
            Actor::Server | Actor::Human => false,
        }
    }

    /// What is published has passed a gate of the server, and then a person.
    fn publication(&self, at: usize, row: &Row<Stage>, problems: &mut Problems) {
        if !self.publishes(row) || !self.tables.stages.is_whole() {
            return;
        }
        let is_gated = |stage: &usize| self.before[*stage].iter().any(|gate| self.is_gate(*gate));
        let is_approved = |stage: &usize| self.stages[*stage].by == Actor::Human && is_gated(stage);
        let missing = if !is_gated(&at) {
            "no stage of the server with a `gate` comes before it"
        } else if !self.before[at].iter().any(is_approved) {
            "no person's stage comes between the server's gate and it"
        } else {
            return;
        };
        let message = format!("`{}` publishes, and {missing}", row.entry.id);
        problems.add(&row.at.within("needs"), Code::Ungated, message);
    }

    fn publishes(&self, row: &Row<Stage>) -> bool {
        match &row.entry.by {
            Actor::Role(id) => self.tables.roles.get(id).is_some_and(|role| role.publishes),
            Actor::Server | Actor::Human => false,
        }
    }

    fn is_gate(&self, at: usize) -> bool {
        self.stages[at].by == Actor::Server && self.stages[at].gate.is_some()
    }
}
