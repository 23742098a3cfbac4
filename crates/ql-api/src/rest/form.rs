//! A site's forms, what visitors sent to them, and counts.

use std::collections::BTreeMap;

use ql_app::form::{Day, MetricsQuery, NewForm as Saving, ScreeningMetrics};
use ql_core::form::{Field, Form as Stored, Mark, Reason, Rules, Standing, Submission as Post};
use ql_core::id::{FormId, SubmissionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, get, post};
use crate::input::argument::{Paging, parsed};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_forms",
            "/sites/{site}/forms",
            "Lists the latest version of each of the site's forms",
            list,
        ),
        post(
            "save_form",
            "/sites/{site}/forms",
            "Creates a form, or adds a version to the one with the same key",
            save,
        )
        .created(),
        get(
            "get_form",
            "/sites/{site}/forms/{form}",
            "Shows the latest version of a form",
            show,
        ),
        get(
            "list_submissions",
            "/sites/{site}/forms/{form}/submissions",
            "Lists what visitors sent to a form, newest first",
            submissions,
        ),
        post(
            "mark_submission",
            "/sites/{site}/submissions/{id}/mark",
            "Marks a post as a real one or as spam",
            mark,
        ),
        get(
            "form_metrics",
            "/sites/{site}/form-metrics",
            "Counts screened posts by UTC day, form, decision and reason",
            metrics,
        ),
    ]
}

/// One version of a form.
#[derive(Serialize, JsonSchema)]
struct Form {
    id: Text<FormId>,
    key: String,
    version: i64,
    title: String,
    /// What it asks: `key`, `label`, `type` (text, email, url, `long_text`), `required`, `max_length`.
    #[schemars(with = "Vec<Value>")]
    fields: Vec<Field>,
    /// How its posts are screened.
    #[schemars(with = "Value")]
    rules: Rules,
    created_at: Instant,
}

impl From<Stored> for Form {
    fn from(form: Stored) -> Self {
        Self {
            id: Text(form.id),
            key: form.key,
            version: form.version,
            title: form.title,
            fields: form.fields,
            rules: form.rules,
            created_at: Instant(form.created_at),
        }
    }
}

async fn list(call: Call) -> Answered<List<Form>> {
    let ctx = call.on_site().await?;
    let forms = call.app().list_forms(&ctx).await?;
    Ok(List::of(forms, Form::from))
}

async fn show(call: Call) -> Answered<Form> {
    let ctx = call.on_site().await?;
    Ok(call.app().get_form(&ctx, call.part("form")).await?.into())
}

/// What a form's version says.
#[derive(Deserialize, JsonSchema)]
struct NewForm {
    /// The site-wide key, such as contact; the public address ends in it.
    #[schemars(length(min = 1, max = 64))]
    key: String,
    /// The name people see; made from the key when left out.
    #[schemars(length(max = 120))]
    #[serde(default)]
    title: String,
    /// What it asks, in order: `key`, `label`, `type` (text, email, url, `long_text`), `required`,
    /// `max_length`.
    #[schemars(length(min = 1, max = 40))]
    fields: Vec<Map<String, Value>>,
    /// How its posts are screened; what is left out has its usual value.
    #[serde(default)]
    rules: Map<String, Value>,
}

impl NewForm {
    fn read(self) -> Result<Saving, ql_app::Error> {
        let mut problems = Vec::new();
        let mut note = |at: String, error: serde_json::Error| {
            let message = error.to_string();
            problems.push(ql_core::problem::Problem::new(at, "format", message));
        };
        let mut fields: Vec<Field> = Vec::new();
        for (index, field) in self.fields.into_iter().enumerate() {
            match serde_json::from_value(Value::Object(field)) {
                Ok(field) => fields.push(field),
                Err(error) => note(format!("/fields/{index}"), error),
            }
        }
        let rules = serde_json::from_value(Value::Object(self.rules));
        let rules = rules.map_err(|error| note("/rules".to_owned(), error));
        match rules {
            Ok(rules) if problems.is_empty() => Ok(Saving {
                key: self.key,
                title: self.title,
                fields,
                rules,
            }),
            _ => Err(ql_app::Error::Invalid(problems)),
        }
    }
}

