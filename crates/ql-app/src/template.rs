//! Templates: created and versioned by members.

use ql_core::access::{Authorized, EditTemplates, ReadContent};
use ql_core::id::TemplateId;
use ql_core::key::is_key;
use ql_core::problem::Problem;
use ql_core::template::{Display, FieldSchema, Template};
use ql_store::{Tx, template};
use serde_json::{Value, json};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

/// What a template's version says.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTemplate {
    /// The site-wide key, such as `article`.
    pub key: String,
    /// The name people see.
    pub title: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// JSON Schema (2020-12) of the fields.
    pub schema: Value,
    /// How to show the fields.
    #[serde(default)]
    pub display: Display,
}

impl NewTemplate {
    /// Everything that is wrong with it.
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.that(
            is_key(&self.key),
            "/key",
            "format",
            "expected a key: a-z, 0-9, _ and -, beginning with a letter, at most 64 characters",
        );
        checks.text("/title", &self.title, 120);
        checks.optional_text("/description", &self.description, 1000);
        if let Err(problems) = FieldSchema::compile(&self.schema) {
            checks.extend(problems.into_iter().map(|problem| problem.under("/schema")));
        }
        let named = |field: &String| self.schema["properties"].get(field).is_some();
        if let Some(field) = self
            .display
            .title_field
            .as_ref()
            .filter(|field| !named(field))
        {
            checks.add(Problem::new(
                "/display/title_field",
                "no_such_field",
                format!("the schema has no field `{field}`"),
            ));
        }
        checks.finish()
    }
}

impl App {
    /// The latest version of each of the site's templates.
    pub async fn list_templates(&self, ctx: &OpContext) -> Result<Vec<Template>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        self.store()
            .read(move |tx| Ok(template::list(tx, site)?))
            .await
    }

    /// Every version of one template, newest first.
    pub async fn list_template_versions(
        &self,
        ctx: &OpContext,
        key: &str,
    ) -> Result<Vec<Template>> {
        let site = ctx.authorize::<ReadContent>()?.site();
        let key = key.to_owned();
        let versions = self
            .store()
            .read(move |tx| Ok::<_, Error>(template::list_versions(tx, site, &key)?))
            .await?;
        if versions.is_empty() {
            Err(Error::NotFound("template"))
        } else {
            Ok(versions)
        }
    }

    /// Creates a template, or adds a version to the one with the same key. A version that says what
    /// the latest one says isn't added.
    pub async fn save_template(&self, ctx: &OpContext, new: NewTemplate) -> Result<Template> {
        let authorized = ctx.authorize::<EditTemplates>()?;
        new.check()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let fresh = TemplateId::mint(scribe.ids(), scribe.at);
        self.store()
            .write(move |tx| save(tx, &authorized, &scribe, (fresh, &new)))
            .await
            .inspect_err(|_| self.forget_templates())
    }

    /// Saves several templates, all or none.
    pub(crate) async fn save_templates(
        &self,
        ctx: &OpContext,
        new: Vec<NewTemplate>,
    ) -> Result<Vec<Template>> {
        let authorized = ctx.authorize::<EditTemplates>()?;
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        let new = mint(&scribe, new)?;
        self.store()
            .write(move |tx| save_all(tx, &authorized, &scribe, &new))
            .await
            .inspect_err(|_| self.forget_templates())
    }
}

/// Checks templates and gives each the identifier that it gets where its key is new.
pub(crate) fn mint(
    scribe: &Scribe,
    new: Vec<NewTemplate>,
) -> Result<Vec<(TemplateId, NewTemplate)>> {
    new.into_iter()
        .map(|template| {
            template.check()?;
            Ok((TemplateId::mint(scribe.ids(), scribe.at), template))
        })
        .collect()
}

/// Saves templates inside a transaction.
pub(crate) fn save_all(
    tx: &mut Tx<'_>,
    authorized: &Authorized<EditTemplates>,
    scribe: &Scribe,
    new: &[(TemplateId, NewTemplate)],
) -> Result<Vec<Template>> {
    new.iter()
        .map(|(fresh, new)| save(tx, authorized, scribe, (*fresh, new)))
        .collect()
}

fn save(
    tx: &mut Tx<'_>,
    authorized: &Authorized<EditTemplates>,
    scribe: &Scribe,
    (fresh, new): (TemplateId, &NewTemplate),
) -> Result<Template> {
    let before = template::find(tx, authorized.site(), &new.key)?;
    let next = Template {
        id: before.as_ref().map_or(fresh, |template| template.id),
        key: new.key.clone(),
        version: before.as_ref().map_or(1, |template| template.version + 1),
        title: new.title.trim().to_owned(),
        description: new.description.clone(),
        schema: new.schema.clone(),
        display: new.display.clone(),
        created_at: scribe.at,
    };
    match before {
        Some(same) if says_the_same(&same, &next) => return Ok(same),
        Some(_) => template::advance(tx, authorized, &next)?,
        None => template::insert(tx, authorized, &next)?,
    }
    let detail = json!({
        "template": next.id, "key": next.key, "version": next.version,
        "schema_sha256": ql_core::canon::digest(&next.schema),
    });
    scribe.administration(tx, "template.saved", detail)?;
    Ok(next)
}

fn says_the_same(a: &Template, b: &Template) -> bool {
    (&a.title, &a.description, &a.schema, &a.display)
        == (&b.title, &b.description, &b.schema, &b.display)
}
