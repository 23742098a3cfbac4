//! Forms: made, changed, read and marked.

use http::StatusCode;
use ql_app::Error;
use ql_app::form::{MetricsQuery, NewForm};
use ql_core::form::{Form, Mark, Standing, Submission};
use ql_core::id::SubmissionId;
use ql_core::role::MemberAct;

mod counts;
mod edit;
mod snippet;

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::Action;
use crate::edge::params::Id;
use crate::page::{FormPage, FormRow, Forms, PostCard, Section, Tab};
use crate::part::{Fact, Link, Pill, Tone};
use crate::view::names::Names;

pub(super) async fn list(desk: Desk) -> Answer {
    let app = &desk.web.app;
    let forms = app.list_forms(&desk.ctx).await?;
    let counted = app.form_metrics(&desk.ctx, MetricsQuery::default()).await?;
    let row = |form: &Form| {
        let sums = counts::sums(&counted, &form.key);
        FormRow {
            link: Link::new(desk.at(&format!("forms/{}", form.key)), form.title.as_str()),
            key: form.key.clone(),
            accepted: sums[0],
            held: sums[1],
            rejected: sums[2],
            at: desk.when(form.created_at),
        }
    };
    page(&Forms {
        shell: desk.shell(Section::Forms).await?,
        rows: forms.iter().map(row).collect(),
        may_edit: desk.may(MemberAct::Edit),
    })
}

pub(super) async fn show(Id(key): Id<String>, desk: Desk) -> Answer {
    let app = &desk.web.app;
    let form = app.get_form(&desk.ctx, &key).await?;
    let query = MetricsQuery {
        form: Some(key.clone()),
        ..MetricsQuery::default()
    };
    let counted = app.form_metrics(&desk.ctx, query).await?;
    let standing = desk.params.get("standing").unwrap_or("held").to_owned();
    let may_read = desk.may(MemberAct::ReadSubmissions);
    let (posts, next) = if may_read {
        let of = (key.as_str(), standing.as_str());
        let request = desk.params.page(25);
        let found = app.list_submissions(&desk.ctx, of, &request).await?;
        (found.items, found.next)
    } else {
        (Vec::new(), None)
    };
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let path = desk.at(&format!("forms/{key}"));
    let public_url = app.dashboard_url(&format!("/forms/{}/{key}", desk.site.slug));
    page(&FormPage {
        shell: desk.shell(Section::Forms).await?,
        title: form.title.clone(),
        version: form.version,
        chart: counts::chart(&counted, &key),
        reasons: counts::reasons(&counted, &key),
        tabs: if may_read {
            tabs(&path, &standing, counts::sums(&counted, &key)[1])
        } else {
            Vec::new()
        },
        posts: posts
            .into_iter()
            .map(|post| card(&desk, &names, &form, post))
            .collect(),
        next: desk.params.next(&path, next.as_ref()),
        questions: form.fields.iter().map(question).collect(),
        rules: rules(&form),
        snippet: snippet::of(&form, &public_url)?,
        public_url,
        may_edit: desk.may(MemberAct::Edit),
        key,
    })
}

fn tabs(path: &str, here: &str, held: u64) -> Vec<Tab> {
    let words = ["Accepted", "Held", "Rejected", "Let in", "Spam"];
    let tab = |name: &'static str, text| Tab {
        href: format!("{path}?standing={name}"),
        text,
        count: (name == "held").then_some(held),
        is_here: name == here,
    };
    let mut tabs: Vec<Tab> = Standing::NAMES
        .into_iter()
        .zip(words)
        .map(|(name, text)| tab(name, text))
        .collect();
    // What needs a person comes first.
    tabs.swap(0, 1);
    tabs
}

