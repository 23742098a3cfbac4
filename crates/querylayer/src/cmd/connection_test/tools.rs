//! What the token opens: where it belongs, and which tools are listed for it.

use std::collections::BTreeSet;

use ql_core::scope::{Scope, ScopeSet};
use serde_json::{Value, json};

use super::exchange::Peer;
use super::report::{Fault, plain};
use super::secret::Secret;
use super::{Code, judge};

const CONTEXT: &str = "querylayer_site_context";

/// Lists the tools, and looks whether those that are needed are among them.
pub(super) async fn listed(
    peer: &Peer,
    secret: &Secret,
    needed: &[String],
) -> Result<((), String), Fault> {
    let result = call(peer, secret, "tools/list", &json!({})).await?;
    let names: BTreeSet<&str> = result["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    for tool in needed {
        if !names.contains(tool.as_str()) {
            return Err(missing(tool));
        }
    }
    if names.is_empty() {
        return Err(Fault::new(
            Code::ScopeMissing,
            "the token holds, and opens no tool: no scope of its connection is one that its agent is permitted here",
            "Permit the agent something on this site",
        ));
    }
    let place = if names.contains(CONTEXT) {
        place(peer, secret).await?
    } else {
        String::new()
    };
    Ok(((), format!("{place}{}", offered(&names))))
}

async fn call(peer: &Peer, secret: &Secret, method: &str, params: &Value) -> Result<Value, Fault> {
    let reply = peer.call(Some(secret.text()), method, params).await?;
    judge::result(&peer.address, &reply)
}

/// Which site, agent and connection answer, and until when.
async fn place(peer: &Peer, secret: &Secret) -> Result<String, Fault> {
    let params = json!({"name": CONTEXT, "arguments": {}});
    let result = call(peer, secret, "tools/call", &params).await?;
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let context: Value = serde_json::from_str(text).unwrap_or_default();
    if context["ok"] != true {
        return Err(Fault::new(
            Code::ServerFailed,
            format!("{CONTEXT} answers {}", plain(text)),
            "Look at the server's log",
        ));
    }
    let name = |of: &str, key: &str| plain(context[of][key].as_str().unwrap_or_default());
    Ok(format!(
        "{} works on {} by the connection {} until {}; ",
        name("agent", "name"),
        name("site", "name"),
        name("connection", "name"),
        name("connection", "expires_at"),
    ))
}

/// How many tools there are, and what the others need.
fn offered(names: &BTreeSet<&str>) -> String {
    let all = ql_api::mcp::tools_of(ScopeSet::ALL);
    let absent: Vec<String> = all
        .iter()
        .filter(|tool| !names.contains(tool.as_str()))
        .map(|tool| format!("{tool} ({})", listing(tool)))
        .collect();
    if absent.is_empty() {
        return format!("all {} tools are there", all.len());
    }
    format!(
        "{} of {} tools are there, not {}",
        all.len() - absent.len(),
        all.len(),
        absent.join(", ")
    )
}

fn missing(tool: &str) -> Fault {
    if !ql_api::mcp::tools_of(ScopeSet::ALL)
        .iter()
        .any(|known| known == tool)
    {
        return Fault::new(
            Code::ToolUnknown,
            format!("there is no tool `{}`", plain(tool)),
            "querylayer schema tools prints them",
        );
    }
    Fault::new(
        Code::ScopeMissing,
        format!(
            "{tool} isn't there: it needs {}, which the connection or its agent lacks",
            listing(tool)
        ),
        "Permit it to the agent (querylayer agent permit) and issue a connection that holds it; a connection's scopes can't be changed",
    )
}

/// The scopes of which each alone lists the tool.
pub(super) fn listing(tool: &str) -> String {
    let alone = |scope: &Scope| {
        let held: ScopeSet = [*scope].into_iter().collect();
        ql_api::mcp::tools_of(held).iter().any(|name| name == tool)
    };
    let names: Vec<String> = Scope::ALL
        .into_iter()
        .filter(alone)
        .map(|scope| scope.to_string())
        .collect();
    names.join(" or ")
}
