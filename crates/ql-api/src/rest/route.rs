//! One call of the API: what is published about it, how its input is read, and its handler.

use std::fmt;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;

use axum::http::{Method, StatusCode};
use ql_app::session::{Owned, SiteRef};
use ql_app::{App, Error, OpContext, SignedIn};
use ql_core::problem::Problem;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Rest;
use super::upload::Upload;
use crate::input::argument::named;
use crate::input::schema::closed;
use crate::input::shape::{Findings, Shape};
use crate::problem::ProblemDocument;
use crate::query::Parameters;

/// A handler's answer.
pub(super) type Answered<T> = Result<T, ProblemDocument>;

type Answering = Pin<Box<dyn Future<Output = Answered<Vec<u8>>> + Send>>;
/// How an answer is written.
type Render<A> = fn(&A) -> serde_json::Result<Vec<u8>>;

/// What carries a call out.
enum Handler {
    /// It takes JSON, read and checked before.
    Json(Box<dyn Fn(Call<Value, Value>) -> Answering + Send + Sync>),
    /// It takes a body piece by piece.
    Upload(Box<dyn Fn(Call<Value, Upload>) -> Answering + Send + Sync>),
}

/// One call of the API.
pub(super) struct Route {
    pub(super) method: Method,
    /// The path below the API's prefix, with `{names}`.
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    /// The status of success.
    pub(super) status: StatusCode,
    pub(super) query: Input,
    pub(super) body: Input,
    /// The media types of a body that is taken piece by piece; none where it is JSON.
    pub(super) takes: &'static [&'static str],
    /// The media type of the answer.
    pub(super) media: &'static str,
    /// The schema of the answer.
    pub(super) answer: Schema,
    handler: Handler,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// A query or body without members.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Nothing {}

/// An admitted request with its input.
pub(super) struct Call<Q = Nothing, B = Nothing> {
    pub(super) rest: Arc<Rest>,
    pub(super) signed_in: SignedIn,
    pub(super) path: Vec<(String, String)>,
    pub(super) query: Q,
    pub(super) body: B,
}

impl Route {
    fn new<Q, B, A, F, R>(
        method: Method,
        (name, path): (&'static str, &'static str),
        summary: &'static str,
        (handler, render): (F, Render<A>),
    ) -> Self
    where
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        B: DeserializeOwned + JsonSchema + Send + 'static,
        A: JsonSchema + Send + 'static,
        F: Fn(Call<Q, B>) -> R + Copy + Send + Sync + 'static,
        R: Future<Output = Answered<A>> + Send + 'static,
    {
        let erased = move |call: Call<Value, Value>| -> Answering {
            Box::pin(async move {
                let answer = handler(call.typed()?).await?;
                render(&answer).map_err(|error| Error::from(error).into())
            })
        };
        Self {
            method,
            path,
            name,
            summary,
            status: StatusCode::OK,
            query: Input::of::<Q>(),
            body: Input::of::<B>(),
            takes: &[],
            media: "application/json",
            answer: answer_schema::<A>(),
            handler: Handler::Json(Box::new(erased)),
        }
    }

    /// The same route, answering that something was made.
    pub(super) fn created(self) -> Self {
        Self {
            status: StatusCode::CREATED,
            ..self
        }
    }

    /// Whether the body is taken piece by piece.
    pub(super) const fn is_upload(&self) -> bool {
        matches!(self.handler, Handler::Upload(_))
    }

    /// Carries out a call whose input was checked.
    pub(super) async fn answer(&self, call: Call<Value, Value>) -> Answered<Vec<u8>> {
        match &self.handler {
            Handler::Json(handler) => handler(call).await,
            Handler::Upload(_) => Err(Error::Fault("an upload was read as JSON".into()).into()),
        }
    }

    /// Carries out a call with a body that is taken piece by piece.
    pub(super) async fn receive(&self, call: Call<Value, Upload>) -> Answered<Vec<u8>> {
        match &self.handler {
            Handler::Upload(handler) => handler(call).await,
            Handler::Json(_) => Err(Error::Fault("JSON was taken as an upload".into()).into()),
        }
    }
}

/// A route of `POST` whose body is taken piece by piece: its name and path, what it does, the media
/// types of the body, and its handler.
pub(super) fn take<Q, A, F, R>(
    (name, path): (&'static str, &'static str),
    summary: &'static str,
    takes: &'static [&'static str],
    handler: F,
) -> Route
where
    Q: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + Send + 'static,
    F: Fn(Call<Q, Upload>) -> R + Copy + Send + Sync + 'static,
    R: Future<Output = Answered<A>> + Send + 'static,
{
    let erased = move |call: Call<Value, Upload>| -> Answering {
        Box::pin(async move {
            let answer = handler(call.with_query()?).await?;
            serde_json::to_vec(&answer).map_err(|error| Error::from(error).into())
        })
    };
    Route {
        method: Method::POST,
        path,
        name,
        summary,
        status: StatusCode::OK,
        query: Input::of::<Q>(),
        body: Input::of::<Nothing>(),
        takes,
        media: "application/json",
        answer: answer_schema::<A>(),
        handler: Handler::Upload(Box::new(erased)),
    }
}

macro_rules! methods {
    ($($function:ident = $method:ident, $status:ident;)*) => {$(
        /// A route of this method: its name and path, what it does, and its handler.
        pub(super) fn $function<Q, B, A, F, R>(
            name: &'static str,
            path: &'static str,
            summary: &'static str,
            handler: F,
        ) -> Route
        where
            Q: DeserializeOwned + JsonSchema + Send + 'static,
            B: DeserializeOwned + JsonSchema + Send + 'static,
            A: Serialize + JsonSchema + Send + 'static,
            F: Fn(Call<Q, B>) -> R + Copy + Send + Sync + 'static,
            R: Future<Output = Answered<A>> + Send + 'static,
        {
            Route {
                status: StatusCode::$status,
                ..Route::new(Method::$method, (name, path), summary, (handler, serde_json::to_vec))
            }
        }
    )*};
}

