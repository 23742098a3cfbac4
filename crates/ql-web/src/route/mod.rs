//! The routes, grouped by what they are about. A handler reads the form, calls one use case and
//! shows or goes on to a page.

mod account;
mod agent;
mod audit;
mod brief;
mod connection;
mod console;
mod content;
mod edit;
mod evidence;
mod form;
mod inbox;
mod live;
mod member;
mod production;
mod proposal;
mod propose;
mod revision;
mod run;
mod session;
mod settings;
mod source;
mod strategy;
mod template;
mod topical_map;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path};
use axum::middleware::from_fn;
use axum::routing::{get, post};
use ql_app::App;

use crate::assets;
use crate::config::{Web, WebConfig};
use crate::edge::error::WebError;
use crate::edge::form::LARGEST;
use crate::edge::security;
use crate::edge::upload::LARGEST_ARTIFACT;

/// Everything that people see: pages, their forms and their files.
pub fn router(app: App, config: WebConfig) -> Router {
    Router::new()
        .merge(open())
        .merge(own())
        .merge(decisions())
        .merge(pages())
        .merge(forms())
        .merge(topics())
        .merge(talks())
        .merge(productions())
        .merge(material())
        .merge(agents())
        .merge(rules())
        .fallback(async || WebError::NotFound)
        .method_not_allowed_fallback(async || WebError::Method)
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(from_fn(security::headers))
        .with_state(Web::new(app, config))
}

/// For anybody.
fn open() -> Router<Web> {
    Router::new()
        .route(
            "/assets/{file}",
            get(async |Path(file): Path<String>| assets::serve(&file)),
        )
        .route("/sign-in", get(session::form).post(session::sign_in))
        .route("/sign-in/{id}", get(session::land))
}

/// For whoever is signed in, about themselves.
fn own() -> Router<Web> {
    Router::new()
        .route("/", get(session::home))
        .route("/sign-out", post(session::sign_out))
        .route(
            "/password",
            get(session::password_form).post(session::set_password),
        )
        .route("/account", get(account::show))
        .route("/account/tokens", post(account::issue))
        .route("/account/tokens/{id}/revoke", post(account::revoke))
        .route("/proposals/{id}", get(proposal::find))
        .route("/runs/{id}", get(run::find))
        .route("/console/{id}", get(console::find))
}

/// Proposals and what becomes of them.
fn decisions() -> Router<Web> {
    Router::new()
        .route("/sites/{site}", get(inbox::home))
        .route("/sites/{site}/inbox", get(inbox::show))
        .route("/sites/{site}/inbox/reject", post(inbox::reject))
        .route("/sites/{site}/proposals/{id}", get(proposal::show))
        .route(
            "/sites/{site}/proposals/{id}/preview",
            get(proposal::preview),
        )
        .route(
            "/sites/{site}/proposals/{id}/approve",
            post(proposal::approve),
        )
        .route(
            "/sites/{site}/proposals/{id}/reject",
            post(proposal::reject),
        )
        .route(
            "/sites/{site}/proposals/{id}/request-changes",
            post(proposal::request_changes),
        )
        .route(
            "/sites/{site}/proposals/{id}/withdraw",
            post(proposal::withdraw),
        )
        .route(
            "/sites/{site}/proposals/{id}/cancel",
            post(proposal::cancel),
        )
}

/// Content, templates and runs.
fn pages() -> Router<Web> {
    Router::new()
        .route("/sites/{site}/content", get(content::list))
        .route(
            "/sites/{site}/content/new",
            get(edit::new_form).post(edit::create),
        )
        .route("/sites/{site}/content/{id}", get(content::show))
        .route(
            "/sites/{site}/content/{id}/edit",
            get(edit::form).post(edit::save),
        )
        .route("/sites/{site}/content/{id}/compare", get(revision::compare))
        .route(
            "/sites/{site}/content/{id}/propose",
            get(propose::form).post(propose::propose),
        )
        .route(
            "/sites/{site}/content/{id}/roll-back",
            get(propose::roll_back_form).post(propose::roll_back),
        )
        .route(
            "/sites/{site}/content/{id}/revisions/{part}",
            get(revision::show),
        )
        .route(
            "/sites/{site}/content/{id}/revisions/{part}/preview",
            get(revision::preview),
        )
        .route("/sites/{site}/templates", get(template::list))
        .route(
            "/sites/{site}/templates/new",
            get(template::new_form).post(template::create),
        )
        .route("/sites/{site}/templates/{id}", get(template::show))
        .route(
            "/sites/{site}/templates/{id}/new-version",
            get(template::version_form).post(template::create),
        )
        .route("/sites/{site}/runs", get(run::list))
        .route("/sites/{site}/runs/{id}", get(run::show))
        .route("/sites/{site}/runs/{id}/export", post(run::export))
        .route(
            "/sites/{site}/runs/{id}/artifacts/{part}",
            get(run::artifact),
        )
}

/// Forms and what visitors sent.
fn forms() -> Router<Web> {
    Router::new()
        .route("/sites/{site}/forms", get(form::list))
        .route(
            "/sites/{site}/forms/new",
            get(form::new_form).post(form::create),
        )
        .route("/sites/{site}/forms/{id}", get(form::show))
        .route(
            "/sites/{site}/forms/{id}/new-version",
            get(form::version_form).post(form::create),
        )
        .route("/sites/{site}/submissions/{id}/mark", post(form::mark))
}

