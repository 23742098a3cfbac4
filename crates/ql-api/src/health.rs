//! How the server is: liveness, readiness and figures for Prometheus. Totals alone; nothing here
//! says anything about a site.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ql_app::App;
use serde_json::json;
use tower::util::MapResponseLayer;

/// A part of the server that answers requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// `/mcp`.
    Mcp,
    /// `/connector/v1`.
    Connector,
    /// `/api/v1`.
    Rest,
    /// `/delivery/v1`.
    Delivery,
    /// `/forms`.
    Forms,
    /// The dashboard.
    Web,
}

impl Surface {
    const ALL: [Self; 6] = [
        Self::Mcp,
        Self::Connector,
        Self::Rest,
        Self::Delivery,
        Self::Forms,
        Self::Web,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Connector => "connector",
            Self::Rest => "rest",
            Self::Delivery => "delivery",
            Self::Forms => "forms",
            Self::Web => "web",
        }
    }
}

/// HTTP statuses are below this.
const STATUSES: usize = 600;

/// How often each surface answered with each status since the server began.
#[derive(Debug)]
pub struct Metrics([Vec<AtomicU64>; Surface::ALL.len()]);

impl Default for Metrics {
    fn default() -> Self {
        Self(Surface::ALL.map(|_| (0..STATUSES).map(|_| AtomicU64::new(0)).collect()))
    }
}

impl Metrics {
    /// The routes of a surface, with every answer counted.
    pub fn counted(self: &Arc<Self>, surface: Surface, router: Router) -> Router {
        let metrics = Arc::clone(self);
        router.layer(MapResponseLayer::new(move |response: Response| {
            metrics.count(surface, response.status());
            response
        }))
    }

    fn count(&self, surface: Surface, status: StatusCode) {
        if let Some(counter) = self.0[surface as usize].get(usize::from(status.as_u16())) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What was counted, in Prometheus's text format.
    fn write(&self, text: &mut String) -> std::fmt::Result {
        describe(
            text,
            "requests_total",
            "counter",
            "Answers by surface and status.",
        )?;
        for surface in Surface::ALL {
            for (status, counter) in self.0[surface as usize].iter().enumerate() {
                let count = counter.load(Ordering::Relaxed);
                if count > 0 {
                    let surface = surface.as_str();
                    writeln!(
                        text,
                        "querylayer_requests_total{{surface=\"{surface}\",status=\"{status}\"}} {count}"
                    )?;
                }
            }
        }
        Ok(())
    }
}

/// The routes of health. Whether a database answers and jobs move is found out at every call.
pub fn router(app: App, metrics: Arc<Metrics>) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(figures))
        .with_state((app, metrics))
}

type Health = State<(App, Arc<Metrics>)>;

async fn healthz() -> Response {
    status(StatusCode::OK, &json!({"status": "ok"}))
}

async fn readyz(State((app, _)): Health) -> Response {
    let reason = match app.vitals().await {
        Ok(vitals) if !vitals.takes_writes => {
            "the disk failed to keep a change; start the server again".to_owned()
        }
        Ok(vitals) if vitals.stuck_jobs == 0 => {
            return status(StatusCode::OK, &ready(&app));
        }
        Ok(vitals) => format!("{} jobs are due and nobody does them", vitals.stuck_jobs),
        Err(error) => {
            tracing::error!(?error, "the database doesn't answer");
            "the database doesn't answer".to_owned()
        }
    };
    let body = json!({"status": "not_ready", "reason": reason});
    status(StatusCode::SERVICE_UNAVAILABLE, &body)
}

/// That the server works, and whether it leaves signing the ledger to another one.
fn ready(app: &App) -> serde_json::Value {
    let signing = app.signing();
    if signing.is_sound() {
        json!({"status": "ready"})
    } else {
        json!({"status": "ready", "ledger": signing.to_string()})
    }
}

fn status(status: StatusCode, body: &serde_json::Value) -> Response {
    let json = HeaderValue::from_static("application/json");
    let kept = (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (
        status,
        [(header::CONTENT_TYPE, json), kept],
        body.to_string(),
    )
        .into_response()
}

async fn figures(State((app, metrics)): Health) -> Response {
    let mut text = String::new();
    metrics.write(&mut text).expect("writing to a string");
    vitals(&app, &mut text).await.expect("writing to a string");
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// What is open; without an answer of the database only that there is none.
async fn vitals(app: &App, text: &mut String) -> std::fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    describe(text, "build_info", "gauge", "The version that runs.")?;
    writeln!(text, "querylayer_build_info{{version=\"{version}\"}} 1")?;
    let found = app.vitals().await;
    let up = i64::from(found.is_ok());
    sample(
        text,
        ("database_up", "gauge"),
        "Whether the database answers.",
        up,
    )?;
    let writes = i64::try_from(app.writes()).unwrap_or(i64::MAX);
    sample(
        text,
        ("writes_total", "counter"),
        "Changes that were committed.",
        writes,
    )?;
    sample(
        text,
        ("ledger_signs", "gauge"),
        "Whether nothing keeps this server from signing the ledger.",
        i64::from(app.signing().is_sound()),
    )?;
    waiting(app, text)?;
    let Ok(vitals) = found else { return Ok(()) };
    let waiting = i64::try_from(vitals.waiting_entries).unwrap_or(i64::MAX);
    for (name, help, value) in [
        (
            "open_runs",
            "Runs that were begun and not finished.",
            vitals.open_runs,
        ),
        (
            "pending_proposals",
            "Proposals that wait for people.",
            vitals.pending_proposals,
        ),
        (
            "ledger_waiting_entries",
            "Entries of the ledger that wait to be signed.",
            waiting,
        ),
        (
            "stuck_jobs",
            "Jobs that are due and that nobody does.",
            vitals.stuck_jobs,
        ),
    ] {
        sample(text, (name, "gauge"), help, value)?;
    }
    Ok(())
}

/// The claims that wait in this server's memory, and whether what they wait for can be seen.
fn waiting(app: &App, text: &mut String) -> std::fmt::Result {
    let claims = i64::try_from(app.waiting_claims()).unwrap_or(i64::MAX);
    let help = "Claims of console tasks that wait on this server.";
    sample(text, ("waiting_claims", "gauge"), help, claims)?;
    let failed = i64::try_from(app.failed_looks()).unwrap_or(i64::MAX);
    let help = "Looks for what waiting claims may have that failed.";
    sample(text, ("failed_looks_total", "counter"), help, failed)
}

fn describe(text: &mut String, name: &str, kind: &str, help: &str) -> std::fmt::Result {
    writeln!(text, "# HELP querylayer_{name} {help}")?;
    writeln!(text, "# TYPE querylayer_{name} {kind}")
}

fn sample(
    text: &mut String,
    (name, kind): (&str, &str),
    help: &str,
    value: i64,
) -> std::fmt::Result {
    describe(text, name, kind, help)?;
    writeln!(text, "querylayer_{name} {value}")
}