methods! {
    get = GET, OK;
    post = POST, OK;
    put = PUT, OK;
    patch = PATCH, OK;
    delete = DELETE, NO_CONTENT;
}

/// A route that answers with a file of its own form: its name and path, what it does, the file's
/// media type, and its handler.
pub(super) fn get_file<Q, F, R>(
    (name, path): (&'static str, &'static str),
    summary: &'static str,
    media: &'static str,
    handler: F,
) -> Route
where
    Q: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(Call<Q>) -> R + Copy + Send + Sync + 'static,
    R: Future<Output = Answered<String>> + Send + 'static,
{
    let text = |file: &String| Ok(file.clone().into_bytes());
    Route {
        media,
        ..Route::new(Method::GET, (name, path), summary, (handler, text))
    }
}

fn answer_schema<A: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema
}

/// One part of a request, as it is published and checked.
pub(super) struct Input {
    pub(super) schema: Map<String, Value>,
    shape: Shape,
}

impl Input {
    fn of<T: JsonSchema>() -> Self {
        let schema = closed::<T>();
        let shape = Shape::compile(&schema).expect("a test compiles the schema of every route");
        Self { schema, shape }
    }

    /// The members that may be given, by name.
    pub(super) fn members(&self) -> impl Iterator<Item = (&String, &Value)> {
        let members = self.schema.get("properties").and_then(Value::as_object);
        members.into_iter().flatten()
    }

    /// Whether nothing may be given.
    pub(super) fn is_empty(&self) -> bool {
        self.members().next().is_none()
    }

    /// Checks a value against the schema.
    pub(super) fn check(&self, mut value: Value) -> Result<Value, Vec<Problem>> {
        let mut found = Findings::default();
        self.shape.check(&mut value, "", &mut found);
        if found.problems.is_empty() {
            Ok(value)
        } else {
            Err(found.problems)
        }
    }

    /// Reads and checks a query string, whose values are texts until the schema says otherwise.
    pub(super) fn read_query(&self, query: Option<&str>) -> Result<Value, Vec<Problem>> {
        let known: Vec<&str> = self.members().map(|(name, _)| name.as_str()).collect();
        let (given, mut problems) = Parameters::read(query, &known).into_parts();
        let values = given.into_iter().map(|(name, text)| {
            let value = self.value(&name, &text);
            (name, value.unwrap_or(Value::String(text)))
        });
        match self.check(Value::Object(values.collect())) {
            Ok(value) if problems.is_empty() => return Ok(value),
            Ok(_) => {}
            Err(more) => problems.extend(more),
        }
        Err(problems)
    }

    fn value(&self, name: &str, text: &str) -> Option<Value> {
        match self.schema["properties"][name]["type"].as_str()? {
            "integer" => text.parse::<i64>().ok().map(Value::from),
            "boolean" => text.parse::<bool>().ok().map(Value::from),
            _ => None,
        }
    }
}

impl Call<Value, Value> {
    /// The same call with its input as what the handler takes; the schemas have been checked.
    fn typed<Q: DeserializeOwned, B: DeserializeOwned>(self) -> Result<Call<Q, B>, Error> {
        Ok(Call {
            query: serde_json::from_value(self.query)?,
            body: serde_json::from_value(self.body)?,
            rest: self.rest,
            signed_in: self.signed_in,
            path: self.path,
        })
    }
}

impl Call<Value, Upload> {
    /// The same call with its query as what the handler takes; the schema has been checked.
    fn with_query<Q: DeserializeOwned>(self) -> Result<Call<Q, Upload>, Error> {
        Ok(Call {
            query: serde_json::from_value(self.query)?,
            body: self.body,
            rest: self.rest,
            signed_in: self.signed_in,
            path: self.path,
        })
    }
}

impl<Q> Call<Q, Upload> {
    /// The body, and the call without it.
    pub(super) fn split(self) -> (Upload, Call<Q>) {
        let call = Call {
            rest: self.rest,
            signed_in: self.signed_in,
            path: self.path,
            query: self.query,
            body: Nothing {},
        };
        (self.body, call)
    }
}

impl<Q, B> Call<Q, B> {
    /// The use cases.
    pub(super) fn app(&self) -> &App {
        &self.rest.app
    }

    /// A part of the path by its name.
    pub(super) fn part(&self, name: &str) -> &str {
        let found = self.path.iter().find(|(part, _)| part == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// What the path's `{id}` names; one of another form names nothing.
    pub(super) fn id<T: FromStr>(&self, what: &'static str) -> Result<T, Error> {
        named(what, self.part("id"))
    }

    /// The member on the path's `{site}`.
    pub(super) async fn on_site(&self) -> Result<OpContext, Error> {
        self.on(self.part("site")).await
    }

    /// The member on a site, by the site's id or slug.
    pub(super) async fn on(&self, site: &str) -> Result<OpContext, Error> {
        let site = SiteRef::parse(site);
        let (ctx, _) = self.app().member_context(&self.signed_in, &site).await?;
        Ok(ctx)
    }

    /// The member on the site that something belongs to.
    pub(super) async fn on_site_of(&self, owned: Owned) -> Result<OpContext, Error> {
        let (ctx, _) = self.app().member_context_of(&self.signed_in, owned).await?;
        Ok(ctx)
    }

    /// The member in its organization as a whole.
    pub(super) fn in_organization(&self) -> OpContext {
        self.app().organization_context(&self.signed_in)
    }
}
