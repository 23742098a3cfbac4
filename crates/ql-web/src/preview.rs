//! How a page would read: its fields, rendered by the hints of its template, in a document of its
//! own that runs nothing and reaches nothing.
//!
//! Whoever wrote the fields is not trusted: Markdown is rendered with raw HTML shown as text, and
//! links in it lead nowhere that isn't plain web or mail.

use askama::Template;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag};
use ql_core::template::Template as ContentTemplate;
use serde_json::{Map, Value};

use crate::labels;

/// A page as a preview shows it.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "preview.html")]
pub struct Preview {
    /// The language of the text.
    pub locale: String,
    /// The page's title.
    pub title: String,
    /// Its parts, in the order of the template's hints.
    pub blocks: Vec<Block>,
}

/// One part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// The page's heading.
    Heading(String),
    /// The words under the heading.
    Lead(String),
    /// A short value with its label.
    Fact {
        /// What it is.
        label: String,
        /// The value.
        value: String,
    },
    /// Short words.
    Tags(Vec<String>),
    /// Rendered Markdown.
    Prose(Markup),
    /// Parts with headings of their own.
    Sections(Vec<(String, Markup)>),
    /// Rows of values.
    Table {
        /// What it is.
        label: String,
        /// The columns.
        columns: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A call to action.
    Link {
        /// Its words.
        label: String,
        /// Where it leads, as text: a preview follows no links.
        href: String,
    },
    /// A value that no hint says how to show.
    Json {
        /// What it is.
        label: String,
        /// The value.
        value: String,
    },
}

/// Markup that this module made from Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markup(String);

impl std::fmt::Display for Markup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

crate::part::markup!(Markup);

impl Preview {
    /// The preview of `fields` under a template's schema and hints. Nothing is left out, since
    /// what an approver doesn't see can't be approved.
    pub fn new(template: &ContentTemplate, fields: &Value, locale: &str) -> Self {
        let schema = labels::ordered(template);
        let title_field = template.display.title_field.as_deref().unwrap_or("title");
        let mut blocks = Vec::new();
        for key in labels::keys(&schema, &Map::new(), &object(fields)) {
            let declared = &schema["properties"][key.as_str()];
            let how = match &fields[key.as_str()] {
                Value::Null => continue,
                Value::String(_) if key == title_field => How::Heading,
                Value::String(_) if template.display.markdown.contains(&key) => How::Markdown,
                value => how(declared, value),
            };
            let label = labels::title(declared, &key);
            blocks.push(block(how, label, &fields[key.as_str()], declared));
        }
        Self {
            locale: locale.to_owned(),
            title: template.title_of(fields),
            blocks,
        }
    }
}

/// The ways to show a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Heading,
    Lead,
    Markdown,
    Fact,
    Tags,
    Sections,
    Table,
    Link,
    Json,
}

/// A plain text that may be longer than this is the page's opening rather than a fact about it.
const LONGEST_FACT: u64 = 160;

/// What the schema and the value's own shape suggest.
fn how(schema: &Value, value: &Value) -> How {
    let is_markdown = |schema: &Value| schema["contentMediaType"] == "text/markdown";
    match value {
        Value::String(_) if is_markdown(schema) => How::Markdown,
        Value::String(_)
            if schema["maxLength"]
                .as_u64()
                .is_some_and(|most| most > LONGEST_FACT) =>
        {
            How::Lead
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) => How::Fact,
        Value::Array(items)
            if items
                .iter()
                .all(|item| !item.is_object() && !item.is_array()) =>
        {
            How::Tags
        }
        Value::Array(items) if items.iter().all(Value::is_object) => {
            let parts = &schema["items"]["properties"];
            let is_section = is_markdown(&parts["body"]) && parts["heading"].is_object();
            if is_section {
                How::Sections
            } else {
                How::Table
            }
        }
        Value::Object(fields) if fields.contains_key("label") && fields.contains_key("href") => {
            How::Link
        }
        _ => How::Json,
    }
}

fn block(how: How, label: String, value: &Value, schema: &Value) -> Block {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    match how {
        How::Heading => Block::Heading(plain(value)),
        How::Lead => Block::Lead(plain(value)),
        How::Markdown => Block::Prose(markdown(&plain(value))),
        How::Fact => Block::Fact {
            label,
            value: plain(value),
        },
        How::Tags => Block::Tags(items.iter().map(plain).collect()),
        How::Sections => {
            let part = |item: &Value| (plain(&item["heading"]), markdown(&plain(&item["body"])));
            Block::Sections(items.iter().map(part).collect())
        }
        How::Table => table(label, items, &schema["items"]),
        How::Link => Block::Link {
            label: plain(&value["label"]),
            href: plain(&value["href"]),
        },
        How::Json => Block::Json {
            label,
            value: format!("{value:#}"),
        },
    }
}

