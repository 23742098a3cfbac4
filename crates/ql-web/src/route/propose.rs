//! Asking for a publication by hand, and rolling back.

use ql_app::Error;
use ql_app::decision::NewRollBack;
use ql_app::proposal::NewProposal;
use ql_core::content::Revision;
use ql_core::id::{ContentId, RevisionId};
use ql_core::proposal::{ArchivedAt, Items, LifecycleAction, LifecycleItem, Payload, PublishItem};
use ql_core::time::{TimeZone, Timestamp};
use serde_json::Value;

use super::session::prove;
use ql_core::role::MemberAct;

use crate::diff::Diff;
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, page, page_with, sentence, status};
use crate::edge::form::{Action, Posted};
use crate::edge::params::Id;
use crate::labels;
use crate::page::{Effect, Propose, Schedule, Section};
use crate::view::revision::{chip, content_link, path, template};

/// What a member may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Publish,
    Unpublish,
    Archive,
    Restore,
}

impl Ask {
    fn read(text: Option<&str>) -> Result<Self, WebError> {
        match text {
            Some("publish") => Ok(Self::Publish),
            Some("unpublish") => Ok(Self::Unpublish),
            Some("archive") => Ok(Self::Archive),
            Some("restore") => Ok(Self::Restore),
            _ => Err(WebError::NotFound),
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Unpublish => "unpublish",
            Self::Archive => "archive",
            Self::Restore => "restore",
        }
    }
}

pub(super) async fn form(Id(id): Id<ContentId>, desk: Desk) -> Answer {
    desk.require(MemberAct::Edit)?;
    let ask = Ask::read(desk.params.get("action"))?;
    page(&render(&desk, id, ask).await?)
}

async fn render(desk: &Desk, id: ContentId, ask: Ask) -> Result<Propose, WebError> {
    let record = desk.web.app.get_content_record(&desk.ctx, id).await?;
    let (item, draft, live) = (&record.stored.item, &record.draft, record.live.as_ref());
    let now_at = path(
        record
            .stored
            .live_slug
            .as_ref()
            .unwrap_or(&record.stored.draft_slug),
    );
    let heading = heading(ask, draft, &now_at);
    let mut hidden = vec![("action", ask.as_str().to_owned())];
    if ask == Ask::Publish {
        hidden.push(("revision", draft.id.to_string()));
    }
    let template = template(desk, &item.template, Some(draft.template_version)).await?;
    let (old, new) = match ask {
        Ask::Publish => (live, Some(draft)),
        Ask::Unpublish => (live, None),
        Ask::Archive | Ask::Restore => (None, None),
    };
    let fields = |revision: Option<&Revision>| revision.map_or(Value::Null, |r| r.fields.clone());
    let changes = matches!(ask, Ask::Publish | Ask::Unpublish);
    Ok(Propose {
        shell: desk.shell(Section::Content).await?,
        content: content_link(desk, id, &now_at),
        then: then(ask).into(),
        action: desk.at(&format!("content/{id}/propose")),
        hidden,
        button: heading.clone(),
        heading,
        is_at_once: false,
        asks_password: false,
        effect: effect(desk, ask, (old, new), now_at),
        sides: (
            "Live now",
            old.map(|old| chip(desk, old)),
            if ask == Ask::Publish {
                "Asked for"
            } else {
                "Off the site"
            },
            new.map(|new| chip(desk, new)),
        ),
        diff: changes
            .then(|| Diff::between(&fields(old), &fields(new), &labels::ordered(&template))),
        schedule: (ask == Ask::Publish).then(|| Schedule {
            zone: desk.site.time_zone.clone(),
            at: String::new(),
        }),
        reason_label: "Why",
        reason: String::new(),
        problem: None,
    })
}

