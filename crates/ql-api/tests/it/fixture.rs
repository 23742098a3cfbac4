//! Two tools and three connections, on the identical stack as the product's.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use ql_api::mcp::{
    AuthenticationError, Backend, Call, Caller, Effect, Failure, McpConfig, Refusal, Registry,
    Tool, router_of,
};
use ql_core::id::ConnectionId;
use ql_core::scope::{Scope, ScopeSet};
use ql_core::time::{Clock, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// May read and write content.
pub(crate) const WRITER: &str = "qla_writer";
/// May read content.
pub(crate) const READER: &str = "qla_reader";
/// Makes the lookup fail.
pub(crate) const BROKEN: &str = "qla_broken";

#[derive(Clone)]
pub(crate) struct Fixture(pub(crate) Arc<HandClock>);

#[derive(Clone)]
pub(crate) struct Connection(ConnectionId, ScopeSet);

impl Caller for Connection {
    fn scopes(&self) -> ScopeSet {
        self.1
    }

    fn connection(&self) -> ConnectionId {
        self.0
    }
}

impl Backend for Fixture {
    type Caller = Connection;

    fn now(&self) -> Timestamp {
        self.0.now()
    }

    async fn authenticate(&self, token: &str) -> Result<Connection, AuthenticationError> {
        let connection = |digit: &str, scopes: &[Scope]| {
            let id = format!("con_{digit:0>26}").parse().expect("an id");
            Ok(Connection(id, scopes.iter().copied().collect()))
        };
        match token {
            WRITER => connection("1", &[Scope::ContentRead, Scope::ContentWrite]),
            READER => connection("2", &[Scope::ContentRead]),
            BROKEN => Err(AuthenticationError::Unavailable),
            _ => Err(AuthenticationError::Invalid),
        }
    }
}

/// What `querylayer_look` takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct LookParams {
    /// How many to show.
    #[schemars(range(min = 1, max = 100))]
    #[serde(default)]
    limit: Option<u32>,
    /// What to look for.
    #[serde(default)]
    query: Option<String>,
}

/// Shows what it was asked, and fails on request.
pub(crate) struct Look;

#[derive(Serialize)]
pub(crate) struct Looked {
    limit: u32,
    query: Option<String>,
}

impl Tool<Fixture> for Look {
    const NAME: &'static str = "querylayer_look";
    const TITLE: &'static str = "Look";
    const DESCRIPTION: &'static str = "Shows what it was asked and nothing else.";
    const SCOPES: &'static [Scope] = &[Scope::ContentRead];
    const EFFECT: Effect = Effect::Reads;
    type Params = LookParams;
    type Output = Looked;

    async fn call(_: &Fixture, _: &Connection, call: Call<LookParams>) -> Result<Looked, Failure> {
        let params = call.params;
        match params.query.as_deref() {
            Some("refuse") => Err(Failure::Refused(Refusal {
                code: "not_found",
                message: "There is no such content on this site.".to_owned(),
                remedy: "List the content.".to_owned(),
                details: json!({}),
            })),
            Some("fail") => Err(Failure::Fault),
            Some("panic") => panic!("asked to"),
            _ => Ok(Looked {
                limit: params.limit.unwrap_or(25),
                query: params.query,
            }),
        }
    }
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stance {
    /// speaks for it
    Supports,
    /// speaks against it
    Contradicts,
}

/// One source.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct Source {
    /// Where it is.
    #[schemars(length(min = 1, max = 20))]
    url: String,
    /// What it says about the claim.
    stance: Stance,
    /// When it was read.
    #[schemars(extend("format" = "date-time"))]
    #[serde(default)]
    retrieved_at: Option<String>,
}

/// What `querylayer_write` takes.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct WriteParams {
    /// The run.
    #[schemars(regex(pattern = "^run_[0-9a-z]{2}$"))]
    run_id: String,
    /// Anything.
    fields: Map<String, Value>,
    /// Where it's from.
    #[schemars(length(max = 3))]
    #[serde(default)]
    sources: Vec<Source>,
    /// Whether to hurry.
    #[serde(default)]
    urgent: Option<bool>,
    /// The first source again, alone.
    #[serde(default)]
    main_source: Option<Source>,
}

/// Gives back what it was given.
pub(crate) struct Write;

#[derive(Serialize)]
pub(crate) struct Written {
    #[serde(flatten)]
    given: WriteParams,
    repeat: Option<Value>,
}

impl Tool<Fixture> for Write {
    const NAME: &'static str = "querylayer_write";
    const TITLE: &'static str = "Write";
    const DESCRIPTION: &'static str = "Gives back what it was given and nothing else.";
    const SCOPES: &'static [Scope] = &[Scope::ContentWrite, Scope::PublishRequest];
    const EFFECT: Effect = Effect::Adds;
    type Params = WriteParams;
    type Output = Written;

    async fn call(
        _: &Fixture,
        _: &Connection,
        call: Call<WriteParams>,
    ) -> Result<Written, Failure> {
        let repeat = call
            .repeat
            .map(|repeat| json!([repeat.key, repeat.arguments]));
        Ok(Written {
            given: call.params,
            repeat,
        })
    }
}

pub(crate) fn registry() -> Registry<Fixture> {
    Registry::default()
        .with::<Write>()
        .and_then(Registry::with::<Look>)
        .expect("the fixture's schemas are plain")
}

/// A clock that moves when it's told to.
#[derive(Default)]
pub(crate) struct HandClock(AtomicI64);

impl HandClock {
    pub(crate) fn advance_seconds(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Relaxed))
    }
}

pub(crate) fn app(config: McpConfig, clock: Arc<HandClock>) -> axum::Router {
    router_of(Fixture(clock), registry(), config)
}
