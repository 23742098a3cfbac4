//! Templates: looked at, created and versioned from a form or a file.

use http::StatusCode;
use ql_app::Error;
use ql_app::template::NewTemplate;
use ql_core::role::MemberAct;
use ql_core::template::{Display, FieldSchema, Template};
use serde_json::{Value, json};

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::{Action, Posted};
use crate::edge::params::Id;
use crate::labels;
use crate::page::{self, FieldRow, Section, TemplatePage, TemplateRow, Templates, VersionRow};
use crate::part::{Fact, Link, Pill, Tone};

pub(super) async fn list(desk: Desk) -> Answer {
    let templates = desk.web.app.list_templates(&desk.ctx).await?;
    let row = |template: &Template| TemplateRow {
        link: Link::new(
            desk.at(&format!("templates/{}", template.key)),
            template.title.as_str(),
        ),
        key: template.key.clone(),
        description: template.description.clone(),
        version: template.version,
        fields: labels::declared(&template.schema).len(),
        state: broken(template).map(|_| Pill::new(Tone::Stopped, "Broken")),
        at: desk.when(template.created_at),
    };
    page(&Templates {
        shell: desk.shell(Section::Templates).await?,
        rows: templates.iter().map(row).collect(),
        may_edit: desk.may(MemberAct::Edit),
    })
}

/// Why a template can't be used, where it can't.
fn broken(template: &Template) -> Option<String> {
    let problems = FieldSchema::compile(&template.schema).err()?;
    Some(lines(&Error::Invalid(problems)).join(" "))
}

pub(super) async fn show(Id(key): Id<String>, desk: Desk) -> Answer {
    let versions = desk.web.app.list_template_versions(&desk.ctx, &key).await?;
    let wanted = desk.params.parse::<i64>("version");
    let template = versions
        .iter()
        .find(|template| wanted.is_none_or(|version| template.version == version))
        .ok_or(Error::NotFound("template"))?;
    let version = |other: &Template| VersionRow {
        link: Link::new(
            desk.at(&format!("templates/{key}?version={}", other.version)),
            format!("Version {}", other.version),
        ),
        is_here: other.version == template.version,
        at: desk.when(other.created_at),
    };
    let title_field = template.display.title_field.as_deref().unwrap_or("title");
    page(&TemplatePage {
        shell: desk.shell(Section::Templates).await?,
        key: key.clone(),
        title: template.title.clone(),
        description: template.description.clone(),
        version: template.version,
        fields: fields(template),
        versions: versions.iter().map(version).collect(),
        schema: format!("{:#}", template.schema),
        facts: vec![
            Fact::new("Key", key.as_str()),
            Fact::new("Title field", title_field),
        ],
        broken: broken(template),
        may_edit: desk.may(MemberAct::Edit),
    })
}

fn fields(template: &Template) -> Vec<FieldRow> {
    let schema = labels::ordered(template);
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let row = |key: String| {
        let declared = &schema["properties"][key.as_str()];
        FieldRow {
            title: labels::title(declared, &key),
            kind: kind(declared),
            required: required.contains(&key.as_str()),
            help: declared["description"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            key,
        }
    };
    labels::declared(&schema).into_iter().map(row).collect()
}

/// A field's type in words: `text, at most 120`, `list of heading, body`.
fn kind(schema: &Value) -> String {
    let most = |what: &str, limit: &Value| match limit.as_u64() {
        Some(most) => format!("{what}, at most {most}"),
        None => what.to_owned(),
    };
    match schema["type"].as_str() {
        Some("string") if schema["contentMediaType"] == "text/markdown" => {
            most("Markdown", &schema["maxLength"])
        }
        Some("string") if schema["enum"].is_array() => "one of several".into(),
        Some("string") if schema["format"] == "date" => "day".into(),
        Some("string") => most("text", &schema["maxLength"]),
        Some("integer") => "whole number".into(),
        Some("number") => "number".into(),
        Some("boolean") => "yes or no".into(),
        Some("array") => match labels::declared(&schema["items"]) {
            parts if parts.is_empty() => most("list", &schema["maxItems"]),
            parts => format!("list of {}", parts.join(", ")),
        },
        Some("object") => labels::declared(schema).join(", "),
        _ => "any value".into(),
    }
}

const STARTER: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "required": ["title", "body"],
  "properties": {
    "title": { "type": "string", "title": "Title", "maxLength": 120 },
    "body": { "type": "string", "title": "Body", "contentMediaType": "text/markdown" }
  }
}"#;

