//! What the data folder knows about a token, for whoever runs the server too.
//!
//! The server answers every token that opens nothing alike, so that nobody can try tokens out. Its
//! operator may know more.

use serde_json::Value;

use super::Code;
use super::report::Fault;
use super::secret::Secret;
use crate::admin::Request;
use crate::cli::Place;
use crate::cmd::admin;

/// Why the server doesn't take a token of the right form.
pub(super) async fn refused(secret: &Secret, place: &Place) -> Fault {
    let prefix = secret.prefix();
    match found(secret, place).await {
        Some(connection) if connection.is_null() => Fault::new(
            Code::TokenUnknown,
            format!(
                "the server doesn't take the token, and {} has no connection {prefix}…",
                folder(place)
            ),
            "It belongs to another server, or to a state before a backup was restored: issue a connection here",
        ),
        Some(connection) => known(&connection, place),
        None => Fault::new(
            Code::TokenRefused,
            format!("the server doesn't take the token {prefix}…; to outsiders it doesn't say why"),
            "It was revoked, replaced or ran out, or it's another server's. Beside the data folder this test says which (--data), and the connection's page on the dashboard does too",
        ),
    }
}

fn known(connection: &Value, place: &Place) -> Fault {
    let name = text(connection, "name");
    match text(connection, "state") {
        "revoked" => Fault::new(
            Code::TokenRevoked,
            format!(
                "the connection {name} was ended or replaced at {}",
                text(connection, "revoked_at")
            ),
            "Use the token that replaced it, or issue a new connection",
        ),
        "expired" => Fault::new(
            Code::TokenExpired,
            format!(
                "the connection {name} ran out at {}",
                text(connection, "expires_at")
            ),
            "Rotate it: querylayer connection rotate",
        ),
        _ => Fault::new(
            Code::OtherFolder,
            format!(
                "the connection {name} is active in {}, and the server at this address doesn't know it",
                folder(place)
            ),
            "The server works on another data folder, or another server listens there",
        ),
    }
}

/// A missing scope, with whether the connection or the agent lacks it.
pub(super) async fn scopes(fault: Fault, secret: &Secret, place: &Place) -> Fault {
    match found(secret, place).await {
        Some(connection) if connection.is_object() => Fault {
            wrong: format!(
                "{}. The connection holds {}; its agent is permitted {} on this site",
                fault.wrong,
                held(&connection["scopes"]),
                held(&connection["permissions"])
            ),
            ..fault
        },
        _ => fault,
    }
}

fn held(scopes: &Value) -> String {
    let names: Vec<&str> = scopes
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.join(" ")
}

/// The connection, or null if there is none; nothing where there is no data folder, or none that
/// can be asked.
async fn found(secret: &Secret, place: &Place) -> Option<Value> {
    if !place.data_dir().exists() {
        return None;
    }
    let request = Request::FindConnection(secret.prefix().to_owned());
    admin::answer(request, place).await.ok()
}

fn folder(place: &Place) -> String {
    match &place.database.database {
        Some(_) => "the database".to_owned(),
        None => format!("the data folder {}", place.data.display()),
    }
}

fn text<'a>(connection: &'a Value, key: &str) -> &'a str {
    connection[key].as_str().unwrap_or_default()
}
