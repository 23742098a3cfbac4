//! What holds for whatever somebody calls a pack.

use std::fmt::Write as _;

use proptest::prelude::*;
use ql_pipeline::pack::load;
use ql_pipeline::pack::problem::Code;

use super::{Draft, SMALL};

/// Stages of a person, each with what it needs, by number.
fn stages(needs: &[Vec<usize>]) -> String {
    let mut text = String::new();
    for (at, needs) in needs.iter().enumerate() {
        let names: Vec<String> = needs.iter().map(|need| format!("\"S{need}\"")).collect();
        let names = names.join(", ");
        write!(
            text,
            "[[stage]]\nid = \"S{at}\"\nname = \"S\"\nby = \"human\"\nneeds = [{names}]\n"
        )
        .expect("writing to a String can't fail");
    }
    text
}

/// Whether something waits for itself: what can't be taken away by taking what waits for nothing.
fn has_circle(needs: &[Vec<usize>]) -> bool {
    let mut left: Vec<usize> = (0..needs.len()).collect();
    loop {
        let waits = |at: &usize| needs[*at].iter().any(|need| left.contains(need));
        let waiting: Vec<usize> = left.iter().copied().filter(waits).collect();
        if waiting.len() == left.len() {
            return !left.is_empty();
        }
        left = waiting;
    }
}

/// Up to seven stages; the first needs nothing, the others one or two.
fn graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (2..8_usize).prop_flat_map(|count| {
        let needs = prop::collection::btree_set(0..count, 1..3);
        let needs = needs.prop_map(|needs| needs.into_iter().collect::<Vec<usize>>());
        prop::collection::vec(needs, count - 1).prop_map(|mut needs| {
            needs.insert(0, Vec::new());
            needs
        })
    })
}

proptest! {
    #[test]
    fn stages_are_ordered_or_their_circle_is_named(needs in graph()) {
        let text = stages(&needs);
        let draft = Draft::small().without("stages.toml").beside("stages.toml", text.as_bytes());
        match load(draft.0) {
            Ok(pack) => {
                prop_assert!(!has_circle(&needs));
                prop_assert_eq!(pack.stages.len(), needs.len());
                for (at, stage) in pack.stages.iter().enumerate() {
                    for need in &stage.needs {
                        let before = pack.stages[..at].iter().any(|other| other.id == *need);
                        prop_assert!(before, "{} before {}", stage.id, need);
                    }
                }
            }
            Err(unfit) => {
                let circles = unfit.problems.iter().all(|problem| problem.code == Code::Cycle);
                prop_assert!(has_circle(&needs) && circles, "{}", unfit);
            }
        }
    }

    #[test]
    fn every_pack_is_loaded_or_refused(file in 0..SMALL.len(), at in 0..400_usize, bytes in prop::collection::vec(any::<u8>(), 0..6)) {
        let mut draft = Draft::small();
        let text = &mut draft.0[file].1;
        let at = at.min(text.len());
        let end = (at + bytes.len()).min(text.len());
        text.splice(at..end, bytes);
        if let Err(unfit) = load(draft.0) {
            prop_assert!(!unfit.problems.is_empty());
            for problem in &unfit.problems {
                prop_assert!(problem.line.is_none_or(|line| line > 0), "{}", problem);
            }
        }
    }
}
