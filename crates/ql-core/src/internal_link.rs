//! Links between pages of the site, set where exact words stand in a page's draft.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{ContentId, RevisionId};
use crate::problem::{Problem, escape};
use crate::template::Template;

/// What may be said of a link beside where it goes.
pub const RELATIONS: [&str; 3] = ["nofollow", "sponsored", "ugc"];

/// One link to set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The page that gets the link.
    pub source_content_id: ContentId,
    /// Its current draft, in which the words stand.
    pub source_revision_id: RevisionId,
    /// The words that become the link.
    pub anchor: String,
    /// What stands right before them; empty for nothing.
    pub prefix: String,
    /// What stands right after them; empty for nothing.
    pub suffix: String,
    /// The page that it goes to.
    pub target_content_id: ContentId,
    /// What is said of the link, such as `nofollow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
}

/// What is wrong with a set of links whatever the pages say, with pointers below the payload.
pub fn problems(links: &[Link]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut met = BTreeSet::new();
    for (index, link) in links.iter().enumerate() {
        let mut add = |member: &str, code, message: &str| {
            let pointer = format!("/links/{index}{member}");
            problems.push(Problem::new(pointer, code, message));
        };
        if link.source_content_id == link.target_content_id {
            add(
                "/target_content_id",
                "self_link",
                "a page doesn't link to itself",
            );
        }
        if !met.insert((link.source_content_id, link.target_content_id)) {
            add(
                "",
                "duplicate",
                "another of these links joins the same two pages",
            );
        }
        if link.anchor.trim().is_empty() || link.anchor.trim() != link.anchor {
            add(
                "/anchor",
                "format",
                "expected words without white space around them",
            );
        }
        if link.anchor.contains(['[', ']', '<', '>', '\n', '`']) {
            add(
                "/anchor",
                "format",
                "a link's words hold no line break, backtick or bracket",
            );
        }
        if link
            .rel
            .as_deref()
            .is_some_and(|rel| !RELATIONS.contains(&rel))
        {
            add("/rel", "format", "expected nofollow, sponsored or ugc");
        }
    }
    problems
}

