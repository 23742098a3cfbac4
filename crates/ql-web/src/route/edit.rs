//! Writing by hand, under the same rules as agents: on a base, against the template, never live.

use axum::response::Response;
use http::StatusCode;
use ql_app::Error;
use ql_app::draft::{DraftTarget, Drafted, NewDraft};
use ql_core::content::Revision;
use ql_core::edit::Change;
use ql_core::id::{ContentId, RevisionId};
use ql_core::problem::Problem;
use ql_core::template::Template;
use serde_json::{Value, json};

use ql_core::role::MemberAct;

use crate::diff::Diff;
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, page, page_with, status};
use crate::edge::form::{Action, Posted};
use crate::edge::params::Id;
use crate::labels;
use crate::page::{Edit, Section, Stale, Wrong};
use crate::part::RevisionChip;
use crate::schema_form::{adding, build, read};
use crate::view::revision::{chip, content_link, path, template};

/// What is being written.
struct Subject {
    /// The item with its newest draft; none for a new page.
    item: Option<(ContentId, String)>,
    /// The draft that the form started from.
    base: Option<Revision>,
    /// The template in its newest version, against which drafts are checked.
    template: Template,
}

/// What the form holds.
struct Written {
    fields: Value,
    /// The JSON as it was typed, in the raw mode.
    raw: Option<String>,
    slug: String,
    locale: String,
    note: String,
    problems: Vec<Problem>,
}

pub(super) async fn form(Id(id): Id<ContentId>, desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    let subject = existing(&desk, id, None).await?;
    let base = subject.base.as_ref().ok_or(Error::NotFound("revision"))?;
    let is_raw = desk.params.get("mode") == Some("json");
    let written = Written {
        fields: base.fields.clone(),
        raw: is_raw.then(|| format!("{:#}", base.fields)),
        slug: base.slug.to_string(),
        locale: String::new(),
        note: String::new(),
        problems: Vec::new(),
    };
    page(&render(&desk, &subject, written, None).await?)
}

pub(super) async fn new_form(desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    let Some(key) = desk.params.get("template").map(str::to_owned) else {
        return choose(&desk).await;
    };
    let subject = Subject {
        item: None,
        base: None,
        template: template(&desk, &key, None).await?,
    };
    let is_raw = desk.params.get("mode") == Some("json");
    let written = Written {
        fields: json!({}),
        raw: is_raw.then(|| "{}".to_owned()),
        slug: String::new(),
        locale: desk.site.locale.clone(),
        note: String::new(),
        problems: Vec::new(),
    };
    page(&render(&desk, &subject, written, None).await?)
}

/// Without a template there is nothing to write yet; with one there is no choice to make.
async fn choose(desk: &Desk) -> Answer {
    let templates = desk.web.app.list_templates(&desk.ctx).await?;
    match templates.as_slice() {
        [only] => Ok(go(&desk.at(&format!("content/new?template={}", only.key)))),
        _ => Ok(go(&desk.at("templates"))),
    }
}

/// An item, and the revision `base` of it or its newest draft.
async fn existing(
    desk: &Desk,
    id: ContentId,
    base: Option<RevisionId>,
) -> Result<Subject, WebError> {
    let view = desk.web.app.get_content(&desk.ctx, id, base).await?;
    Ok(Subject {
        item: Some((id, path(&view.stored.draft_slug))),
        base: view.revision,
        template: template(desk, &view.stored.item.template, None).await?,
    })
}

pub(super) async fn save(Id(id): Id<ContentId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let base = form.get("base").and_then(|base| base.parse().ok());
    let base: RevisionId =
        base.ok_or(WebError::BadForm("The form names no base revision.".into()))?;
    let subject = existing(&desk, id, Some(base)).await?;
    write(
        &desk,
        &form,
        subject,
        DraftTarget::Existing { content: id, base },
    )
    .await
}

pub(super) async fn create(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let key = desk
        .params
        .get("template")
        .ok_or(Error::NotFound("template"))?
        .to_owned();
    let subject = Subject {
        item: None,
        base: None,
        template: template(&desk, &key, None).await?,
    };
    let target = DraftTarget::New {
        template: key,
        locale: form.get("locale").map(str::to_owned),
        translation_group: None,
    };
    write(&desk, &form, subject, target).await
}

/// Reads what was written, and saves it unless another part was asked for or something is wrong.
async fn write(desk: &Desk, form: &Posted, subject: Subject, target: DraftTarget) -> Answer {
    let schema = labels::ordered(&subject.template);
    let mut written = take(form, &schema);
    if let Some(list) = adding(form.pairs()) {
        if let Some(Value::Array(parts)) = grown(&mut written.fields, list) {
            parts.push(json!({}));
        }
        return page(&render(desk, &subject, written, None).await?);
    }
    if !written.problems.is_empty() {
        return page_with(
            StatusCode::UNPROCESSABLE_ENTITY,
            &render(desk, &subject, written, None).await?,
        );
    }
    let new = NewDraft {
        target,
        slug: Some(written.slug.clone()).filter(|slug| !slug.is_empty()),
        change: Change::Fields(written.fields.clone()),
        note: written.note.clone(),
    };
    let refused = match desk.web.app.create_draft(&desk.ctx, None, new, None).await {
        Ok(drafted) => return Ok(saved(desk, &drafted)),
        Err(refused) => refused,
    };
    let code = status(&refused);
    match refused {
        Error::StaleRevision { current } => {
            let (subject, stale) = overtaken(desk, subject, current).await?;
            page_with(code, &render(desk, &subject, written, Some(stale)).await?)
        }
        Error::Invalid(problems) => {
            let of_field = |problem| of_field(problem, &written.fields);
            written.problems = problems.into_iter().map(of_field).collect();
            page_with(code, &render(desk, &subject, written, None).await?)
        }
        Error::SlugTaken(_) | Error::Archived | Error::Conflict => {
            let message = format!("{}. {}", refused.message(), refused.remedy());
            written.problems = vec![Problem::new("/slug", "refused", message)];
            page_with(code, &render(desk, &subject, written, None).await?)
        }
        other => Err(other.into()),
    }
}