fn table(label: String, items: &[Value], schema: &Value) -> Block {
    let mut keys = labels::declared(schema);
    for item in items {
        keys = labels::keys(
            schema,
            &keys.iter().map(|k| (k.clone(), Value::Null)).collect(),
            &object(item),
        );
    }
    let columns = keys
        .iter()
        .map(|key| labels::title(&schema["properties"][key.as_str()], key))
        .collect();
    let row = |item: &Value| keys.iter().map(|key| plain(&item[key.as_str()])).collect();
    Block::Table {
        label,
        columns,
        rows: items.iter().map(row).collect(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// Renders Markdown with raw HTML as text, images as their description and unknown schemes cut.
fn markdown(text: &str) -> Markup {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(text, options).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let dest_url = if is_plain(&dest_url) {
                dest_url
            } else {
                CowStr::Borrowed("#")
            };
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            })
        }
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let dest_url = if dest_url.starts_with('/') {
                dest_url
            } else {
                CowStr::Borrowed("#")
            };
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            })
        }
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    Markup(html)
}

fn is_plain(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    ["http://", "https://", "mailto:", "/", "#"]
        .iter()
        .any(|start| lower.starts_with(start))
}

impl Preview {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let prose = "One paragraph with **weight**.\n\n## A part\n\n- one\n- two";
        Self {
            locale: "en".into(),
            title: "Visit the garden".into(),
            blocks: vec![
                Block::Heading("Visit the garden".into()),
                Block::Lead("We are ten minutes on foot from Elmsea station.".into()),
                Block::Fact {
                    label: "Author".into(),
                    value: "idris-bell".into(),
                },
                Block::Tags(vec!["visiting".into(), "access".into()]),
                Block::Prose(markdown(prose)),
                Block::Sections(vec![("Tickets".into(), markdown("Adults £8."))]),
                Block::Table {
                    label: "Opening hours".into(),
                    columns: vec!["Days".into(), "Hours".into()],
                    rows: vec![vec!["Every day".into(), "10:00 to 18:00".into()]],
                },
                Block::Link {
                    label: "Ask about a group visit".into(),
                    href: "/groups".into(),
                },
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_is_shown_and_never_run() {
        let html = markdown("<script>alert(1)</script>\n\nHi <b onclick=x>there</b> [go](javascript:alert(1)) ![pic](https://elsewhere.example/x.png)").to_string();
        insta::assert_snapshot!(html, @r##"
        &lt;script&gt;alert(1)&lt;/script&gt;
        <p>Hi &lt;b onclick=x&gt;there&lt;/b&gt; <a href="#">go</a> <img src="#" alt="pic" /></p>
        "##);
    }

    #[test]
    fn the_hints_decide_the_order_and_nothing_is_left_out() {
        let template: Value = serde_json::from_str(include_str!(
            "../../../samples/site/templates/landing_page.json"
        ))
        .expect("a template");
        let page: Value =
            serde_json::from_str(include_str!("../../../samples/site/pages/visit.json"))
                .expect("a page");
        let template = ContentTemplate {
            id: ql_core::id::TemplateId::mint(
                &ql_core::id::SystemIdGen::default(),
                ql_core::time::Timestamp::default(),
            ),
            key: "landing_page".into(),
            version: 1,
            title: "Landing page".into(),
            description: String::new(),
            schema: template["schema"].clone(),
            display: serde_json::from_value(template["display"].clone()).expect("hints"),
            created_at: ql_core::time::Timestamp::default(),
        };
        let mut fields = page["fields"].clone();
        fields["extra"] = serde_json::json!({"odd": true});
        let kinds: Vec<&str> = Preview::new(&template, &fields, "en")
            .blocks
            .iter()
            .map(|block| match block {
                Block::Heading(_) => "heading",
                Block::Lead(_) => "lead",
                Block::Fact { .. } => "fact",
                Block::Tags(_) => "tags",
                Block::Prose(_) => "prose",
                Block::Sections(_) => "sections",
                Block::Table { .. } => "table",
                Block::Link { .. } => "link",
                Block::Json { .. } => "json",
            })
            .collect();
        assert_eq!(
            kinds,
            ["heading", "lead", "table", "sections", "link", "json"]
        );
    }
}
