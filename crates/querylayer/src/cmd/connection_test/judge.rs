//! What an answer of the endpoint means.

use axum::http::{StatusCode, header};
use serde_json::Value;

use super::Code;
use super::address::Address;
use super::exchange::{Peer, Reply};
use super::report::{Fault, plain};
use super::secret::Secret;

/// Whether QueryLayer answers there, and whether it took the token.
pub(super) fn server(
    address: &Address,
    greeting: Result<Reply, Fault>,
    sent: Option<&Secret>,
) -> Result<(bool, String), Fault> {
    let reply = greeting?;
    let message = reply.json().unwrap_or_default();
    match reply.status {
        StatusCode::OK => welcome(address, &reply, &message).map(|says| (true, says)),
        StatusCode::UNAUTHORIZED if is_ours(&message) => {
            let none_arrived = said(&message).contains("no bearer token");
            if none_arrived && sent.is_some() {
                return Err(token_lost());
            }
            Ok((false, "QueryLayer answers".to_owned()))
        }
        _ => Err(turned_away(address, &reply, &message)),
    }
}

/// The result of a call to the endpoint, or what stood in its way.
pub(super) fn result(address: &Address, reply: &Reply) -> Result<Value, Fault> {
    let mut message = reply.json().unwrap_or_default();
    match reply.status {
        StatusCode::OK if message["result"].is_object() => Ok(message["result"].take()),
        StatusCode::OK => Err(unexpected(reply)),
        _ => Err(turned_away(address, reply, &message)),
    }
}

/// Nothing may answer where clients look for an OAuth server: they then leave the token aside.
pub(super) async fn no_oauth(peer: &Peer) -> Result<((), String), Fault> {
    for name in ["oauth-protected-resource", "oauth-authorization-server"] {
        let path = format!("/.well-known/{name}");
        let reply = peer.get(&path).await?;
        if !reply.status.is_client_error() {
            return Err(Fault::new(
                Code::OauthFound,
                format!(
                    "{}{path} answers {}, where clients look for an OAuth server; some then ignore the token",
                    peer.address.origin(),
                    reply.status
                ),
                "Let the proxy pass /.well-known/ on to QueryLayer, which answers 404",
            ));
        }
    }
    Ok((
        (),
        "no OAuth server is offered, so clients use the token".to_owned(),
    ))
}

fn welcome(address: &Address, reply: &Reply, message: &Value) -> Result<String, Fault> {
    let server = &message["result"]["serverInfo"];
    match server["name"].as_str() {
        Some("querylayer") => Ok(format!(
            "QueryLayer {} answers",
            plain(server["version"].as_str().unwrap_or_default())
        )),
        Some(name) => Err(Fault::new(
            Code::OtherServer,
            format!("another MCP server answers, `{}`", plain(name)),
            "Compare the address with the one on the connection's page on the dashboard",
        )),
        None => Err(no_endpoint(address, reply)),
    }
}

/// An error of QueryLayer's endpoint has JSON-RPC's form.
fn is_ours(message: &Value) -> bool {
    message["jsonrpc"] == "2.0" && message["error"]["message"].is_string()
}

fn said(message: &Value) -> &str {
    message["error"]["message"].as_str().unwrap_or_default()
}

fn turned_away(address: &Address, reply: &Reply, message: &Value) -> Fault {
    let ours = is_ours(message);
    match reply.status {
        status if status.is_redirection() => redirected(reply),
        StatusCode::UNAUTHORIZED | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            another_login(reply)
        }
        StatusCode::FORBIDDEN if ours => host_not_served(address),
        StatusCode::FORBIDDEN => Fault::new(
            Code::ForbiddenBefore,
            format!("something before the server forbids it ({})", looks(reply)),
            "Let the proxy or firewall there pass POST with Authorization to this path",
        ),
        StatusCode::NOT_FOUND => not_found(address),
        StatusCode::TOO_MANY_REQUESTS => rate_limited(reply),
        StatusCode::BAD_REQUEST if !address.is_tls() && text(reply).contains("HTTPS port") => {
            Fault::new(
                Code::NeedsTls,
                "that port speaks TLS",
                format!("Use https://{}{}", address.authority(), address.target()),
            )
        }
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => proxy_failed(reply),
        StatusCode::SERVICE_UNAVAILABLE if !ours => proxy_failed(reply),
        status if status.is_server_error() => server_failed(reply, message),
        _ if ours => unexpected(reply),
        _ => no_endpoint(address, reply),
    }
}