/// The topical map, the strategy for it and the briefs of its pages.
fn topics() -> Router<Web> {
    let artifact = DefaultBodyLimit::max(LARGEST_ARTIFACT);
    Router::new()
        .route("/sites/{site}/topical-map", get(topical_map::show))
        .route("/sites/{site}/topical-map/{id}", get(topical_map::node))
        .route("/sites/{site}/opportunities", get(strategy::list))
        .route(
            "/sites/{site}/opportunities/propose",
            post(strategy::propose),
        )
        .route(
            "/sites/{site}/opportunities/import",
            get(strategy::import_form)
                .post(strategy::import)
                .layer(artifact),
        )
        .route("/sites/{site}/strategy-imports/{id}", get(strategy::show))
        .route("/sites/{site}/briefs", get(brief::list))
        .route("/sites/{site}/briefs/{id}", get(brief::show))
}

/// Conversations with agents, and the plans that they work on.
fn talks() -> Router<Web> {
    Router::new()
        .route(
            "/sites/{site}/console",
            get(console::list).post(console::create),
        )
        .route("/sites/{site}/console/{id}", get(console::show))
        .route("/sites/{site}/console/{id}/events", get(live::conversation))
        .route("/sites/{site}/console/{id}/turns", post(console::add_turn))
        .route(
            "/sites/{site}/console/{id}/turns/{part}/reopen",
            post(console::reopen_turn),
        )
        .route(
            "/sites/{site}/console/{id}/turns/{part}/cancel",
            post(console::cancel_turn),
        )
        .route(
            "/sites/{site}/console/{id}/plans/{part}/cancel",
            post(console::cancel_plan),
        )
        .route(
            "/sites/{site}/console/{id}/steps/{part}/answer",
            post(console::answer_step),
        )
        .route(
            "/sites/{site}/console/{id}/steps/{part}/reopen",
            post(console::reopen_step),
        )
        .route(
            "/sites/{site}/console/{id}/steps/{part}/cancel",
            post(console::cancel_step),
        )
}

/// Works that go through the stages of a policy.
fn productions() -> Router<Web> {
    Router::new()
        .route("/sites/{site}/productions", get(production::list))
        .route(
            "/sites/{site}/productions/new",
            get(production::new_form).post(production::create),
        )
        .route(
            "/sites/{site}/productions/roles",
            get(production::roles).post(production::cast),
        )
        .route("/sites/{site}/productions/{id}", get(production::show))
        .route(
            "/sites/{site}/productions/{id}/receipt",
            get(production::receipt),
        )
        .route(
            "/sites/{site}/productions/{id}/stages/{part}",
            get(production::stage),
        )
        .route(
            "/sites/{site}/productions/{id}/stages/{part}/approve",
            post(production::approve),
        )
        .route(
            "/sites/{site}/productions/{id}/stages/{part}/reopen",
            post(production::reopen),
        )
        .route(
            "/sites/{site}/productions/{id}/exits",
            post(production::take_exit),
        )
        .route(
            "/sites/{site}/productions/{id}/budget",
            post(production::set_budget),
        )
        .route(
            "/sites/{site}/productions/{id}/waive",
            post(production::waive),
        )
        .route(
            "/sites/{site}/productions/{id}/sources",
            post(production::add_source),
        )
        .route(
            "/sites/{site}/productions/{id}/sources/exclude",
            post(production::exclude_source),
        )
}

/// What pages are written from, and what they rest on.
fn material() -> Router<Web> {
    Router::new()
        .route("/sites/{site}/sources", get(source::list))
        .route("/sites/{site}/sources/{id}", get(source::show))
        .route("/sites/{site}/sources/{id}/dispose", post(source::dispose))
        .route("/sites/{site}/evidence", get(evidence::list))
        .route(
            "/sites/{site}/evidence/{id}/cadence",
            post(evidence::set_cadence),
        )
        .route(
            "/sites/{site}/evidence/{id}/look-now",
            post(evidence::look_now),
        )
        .route("/sites/{site}/evidence/{id}/stop", post(evidence::stop))
        .route("/sites/{site}/evidence-reviews/{id}", get(evidence::review))
        .route(
            "/sites/{site}/evidence-reviews/{id}/resolve",
            post(evidence::resolve),
        )
}

/// Agents and their connections.
fn agents() -> Router<Web> {
    Router::new()
        .route("/sites/{site}/agents", get(agent::list))
        .route(
            "/sites/{site}/agents/new",
            get(agent::new_form).post(agent::create),
        )
        .route("/sites/{site}/agents/{id}", get(agent::show))
        .route("/sites/{site}/agents/{id}/rename", post(agent::rename))
        .route(
            "/sites/{site}/agents/{id}/permissions",
            post(agent::set_permissions),
        )
        .route(
            "/sites/{site}/agents/{id}/connect",
            get(connection::new_form).post(connection::create),
        )
        .route("/sites/{site}/connections/{id}", get(connection::show))
        .route(
            "/sites/{site}/connections/{id}/revoke",
            get(connection::revoke_form).post(connection::revoke),
        )
        .route(
            "/sites/{site}/connections/{id}/rotate",
            get(connection::rotate_form).post(connection::rotate),
        )
}

/// Members, settings and the audit trail.
fn rules() -> Router<Web> {
    Router::new()
        .route("/sites/{site}/members", get(member::list).post(member::add))
        .route("/sites/{site}/members/{id}/role", post(member::set_role))
        .route("/sites/{site}/members/{id}/link", post(member::make_link))
        .route("/sites/{site}/members/{id}/remove", post(member::remove))
        .route(
            "/sites/{site}/settings",
            get(settings::show).post(settings::save),
        )
        .route("/sites/{site}/settings/policy", post(settings::save_policy))
        .route(
            "/sites/{site}/settings/new-site",
            get(settings::new_site_form).post(settings::create_site),
        )
        .route("/sites/{site}/audit", get(audit::list))
        .route("/sites/{site}/audit/verify", post(audit::verify))
        .route("/sites/{site}/audit/export", post(audit::export))
}
