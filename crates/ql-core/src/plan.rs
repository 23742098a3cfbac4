//! Task plans: a goal as versioned steps with dependencies, bound to one conversation's session.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::id::{AgentId, ConversationId, PlanId, SiteId, TurnId};
use crate::problem::Problem;
use crate::run::is_stable_slug;
use crate::step::Operation;
use crate::time::Timestamp;

/// The most steps of a plan.
pub const MAX_STEPS: usize = 100;
/// The most bytes of a step's input.
pub const MAX_INPUT: usize = 16 << 10;

/// A version of a task plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Identity of this version.
    pub id: PlanId,
    /// The conversation it is worked on in.
    pub conversation: ConversationId,
    /// The site.
    pub site: SiteId,
    /// The agent that works on it.
    pub agent: AgentId,
    /// The turn in which it was made.
    pub turn: TurnId,
    /// For Hermes, the immutable profile that the agent was bound to.
    pub profile_id: Option<String>,
    /// The root of the conversation's session.
    pub session_root: String,
    /// What it is for.
    pub goal: String,
    /// From 1.
    pub version: i64,
    /// The version before.
    pub replaces: Option<PlanId>,
    /// Where it stands.
    pub state: PlanState,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Where a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanState {
    /// Steps are left.
    Active,
    /// Every step succeeded or was given up.
    Finished {
        /// When.
        at: Timestamp,
    },
    /// A newer version took its place.
    Superseded {
        /// When.
        at: Timestamp,
        /// The newer one.
        by: PlanId,
    },
}

impl PlanState {
    /// The state's text.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Finished { .. } => "finished",
            Self::Superseded { .. } => "superseded",
        }
    }

    /// When it came to rest.
    pub const fn settled_at(&self) -> Option<Timestamp> {
        match self {
            Self::Active => None,
            Self::Finished { at } | Self::Superseded { at, .. } => Some(*at),
        }
    }
}

/// A step as it is planned.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    /// Its name in the plan.
    pub key: String,
    /// What it is about, in one line.
    pub title: String,
    /// What it does.
    pub operation: Operation,
    /// The keys of the steps that must have succeeded before.
    pub depends_on: Vec<String>,
    /// What it starts from.
    pub input: Value,
}

/// Everything that is wrong with the steps of a plan: their number, keys, dependencies, sizes, and
/// cycles.
pub fn problems(steps: &[PlannedStep]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if steps.is_empty() || steps.len() > MAX_STEPS {
        let message = format!("expected 1 to {MAX_STEPS} steps, found {}", steps.len());
        problems.push(Problem::new("/steps", "range", message));
    }
    let mut places = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        own_problems(index, step, &mut problems);
        if let Some(first) = places.get(step.key.as_str()) {
            let message = format!("`{}` is the key of step {first} already", step.key);
            problems.push(Problem::new(
                format!("/steps/{index}/key"),
                "duplicate",
                message,
            ));
        } else {
            places.insert(step.key.as_str(), index);
        }
    }
    for (index, step) in steps.iter().enumerate() {
        dependency_problems(index, step, &places, &mut problems);
    }
    if problems.is_empty() {
        problems.extend(cycles(steps, &places));
    }
    problems
}

fn own_problems(index: usize, step: &PlannedStep, problems: &mut Vec<Problem>) {
    let mut add = |member: &str, code, message: String| {
        problems.push(Problem::new(
            format!("/steps/{index}/{member}"),
            code,
            message,
        ));
    };
    if !is_stable_slug(&step.key) {
        let message = "expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters";
        add("key", "format", message.to_owned());
    }
    if step.title.chars().count() > 200 {
        add(
            "title",
            "too_long",
            "expected at most 200 characters".to_owned(),
        );
    }
    let bytes = step.input.to_string().len();
    if bytes > MAX_INPUT {
        let message = format!("expected at most {MAX_INPUT} bytes, found {bytes}");
        add("input", "too_long", message);
    }
}

fn dependency_problems(
    index: usize,
    step: &PlannedStep,
    places: &BTreeMap<&str, usize>,
    problems: &mut Vec<Problem>,
) {
    let mut seen = BTreeSet::new();
    for (number, key) in step.depends_on.iter().enumerate() {
        let pointer = format!("/steps/{index}/depends_on/{number}");
        if !seen.insert(key) {
            let message = format!("`{key}` is listed twice");
            problems.push(Problem::new(pointer, "duplicate", message));
        } else if !places.contains_key(key.as_str()) {
            let message = format!("no step has the key `{key}`");
            problems.push(Problem::new(pointer, "unknown_dependency", message));
        }
    }
}

/// The steps that can never begin because they wait for each other.
fn cycles(steps: &[PlannedStep], places: &BTreeMap<&str, usize>) -> Vec<Problem> {
    let mut done = vec![false; steps.len()];
    let is_done = |done: &[bool], key: &String| {
        let place = places.get(key.as_str());
        place.is_some_and(|place| done[*place])
    };
    loop {
        let next = (0..steps.len()).find(|index| {
            let mut before = steps[*index].depends_on.iter();
            !done[*index] && before.all(|key| is_done(&done, key))
        });
        match next {
            Some(index) => done[index] = true,
            None => break,
        }
    }
    let stuck = (0..steps.len()).filter(|index| !done[*index]);
    stuck
        .map(|index| {
            let waits: Vec<&str> = steps[index]
                .depends_on
                .iter()
                .filter(|key| !is_done(&done, key))
                .map(String::as_str)
                .collect();
            let message = format!(
                "`{}` waits for {} in a circle",
                steps[index].key,
                waits.join(", ")
            );
            Problem::new(format!("/steps/{index}/depends_on"), "cycle", message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(key: &str, depends_on: &[&str]) -> PlannedStep {
        PlannedStep {
            key: key.into(),
            title: String::new(),
            operation: Operation::Research,
            depends_on: depends_on.iter().map(|key| (*key).to_owned()).collect(),
            input: json!({}),
        }
    }

    fn said(steps: &[PlannedStep]) -> String {
        let lines = problems(steps)
            .into_iter()
            .map(|problem| format!("{} {}: {}", problem.pointer, problem.code, problem.message));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let steps = [
            step("find", &["find"]),
            step("Write", &["fnd", "find", "find"]),
            step("find", &[]),
        ];
        insta::assert_snapshot!(said(&steps), @"
        /steps/1/key format: expected a stable slug: a-z, 0-9, -, _ and ., beginning with a letter, at most 64 characters
        /steps/2/key duplicate: `find` is the key of step 0 already
        /steps/1/depends_on/0 unknown_dependency: no step has the key `fnd`
        /steps/1/depends_on/2 duplicate: `find` is listed twice
        ");
        assert_eq!(said(&[]), "/steps range: expected 1 to 100 steps, found 0");
    }

    #[test]
    fn circles_are_found_and_what_stands_before_them_is_not_blamed() {
        let steps = [
            step("a", &[]),
            step("b", &["a", "d"]),
            step("c", &["b"]),
            step("d", &["c"]),
        ];
        insta::assert_snapshot!(said(&steps), @"
        /steps/1/depends_on cycle: `b` waits for d in a circle
        /steps/2/depends_on cycle: `c` waits for b in a circle
        /steps/3/depends_on cycle: `d` waits for c in a circle
        ");
        let itself = [step("a", &["a"])];
        insta::assert_snapshot!(said(&itself), @"/steps/0/depends_on cycle: `a` waits for a in a circle");
        assert_eq!(said(&[step("b", &["a"]), step("a", &[])]), "");
    }
}