fn redirected(reply: &Reply) -> Fault {
    let to = plain(reply.header(header::LOCATION).unwrap_or("nowhere"));
    Fault::new(
        Code::Redirected,
        format!("the address leads to {to}; clients don't take the token along"),
        "Give clients the address at which the endpoint itself answers",
    )
}

fn another_login(reply: &Reply) -> Fault {
    let challenge = reply
        .header(header::WWW_AUTHENTICATE)
        .unwrap_or("no challenge");
    Fault::new(
        Code::AnotherLogin,
        format!(
            "something before the server wants a login of its own ({}: {})",
            reply.status,
            plain(challenge)
        ),
        "Let the proxy pass this path on without one; QueryLayer checks the token itself",
    )
}

fn host_not_served(address: &Address) -> Fault {
    Fault::new(
        Code::HostNotServed,
        format!(
            "the server isn't configured to be reached as {}",
            address.authority()
        ),
        format!(
            "Start it with --public-url {}, or let the proxy pass the Host header on unchanged",
            address.origin()
        ),
    )
}

fn not_found(address: &Address) -> Fault {
    Fault::new(
        Code::NotFound,
        format!("nothing is at {} there", address.target()),
        address.right_path(),
    )
}

fn no_endpoint(address: &Address, reply: &Reply) -> Fault {
    Fault::new(
        Code::NotTheEndpoint,
        format!(
            "something else than an MCP endpoint answers ({})",
            looks(reply)
        ),
        address.right_path(),
    )
}

fn rate_limited(reply: &Reply) -> Fault {
    let wait = reply.header(header::RETRY_AFTER).unwrap_or("some");
    Fault::new(
        Code::RateLimited,
        "too many requests or failed attempts came from here",
        format!("Wait {} s and try again", plain(wait)),
    )
}

fn token_lost() -> Fault {
    Fault::new(
        Code::TokenLost,
        "the token was sent, and the server says that none arrived",
        "Let the proxy pass the Authorization header on",
    )
}

fn proxy_failed(reply: &Reply) -> Fault {
    Fault::new(
        Code::ProxyFailed,
        format!(
            "a proxy answers that it doesn't reach the server ({})",
            reply.status
        ),
        "Look whether the server runs, and whether the proxy knows its address",
    )
}

fn server_failed(reply: &Reply, message: &Value) -> Fault {
    let words = Some(said(message)).filter(|words| !words.is_empty());
    Fault::new(
        Code::ServerFailed,
        format!(
            "the server failed ({}): {}",
            reply.status,
            plain(words.unwrap_or("it doesn't say why"))
        ),
        "Look at the server's log; beside its data folder, querylayer doctor says more",
    )
}

fn unexpected(reply: &Reply) -> Fault {
    Fault::new(
        Code::Unexpected,
        format!("an answer that this test doesn't know ({})", looks(reply)),
        "Compare the versions of this program and the server",
    )
}

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.body).into_owned()
}

/// An answer in a few words: its status, and the title of a page or the beginning of a text.
fn looks(reply: &Reply) -> String {
    let text = text(reply);
    let title = text
        .split_once("<title>")
        .and_then(|(_, rest)| rest.split_once("</title>"));
    let shown = match title {
        Some((title, _)) => format!("a page titled “{}”", plain(title)),
        None if text.trim().is_empty() => "nothing in it".to_owned(),
        None => plain(text.trim()),
    };
    format!("{}: {shown}", reply.status)
}