fn card(desk: &Desk, names: &Names, form: &Form, post: Submission) -> PostCard {
    let (tone, word) = match post.standing.as_str() {
        "accepted" => (Tone::Live, "Accepted"),
        "held" => (Tone::Needs, "Held"),
        "marked_ham" => (Tone::Live, "Let in"),
        "marked_spam" => (Tone::Stopped, "Spam"),
        _ => (Tone::Stopped, "Rejected"),
    };
    let marked = match post.standing {
        Standing::Screened(_) => None,
        Standing::Marked { by, at, .. } => Some((names.who(by), desk.when(at))),
    };
    let mark = match post.standing {
        Standing::Screened(_) => None,
        Standing::Marked { mark, .. } => Some(mark),
    };
    let label = |key: String| {
        let field = form.fields.iter().find(|field| field.key == key);
        field.map(|field| field.label().to_owned()).unwrap_or(key)
    };
    let answers = post.answers.map(|answers| {
        let answers = answers.into_iter();
        answers.map(|(key, text)| (label(key), text)).collect()
    });
    PostCard {
        id: post.id.to_string(),
        state: Pill::new(tone, word),
        reasons: post
            .reasons
            .iter()
            .map(|reason| reason.describe())
            .collect(),
        can_be_ham: mark != Some(Mark::Ham) && tone != Tone::Live,
        can_be_spam: mark != Some(Mark::Spam),
        answers,
        at: desk.when(post.received_at),
        marked,
    }
}

fn question(field: &ql_core::form::Field) -> (String, String) {
    let kind = field.kind.as_str().replace('_', " ");
    let needed = if field.required { ", needed" } else { "" };
    (field.label().to_owned(), format!("{kind}{needed}"))
}

fn rules(form: &Form) -> Vec<Fact> {
    let rules = &form.rules;
    let network = match rules.posts_per_network {
        0 => "any number from one network".to_owned(),
        most => format!(
            "{most} from one network in {} minutes",
            rules.network_minutes
        ),
    };
    vec![
        Fact::new(
            "Filling in",
            format!("{} s to {} h", rules.min_fill_seconds, rules.max_fill_hours),
        ),
        Fact::new("Links", format!("at most {}", rules.max_links)),
        Fact::new("Posts", network),
        Fact::new(
            "Same words",
            format!("held for {} h", rules.duplicate_hours),
        ),
        Fact::new("Texts", format!("{} listed", rules.texts.len())),
        Fact::new(
            "Rejected posts",
            format!("kept {} days", rules.retention_days),
        ),
    ]
}

pub(super) async fn mark(Id(id): Id<SubmissionId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let mark: Mark = form
        .text("mark")
        .parse()
        .map_err(|_| WebError::BadForm("A post is marked as real or as spam.".into()))?;
    desk.web.app.mark_submission(&desk.ctx, id, mark).await?;
    Ok(go(
        &desk.at(&format!("forms/{}?notice=saved", form.text("form")))
    ))
}

pub(super) async fn new_form(desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    page(&edit::shown(&desk, &edit::starter(), true, Vec::new()).await?)
}

pub(super) async fn version_form(Id(key): Id<String>, desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    let latest = desk.web.app.get_form(&desk.ctx, &key).await?;
    let new = NewForm {
        key: latest.key,
        title: latest.title,
        fields: latest.fields,
        rules: latest.rules,
    };
    page(&edit::shown(&desk, &new, false, Vec::new()).await?)
}

/// Creates a form or a version. Both pages send here; the key says which form it is.
pub(super) async fn create(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let is_new = form.get("version_of").is_none();
    let (new, mut problems) = edit::read(&form);
    if problems.is_empty() {
        match desk.web.app.save_form(&desk.ctx, new.clone()).await {
            Ok(saved) => {
                return Ok(go(&desk.at(&format!("forms/{}?notice=saved", saved.key))));
            }
            Err(error @ Error::Invalid(_)) => problems = lines(&error),
            Err(error) => return Err(error.into()),
        }
    }
    let shown = edit::shown(&desk, &new, is_new, problems).await?;
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
}