async fn save(call: Call<Nothing, NewForm>) -> Answered<Form> {
    let ctx = call.on_site().await?;
    let new = call.body.read()?;
    Ok(call.rest.app.save_form(&ctx, new).await?.into())
}

/// Which posts to list.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// accepted, held, rejected, `marked_ham` or `marked_spam`; held when left out.
    #[serde(default)]
    standing: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// What a visitor sent.
#[derive(Serialize, JsonSchema)]
struct Submission {
    id: Text<SubmissionId>,
    form_id: Text<FormId>,
    version: i64,
    received_at: Instant,
    /// What the screening came to: accepted, held or rejected.
    decision: &'static str,
    /// Where it stands: the decision, or `marked_ham` or `marked_spam`.
    standing: &'static str,
    reasons: Vec<Text<Reason>>,
    /// Who marked it: `type` is member.
    marked_by: Option<Value>,
    marked_at: Option<Instant>,
    /// What the visitor wrote, by field; absent where the post was turned away for coming too often.
    answers: Option<BTreeMap<String, String>>,
}

impl From<Post> for Submission {
    fn from(post: Post) -> Self {
        let (by, at) = match post.standing {
            Standing::Screened(_) => (None, None),
            Standing::Marked { by, at, .. } => (Some(by.to_json()), Some(Instant(at))),
        };
        Self {
            id: Text(post.id),
            form_id: Text(post.form),
            version: post.version,
            received_at: Instant(post.received_at),
            decision: post.decision.as_str(),
            standing: post.standing.as_str(),
            reasons: post.reasons.into_iter().map(Text).collect(),
            marked_by: by,
            marked_at: at,
            answers: post.answers,
        }
    }
}

async fn submissions(call: Call<Query>) -> Answered<List<Submission>> {
    let page = call.query.paging.request::<SubmissionId>()?;
    let ctx = call.on_site().await?;
    let standing = call.query.standing.as_deref().unwrap_or("held");
    let of = (call.part("form"), standing);
    let posts = call.app().list_submissions(&ctx, of, &page).await?;
    Ok(List::page(posts, Submission::from))
}

/// What a member says about a post.
#[derive(Deserialize, JsonSchema)]
struct Marking {
    /// `marked_ham` for a real one, `marked_spam` for what isn't.
    mark: String,
}

async fn mark(call: Call<Nothing, Marking>) -> Answered<Submission> {
    let (ctx, id) = (call.on_site().await?, call.id("submission")?);
    let mark: Mark = parsed("/mark", &call.body.mark)?;
    let marked = call.app().mark_submission(&ctx, id, mark).await?;
    Ok(marked.into())
}

/// Which posts to count.
#[derive(Deserialize, JsonSchema)]
struct Counting {
    /// The first UTC day, such as 2026-12-01; 30 days up to the last when left out.
    #[serde(default)]
    from: Option<String>,
    /// The last UTC day, itself included; today when left out.
    #[serde(default)]
    to: Option<String>,
    /// The key of one form.
    #[serde(default)]
    form: Option<String>,
}

/// Counts of screened posts.
#[derive(Serialize, JsonSchema)]
struct Metrics {
    #[serde(flatten)]
    #[schemars(with = "Map<String, Value>")]
    counted: ScreeningMetrics,
}

async fn metrics(call: Call<Counting>) -> Answered<Metrics> {
    let ctx = call.on_site().await?;
    let day = |at: &str, text: &Option<String>| {
        text.as_deref()
            .map(|text| parsed::<Day>(at, text))
            .transpose()
    };
    let query = MetricsQuery {
        from: day("/from", &call.query.from)?,
        to: day("/to", &call.query.to)?,
        form: call.query.form.clone(),
    };
    let counted = call.app().form_metrics(&ctx, query).await?;
    Ok(Metrics { counted })
}