/// The fields of a page with links set in them; each comes with its number among the proposed links
/// and the address it goes to.
///
/// # Errors
/// Each link whose words don't stand exactly once where a link can be, with its pointer below the
/// payload.
pub fn set(
    fields: &Value,
    links: &[(usize, &Link, String)],
    template: &Template,
) -> Result<Value, Vec<Problem>> {
    let texts = texts(fields);
    let mut problems = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    for (index, link, href) in links {
        match place(&texts, link, href, template) {
            Ok((pointer, range)) => places.push(Place {
                index: *index,
                pointer,
                range,
                text: written(link, href),
            }),
            Err(problem) => problems.push(problem.under(&format!("/links/{index}"))),
        }
    }
    places.sort_by(|a, b| (&a.pointer, a.range.start).cmp(&(&b.pointer, b.range.start)));
    for pair in places.windows(2) {
        if pair[0].pointer == pair[1].pointer && pair[0].range.end > pair[1].range.start {
            let message = "another of these links takes some of the same words";
            let at = format!("/links/{}/anchor", pair[1].index);
            problems.push(Problem::new(at, "overlap", message));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut changed = fields.clone();
    // From the end, so that the places before stay where they are.
    for place in places.iter().rev() {
        if let Some(Value::String(text)) = changed.pointer_mut(&place.pointer) {
            text.replace_range(place.range.clone(), &place.text);
        }
    }
    Ok(changed)
}

/// Where a link goes into a page's fields, and what stands there then.
struct Place {
    index: usize,
    pointer: String,
    range: Range<usize>,
    text: String,
}

/// A link as it is written. Markdown has no place for a relation, so a link with one is written as
/// the element that Markdown stands for.
fn written(link: &Link, href: &str) -> String {
    match &link.rel {
        None => format!("[{}]({href})", link.anchor),
        Some(rel) => format!("<a href=\"{href}\" rel=\"{rel}\">{}</a>", link.anchor),
    }
}

fn place(
    texts: &[(String, &str)],
    link: &Link,
    href: &str,
    template: &Template,
) -> Result<(String, Range<usize>), Problem> {
    let wanted = format!("{}{}{}", link.prefix, link.anchor, link.suffix);
    let mut found = Vec::new();
    for (pointer, text) in texts {
        let starts = occurrences(text, &wanted).map(|start| start + link.prefix.len());
        found.extend(starts.map(|start| (pointer, *text, start..start + link.anchor.len())));
    }
    let (pointer, text, range) = match found.as_slice() {
        [] => {
            let message = "the revision has no such words with this prefix and suffix";
            return Err(Problem::new("/anchor", "anchor_not_found", message));
        }
        [only] => only.clone(),
        many => {
            let count = many.len();
            let message = format!(
                "the words stand {count} times; a longer prefix or suffix tells them apart"
            );
            return Err(Problem::new("/anchor", "anchor_ambiguous", message));
        }
    };
    if !takes_links(template, pointer) {
        let message = format!("`{pointer}` is no running text, so no link can stand there");
        return Err(Problem::new("/anchor", "not_linkable", message));
    }
    let spans = spans(text);
    if spans
        .iter()
        .any(|span| span.start < range.end && range.start < span.end)
    {
        let message = "the words are a part of a link already";
        return Err(Problem::new("/anchor", "already_linked", message));
    }
    let to_target = |(_, text): &(String, &str)| links_to(text, href);
    if texts.iter().any(to_target) {
        let message = "the page links to the target already";
        return Err(Problem::new(
            "/target_content_id",
            "duplicate_link",
            message,
        ));
    }
    Ok((pointer.clone(), range))
}

/// Every place where `wanted` begins, those that overlap included.
fn occurrences<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let starts = text.char_indices().map(|(start, _)| start);
    starts.filter(move |start| text[*start..].starts_with(wanted))
}

/// Whether a page shows what stands at a pointer as running text.
fn takes_links(template: &Template, pointer: &str) -> bool {
    let field = pointer.split('/').nth(1).unwrap_or_default();
    let display = &template.display;
    let title = display.title_field.as_deref().unwrap_or("title");
    let markdown = display.markdown.is_empty() || display.markdown.iter().any(|name| name == field);
    field != title && markdown
}

fn texts(fields: &Value) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    collect(fields, String::new(), &mut found);
    found
}