fn heading(ask: Ask, draft: &Revision, now_at: &str) -> String {
    match ask {
        Ask::Publish => format!("Ask to publish #{} of {}", draft.number, path(&draft.slug)),
        Ask::Unpublish => format!("Ask to take {now_at} off the site"),
        Ask::Archive => format!("Ask to archive {now_at}"),
        Ask::Restore => format!("Ask to restore {now_at}"),
    }
}

/// What happens after the asking.
const fn then(ask: Ask) -> &'static str {
    match ask {
        Ask::Publish => {
            "It goes to the inbox. When it's approved, exactly this revision becomes what the \
             public reads."
        }
        Ask::Unpublish => {
            "It goes to the inbox. When it's approved, the public no longer finds the page; every \
             revision stays."
        }
        Ask::Archive => {
            "It goes to the inbox as high risk. Archived pages are out of the way and can be \
             restored."
        }
        Ask::Restore => "It goes to the inbox as high risk. Restoring never makes the page live.",
    }
}

fn effect(
    desk: &Desk,
    ask: Ask,
    (old, new): (Option<&Revision>, Option<&Revision>),
    now_at: String,
) -> Effect {
    let (before_word, after_word) = match ask {
        Ask::Publish => ("not live", "live"),
        Ask::Unpublish => ("not live", "off the site"),
        Ask::Archive => ("in use", "archived"),
        Ask::Restore => ("archived", "in use, not live"),
    };
    let moves = old.zip(new).is_some_and(|(old, new)| old.slug != new.slug);
    Effect {
        path: new.map_or_else(|| now_at.clone(), |new| path(&new.slug)),
        moves_from: moves.then_some(now_at),
        before: old.map(|old| chip(desk, old)),
        before_word,
        after: new.map(|new| chip(desk, new)),
        after_word,
    }
}

pub(super) async fn propose(Id(id): Id<ContentId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Edit)?;
    let ask = Ask::read(form.get("action"))?;
    let refused = match ask_for(&desk, id, ask, &form).await {
        Ok(address) => return Ok(go(&address)),
        Err(error @ (Error::NotFound(_) | Error::Unavailable(_) | Error::Fault(_))) => {
            return Err(error.into());
        }
        Err(error) => error,
    };
    let mut shown = render(&desk, id, ask).await?;
    shown.reason = form.text("reason");
    shown.problem = Some(sentence(&refused));
    if let Some(schedule) = &mut shown.schedule {
        schedule.at = form.text("publish_at");
    }
    page_with(status(&refused), &shown)
}

async fn ask_for(desk: &Desk, id: ContentId, ask: Ask, form: &Posted) -> Result<String, Error> {
    let payload = match ask {
        Ask::Publish => {
            let revision = form.get("revision").and_then(|id| id.parse().ok());
            let publish_at = scheduled(desk, form)?;
            Payload::PublishLifecycle(Items {
                items: vec![PublishItem::Publish {
                    content_id: id,
                    revision_id: revision.ok_or(Error::NotFound("revision"))?,
                    publish_at,
                    time_zone: publish_at.map(|_| desk.site.time_zone.clone()),
                }],
            })
        }
        Ask::Unpublish => Payload::PublishLifecycle(Items {
            items: vec![PublishItem::Unpublish { content_id: id }],
        }),
        Ask::Archive | Ask::Restore => {
            let item = desk
                .web
                .app
                .get_content(&desk.ctx, id, None)
                .await?
                .stored
                .item;
            let action = if ask == Ask::Archive {
                LifecycleAction::Archive
            } else {
                LifecycleAction::Restore
            };
            let archived_at = ArchivedAt(item.archived_at);
            Payload::ContentLifecycle(Items {
                items: vec![LifecycleItem {
                    action,
                    content_id: id,
                    archived_at,
                }],
            })
        }
    };
    let new = NewProposal {
        run: None,
        title: None,
        rationale: form.text("reason"),
        payload,
        pointer: "",
    };
    let proposed = desk.web.app.create_proposal(&desk.ctx, new, None).await?;
    Ok(desk.at(&format!("proposals/{}", proposed.proposal_id)))
}

