//! The sample site: templates that every new site starts with, and the pages of a small botanic
//! garden that quickstart puts on its first one.

use std::collections::BTreeMap;

use ql_core::edit::Change;
use ql_core::form::{Field, Rules};
use ql_core::id::TranslationGroupId;
use ql_core::proposal::{Items, Payload, PublishItem, Verdict};
use ql_core::template::Template;
use serde::Deserialize;
use serde_json::Value;

use crate::app::App;
use crate::context::OpContext;
use crate::decision::NewDecision;
use crate::draft::{DraftTarget, NewDraft};
use crate::error::Result;
use crate::form::NewForm;
use crate::proposal::NewProposal;
use crate::site::NewSite;
use crate::template::NewTemplate;

const SITE: &str = include_str!("../../../samples/site/site.json");

const TEMPLATES: [&str; 3] = [
    include_str!("../../../samples/site/templates/article.json"),
    include_str!("../../../samples/site/templates/author.json"),
    include_str!("../../../samples/site/templates/landing_page.json"),
];

const PAGES: [&str; 9] = [
    include_str!("../../../samples/site/pages/home.json"),
    include_str!("../../../samples/site/pages/visit.json"),
    include_str!("../../../samples/site/pages/visiter.json"),
    include_str!("../../../samples/site/pages/maren-oxley.json"),
    include_str!("../../../samples/site/pages/idris-bell.json"),
    include_str!("../../../samples/site/pages/the-shingle-garden-is-not-untidy.json"),
    include_str!("../../../samples/site/pages/counting-bees-in-the-long-border.json"),
    include_str!("../../../samples/site/pages/borrow-a-packet-bring-back-two.json"),
    include_str!("../../../samples/site/pages/what-the-walled-garden-needs-next.json"),
];

const FORMS: [&str; 1] = [include_str!("../../../samples/site/forms/contact.json")];

/// The sample organization and its site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleSite {
    /// The organization's name.
    pub organization: String,
    /// The site.
    pub site: NewSite,
}

#[derive(Deserialize)]
struct Manifest {
    organization: Named,
    name: String,
    slug: String,
    base_url: String,
    locale: String,
    time_zone: String,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct SamplePage {
    template: String,
    locale: String,
    slug: String,
    #[serde(default)]
    translation_group: Option<String>,
    fields: Value,
    published: bool,
}

#[derive(Deserialize)]
struct SampleForm {
    key: String,
    title: String,
    fields: Vec<Field>,
}

/// The sample organization and site.
///
/// # Errors
/// The embedded manifest doesn't parse.
pub fn site() -> Result<SampleSite> {
    let manifest: Manifest = serde_json::from_str(SITE)?;
    Ok(SampleSite {
        organization: manifest.organization.name,
        site: NewSite {
            name: manifest.name,
            slug: manifest.slug,
            base_url: manifest.base_url,
            locale: manifest.locale,
            time_zone: manifest.time_zone,
        },
    })
}

/// The sample templates.
///
/// # Errors
/// An embedded template doesn't parse.
pub fn templates() -> Result<Vec<NewTemplate>> {
    TEMPLATES
        .iter()
        .map(|text| Ok(serde_json::from_str(text)?))
        .collect()
}

impl App {
    /// Gives a site the sample templates. Ones that it has already get a new version where theirs
    /// differ.
    pub async fn add_sample_templates(&self, ctx: &OpContext) -> Result<Vec<Template>> {
        self.save_templates(ctx, templates()?).await
    }

    /// Gives a site the sample forms.
    pub async fn add_sample_forms(&self, ctx: &OpContext) -> Result<()> {
        for text in FORMS {
            let form: SampleForm = serde_json::from_str(text)?;
            let new = NewForm {
                key: form.key,
                title: form.title,
                fields: form.fields,
                rules: Rules::default(),
            };
            self.save_form(ctx, new).await?;
        }
        Ok(())
    }

    /// Writes the sample pages as the calling member and publishes those that are meant to be live,
    /// by one proposal that the member makes and approves as the ledger says.
    pub async fn add_sample_pages(&self, ctx: &OpContext) -> Result<()> {
        let mut groups: BTreeMap<String, TranslationGroupId> = BTreeMap::new();
        let mut items = Vec::new();
        for text in PAGES {
            let page: SamplePage = serde_json::from_str(text)?;
            let group = page.translation_group.map(|name| {
                *groups
                    .entry(name)
                    .or_insert_with(|| TranslationGroupId::mint(&**self.ids(), self.now()))
            });
            let draft = NewDraft {
                target: DraftTarget::New {
                    template: page.template,
                    locale: Some(page.locale),
                    translation_group: group,
                },
                slug: Some(page.slug),
                change: Change::Fields(page.fields),
                note: "Sample page".to_owned(),
            };
            let drafted = self.create_draft(ctx, None, draft, None).await?;
            if page.published {
                items.push(PublishItem::Publish {
                    content_id: drafted.content_id,
                    revision_id: drafted.revision_id,
                    publish_at: None,
                    time_zone: None,
                });
            }
        }
        self.publish_samples(ctx, items).await
    }

    async fn publish_samples(&self, ctx: &OpContext, items: Vec<PublishItem>) -> Result<()> {
        let new = NewProposal {
            run: None,
            title: Some("Publish the sample pages".to_owned()),
            rationale: "So that there is something to read, revise and roll back.".to_owned(),
            payload: Payload::PublishLifecycle(Items { items }),
            pointer: "",
        };
        let proposed = self.create_proposal(ctx, new, None).await?;
        let decision = NewDecision {
            proposal: proposed.proposal_id,
            verdict: Verdict::Approve,
            digest: proposed.digest,
            comment: "Made by quickstart.".to_owned(),
        };
        self.decide(ctx, decision).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use ql_core::template::FieldSchema;

    use super::*;

    #[test]
    fn every_file_of_the_sample_site_is_built_in_and_every_page_fits_its_template() {
        let manifest: Value = serde_json::from_str(SITE).expect("JSON");
        let listed = |key: &str| manifest[key].as_array().map(Vec::len);
        assert_eq!(listed("templates"), Some(TEMPLATES.len()));
        assert_eq!(listed("pages"), Some(PAGES.len()));
        assert_eq!(listed("forms"), Some(FORMS.len()));
        let templates = templates().expect("templates");
        for text in PAGES {
            let page: SamplePage = serde_json::from_str(text).expect("a page");
            let template = templates
                .iter()
                .find(|template| template.key == page.template)
                .unwrap_or_else(|| panic!("{} has no template", page.slug));
            let schema = FieldSchema::compile(&template.schema).expect("a sound schema");
            assert_eq!(schema.problems(&page.fields), [], "{}", page.slug);
        }
    }
}
