//! A plan drawn as a graph: what waits for what, from left to right, with where each step stands.

use askama::Template;

use super::{Pill, Tone};

/// The width of a step's box.
const BOX: usize = 176;
/// The height of a step's box.
const TALL: usize = 48;
/// The space between columns.
const GAP: usize = 48;
/// The space between rows.
const ROW: usize = 16;
/// The most characters of a step's name that fit into its box.
const SHOWN: usize = 20;

/// A step to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Its name in the plan.
    pub key: String,
    /// Where it stands.
    pub state: Pill,
    /// The names of the steps before it.
    pub depends_on: Vec<String>,
}

/// A drawn plan. It prints as SVG whose label says what the picture shows.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r##"<svg class="graph" role="img" aria-label="{{ title }}. {{ description }}" viewBox="0 0 {{ width }} {{ height }}" width="{{ width }}" height="{{ height }}">
{% for edge in edges %}<path class="graph-edge" d="{{ edge }}"/>{% endfor %}
{% for node in nodes %}<g class="graph-node graph-{{ node.tone }}"><rect x="{{ node.x }}" y="{{ node.y }}" width="176" height="48" rx="6"/><text class="graph-key" x="{{ node.x + 12 }}" y="{{ node.y + 20 }}">{{ node.key }}</text><text class="graph-state" x="{{ node.x + 12 }}" y="{{ node.y + 37 }}">{{ node.mark }} {{ node.word }}</text></g>
{% endfor %}</svg>"##
)]
pub struct Graph {
    title: String,
    description: String,
    width: usize,
    height: usize,
    nodes: Vec<Node>,
    edges: Vec<String>,
}

crate::part::markup!(Graph);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    key: String,
    word: String,
    mark: &'static str,
    tone: &'static str,
    x: usize,
    y: usize,
}

impl Graph {
    /// Draws steps; a step stands to the right of all that it depends on.
    pub fn new(title: impl Into<String>, steps: &[Planned]) -> Self {
        let columns = columns(steps);
        let mut rows = vec![0; columns.iter().max().map_or(1, |last| last + 1)];
        let nodes: Vec<Node> = steps
            .iter()
            .zip(&columns)
            .map(|(step, column)| {
                let row = rows[*column];
                rows[*column] += 1;
                Node {
                    key: shortened(&step.key),
                    word: step.state.word.to_string(),
                    mark: mark(step.state.tone),
                    tone: step.state.tone.as_str(),
                    x: 1 + column * (BOX + GAP),
                    y: 1 + row * (TALL + ROW),
                }
            })
            .collect();
        let tallest = rows.iter().max().copied().unwrap_or(1).max(1);
        Self {
            title: title.into(),
            description: description(steps),
            width: rows.len() * (BOX + GAP) - GAP + 2,
            height: tallest * (TALL + ROW) - ROW + 2,
            edges: edges(steps, &nodes),
            nodes,
        }
    }
}

/// How far to the right each step stands: one further than the furthest that it depends on.
fn columns(steps: &[Planned]) -> Vec<usize> {
    let mut columns = vec![0; steps.len()];
    // A plan has no circles, so as many rounds as there are steps settle every column.
    for _ in 0..steps.len() {
        for (index, step) in steps.iter().enumerate() {
            let before = step.depends_on.iter().filter_map(|key| place(steps, key));
            let column = before.map(|before| columns[before] + 1).max();
            columns[index] = column.unwrap_or(0).min(steps.len());
        }
    }
    columns
}

fn place(steps: &[Planned], key: &str) -> Option<usize> {
    steps.iter().position(|step| step.key == key)
}

fn edges(steps: &[Planned], nodes: &[Node]) -> Vec<String> {
    let mut edges = Vec::new();
    for (step, to) in steps.iter().zip(nodes) {
        for before in step.depends_on.iter().filter_map(|key| place(steps, key)) {
            let from = &nodes[before];
            let (x, y) = (from.x + BOX, from.y + TALL / 2);
            let (end, level) = (to.x, to.y + TALL / 2);
            let (leave, reach) = (x + GAP / 2, end.saturating_sub(GAP / 2));
            edges.push(format!(
                "M{x} {y}C{leave} {y} {reach} {level} {end} {level}"
            ));
        }
    }
    edges
}

/// The picture in words.
fn description(steps: &[Planned]) -> String {
    let lines = steps.iter().map(|step| {
        let state = step.state.word.to_lowercase();
        if step.depends_on.is_empty() {
            format!("{}: {state}.", step.key)
        } else {
            format!(
                "{}, after {}: {state}.",
                step.key,
                step.depends_on.join(" and ")
            )
        }
    });
    lines.collect::<Vec<_>>().join(" ")
}

/// What stands for a meaning beside its word, since colour alone says nothing.
const fn mark(tone: Tone) -> &'static str {
    match tone {
        Tone::Live => "✓",
        Tone::Proposed => "↑",
        Tone::Needs => "!",
        Tone::Stopped => "×",
        Tone::Quiet => "–",
    }
}

fn shortened(key: &str) -> String {
    if key.chars().count() <= SHOWN {
        return key.to_owned();
    }
    let kept: String = key.chars().take(SHOWN - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(key: &str, depends_on: &[&str]) -> Planned {
        Planned {
            key: key.into(),
            state: Pill::new(Tone::Quiet, "Waiting"),
            depends_on: depends_on.iter().map(|key| (*key).to_owned()).collect(),
        }
    }

    #[test]
    fn a_step_stands_to_the_right_of_what_it_depends_on_and_nothing_covers_anything() {
        let steps = [
            planned("check", &["write", "find"]),
            planned("find", &[]),
            planned("write", &["find"]),
            planned("other", &[]),
        ];
        let graph = Graph::new("Plan", &steps);
        let places: Vec<(usize, usize)> = graph.nodes.iter().map(|n| (n.x, n.y)).collect();
        assert_eq!(places, [(449, 1), (1, 1), (225, 1), (1, 65)]);
        assert_eq!((graph.width, graph.height), (626, 114));
        assert_eq!(graph.edges.len(), 3);
        insta::assert_snapshot!(graph.description, @"check, after write and find: waiting. find: waiting. write, after find: waiting. other: waiting.");
    }
}
