//! The order of the stages: each after all that it needs, and otherwise as the file has them.

use std::collections::BTreeMap;

use super::stage::Stage;

/// What is known of an order.
#[derive(Debug)]
pub(super) struct Order {
    /// The stages by their index in the file, each after all that it needs.
    pub(super) stages: Vec<usize>,
    /// Circles of stages, each from the one that stands first in the file.
    pub(super) circles: Vec<Vec<usize>>,
}

/// Orders stages. Of those that could come next the first in the file does, so the order is always
/// the same. Needs that name no stage count as met.
pub(super) fn order(stages: &[&Stage]) -> Order {
    let index: BTreeMap<&str, usize> = stages
        .iter()
        .enumerate()
        .rev()
        .map(|(at, stage)| (stage.id.as_str(), at))
        .collect();
    let needs: Vec<Vec<usize>> = stages
        .iter()
        .map(|stage| {
            let known = |id: &String| index.get(id.as_str()).copied();
            stage.needs.iter().filter_map(known).collect()
        })
        .collect();
    let mut found = Order {
        stages: Vec::with_capacity(stages.len()),
        circles: Vec::new(),
    };
    let mut placed = vec![false; stages.len()];
    while let Some(first) = placed.iter().position(|placed| !placed) {
        let ready = |at: &usize| !placed[*at] && needs[*at].iter().all(|need| placed[*need]);
        let next = (first..stages.len()).find(ready).map_or_else(
            || {
                let circle = circle(first, &needs, &placed);
                found.circles.push(circle.clone());
                circle
            },
            |next| vec![next],
        );
        for at in next {
            placed[at] = true;
            found.stages.push(at);
        }
    }
    found
}

/// A circle that is met on the way back from a stage, none of whose ways ends.
fn circle(from: usize, needs: &[Vec<usize>], placed: &[bool]) -> Vec<usize> {
    let mut way = Vec::new();
    let mut at = from;
    while !way.contains(&at) {
        way.push(at);
        let open = needs[at].iter().find(|need| !placed[**need]);
        at = *open.expect("a stage that isn't ready needs one that isn't placed");
    }
    let begin = way.iter().position(|step| *step == at).unwrap_or(0);
    let mut circle = way.split_off(begin);
    // The way went from each stage to what it needs.
    circle.reverse();
    let first = (0..circle.len()).min_by_key(|step| circle[*step]);
    circle.rotate_left(first.unwrap_or(0));
    circle
}
