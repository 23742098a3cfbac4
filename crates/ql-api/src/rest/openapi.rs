//! The API's description, made from the table of routes (`OpenAPI` 3.1).

use serde_json::{Map, Value, json};

use super::PREFIX;
use super::route::Route;

/// The document.
pub(super) fn document(routes: &[Route]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in routes {
        let path = paths
            .entry(route.path)
            .or_insert_with(|| Value::Object(Map::new()));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "QueryLayer",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Everything the dashboard does, as JSON. Unknown parameters and fields are refused by name, everything that is wrong is said at once, and every error is a problem document (RFC 9457) with a stable code and a remedy.",
            "license": { "name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE") }
        },
        "servers": [{ "url": PREFIX }],
        "security": [{ "session": [], "csrf": [] }, { "personal_token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": security_schemes(),
            "schemas": { "Problem": problem() },
            "responses": {
                "Problem": {
                    "description": "Why it isn't carried out: a rule with its remedy, or a fault of the server.",
                    "content": {
                        "application/problem+json": {
                            "schema": { "$ref": "#/components/schemas/Problem" }
                        }
                    }
                }
            }
        }
    })
}

fn operation(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.summary,
        "tags": [tag(route.path)],
        "responses": {
            route.status.as_str(): success(route),
            "default": { "$ref": "#/components/responses/Problem" }
        }
    });
    let parameters: Vec<Value> = path_parameters(route.path)
        .map(path_parameter)
        .chain(query_parameters(route))
        .collect();
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if !route.body.is_empty() {
        operation["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": route.body.schema } }
        });
    }
    if !route.takes.is_empty() {
        let content = route
            .takes
            .iter()
            .map(|media| ((*media).to_owned(), json!({})));
        let content: Map<String, Value> = content.collect();
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

/// The noun that a path is about.
fn tag(path: &str) -> &str {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    match (parts.next(), parts.nth(1)) {
        (Some("sites"), Some(noun)) => noun,
        (first, _) => first.unwrap_or_default(),
    }
}

fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn path_parameter(name: &str) -> Value {
    let description = match name {
        "site" => "The site's id or its slug.",
        "key" => "The template's key.",
        _ => "The id.",
    };
    json!({
        "name": name, "in": "path", "required": true, "description": description,
        "schema": { "type": "string" }
    })
}

fn query_parameters(route: &Route) -> impl Iterator<Item = Value> {
    route.query.members().map(|(name, schema)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|s| s.remove("description"));
        json!({ "name": name, "in": "query", "description": description, "schema": schema })
    })
}

fn success(route: &Route) -> Value {
    if route.status == axum::http::StatusCode::NO_CONTENT {
        return json!({ "description": "Done." });
    }
    json!({
        "description": "Done.",
        "content": { route.media: { "schema": route.answer } }
    })
}

fn security_schemes() -> Value {
    json!({
        "session": {
            "type": "apiKey", "in": "cookie", "name": "__Host-ql_session",
            "description": "The dashboard's session cookie; over plain http on the same machine it is called ql_session."
        },
        "csrf": {
            "type": "apiKey", "in": "header", "name": "X-CSRF-Token",
            "description": "With a session, for everything but GET: the csrf_token of GET /session."
        },
        "personal_token": {
            "type": "http", "scheme": "bearer",
            "description": "A personal token, qlp_…, for everything but decisions, rollbacks, and who may do what: permissions, the policy, members and the organization."
        }
    })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail", "code", "remedy"],
        "properties": {
            "type": { "type": "string", "description": "A URN that ends in the code." },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string", "description": "Which rule was met." },
            "code": { "type": "string", "description": "Stable." },
            "remedy": { "type": "string", "description": "What to do next." },
            "details": { "type": "object", "description": "What a program needs to go on." },
            "problems": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["pointer", "code", "message"],
                    "properties": {
                        "pointer": { "type": "string", "description": "A JSON pointer into the body, or / and the name of a query parameter." },
                        "code": { "type": "string" },
                        "message": { "type": "string" }
                    }
                }
            }
        }
    })
}
