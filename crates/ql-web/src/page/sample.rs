//! What the samples have in common: one garden, its people and a fixed clock.

use ql_core::time::Timestamp;
use serde_json::{Value, json};

use super::{Csrf, Section, Shell, SiteLink};
use crate::part::{RevisionChip, When, Who};

const NOW: Timestamp = Timestamp::from_micros(1_796_040_000_000_000);

/// `minutes` before the samples' now; ahead of it when negative.
pub(super) fn ago(minutes: i64) -> When {
    let at = Timestamp::from_micros(NOW.as_micros() - minutes * 60_000_000);
    When::new(at, NOW)
}

pub(super) fn shell(section: Section) -> Shell {
    Shell {
        site: site("elmsea", "Elmsea Botanic Garden"),
        sites: vec![
            site("elmsea", "Elmsea Botanic Garden"),
            site("seed-exchange", "Elmsea Seed Exchange"),
        ],
        section,
        member: maren().with("owner"),
        pending: 4,
        csrf: Csrf {
            token: "sample-csrf-token".into(),
        },
        notice: None,
    }
}

fn site(slug: &str, name: &str) -> SiteLink {
    SiteLink {
        slug: slug.into(),
        name: name.into(),
    }
}

pub(super) fn maren() -> Who {
    Who::person("Maren Oxley")
}

pub(super) fn idris() -> Who {
    Who::person("Idris Bell")
}

pub(super) fn writer() -> Who {
    Who::agent("Garden writer").to("/sites/elmsea/agents/agt_1")
}

pub(super) fn connection() -> Who {
    Who::connection("laptop").with("qla_7fKq02Xm")
}

pub(super) fn revision(number: i64) -> RevisionChip {
    let hashes = [
        "9f3c21d07ab4",
        "ab12cd90ef34",
        "4c77e0b1a9d2",
        "07be5531c8fa",
        "d1e0a4477b92",
    ];
    let hash = hashes[usize::try_from(number).unwrap_or_default() % hashes.len()];
    RevisionChip::new(number, hash.repeat(6).get(..64).unwrap_or(hash)).to(format!(
        "/sites/elmsea/content/cnt_visit/revisions/rev_{number}"
    ))
}

pub(super) const DIGEST: &str = "3f2a9c1d5e6b7a8091c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e";

/// A landing page's schema, as short as the samples need it.
pub(super) fn schema() -> Value {
    let text =
        |title: &str, most: u64| json!({"type": "string", "title": title, "maxLength": most});
    let part = json!({"type": "object", "required": ["heading", "body"], "properties": {
        "heading": text("Heading", 80),
        "body": {"type": "string", "title": "Body", "contentMediaType": "text/markdown", "maxLength": 8000,
            "description": "The part's text in Markdown, without headings."}}});
    json!({"type": "object", "required": ["title", "intro", "sections"], "properties": {
        "title": {"type": "string", "title": "Title", "maxLength": 120, "description": "The page's heading."},
        "intro": text("Introduction", 600),
        "sections": {"type": "array", "title": "Sections", "items": part, "description": "The page's parts, in reading order."},
        "topics": {"type": "array", "title": "Topics", "items": {"type": "string"}},
        "season": {"type": "string", "title": "Season", "enum": ["summer", "winter"]},
        "call_to_action": {"type": "object", "title": "Call to action", "properties": {
            "label": text("Label", 60), "href": text("Address", 160)}}}})
}

pub(super) fn fields() -> Value {
    json!({
        "title": "Visit the garden",
        "intro": "We are ten minutes on foot from Elmsea station, along the sea wall. You do not need to book, except for groups of more than ten.",
        "sections": [
            {"heading": "Tickets", "body": "Adults £7.50, students and people out of work £4. Everyone under eighteen comes in free.\n\nA year's ticket costs £24. It pays for itself on the fourth visit and lets you bring a friend on Wednesdays."},
            {"heading": "Getting here", "body": "**By train.** Trains from the city run twice an hour and take thirty-five minutes. Turn left out of the station and keep the sea on your right.\n\n**By bus.** Number 14 stops at the east gate.\n\n**By car.** There are forty spaces at the west gate, four of them wide ones next to the entrance.\n\nOn sunny Sundays they are full by eleven.\n\nBicycles lean on the rail by the kiosk."}],
        "topics": ["visiting", "access"],
        "season": "winter",
        "call_to_action": {"label": "Ask about a group visit", "href": "/groups"}})
}

pub(super) fn next_fields() -> Value {
    let mut next = fields();
    next["intro"] = json!(
        "We are ten minutes on foot from Elmsea station, along the sea wall. You do not need to book, except for groups of more than fifteen."
    );
    next["sections"][0]["body"] = json!(
        "Adults £8, students and people out of work £4. Everyone under eighteen comes in free, and so does anyone who helps a visitor who could not come alone.\n\nA year's ticket costs £24. It pays for itself on the third visit and lets you bring a friend on Wednesdays."
    );
    next["sections"][1]["body"] = json!(
        fields()["sections"][1]["body"]
            .as_str()
            .unwrap_or_default()
            .replace("forty spaces", "thirty-two spaces")
    );
    if let Some(sections) = next["sections"].as_array_mut() {
        sections.push(json!({"heading": "Dogs", "body": "Assistance dogs are welcome everywhere, other dogs on a lead outside the walled garden."}));
    }
    next
}
