//! The topical map: drawn, listed, and one node of it.

use askama::Template;

use super::Shell;
use crate::part::{Fact, Link, Pill, Tone};

/// The map.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "topical_map.html")]
pub struct TopicalMap {
    /// The frame.
    pub shell: Shell,
    /// The version of the map; 0 where there is none yet.
    pub version: i64,
    /// The part that is shown, where it isn't the whole: what it is called and what it is.
    pub part: Option<(String, &'static str)>,
    /// The ways back from that part.
    pub above: Vec<Link>,
    /// What is typed into the search.
    pub query: String,
    /// The key of the part that is shown.
    pub under: String,
    /// Where pages stand, how many stand so, and the address that shows only those.
    pub counts: Vec<Count>,
    /// The pictures, for wide windows and for narrow ones.
    pub pictures: Vec<Picture>,
    /// The same as a list.
    pub list: Vec<ListNode>,
    /// Whether any filter is set.
    pub is_filtered: bool,
}

/// How many pages stand so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Where they stand.
    pub status: Pill,
    /// The icon that marks them in the picture.
    pub icon: &'static str,
    /// How many.
    pub number: usize,
    /// The address that shows only those, or all where it does that now.
    pub href: String,
    /// Whether only those are shown.
    pub is_here: bool,
}

/// A picture of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// For which windows.
    pub class: &'static str,
    /// Its size.
    pub width: u32,
    /// Its size.
    pub height: u32,
    /// What joins nodes with those below them.
    pub lines: Vec<String>,
    /// What joins pages by links.
    pub links: Vec<String>,
    /// The nodes.
    pub nodes: Vec<Drawn>,
}

/// A node in a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// Its left edge.
    pub x: u32,
    /// Its upper edge.
    pub y: u32,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// What it is: `pillar`, `cluster`, `page`, or `mark` for a page without its title.
    pub kind: &'static str,
    /// The icon of where its page stands.
    pub icon: Option<&'static str>,
    /// What that means.
    pub tone: Tone,
    /// Where it leads.
    pub href: String,
    /// Its title, cut to its room.
    pub text: String,
    /// Its whole title and where it stands.
    pub said: String,
    /// How many of the pages below it are live, of how many.
    pub count: Option<String>,
}

impl Drawn {
    const fn middle(&self) -> u32 {
        self.y + self.height / 2
    }

    const fn right(&self) -> u32 {
        self.x + self.width
    }

    /// Where the icon's left and upper edges are.
    const fn icon_at(&self) -> (u32, u32) {
        let left = if self.text.is_empty() { 1 } else { 6 };
        (self.x + left, self.middle() - 8)
    }

    /// Where the text begins.
    const fn text_at(&self) -> u32 {
        self.x + if self.icon.is_some() { 28 } else { 10 }
    }
}

/// A node in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListNode {
    /// Its title and page.
    pub link: Link,
    /// What it is.
    pub kind: &'static str,
    /// Where its page stands.
    pub status: Pill,
    /// Those below it.
    pub below: Vec<ListNode>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "topical_node.html")]
pub struct TopicalNode {
    /// The frame.
    pub shell: Shell,
    /// What it is called.
    pub title: String,
    /// What it is.
    pub kind: &'static str,
    /// Where its page stands.
    pub status: Pill,
    /// The nodes above it, the topmost first.
    pub above: Vec<Link>,
    /// What the map says of it.
    pub facts: Vec<Fact>,
    /// Its brief.
    pub brief: Option<Link>,
    /// Its page.
    pub content: Option<Link>,
    /// The nodes right below it.
    pub below: Vec<ListNode>,
    /// Links that approved proposals set from its page, with their words.
    pub links_out: Vec<(Link, String)>,
    /// And to its page.
    pub links_in: Vec<(Link, String)>,
}
