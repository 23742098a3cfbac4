//! A map too large for every title: each pillar is a block, each cluster a named row of marks, one
//! for each page, whose shape says where the page stands. A click leads to the part with titles.

use ql_core::topical_map::NodeKind;

use super::{Branch, counted, fitted, icon, opens, said, status};
use crate::page::{Drawn, Picture};

/// The room of a picture: its width, and how many blocks stand beside each other.
#[derive(Clone, Copy)]
pub(super) struct Room {
    class: &'static str,
    width: u32,
    blocks: u32,
    /// How wide a cluster's name is beside its marks; none where it stands above them.
    label: Option<u32>,
}

/// For wide windows.
pub(super) const WIDE: Room = Room {
    class: "map-wide",
    width: 1080,
    blocks: 2,
    label: Some(240),
};
/// For phones.
pub(super) const NARROW: Room = Room {
    class: "map-narrow",
    width: 358,
    blocks: 1,
    label: None,
};

const MARK: u32 = 20;
const HEAD: u32 = 32;
const GUTTER: u32 = 24;

impl Room {
    const fn block(self) -> u32 {
        let gutters = GUTTER * (self.blocks - 1);
        (self.width - gutters) / self.blocks
    }

    /// Where a row's marks begin: how far in, and how far below its name.
    const fn marks_at(self) -> (u32, u32) {
        match self.label {
            Some(label) => (label, 0),
            None => (16, 28),
        }
    }

    /// How many marks stand beside each other.
    const fn marks(self) -> u32 {
        (self.block() - self.marks_at().0) / MARK
    }

    /// How wide a cluster's name is.
    const fn name(self) -> u32 {
        match self.label {
            Some(label) => label - 24,
            None => self.block() - 16,
        }
    }
}

/// A block's row: a cluster with its pages, or the pages right below the pillar.
struct Row<'b, 'a> {
    cluster: Option<&'b Branch<'a>>,
    pages: Vec<&'b Branch<'a>>,
}

fn rows<'b, 'a>(pillar: &'b Branch<'a>) -> Vec<Row<'b, 'a>> {
    let is_page = |branch: &&Branch<'a>| branch.node.node.kind == NodeKind::Page;
    let clusters = pillar.below.iter().filter(|branch| !is_page(branch));
    let mut rows: Vec<Row<'b, 'a>> = clusters
        .map(|cluster| Row {
            cluster: Some(cluster),
            pages: cluster.below.iter().collect(),
        })
        .collect();
    let direct: Vec<&Branch<'a>> = pillar.below.iter().filter(is_page).collect();
    if !direct.is_empty() {
        rows.push(Row {
            cluster: None,
            pages: direct,
        });
    }
    rows
}

/// The blocks, each put where there is most room.
pub(super) fn draw(forest: &[Branch<'_>], at: &dyn Fn(&str) -> String, room: Room) -> Picture {
    let mut heights: Vec<(u32, u32)> = (0..room.blocks).map(|block| (block, 0)).collect();
    let (mut nodes, mut lines) = (Vec::new(), Vec::new());
    for pillar in forest {
        // The leftmost of the shortest.
        let Some(shortest) = heights.iter_mut().min_by_key(|(_, height)| *height) else {
            continue;
        };
        let x = shortest.0 * (room.block() + GUTTER);
        let y = shortest.1;
        nodes.push(label(pillar, (x, y, room.block()), at));
        let mut below = y + HEAD;
        let (inset, under) = room.marks_at();
        for row in rows(pillar) {
            let middle = below + MARK / 2 + 2;
            let top = below + if row.cluster.is_some() { under } else { 0 };
            lines.push(format!("M{} {}V{middle}H{}", x + 8, y + 26, x + 16));
            if let Some(cluster) = row.cluster {
                nodes.push(label(cluster, (x + 16, below, room.name()), at));
            }
            for (index, page) in row.pages.iter().enumerate() {
                let index = u32::try_from(index).unwrap_or(0);
                let (across, down) = (index % room.marks(), index / room.marks());
                let place = (x + inset + across * MARK, top + down * MARK + 2);
                nodes.push(mark(page, place, at));
            }
            let pages = u32::try_from(row.pages.len()).unwrap_or(0);
            below = top + pages.div_ceil(room.marks()).max(1) * MARK + 6;
        }
        shortest.1 = below + 20;
    }
    Picture {
        class: room.class,
        width: room.width,
        height: heights
            .into_iter()
            .map(|(_, height)| height)
            .max()
            .unwrap_or(HEAD),
        lines,
        links: Vec::new(),
        nodes,
    }
}

fn label(
    branch: &Branch<'_>,
    (x, y, width): (u32, u32, u32),
    at: &dyn Fn(&str) -> String,
) -> Drawn {
    let node = branch.node;
    let (all, live) = branch.pages();
    let count = counted(node.node.kind, (live, all));
    let taken = u32::try_from(24 + 7 * count.len()).unwrap_or(width);
    Drawn {
        x,
        y,
        width,
        height: 24,
        kind: node.node.kind.as_str(),
        icon: None,
        tone: status(node.status).tone,
        href: opens(node, at),
        text: fitted(&node.node.title, width.saturating_sub(taken), 8),
        said: format!("{}, {live} of {all} pages published", said(node)),
        count: Some(count),
    }
}

fn mark(branch: &Branch<'_>, (x, y): (u32, u32), at: &dyn Fn(&str) -> String) -> Drawn {
    let node = branch.node;
    Drawn {
        x,
        y,
        width: MARK - 2,
        height: MARK - 2,
        kind: "mark",
        icon: Some(icon(node.status)),
        tone: status(node.status).tone,
        href: opens(node, at),
        text: String::new(),
        said: said(node),
        count: None,
    }
}