pub(super) async fn new_form(desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    let mut shown = blank(&desk).await?;
    STARTER.clone_into(&mut shown.schema);
    page(&shown)
}

async fn blank(desk: &Desk) -> Result<page::NewTemplate, WebError> {
    Ok(page::NewTemplate {
        shell: desk.shell(Section::Templates).await?,
        heading: "New template".into(),
        action: desk.at("templates/new"),
        key: String::new(),
        is_new: true,
        title: String::new(),
        description: String::new(),
        schema: String::new(),
        display: String::new(),
        problems: Vec::new(),
    })
}

pub(super) async fn version_form(Id(key): Id<String>, desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    let versions = desk.web.app.list_template_versions(&desk.ctx, &key).await?;
    let latest = versions.first().ok_or(Error::NotFound("template"))?;
    let display = serde_json::to_value(&latest.display).map_err(Error::from)?;
    page(&page::NewTemplate {
        heading: format!("New version of {}", latest.title),
        action: desk.at(&format!("templates/{key}/new-version")),
        key: latest.key.clone(),
        is_new: false,
        title: latest.title.clone(),
        description: latest.description.clone(),
        schema: format!("{:#}", latest.schema),
        display: if display == json!({}) {
            String::new()
        } else {
            format!("{display:#}")
        },
        ..blank(&desk).await?
    })
}

/// Creates a template or a version. Both forms come here; the key says which template it is.
pub(super) async fn create(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let is_new = form.get("version_of").is_none();
    let problems = match save(&desk, &form).await {
        Ok(template) => {
            return Ok(go(
                &desk.at(&format!("templates/{}?notice=saved", template.key))
            ));
        }
        Err(error) if error.is_fault() => return Err(error.into()),
        Err(error) => lines(&error),
    };
    let key = form.text("key");
    let shown = page::NewTemplate {
        heading: if is_new {
            "New template".into()
        } else {
            format!("New version of {}", form.text("title"))
        },
        action: if is_new {
            desk.at("templates/new")
        } else {
            desk.at(&format!("templates/{key}/new-version"))
        },
        key,
        is_new,
        title: form.text("title"),
        description: form.text("description"),
        schema: source(&form),
        display: form.text("display"),
        problems,
        ..blank(&desk).await?
    };
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
}

/// The schema's text: the file's where one was sent.
fn source(form: &Posted) -> String {
    match form.get("file") {
        Some(file) => file.to_owned(),
        None => form.text("schema"),
    }
}

async fn save(desk: &Desk, form: &Posted) -> Result<Template, Error> {
    let parse = |name: &str, text: &str| {
        serde_json::from_str::<Value>(text).map_err(|error| {
            Error::invalid(
                format!("/{name}"),
                "json",
                format!("this is no JSON: {error}"),
            )
        })
    };
    let text = source(form);
    let mut schema = parse("schema", &text)?;
    let mut display = match form.get("display") {
        Some(text) => parse("display", text)?,
        None => json!({}),
    };
    // A file may be a whole template instead of its schema.
    if schema["schema"].is_object() && schema["properties"].is_null() {
        if schema["display"].is_object() {
            display = schema["display"].take();
        }
        schema = schema["schema"].take();
    }
    let display: Display = serde_json::from_value(display)
        .map_err(|error| Error::invalid("/display", "type", error.to_string()))?;
    let new = NewTemplate {
        key: form.text("key"),
        title: form.text("title"),
        description: form.text("description"),
        schema,
        display,
    };
    desk.web.app.save_template(&desk.ctx, new).await
}
