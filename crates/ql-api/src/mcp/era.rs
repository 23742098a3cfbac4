//! Which lifecycle a request speaks: the handshake of the revisions up to 2025-11-25, or the
//! self-contained requests since 2026-07-28.

use axum::http::HeaderMap;
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use super::message::Request;
use super::rpc::{RpcError, UNSUPPORTED_VERSION};

/// Every protocol version that is spoken here, oldest first.
pub(crate) const VERSIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// Where a request of 2026-07-28 names its version.
pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The lifecycle of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize` first; the version is in a header, or it's 2025-03-26.
    Legacy,
    /// Version and capabilities in every request.
    Modern,
}

/// The era of a request whose headers and metadata agree without doubt. `None` is everything that
/// needs the protocol library's eye: the handshakes themselves, and whatever contradicts itself
/// or leaves something out.
///
/// # Errors
/// A version header of the old lifecycle that names a version not spoken here.
pub(crate) fn of(headers: &HeaderMap, request: &Request) -> Result<Option<Era>, RpcError> {
    let meta = request.meta(META_VERSION);
    match request.method.as_str() {
        "server/discover" => return Ok(None),
        "initialize" if meta.is_none() => return Ok(None),
        _ => {}
    }
    let header = sent(headers, "mcp-protocol-version");
    match (header, meta) {
        (Sent::Nothing, None) => Ok(Some(Era::Legacy)),
        (Sent::Text(version), None) => of_header(version),
        (Sent::Text(version), Some(meta)) if is_modern(version) && meta == version => {
            Ok(routing_agrees(headers, request).then_some(Era::Modern))
        }
        _ => Ok(None),
    }
}

fn of_header(version: &str) -> Result<Option<Era>, RpcError> {
    if is_modern(version) {
        return Ok(None);
    }
    if VERSIONS.iter().any(|spoken| spoken.as_str() == version) {
        return Ok(Some(Era::Legacy));
    }
    let message = format!("protocol version `{version}` isn't spoken here");
    Err(RpcError::new(UNSUPPORTED_VERSION, message)
        .with_data(json!({ "requested": version, "supported": VERSIONS })))
}

fn is_modern(version: &str) -> bool {
    version == ProtocolVersion::V_2026_07_28.as_str()
}

/// Whether the headers that intermediaries route on say what the body says.
fn routing_agrees(headers: &HeaderMap, request: &Request) -> bool {
    let names_tool = || {
        let name = request.params.get("name").and_then(Value::as_str);
        name.is_some_and(|name| sent(headers, "mcp-name") == Sent::Text(name))
    };
    sent(headers, "mcp-method") == Sent::Text(&request.method)
        && (request.method != "tools/call" || names_tool())
        && request
            .meta(META_CAPABILITIES)
            .is_some_and(Value::is_object)
}

/// What a header says that may be sent once.
#[derive(PartialEq, Eq)]
enum Sent<'h> {
    Nothing,
    Text(&'h str),
    /// Sent twice, or no text.
    Unclear,
}

fn sent<'h>(headers: &'h HeaderMap, name: &str) -> Sent<'h> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Sent::Nothing,
        (Some(value), None) => value.to_str().map_or(Sent::Unclear, Sent::Text),
        (Some(_), Some(_)) => Sent::Unclear,
    }
}