/// The instant that a local time of the site's zone names.
fn scheduled(desk: &Desk, form: &Posted) -> Result<Option<Timestamp>, Error> {
    let Some(local) = form.get("publish_at") else {
        return Ok(None);
    };
    let wrong = |error: String| Error::invalid("/publish_at", "format", error);
    let zone: TimeZone = desk
        .site
        .time_zone
        .parse()
        .map_err(|error: ql_core::time::InvalidTimeZone| wrong(error.to_string()))?;
    zone.instant(local)
        .map(Some)
        .map_err(|error| wrong(error.to_string()))
}

pub(super) async fn roll_back_form(Id(id): Id<ContentId>, desk: Desk) -> Answer {
    desk.require(MemberAct::RollBack)?;
    let to: RevisionId = desk.params.parse("to").ok_or(WebError::NotFound)?;
    page(&render_roll_back(&desk, id, to).await?)
}

async fn render_roll_back(desk: &Desk, id: ContentId, to: RevisionId) -> Result<Propose, WebError> {
    let record = desk.web.app.get_content_record(&desk.ctx, id).await?;
    let target = desk.web.app.get_content(&desk.ctx, id, Some(to)).await?;
    let target = target.revision.ok_or(Error::NotFound("revision"))?;
    let live = record.live.as_ref();
    let template = template(
        desk,
        &record.stored.item.template,
        Some(target.template_version),
    )
    .await?;
    let now_at = live.map_or_else(|| path(&target.slug), |live| path(&live.slug));
    let fields = live.map_or(Value::Null, |live| live.fields.clone());
    Ok(Propose {
        shell: desk.shell(Section::Content).await?,
        content: content_link(desk, id, &now_at),
        heading: format!("Roll {now_at} back to #{}", target.number),
        then: "The public reads the earlier revision again at once. Newer drafts stay as they are, and the ledger says that you did it.".into(),
        action: desk.at(&format!("content/{id}/roll-back")),
        hidden: vec![("to", to.to_string())],
        button: format!("Put #{} of {} live again", target.number, path(&target.slug)),
        is_at_once: true,
        asks_password: !desk.signed_in.is_fresh(&desk.web.app),
        effect: effect(desk, Ask::Publish, (live, Some(&target)), now_at),
        sides: ("Live now", live.map(|live| chip(desk, live)), "Live again", Some(chip(desk, &target))),
        diff: Some(Diff::between(&fields, &target.fields, &labels::ordered(&template))),
        schedule: None,
        reason_label: "Why",
        reason: String::new(),
        problem: None,
    })
}

pub(super) async fn roll_back(Id(id): Id<ContentId>, Action { mut desk, form }: Action) -> Answer {
    desk.require(MemberAct::RollBack)?;
    let to = form.get("to").and_then(|to| to.parse().ok());
    let to: RevisionId = to.ok_or(WebError::BadForm("The form names no revision.".into()))?;
    let mut tried = Ok(());
    if let Some(password) = form.get("password") {
        tried = prove(&desk.web, &desk.signed_in, password).await;
        if tried.is_ok() {
            desk = desk.refreshed().await?;
        }
    }
    if tried.is_ok() {
        let new = NewRollBack {
            content: id,
            to,
            comment: form.text("reason"),
        };
        tried = desk.web.app.roll_back(&desk.ctx, new).await.map(drop);
    }
    match tried {
        Ok(()) => Ok(go(&desk.at(&format!("content/{id}?notice=rolled-back")))),
        Err(error @ (Error::NotFound(_) | Error::Unavailable(_) | Error::Fault(_))) => {
            Err(error.into())
        }
        Err(error) => {
            let mut shown = render_roll_back(&desk, id, to).await?;
            shown.reason = form.text("reason");
            shown.problem = Some(format!("{} Nothing was changed.", sentence(&error)));
            page_with(status(&error), &shown)
        }
    }
}