fn collect<'v>(value: &'v Value, pointer: String, found: &mut Vec<(String, &'v str)>) {
    match value {
        Value::String(text) => found.push((pointer, text)),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                collect(element, format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, format!("{pointer}/{}", escape(name)), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn links_to(text: &str, href: &str) -> bool {
    text.contains(&format!("]({href})"))
        || text.contains(&format!("]({href} "))
        || text.contains(&format!("href=\"{href}\""))
}

/// Where links stand in a Markdown text, from their first to their last byte.
fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open = Vec::new();
    for (at, symbol) in text.char_indices() {
        match symbol {
            '[' => open.push(at),
            ']' => {
                let begun = open.pop();
                let address = text[at + 1..]
                    .strip_prefix('(')
                    .and_then(|rest| rest.find(')'));
                if let (Some(begun), Some(length)) = (begun, address) {
                    spans.push(begun..at + length + 3);
                }
            }
            _ => {}
        }
    }
    let mut from = 0;
    while let Some(begun) = text[from..].find("<a ").map(|begun| from + begun) {
        let end = text[begun..]
            .find("</a>")
            .map_or(text.len(), |length| begun + length + 4);
        spans.push(begun..end);
        from = end;
    }
    spans
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::id::{SystemIdGen, TemplateId};
    use crate::template::Display;
    use crate::time::Timestamp;

    fn template(markdown: &[&str]) -> Template {
        let at = Timestamp::from_micros(1);
        Template {
            id: TemplateId::mint(&SystemIdGen::default(), at),
            key: "article".into(),
            version: 1,
            title: "Article".into(),
            description: String::new(),
            schema: json!({}),
            display: Display {
                markdown: markdown.iter().map(|name| (*name).to_owned()).collect(),
                ..Display::default()
            },
            created_at: at,
        }
    }

    fn link(prefix: &str, anchor: &str, suffix: &str) -> Link {
        let (ids, at) = (SystemIdGen::default(), Timestamp::from_micros(1));
        Link {
            source_content_id: ContentId::mint(&ids, at),
            source_revision_id: RevisionId::mint(&ids, at),
            anchor: anchor.into(),
            prefix: prefix.into(),
            suffix: suffix.into(),
            target_content_id: ContentId::mint(&ids, at),
            rel: None,
        }
    }

    fn outcome(fields: &Value, links: &[Link], markdown: &[&str]) -> String {
        let hrefs = links.iter().enumerate();
        let links: Vec<_> = hrefs
            .map(|(n, link)| (n, link, format!("/target-{n}")))
            .collect();
        match set(fields, &links, &template(markdown)) {
            Ok(fields) => fields["body"].to_string(),
            Err(problems) => {
                let lines = problems.iter().map(|p| format!("{} {}", p.pointer, p.code));
                lines.collect::<Vec<_>>().join(", ")
            }
        }
    }

    #[test]
    fn words_become_links_where_they_stand_exactly_once() {
        let fields = json!({
            "title": "Sencha tea", "body": "Brew tea, then tea again; see [our Ünï tea](/a) and <a href=\"/b\">white tea</a>.",
            "parts": [{"text": "A pot. A pot/jug."}],
        });
        let nofollow = Link {
            rel: Some("nofollow".into()),
            ..link("", "Brew", " tea")
        };
        let cases = [
            vec![link("Brew ", "tea", ",")],
            vec![link("", "Brew tea", ""), link("then ", "tea", " again")],
            vec![nofollow],
            vec![link("", "tea", "")],
            vec![link("", "coffee", "")],
            vec![link("", "Sencha", "")],
            vec![link("Ünï ", "tea", "")],
            vec![link("white ", "tea", "")],
            vec![link("", "Brew tea", ""), link("", "tea, then", "")],
            vec![link("", "pot", "")],
        ];
        let lines: Vec<String> = cases
            .iter()
            .map(|links| outcome(&fields, links, &[]))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        "Brew [tea](/target-0), then tea again; see [our Ünï tea](/a) and <a href=\"/b\">white tea</a>."
        "[Brew tea](/target-0), then [tea](/target-1) again; see [our Ünï tea](/a) and <a href=\"/b\">white tea</a>."
        "<a href=\"/target-0\" rel=\"nofollow\">Brew</a> tea, then tea again; see [our Ünï tea](/a) and <a href=\"/b\">white tea</a>."
        /links/0/anchor anchor_ambiguous
        /links/0/anchor anchor_not_found
        /links/0/anchor not_linkable
        /links/0/anchor already_linked
        /links/0/anchor already_linked
        /links/1/anchor overlap
        /links/0/anchor anchor_ambiguous
        "#);
        let only_body = outcome(&fields, &[link("A ", "pot", "/")], &["body"]);
        assert_eq!(only_body, "/links/0/anchor not_linkable");
        let there = json!({"body": "One [x](/target-0), two."});
        assert_eq!(
            outcome(&there, &[link("", "two", "")], &[]),
            "/links/0/target_content_id duplicate_link"
        );
    }

    #[test]
    fn what_no_page_could_hold_is_refused_all_at_once() {
        let good = link("", "tea", "");
        let to_itself = Link {
            target_content_id: good.source_content_id,
            ..good.clone()
        };
        let odd = Link {
            anchor: " [tea] ".into(),
            rel: Some("evil".into()),
            ..link("", "", "")
        };
        let found = problems(&[good.clone(), good, to_itself, odd]);
        let lines: Vec<String> = found
            .iter()
            .map(|p| format!("{} {}", p.pointer, p.code))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        /links/1 duplicate
        /links/2/target_content_id self_link
        /links/3/anchor format
        /links/3/anchor format
        /links/3/rel format
        ");
    }
}