fn saved(desk: &Desk, drafted: &Drafted) -> Response {
    let notice = if drafted.unchanged {
        "unchanged"
    } else {
        "draft"
    };
    go(&desk.at(&format!("content/{}?notice={notice}", drafted.content_id)))
}

fn take(form: &Posted, schema: &Value) -> Written {
    let raw = form.get("raw").map(|raw| raw.replace("\r\n", "\n"));
    let (fields, problems) = match &raw {
        None => read(schema, form.pairs()),
        Some(text) => match serde_json::from_str(text) {
            Ok(fields) => (fields, Vec::new()),
            Err(error) => (
                Value::Null,
                vec![Problem::new(
                    "",
                    "json",
                    format!("This is no JSON: {error}"),
                )],
            ),
        },
    };
    Written {
        fields,
        raw,
        slug: form.text("slug").trim().trim_start_matches('/').to_owned(),
        locale: form.text("locale"),
        note: form.text("note"),
        problems,
    }
}

/// The list at `pointer`, made where it isn't there yet.
fn grown<'a>(fields: &'a mut Value, pointer: &str) -> Option<&'a mut Value> {
    if fields.pointer(pointer).is_none() {
        let (parent, key) = pointer.rsplit_once('/')?;
        let key = key.replace("~1", "/").replace("~0", "~");
        fields
            .pointer_mut(parent)?
            .as_object_mut()?
            .insert(key, json!([]));
    }
    fields.pointer_mut(pointer)
}

/// A problem of the use case's input as one of the form's: its fields are the form's root.
fn of_field(problem: Problem, fields: &Value) -> Problem {
    let Some(pointer) = problem.pointer.strip_prefix("/fields") else {
        return problem;
    };
    let is_empty = fields.pointer(pointer).is_some_and(|value| value == "");
    let message = if is_empty {
        "It is required.".to_owned()
    } else {
        problem.message
    };
    Problem {
        pointer: pointer.to_owned(),
        message,
        ..problem
    }
}

/// What changed since the form was opened; the next save goes on top of it.
async fn overtaken(
    desk: &Desk,
    subject: Subject,
    current: RevisionId,
) -> Result<(Subject, Stale), WebError> {
    let now = desk.web.app.get_revision(&desk.ctx, current).await?;
    let base = subject.base.ok_or(Error::NotFound("revision"))?;
    let stale = Stale {
        base: chip(desk, &base),
        current: chip(desk, &now),
        theirs: Diff::between(
            &base.fields,
            &now.fields,
            &labels::ordered(&subject.template),
        ),
    };
    Ok((
        Subject {
            base: Some(now),
            ..subject
        },
        stale,
    ))
}

async fn render(
    desk: &Desk,
    subject: &Subject,
    written: Written,
    stale: Option<Stale>,
) -> Result<Edit, WebError> {
    let schema = labels::ordered(&subject.template);
    let action = match &subject.item {
        Some((id, _)) => desk.at(&format!("content/{id}/edit")),
        None => desk.at(&format!("content/new?template={}", subject.template.key)),
    };
    let joint = if action.contains('?') { '&' } else { '?' };
    let base: Option<RevisionChip> = subject.base.as_ref().map(|base| chip(desk, base));
    Ok(Edit {
        shell: desk.shell(Section::Content).await?,
        content: subject
            .item
            .as_ref()
            .map(|(id, path)| content_link(desk, *id, path)),
        heading: match &subject.item {
            Some((_, path)) => format!("Edit {path}"),
            None => format!("New {}", subject.template.title.to_lowercase()),
        },
        template: format!(
            "{}, version {}",
            subject.template.title, subject.template.version
        ),
        base_id: subject
            .base
            .as_ref()
            .map(|base| base.id.to_string())
            .unwrap_or_default(),
        base,
        slug: written.slug,
        locale: subject.item.is_none().then_some(written.locale),
        note: written.note,
        inputs: match &written.raw {
            Some(_) => Vec::new(),
            None => build(&schema, &written.fields, &written.problems),
        },
        other_mode: match &written.raw {
            Some(_) => action.clone(),
            None => format!("{action}{joint}mode=json"),
        },
        raw: written.raw,
        problems: written
            .problems
            .iter()
            .map(|problem| Wrong::new(problem, &schema))
            .collect(),
        action,
        stale,
    })
}
