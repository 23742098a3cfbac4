//! Every route of the server: agents, programs, people and the public behind one address.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::ORIGIN;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use ql_api::ApiConfig;
use ql_api::edge::origin::OriginPolicy;
use ql_api::edge::rate::Rate;
use ql_api::health::{Metrics, Surface};
use ql_api::mcp::McpConfig;
use ql_api::rest::RestConfig;
use ql_app::App;
use ql_app::director::Director;
use ql_web::WebConfig;

use crate::config::ServerArgs;

/// The routes of a server with these settings.
///
/// # Errors
/// The public address can't be one.
pub(super) fn all(
    (app, director): (&App, Option<&Director>),
    args: &ServerArgs,
    public_url: &str,
) -> Result<Router> {
    let origins = origins(public_url)?;
    let mcp = McpConfig {
        director: director.cloned(),
        ..mcp_config(args, origins.clone())
    };
    let api = ApiConfig {
        rest: RestConfig {
            origins: origins.clone(),
            failed_authentications: mcp.failed_authentications,
            ..RestConfig::default()
        },
        mcp,
    };
    let metrics = Arc::new(Metrics::default());
    let web = ql_web::router(
        app.clone(),
        WebConfig {
            public_url: public_url.to_owned(),
            director: director.cloned(),
        },
    );
    let web = web.layer(from_fn(host_check(origins)));
    Ok(ql_api::router(app, api, &metrics).merge(metrics.counted(Surface::Web, web)))
}

fn mcp_config(args: &ServerArgs, origins: OriginPolicy) -> McpConfig {
    let defaults = McpConfig::default();
    let limit = Rate {
        per_minute: 1200,
        burst: 300,
    };
    McpConfig {
        origins,
        calls: rate(
            args.calls_per_minute,
            args.call_burst,
            defaults.calls.unwrap_or(limit),
        ),
        failed_authentications: rate(
            args.failed_authentications_per_minute,
            None,
            defaults.failed_authentications.unwrap_or(limit),
        ),
        ..defaults
    }
}

fn rate(per_minute: Option<u32>, burst: Option<u32>, default: Rate) -> Option<Rate> {
    let per_minute = per_minute.unwrap_or(default.per_minute);
    (per_minute > 0).then_some(Rate {
        per_minute,
        burst: burst.unwrap_or(default.burst),
    })
}

/// The hosts and origins that the server answers to: its public address and this machine.
fn origins(public_url: &str) -> Result<OriginPolicy> {
    let authority = public_url.split("://").nth(1).unwrap_or_default();
    let host = authority.split('/').next().unwrap_or_default();
    let hosts = [host, "localhost", "127.0.0.1", "::1"];
    let origin = public_url.split('/').take(3).collect::<Vec<_>>().join("/");
    let origins = [
        origin.as_str(),
        "http://localhost:*",
        "http://127.0.0.1:*",
        "http://[::1]:*",
    ];
    OriginPolicy::new(hosts, origins)
        .with_context(|| format!("`{public_url}` can't be a public address"))
}

/// Reading is checked by host alone: a sandboxed preview of ours asks for its styles from the origin
/// `null`, and what is read that way stays closed to other origins' pages by the browser.
fn serves(origins: &OriginPolicy, request: &Request) -> bool {
    if request.method().is_safe() && request.headers().contains_key(ORIGIN) {
        let mut headers = request.headers().clone();
        headers.remove(ORIGIN);
        return origins.check(request.uri(), &headers).is_ok();
    }
    origins.check(request.uri(), request.headers()).is_ok()
}

const REFUSED: &str = "This server doesn't answer to that host or origin. Use its public address, or set --public-url.";

type Checked = std::pin::Pin<Box<dyn Future<Output = Response> + Send>>;

/// Refuses what names another host, and changes that another origin's page asks for, so that a name that was
/// rebound to this machine opens nothing.
fn host_check(
    origins: OriginPolicy,
) -> impl Fn(Request, Next) -> Checked + Clone + Send + Sync + 'static {
    let origins = Arc::new(origins);
    move |request, next| {
        let served = serves(&origins, &request);
        Box::pin(async move {
            if served {
                return next.run(request).await;
            }
            (StatusCode::FORBIDDEN, REFUSED).into_response()
        })
    }
}
