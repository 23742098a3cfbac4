//! `GET …/sitemap`: where the live pages are, for search engines (sitemaps.org, version 0.9).
//!
//! A page of the site's own language is at `{base_url}/{slug}`, one of another at
//! `{base_url}/{locale}/{slug}`. A site with more pages than one file may name gets an index of
//! `?part=1`, `?part=2` and so on.

use std::collections::HashMap;
use std::fmt::Write as _;

use axum::response::Response;
use ql_app::delivery::{Address, Addresses};
use ql_app::session::SiteRef;
use ql_app::site::Site;
use ql_core::hash::Digest;
use ql_core::id::TranslationGroupId;

use super::Asked;
use super::cache::Identity;
use crate::problem::ProblemDocument;
use crate::query::Parameters;

/// The most addresses of one file, as the protocol says.
const PART: u32 = 50_000;

pub(super) async fn show(asked: Asked<'_>, site: &SiteRef) -> Result<Response, ProblemDocument> {
    let mut parameters = Parameters::read(asked.query, &["part"]);
    let part: Option<u32> = parameters
        .text("part")
        .map(|text| text.parse().unwrap_or(0));
    if part == Some(0) {
        parameters.note("part", "range", "expected a whole number from 1");
    }
    parameters.finish()?;
    let (site, seq) = asked.app.public_site(site).await?;
    let settings = Digest::of_parts(&[site.base_url.as_bytes(), b" ", site.locale.as_bytes()]);
    let version = format!("seq-{seq}.{}", settings.short());
    let identity = Identity::new(&version, site.id, "");
    if identity.is_held(asked) {
        return Ok(identity.not_modified());
    }
    let skip = part.map_or(0, |part| (part - 1).saturating_mul(PART));
    let found = asked.app.live_addresses(&site, (PART, skip)).await?;
    let body = match part {
        None if found.total > u64::from(PART) => {
            let folder = asked.app.dashboard_url("/delivery/v1/sites");
            index(&format!("{folder}/{}/sitemap", site.slug), found.total)
        }
        _ => pages(&site, &found),
    };
    Ok(identity.answer("application/xml", body.into_bytes()))
}

fn pages(site: &Site, found: &Addresses) -> String {
    let mut groups: HashMap<TranslationGroupId, Vec<&Address>> = HashMap::new();
    for address in &found.items {
        groups
            .entry(address.translation_group)
            .or_default()
            .push(address);
    }
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    for address in &found.items {
        let translations = &groups[&address.translation_group];
        page(&mut xml, site, address, translations).expect("writing to a string");
    }
    xml.push_str("</urlset>\n");
    xml
}

fn page(
    xml: &mut String,
    site: &Site,
    address: &Address,
    translations: &[&Address],
) -> std::fmt::Result {
    let at = address.published_at;
    write!(
        xml,
        "<url><loc>{}</loc><lastmod>{at}</lastmod>",
        location(site, address)
    )?;
    if translations.len() > 1 {
        for other in translations {
            write!(
                xml,
                "<xhtml:link rel=\"alternate\" hreflang=\"{}\" href=\"{}\"/>",
                other.locale,
                location(site, other)
            )?;
        }
    }
    xml.push_str("</url>\n");
    Ok(())
}

/// The address of a page; slugs and language tags need no escaping.
fn location(site: &Site, address: &Address) -> String {
    let base = escaped(site.base_url.trim_end_matches('/'));
    if address.locale.as_str() == site.locale {
        format!("{base}/{}", address.slug)
    } else {
        format!("{base}/{}/{}", address.locale, address.slug)
    }
}

fn index(own: &str, total: u64) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let own = escaped(own);
    for part in 1..=total.div_ceil(u64::from(PART)) {
        writeln!(xml, "<sitemap><loc>{own}?part={part}</loc></sitemap>")
            .expect("writing to a string");
    }
    xml.push_str("</sitemapindex>\n");
    xml
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_site_gets_an_index_of_its_parts() {
        insta::assert_snapshot!(index("https://ql.example/a&b/sitemap", 100_001), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <sitemap><loc>https://ql.example/a&amp;b/sitemap?part=1</loc></sitemap>
        <sitemap><loc>https://ql.example/a&amp;b/sitemap?part=2</loc></sitemap>
        <sitemap><loc>https://ql.example/a&amp;b/sitemap?part=3</loc></sitemap>
        </sitemapindex>
        "#);
    }
}
