//! Members: added, given roles, let in by link and removed.

use http::StatusCode;
use ql_app::Error;
use ql_app::member::{Member, NewMember};
use ql_core::id::MemberId;
use ql_core::role::{MemberAct, Role};

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with, sentence, status};
use crate::edge::form::{Action, Posted};
use crate::edge::params::Id;
use crate::page::{MemberRow, Members, Section, role_select};
use crate::part::{Pill, Tone, Who};

pub(super) async fn list(desk: Desk) -> Answer {
    page(&render(&desk).await?)
}

async fn render(desk: &Desk) -> Result<Members, WebError> {
    let members = desk.web.app.list_members(&desk.ctx).await?;
    let present = members.iter().filter(|member| member.removed_at.is_none());
    Ok(Members {
        shell: desk.shell(Section::Members).await?,
        rows: present.map(|member| row(desk, member)).collect(),
        roles: role_select(Role::Editor, desk.may(MemberAct::ManageOrganization)),
        typed: (String::new(), String::new()),
        link: None,
        may_administer: desk.may(MemberAct::Administer),
        problem: None,
    })
}

fn row(desk: &Desk, member: &Member) -> MemberRow {
    let owners_too = desk.may(MemberAct::ManageOrganization);
    let is_me = member.id == desk.signed_in.member.id;
    MemberRow {
        id: member.id.to_string(),
        who: Who::person(member.name.as_str()),
        email: member.email.clone(),
        role: role_select(member.role, owners_too),
        state: match member.password_hash {
            Some(_) => Pill::new(Tone::Live, "Active"),
            None => Pill::new(Tone::Needs, "No password yet"),
        },
        at: desk.when(member.created_at),
        is_changeable: !is_me && (owners_too || member.role != Role::Owner),
    }
}

fn role(form: &Posted) -> Result<Role, WebError> {
    let role = form.get("role").and_then(|role| role.parse().ok());
    role.ok_or_else(|| WebError::BadForm("The form names no role.".into()))
}

pub(super) async fn add(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let new = NewMember {
        email: form.text("email"),
        name: form.text("name"),
        role: role(&form)?,
    };
    match desk.web.app.create_member(&desk.ctx, new).await {
        Ok(member) => show_link(&desk, member.id, &member.name).await,
        Err(error) if error.is_fault() => Err(error.into()),
        Err(error) => {
            let mut shown = render(&desk).await?;
            shown.typed = (form.text("name"), form.text("email"));
            shown.problem = Some(lines(&error).join(" "));
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
    }
}

/// Makes a one-time link and shows it, this once.
async fn show_link(desk: &Desk, id: MemberId, name: &str) -> Answer {
    let secret = desk.web.app.create_sign_in_link(&desk.ctx, id).await?;
    let address = desk.web.app.dashboard_url(&format!("/sign-in/{secret}"));
    let mut shown = render(desk).await?;
    shown.link = Some((name.to_owned(), address));
    page(&shown)
}

pub(super) async fn make_link(Id(id): Id<MemberId>, Action { desk, .. }: Action) -> Answer {
    let members = desk.web.app.list_members(&desk.ctx).await?;
    let member = members
        .iter()
        .find(|member| member.id == id)
        .ok_or(Error::NotFound("member"))?;
    show_link(&desk, id, &member.name).await
}

pub(super) async fn set_role(Id(id): Id<MemberId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let changed = desk
        .web
        .app
        .set_role(&desk.ctx, id, role(&form)?)
        .await
        .map(drop);
    settled(&desk, changed, "saved").await
}

pub(super) async fn remove(Id(id): Id<MemberId>, Action { desk, .. }: Action) -> Answer {
    let changed = desk.web.app.remove_member(&desk.ctx, id).await;
    settled(&desk, changed, "removed").await
}

async fn settled(desk: &Desk, changed: Result<(), Error>, notice: &str) -> Answer {
    match changed {
        Ok(()) => Ok(go(&desk.at(&format!("members?notice={notice}")))),
        Err(error @ (Error::LastOwner | Error::Conflict)) => {
            let mut shown = render(desk).await?;
            shown.problem = Some(sentence(&error));
            page_with(status(&error), &shown)
        }
        Err(error) => Err(error.into()),
    }
}
