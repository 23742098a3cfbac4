//! Every page struct, rendered from its sample.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ql_web::page::gallery;

use crate::html::{problems, read};

fn pages() -> Vec<(&'static str, String)> {
    gallery().expect("every sample renders")
}

/// What a snapshot holds: the page without its frame and without the versions of the assets.
fn body(html: &str) -> String {
    let start = html.find("<main").unwrap_or_default();
    let end = html.find("</main>").unwrap_or(html.len());
    let lines = html[start..end].lines().map(str::trim_end);
    lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn every_page_is_sound() {
    for (name, html) in pages() {
        assert_eq!(problems(&html), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn every_page_reads_as_it_did() {
    for (name, html) in pages() {
        insta::assert_snapshot!(name, body(&html));
    }
}

#[test]
fn every_template_of_a_page_has_a_sample() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let frames = ["base", "alone"];
    let templates: BTreeSet<String> = fs::read_dir(folder)
        .expect("the templates")
        .filter_map(|entry| {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem()?.to_str()?.to_owned();
            (path.is_file() && !frames.contains(&stem.as_str())).then_some(stem)
        })
        .collect();
    let shown: BTreeSet<String> = pages()
        .iter()
        .map(|(name, _)| name.split('-').next().unwrap_or(name).to_owned())
        .collect();
    assert_eq!(shown, templates);
}

#[test]
fn every_icon_that_is_used_exists() {
    for (name, html) in pages() {
        let elements = read(&html).expect("a sound page");
        let ids: BTreeSet<&str> = elements.iter().filter_map(|e| e.get("id")).collect();
        for used in elements.iter().filter(|e| e.tag == "use") {
            let icon = used.get("href").unwrap_or_default().trim_start_matches('#');
            assert!(ids.contains(icon), "{name}: {icon}");
        }
    }
}

#[test]
fn pages_of_a_site_have_a_way_past_the_navigation() {
    for (name, html) in pages()
        .iter()
        .filter(|(_, html)| html.contains("class=\"shell\""))
    {
        let skip = html.find("href=\"#main\"").expect("a skip link");
        let nav = html.find("<nav").expect("navigation");
        assert!(skip < nav, "{name}");
        let says_where = html.contains("aria-current=\"page\"") || *name == "account";
        assert!(says_where, "{name}");
    }
}
