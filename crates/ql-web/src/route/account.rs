//! One's own account: personal tokens.

use axum::extract::State;
use http::{HeaderMap, StatusCode};
use ql_app::session::MemberToken;
use ql_core::id::MemberTokenId;

use super::session::prove;
use crate::config::Web;
use crate::edge::desk::{Desk, signed_in};
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::OwnAction;
use crate::edge::params::Id;
use crate::page::{Account, Section, TokenRow};
use crate::part::{Pill, Tone};

pub(super) async fn show(State(web): State<Web>, headers: HeaderMap) -> Answer {
    let member = signed_in(&headers, "/account", &web).await?;
    let desk = Desk::at_home(&web, member, headers).await?;
    page(&account(&desk).await?)
}

async fn account(desk: &Desk) -> Result<Account, WebError> {
    let tokens = desk.web.app.list_personal_tokens(&desk.signed_in).await?;
    Ok(Account {
        shell: desk.shell(Section::None).await?,
        email: desk.signed_in.member.email.clone(),
        tokens: tokens.iter().rev().map(|token| row(desk, token)).collect(),
        secret: None,
        asks_password: !desk.signed_in.is_fresh(&desk.web.app),
        problem: None,
    })
}

fn row(desk: &Desk, token: &MemberToken) -> TokenRow {
    let is_expired = token.expires_at <= desk.now;
    let state = match token.revoked_at {
        Some(_) => Pill::new(Tone::Stopped, "Revoked"),
        None if is_expired => Pill::new(Tone::Stopped, "Expired"),
        None => Pill::new(Tone::Live, "Active"),
    };
    TokenRow {
        id: token.id.to_string(),
        name: token.name.clone(),
        prefix: token.prefix.clone(),
        state,
        expires: desk.when(token.expires_at),
        is_active: token.revoked_at.is_none() && !is_expired,
    }
}

pub(super) async fn issue(State(web): State<Web>, action: OwnAction) -> Answer {
    let OwnAction {
        signed_in: member,
        form,
        headers,
    } = action;
    let mut problem = None;
    if let Some(password) = form.get("password")
        && let Err(error) = prove(&web, &member, password).await
    {
        problem = Some(lines(&error).join(" "));
    }
    let member = signed_in(&headers, "/account", &web).await?;
    let desk = Desk::at_home(&web, member, headers).await?;
    let mut secret = None;
    if problem.is_none() {
        match web
            .app
            .issue_personal_token(&desk.signed_in, &form.text("name"))
            .await
        {
            Ok(issued) => secret = Some(issued.secret.expose().to_owned()),
            Err(error) if error.is_fault() => return Err(error.into()),
            Err(error) => problem = Some(lines(&error).join(" ")),
        }
    }
    let status = if secret.is_some() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    page_with(
        status,
        &Account {
            secret,
            problem,
            ..account(&desk).await?
        },
    )
}

pub(super) async fn revoke(
    State(web): State<Web>,
    Id(id): Id<MemberTokenId>,
    action: OwnAction,
) -> Answer {
    web.app.revoke_personal_token(&action.signed_in, id).await?;
    Ok(go("/account?notice=revoked"))
}
