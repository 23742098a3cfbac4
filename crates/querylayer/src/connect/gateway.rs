//! The gateway of one profile: shown to be that profile's, asked for sessions, given a turn.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use ql_core::runtime::Doubt;
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Answer, Asked, Endpoint, NoAnswer};
use super::settings::Settings;

const PATIENCE: Duration = Duration::from_secs(20);
/// The most rows of one page, as the gateway takes it.
const PAGE: usize = 200;
/// How many pages of sessions are looked through for what goes on from one.
const PAGES: usize = 10;

/// What can't be told for sure, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub(super) struct Doubtful {
    pub(super) doubt: Doubt,
    pub(super) words: String,
}

impl Doubtful {
    pub(super) fn new(doubt: Doubt, words: impl Into<String>) -> Self {
        Self {
            doubt,
            words: words.into(),
        }
    }
}

/// A session as the gateway shows it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Session {
    pub(super) id: String,
    #[serde(default)]
    pub(super) source: Option<String>,
    #[serde(default)]
    pub(super) end_reason: Option<String>,
    #[serde(default)]
    pub(super) parent_session_id: Option<String>,
}

/// What came of a turn in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spoken {
    /// The session that it ended in.
    pub(super) session: String,
    /// What the agent said last.
    pub(super) words: String,
}

/// Why a turn wasn't played to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotSpoken {
    /// The session isn't there.
    Missing,
    /// Anything else.
    Failed(String),
}

/// The gateway of one profile.
pub(super) struct Gateway {
    folder: PathBuf,
    endpoint: Endpoint,
    key: String,
}

impl Gateway {
    /// The gateway that the profile in this folder is set up to have, once it's shown that what
    /// answers there is the process that runs for this very folder.
    ///
    /// Every gateway writes its process into its own profile's folder, and says it to whoever has
    /// that profile's key. A prefix of the path proves nothing: Hermes 0.19 answers any with the
    /// profile that it happens to run for.
    pub(super) async fn of(folder: &Path) -> Result<Self, Doubtful> {
        let unset =
            |why: &dyn std::fmt::Display| Doubtful::new(Doubt::GatewayUnreachable, why.to_string());
        let settings = Settings::of(folder).map_err(|why| unset(&why))?;
        let url = format!("http://{}", settings.address);
        let gateway = Self {
            folder: folder.to_owned(),
            endpoint: Endpoint::parse(&url).map_err(|why| unset(&why))?,
            key: settings.key,
        };
        gateway.prove().await?;
        Ok(gateway)
    }

    /// Shows once more that it's the profile's own.
    pub(super) async fn prove(&self) -> Result<(), Doubtful> {
        let answer = self.get("/health/detailed").await?;
        let says = answer.json["pid"].as_u64();
        let foreign = |words: &str| Doubtful::new(Doubt::GatewayForeign, words);
        let (StatusCode::OK, Some(says)) = (answer.status, says) else {
            return Err(foreign(
                "what answers there doesn't say which process it is",
            ));
        };
        match written_pid(&self.folder) {
            Some(pid) if pid == says => Ok(()),
            Some(_) => Err(foreign(
                "another process answers there than the gateway of this profile",
            )),
            None => Err(foreign(
                "no gateway runs for this profile, and something answers at its address",
            )),
        }
    }

    /// A session, where it's there.
    pub(super) async fn session(&self, id: &str) -> Result<Option<Session>, Doubtful> {
        let answer = self.get(&path(id, "")).await?;
        match answer.status {
            StatusCode::OK => Ok(Some(read(&answer.json["session"])?)),
            StatusCode::NOT_FOUND if is_missing(&answer) => Ok(None),
            status => Err(strange(status)),
        }
    }

