//! A small reader of HTML that is strict enough to find what browsers forgive.

use std::collections::{BTreeMap, BTreeSet};

/// One element as it was opened.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: BTreeMap<String, String>,
    /// The tags that it stands in, the outermost first.
    pub(crate) inside: Vec<String>,
    /// The text inside it.
    pub(crate) text: String,
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }
}

const VOID: [&str; 9] = [
    "meta", "link", "input", "br", "hr", "img", "path", "rect", "circle",
];

/// Reads a document into its elements.
///
/// # Errors
/// The first place where a tag isn't closed, is closed in the wrong order or has an attribute
/// twice.
pub(crate) fn read(html: &str) -> Result<Vec<Element>, String> {
    let (mut elements, mut open): (Vec<Element>, Vec<(String, usize)>) = (Vec::new(), Vec::new());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        for (_, index) in &open {
            elements[*index].text.push_str(&rest[..start]);
        }
        let end = start + rest[start..].find('>').ok_or("a tag without an end")?;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some((expected, _)) if expected == name => {}
                other => return Err(format!("</{name}> closes {other:?}")),
            }
            continue;
        }
        let is_closed = tag.ends_with('/');
        let element = element(tag.trim_end_matches('/'), &open)?;
        let name = element.tag.clone();
        elements.push(element);
        if !is_closed && !VOID.contains(&name.as_str()) {
            open.push((name, elements.len() - 1));
        }
    }
    match open.last() {
        None => Ok(elements),
        Some((name, _)) => Err(format!("<{name}> is never closed")),
    }
}

fn element(tag: &str, open: &[(String, usize)]) -> Result<Element, String> {
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let mut attributes = BTreeMap::new();
    while !rest.trim_start().is_empty() {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c == '=' || c.is_whitespace());
        let (key, after) = rest.split_at(end.unwrap_or(rest.len()));
        let (value, after) = match after.strip_prefix('=') {
            None => ("", after),
            Some(after) => {
                let quote = after.chars().next().filter(|c| ['"', '\''].contains(c));
                let quote = quote.ok_or_else(|| format!("<{tag}>: a value without quotes"))?;
                let inner = &after[1..];
                let end = inner
                    .find(quote)
                    .ok_or_else(|| format!("<{tag}>: an open quote"))?;
                (&inner[..end], &inner[end + 1..])
            }
        };
        if attributes
            .insert(key.to_owned(), value.to_owned())
            .is_some()
        {
            return Err(format!("<{tag}>: {key} twice"));
        }
        rest = after;
    }
    Ok(Element {
        tag: name.to_owned(),
        attributes,
        inside: open.iter().map(|(name, _)| name.clone()).collect(),
        text: String::new(),
    })
}

/// Everything that keeps a page from being sound: landmarks, headings, labels, references, forms
/// without their token, and whatever the content security policy would refuse.
pub(crate) fn problems(html: &str) -> Vec<String> {
    let elements = match read(html) {
        Ok(elements) => elements,
        Err(problem) => return vec![problem],
    };
    let mut problems = Vec::new();
    // What stands in a picture is named there, and isn't the page's title.
    let drawn = |element: &Element| element.inside.iter().any(|tag| tag == "svg");
    let count = |tag: &str| {
        let of_page = elements.iter().filter(|e| e.tag == tag && !drawn(e));
        of_page.count()
    };
    for (tag, wanted) in [("main", 1), ("h1", 1), ("title", 1)] {
        if count(tag) != wanted {
            problems.push(format!("{} <{tag}>, expected {wanted}", count(tag)));
        }
    }
    let mut ids = BTreeSet::new();
    for id in elements.iter().filter_map(|e| e.get("id")) {
        if !ids.insert(id) {
            problems.push(format!("the id {id} stands twice"));
        }
    }
    let labelled: BTreeSet<&str> = elements
        .iter()
        .filter(|e| e.tag == "label")
        .filter_map(|e| e.get("for"))
        .collect();
    for element in &elements {
        problems.extend(references(element, &ids));
        problems.extend(refused_by_policy(element));
        problems.extend(unnamed(element, &labelled));
    }
    problems.extend(forms_without_token(&elements));
    problems
}

fn references(element: &Element, ids: &BTreeSet<&str>) -> Vec<String> {
    let mut targets = Vec::new();
    for name in [
        "for",
        "aria-describedby",
        "aria-labelledby",
        "data-copy-from",
    ] {
        targets.extend(
            element
                .get(name)
                .into_iter()
                .flat_map(str::split_whitespace),
        );
    }
    let fragment = element.get("href").and_then(|href| href.strip_prefix('#'));
    targets.extend(fragment);
    let missing = targets.into_iter().filter(|target| !ids.contains(target));
    missing
        .map(|target| format!("<{}> points to the missing #{target}", element.tag))
        .collect()
}

fn refused_by_policy(element: &Element) -> Vec<String> {
    let inline = element
        .attributes
        .keys()
        .filter(|name| *name == "style" || name.starts_with("on"));
    let mut problems: Vec<String> = inline
        .map(|name| format!("<{}> has an inline {name}", element.tag))
        .collect();
    if element.tag == "style" || (element.tag == "script" && element.get("src").is_none()) {
        problems.push(format!("an inline <{}>", element.tag));
    }
    problems
}

fn unnamed(element: &Element, labelled: &BTreeSet<&str>) -> Option<String> {
    let in_label = element.inside.iter().any(|tag| tag == "label");
    let named = element.get("aria-label").is_some() || element.get("aria-labelledby").is_some();
    let is_hidden = element.get("type") == Some("hidden") || element.get("hidden").is_some();
    let by_label = element.get("id").is_some_and(|id| labelled.contains(id));
    let text = !element.text.trim().is_empty();
    let sound = match element.tag.as_str() {
        "input" | "select" | "textarea" => is_hidden || in_label || named || by_label,
        "button" | "a" | "summary" | "h1" | "h2" | "h3" => named || text,
        "iframe" => element.get("title").is_some() && element.get("sandbox") == Some(""),
        "nav" | "aside" => named,
        "table" => true,
        _ => return None,
    };
    (!sound).then(|| format!("<{}> {:?} has no name", element.tag, element.attributes))
}

fn forms_without_token(elements: &[Element]) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, form) in elements.iter().enumerate() {
        if form.tag != "form" || form.get("method") != Some("post") {
            continue;
        }
        let token = elements
            .get(index + 1)
            .is_some_and(|next| next.get("name") == Some("csrf"));
        if !token {
            problems.push(format!("the form {:?} has no token", form.get("action")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::problems;

    fn page(body: &str) -> String {
        format!("<html><title>t</title><main><h1>t</h1>{body}</main></html>")
    }

    #[test]
    fn a_sound_page_has_no_problems_and_each_fault_is_found() {
        assert!(problems(&page("<p>fine</p>")).is_empty());
        for fault in [
            "<p>open",
            "<b><i>crossed</b></i>",
            "<input name=\"q\">",
            "<label for=\"x\">lost</label>",
            "<p id=\"a\"></p><p id=\"a\"></p>",
            "<p style=\"color:red\">x</p>",
            "<p onclick=\"x()\">x</p>",
            "<script>x()</script>",
            "<a href=\"/x\"></a>",
            "<iframe title=\"x\"></iframe>",
            "<form method=\"post\"><button>go</button></form>",
            "<h1>again</h1>",
        ] {
            assert!(!problems(&page(fault)).is_empty(), "{fault}");
        }
    }
}
