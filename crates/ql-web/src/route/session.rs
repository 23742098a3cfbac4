//! Signing in by link or password, signing out, and choosing a password.

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, Method, StatusCode};
use ql_app::session::NewSession;
use ql_app::{Error, SignedIn};

use crate::config::Web;
use crate::edge::cookie::Cookie;
use crate::edge::desk::signed_in;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with, sentence};
use crate::edge::form::{OpenAction, OwnAction, fresh_token, with_token};
use crate::edge::limit::Key;
use crate::edge::params::Params;
use crate::page::{Csrf, Landing, NewPassword, SignIn};

/// The fewest characters of a password, as the use case wants them.
const SHORTEST_PASSWORD: usize = 10;

/// An address of this server to go on to; anything else would let a link lead people away.
fn own_address(next: Option<&str>) -> String {
    let is_own =
        |next: &&str| next.starts_with('/') && !next.starts_with("//") && !next.contains('\\');
    next.filter(is_own).unwrap_or("/").to_owned()
}

pub(super) async fn home(State(web): State<Web>, headers: HeaderMap) -> Answer {
    let signed_in = signed_in(&headers, "/", &web).await?;
    let sites = web
        .app
        .list_sites(&web.app.organization_context(&signed_in))
        .await?;
    let first = sites.first().ok_or(Error::NotFound("site"))?;
    Ok(go(&format!("/sites/{}/inbox", first.slug)))
}

pub(super) async fn form(State(web): State<Web>, params: Params) -> Answer {
    let token = fresh_token(&web);
    let shown = SignIn {
        csrf: Csrf {
            token: token.clone(),
        },
        next: own_address(params.get("next")),
        email: String::new(),
        problem: None,
    };
    Ok(with_token(page(&shown)?, &web, &token))
}

pub(super) async fn sign_in(State(web): State<Web>, action: OpenAction) -> Answer {
    let (form, email) = (&action.form, action.form.text("email"));
    let keys = [
        Key::address_from(&email, &action.peer),
        Key::address(&email),
        Key::peer(&action.peer),
    ];
    let now = web.app.now();
    web.attempts
        .admit(&keys, now)
        .map_err(|wait| WebError::TooMany(wait.as_secs().max(1)))?;
    let next = own_address(form.get("next"));
    let password = form.get("password").unwrap_or_default();
    match web.app.sign_in_with_password(&email, password).await {
        Ok(session) => {
            web.attempts.succeeded(&keys[..2]);
            Ok(with_session(
                Redirect::to(&next).into_response(),
                &web,
                &session,
            ))
        }
        Err(Error::SignInFailed(_)) => {
            web.attempts.failed(&keys, now);
            let token = fresh_token(&web);
            let shown = SignIn {
                csrf: Csrf {
                    token: token.clone(),
                },
                next,
                email,
                problem: Some("The address and the password don't fit together.".into()),
            };
            Ok(with_token(
                page_with(StatusCode::UNAUTHORIZED, &shown)?,
                &web,
                &token,
            ))
        }
        Err(error) => Err(error.into()),
    }
}

fn with_session(mut response: Response, web: &Web, session: &NewSession) -> Response {
    Cookie::Session.set(&mut response, &web.config, &session.secret);
    response
}

/// Opens a session with a one-time link. The page itself answers, not a redirect: after a click in
/// a mail, a browser would not send the new, strict cookie along with a redirected request.
pub(super) async fn land(
    State(web): State<Web>,
    method: Method,
    headers: HeaderMap,
    Path(link): Path<String>,
) -> Answer {
    let looks_ahead = headers.contains_key("sec-purpose") || headers.contains_key("purpose");
    if method == Method::HEAD || looks_ahead {
        // Programs that look at links before people do must not use them up.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let session = match web.app.sign_in_with_link(&link).await {
        Ok(session) => session,
        Err(Error::SignInFailed(why)) => return used_up(&web, why),
        Err(error) => return Err(error.into()),
    };
    let member = &session.member;
    let shown = if member.password_hash.is_some() {
        page(&Landing {
            name: member.name.clone(),
            next: "/".into(),
        })?
    } else {
        page(&NewPassword {
            csrf: Csrf {
                token: session.session.csrf.clone(),
            },
            name: member.name.clone(),
            email: member.email.clone(),
            shortest: SHORTEST_PASSWORD,
            asks_password: false,
            problem: None,
        })?
    };
    Ok(with_session(shown, &web, &session))
}

fn used_up(web: &Web, why: &'static str) -> Answer {
    let token = fresh_token(web);
    let shown = SignIn {
        csrf: Csrf {
            token: token.clone(),
        },
        next: "/".into(),
        email: String::new(),
        problem: Some(sentence(&Error::SignInFailed(why))),
    };
    Ok(with_token(
        page_with(StatusCode::UNAUTHORIZED, &shown)?,
        web,
        &token,
    ))
}

pub(super) async fn sign_out(State(web): State<Web>, action: OwnAction) -> Answer {
    web.app.sign_out(&action.signed_in).await?;
    let mut response = Redirect::to("/sign-in").into_response();
    Cookie::Session.set(&mut response, &web.config, "");
    Ok(response)
}

fn new_password(web: &Web, member: &SignedIn, problem: Option<String>) -> NewPassword {
    let csrf = member
        .session
        .as_ref()
        .map(|session| session.csrf.clone())
        .unwrap_or_default();
    NewPassword {
        csrf: Csrf { token: csrf },
        name: member.member.name.clone(),
        email: member.member.email.clone(),
        shortest: SHORTEST_PASSWORD,
        asks_password: !member.is_fresh(&web.app),
        problem,
    }
}

pub(super) async fn password_form(State(web): State<Web>, headers: HeaderMap) -> Answer {
    let member = signed_in(&headers, "/password", &web).await?;
    page(&new_password(&web, &member, None))
}

pub(super) async fn set_password(State(web): State<Web>, action: OwnAction) -> Answer {
    let OwnAction {
        signed_in: member,
        form,
        headers,
    } = action;
    let wrong = |problem: String| {
        page_with(
            StatusCode::UNPROCESSABLE_ENTITY,
            &new_password(&web, &member, Some(problem)),
        )
    };
    let password = form.get("password").unwrap_or_default();
    if form.get("again") != Some(password) {
        return wrong("The two passwords differ.".into());
    }
    if let Some(current) = form.get("current")
        && let Err(error) = prove(&web, &member, current).await
    {
        return wrong(sentence(&error));
    }
    let member = signed_in(&headers, "/password", &web).await?;
    match web.app.set_password(&member, password).await {
        Ok(()) => Ok(go("/?notice=password")),
        Err(error @ (Error::Invalid(_) | Error::ReauthenticationRequired)) => {
            wrong(lines(&error).join(" "))
        }
        Err(error) => Err(error.into()),
    }
}

/// Proves a member again by its password, with guesses counted.
pub(super) async fn prove(web: &Web, member: &SignedIn, password: &str) -> Result<(), Error> {
    let keys = [Key::member(member.member.id)];
    let now = web.app.now();
    if web.attempts.admit(&keys, now).is_err() {
        return Err(Error::SignInFailed(
            "there were too many wrong passwords; wait five minutes",
        ));
    }
    let proved = web.app.reauthenticate(member, password).await;
    match &proved {
        Ok(()) => web.attempts.succeeded(&keys),
        Err(Error::SignInFailed(_)) => web.attempts.failed(&keys, now),
        Err(_) => {}
    }
    proved
}