    /// The sessions that name another one as the one they come from.
    pub(super) async fn children(&self, of: &str) -> Result<Vec<Session>, Doubtful> {
        let mut found = Vec::new();
        for page in 0..PAGES {
            let (limit, offset) = (PAGE, page * PAGE);
            let query =
                format!("/api/sessions?limit={limit}&offset={offset}&include_children=true");
            let answer = self.get(&query).await?;
            let Some(rows) = answer.json["data"].as_array() else {
                return Err(strange(answer.status));
            };
            for row in rows {
                let session = read(row)?;
                if session.parent_session_id.as_deref() == Some(of) {
                    found.push(session);
                }
            }
            if answer.json["has_more"] != true {
                return Ok(found);
            }
        }
        Err(Doubtful::new(
            Doubt::SuccessorUnclear,
            "the profile has more sessions than were looked through",
        ))
    }

    /// Begins a session of this name, which nobody had before.
    pub(super) async fn begin(&self, id: &str) -> Result<(), Doubtful> {
        let body = json!({"id": id});
        let answer = self.ask(Method::POST, "/api/sessions", Some(&body), PATIENCE);
        let answer = answer.await.map_err(|error| unreached(&error))?;
        let made = answer.json["session"]["id"].as_str();
        if answer.status == StatusCode::CREATED && made == Some(id) {
            Ok(())
        } else {
            Err(strange(answer.status))
        }
    }

    /// Plays one turn in a session that exists, to its end. An unknown one is refused by the gateway
    /// and never made.
    pub(super) async fn speak(
        &self,
        session: &str,
        (message, system): (&str, &str),
        limit: Duration,
    ) -> Result<Spoken, NotSpoken> {
        let body = json!({"message": message, "system_message": system});
        let path = path(session, "/chat");
        let answer = self.ask(Method::POST, &path, Some(&body), limit).await;
        let answer = answer.map_err(|error| NotSpoken::Failed(error.to_string()))?;
        match answer.status {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND if is_missing(&answer) => return Err(NotSpoken::Missing),
            status => return Err(NotSpoken::Failed(format!("the gateway answers {status}"))),
        }
        let text = |at: &str| answer.json.pointer(at).and_then(Value::as_str);
        match (text("/session_id"), text("/message/content")) {
            (Some(session), words) => Ok(Spoken {
                session: session.to_owned(),
                words: words.unwrap_or_default().trim().to_owned(),
            }),
            (None, _) => Err(NotSpoken::Failed(
                "the gateway doesn't say in which session the turn ended".to_owned(),
            )),
        }
    }

    async fn get(&self, path: &str) -> Result<Answer, Doubtful> {
        let answer = self.ask(Method::GET, path, None, PATIENCE).await;
        let answer = answer.map_err(|error| unreached(&error))?;
        match answer.status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Doubtful::new(
                Doubt::GatewayForeign,
                "what answers there doesn't take this profile's key",
            )),
            _ => Ok(answer),
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        limit: Duration,
    ) -> Result<Answer, NoAnswer> {
        let asked = Asked {
            method,
            path,
            bearer: &self.key,
            body,
            protocol: None,
            limit,
        };
        self.endpoint.ask(asked).await
    }
}

/// The process that Hermes wrote into a profile's folder when its gateway began to run.
fn written_pid(folder: &Path) -> Option<u64> {
    let text = fs::read_to_string(folder.join("gateway.pid")).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    record.get("pid").unwrap_or(&record).as_u64()
}

/// The path of a session: its name escaped, whatever is in it (RFC 3986).
fn path(session: &str, then: &str) -> String {
    use std::fmt::Write as _;
    let mut path = "/api/sessions/".to_owned();
    for byte in session.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            write!(path, "%{byte:02X}").expect("writing to a string");
        }
    }
    path + then
}

fn read(session: &Value) -> Result<Session, Doubtful> {
    Session::deserialize(session).map_err(|_| {
        Doubtful::new(
            Doubt::GatewayUnreachable,
            "the gateway answers something else than a session",
        )
    })
}

/// The gateway's own "there is no such session"; another 404 says nothing.
fn is_missing(answer: &Answer) -> bool {
    answer.json["error"]["code"] == "session_not_found"
}

fn strange(status: StatusCode) -> Doubtful {
    Doubtful::new(
        Doubt::GatewayUnreachable,
        format!("the gateway answers {status}"),
    )
}

fn unreached(error: &NoAnswer) -> Doubtful {
    Doubtful::new(Doubt::GatewayUnreachable, error.to_string())
}
