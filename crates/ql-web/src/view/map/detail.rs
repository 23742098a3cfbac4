//! A map small enough for every title: pillars, clusters and pages in columns, or, where there is
//! no room for columns, one below the other.

use std::collections::BTreeMap;

use ql_core::id::NodeId;
use ql_core::topical_map::NodeKind;

use super::{Branch, counted, fitted, icon, opens, said, status};
use crate::page::{Drawn, Picture};

/// The height of a row.
const ROW: u32 = 28;
/// The space between two pillars.
const GAP: u32 = 16;
/// Where each column begins and how wide a node of it is.
const COLUMNS: [(u32, u32); 3] = [(0, 220), (272, 240), (564, 440)];
const WIDTH: u32 = 1080;
const NARROW: u32 = 358;

const fn column(kind: NodeKind) -> (u32, u32) {
    match kind {
        NodeKind::Pillar => COLUMNS[0],
        NodeKind::Cluster => COLUMNS[1],
        NodeKind::Page => COLUMNS[2],
    }
}

/// A picture on its way.
struct Drawing<'f> {
    at: &'f dyn Fn(&str) -> String,
    nodes: Vec<Drawn>,
    lines: Vec<String>,
    /// The middle of each page's row.
    rows: BTreeMap<NodeId, u32>,
    y: u32,
}

impl<'f> Drawing<'f> {
    fn new(at: &'f dyn Fn(&str) -> String) -> Self {
        Self {
            at,
            nodes: Vec::new(),
            lines: Vec::new(),
            rows: BTreeMap::new(),
            y: 0,
        }
    }

    fn node(&mut self, branch: &Branch<'_>, (x, middle, width): (u32, u32, u32)) {
        let (node, kind) = (branch.node, branch.node.node.kind);
        let (all, live) = branch.pages();
        let count = (kind != NodeKind::Page && all > 0).then(|| counted(kind, (live, all)));
        let taken = count.as_ref().map_or(32, |count| 24 + 7 * count.len());
        let room = width.saturating_sub(u32::try_from(taken).unwrap_or(width));
        self.nodes.push(Drawn {
            x,
            y: middle - (ROW - 4) / 2,
            width,
            height: ROW - 4,
            kind: kind.as_str(),
            icon: (kind == NodeKind::Page).then(|| icon(node.status)),
            tone: status(node.status).tone,
            href: opens(node, self.at),
            text: fitted(
                &node.node.title,
                room,
                if kind == NodeKind::Page { 7 } else { 8 },
            ),
            said: said(node),
            count,
        });
    }

    /// Draws a branch and answers the middle of its node's row.
    fn in_columns(&mut self, branch: &Branch<'_>) -> u32 {
        let kind = branch.node.node.kind;
        let (x, width) = column(kind);
        let below: Vec<(u32, u32)> = branch
            .below
            .iter()
            .map(|child| {
                let middle = self.in_columns(child);
                (column(child.node.node.kind).0, middle)
            })
            .collect();
        let middle = if let (Some((_, first)), Some((_, last))) = (below.first(), below.last()) {
            u32::midpoint(*first, *last)
        } else {
            let middle = self.y + ROW / 2;
            self.y += ROW;
            middle
        };
        for (child, y) in below {
            self.lines.push(curve((x + width, middle), (child, y)));
        }
        self.rows.insert(branch.node.id, middle);
        self.node(branch, (x, middle, width));
        middle
    }

    /// Draws a branch below what is there, further in for each level.
    fn indented(&mut self, branch: &Branch<'_>, level: u32) {
        let middle = self.y + ROW / 2;
        let x = level * 20;
        self.node(branch, (x, middle, NARROW - x));
        self.y += ROW;
        let spine = x + 8;
        for child in &branch.below {
            let y = self.y + ROW / 2;
            self.lines
                .push(format!("M{spine} {}V{y}H{}", middle + 12, x + 20));
            self.indented(child, level + 1);
        }
    }

    fn picture(self, class: &'static str, width: u32, links: Vec<String>) -> Picture {
        Picture {
            class,
            width,
            height: self.y.max(ROW),
            lines: self.lines,
            links,
            nodes: self.nodes,
        }
    }
}

fn curve((x, y): (u32, u32), (to_x, to_y): (u32, u32)) -> String {
    let between = u32::midpoint(to_x.saturating_sub(52), to_x);
    format!(
        "M{x} {y}H{}C{between} {y} {between} {to_y} {to_x} {to_y}",
        to_x.saturating_sub(52)
    )
}

/// In three columns, with links between pages at their right.
pub(super) fn wide(
    forest: &[Branch<'_>],
    links: &[(NodeId, NodeId)],
    at: &dyn Fn(&str) -> String,
) -> Picture {
    let mut drawing = Drawing::new(at);
    for (index, branch) in forest.iter().enumerate() {
        drawing.y += if index > 0 { GAP } else { 0 };
        drawing.in_columns(branch);
    }
    let (x, width) = COLUMNS[2];
    let edge = x + width;
    let ends = links
        .iter()
        .filter_map(|(from, to)| Some((*drawing.rows.get(from)?, *drawing.rows.get(to)?)));
    let arcs = ends.map(|(from, to)| {
        let out = edge + 16 + (from.abs_diff(to) / 8).min(WIDTH - edge - 24);
        format!("M{edge} {from}C{out} {from} {out} {to} {} {to}", edge + 4)
    });
    let arcs = arcs.collect();
    drawing.picture("map-wide", WIDTH, arcs)
}

/// One below the other.
pub(super) fn narrow(forest: &[Branch<'_>], at: &dyn Fn(&str) -> String) -> Picture {
    let mut drawing = Drawing::new(at);
    for (index, branch) in forest.iter().enumerate() {
        drawing.y += if index > 0 { GAP } else { 0 };
        drawing.indented(branch, 0);
    }
    drawing.picture("map-narrow", NARROW, Vec::new())
}
