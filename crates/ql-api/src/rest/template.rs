//! A site's templates.

use ql_app::template::NewTemplate as Saving;
use ql_core::id::TemplateId;
use ql_core::template::Display;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, get, post};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_templates",
            "/sites/{site}/templates",
            "Lists the latest version of each of the site's templates",
            list,
        ),
        post(
            "save_template",
            "/sites/{site}/templates",
            "Creates a template, or adds a version to the one with the same key",
            save,
        )
        .created(),
        get(
            "list_template_versions",
            "/sites/{site}/templates/{key}/versions",
            "Lists every version of a template, newest first",
            versions,
        ),
    ]
}

/// One version of a template.
#[derive(Serialize, JsonSchema)]
struct Template {
    id: Text<TemplateId>,
    key: String,
    version: i64,
    title: String,
    description: String,
    /// JSON Schema (2020-12) of the fields.
    schema: Value,
    /// How to show the fields.
    #[schemars(with = "Value")]
    display: Display,
    created_at: Instant,
}

impl From<ql_core::template::Template> for Template {
    fn from(template: ql_core::template::Template) -> Self {
        Self {
            id: Text(template.id),
            key: template.key,
            version: template.version,
            title: template.title,
            description: template.description,
            schema: template.schema,
            display: template.display,
            created_at: Instant(template.created_at),
        }
    }
}

async fn list(call: Call) -> Answered<List<Template>> {
    let ctx = call.on_site().await?;
    let templates = call.app().list_templates(&ctx).await?;
    Ok(List::of(templates, Template::from))
}

async fn versions(call: Call) -> Answered<List<Template>> {
    let ctx = call.on_site().await?;
    let key = call.part("key");
    let versions = call.app().list_template_versions(&ctx, key).await?;
    Ok(List::of(versions, Template::from))
}

/// What a template's version says.
#[derive(Deserialize, JsonSchema)]
struct NewTemplate {
    /// The site-wide key, such as article.
    #[schemars(length(min = 1, max = 64))]
    key: String,
    /// The name people see.
    #[schemars(length(min = 1, max = 120))]
    title: String,
    /// What it is for.
    #[schemars(length(max = 1000))]
    #[serde(default)]
    description: String,
    /// JSON Schema (2020-12) of the fields.
    schema: Map<String, Value>,
    /// How to show the fields: `title_field`, `order`, `markdown` and `preview`.
    #[serde(default)]
    display: Map<String, Value>,
}

impl NewTemplate {
    fn read(self) -> Result<Saving, ql_app::Error> {
        let display = serde_json::from_value(Value::Object(self.display))
            .map_err(|error| ql_app::Error::invalid("/display", "format", error.to_string()))?;
        Ok(Saving {
            key: self.key,
            title: self.title,
            description: self.description,
            schema: Value::Object(self.schema),
            display,
        })
    }
}

async fn save(call: Call<Nothing, NewTemplate>) -> Answered<Template> {
    let ctx = call.on_site().await?;
    let new = call.body.read()?;
    Ok(call.rest.app.save_template(&ctx, new).await?.into())
}
