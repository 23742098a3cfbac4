//! Which session a conversation goes on in: the very one that it's bound to, or the one that alone
//! goes on from it because Hermes compressed it.

use std::collections::BTreeSet;

use ql_core::runtime::Doubt;

use super::gateway::{Doubtful, Gateway, Session};

/// How Hermes marks a session that another one goes on from.
const COMPRESSED: &str = "compression";
/// Where sessions come from that hang under another one and don't go on from it.
const BESIDE: [&str; 2] = ["subagent", "tool"];
/// How many compressions are followed at once.
const FARTHEST: usize = 32;

/// Where a session was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Located {
    /// It's there, and turns go on in it.
    There,
    /// It was compressed, and this one goes on from it.
    GoesOnIn(String),
    /// It isn't there.
    Missing,
}

/// Looks for a session under the gateway's profile.
///
/// # Errors
/// The gateway can't say, or not exactly one session goes on from a compressed one.
pub(super) async fn locate(gateway: &Gateway, id: &str) -> Result<Located, Doubtful> {
    let Some(first) = gateway.session(id).await? else {
        return Ok(Located::Missing);
    };
    let mut seen = BTreeSet::from([id.to_owned()]);
    let mut tip = first;
    while tip.end_reason.as_deref() == Some(COMPRESSED) {
        tip = successor(gateway, &tip.id).await?;
        if !seen.insert(tip.id.clone()) || seen.len() > FARTHEST {
            return Err(unclear("the sessions go on from each other without an end"));
        }
    }
    if tip.id == id {
        Ok(Located::There)
    } else {
        Ok(Located::GoesOnIn(tip.id))
    }
}

/// The one session that goes on from a compressed one. Hermes itself would take the likeliest of
/// several; a fork or a stale window's session can look the same.
async fn successor(gateway: &Gateway, compressed: &str) -> Result<Session, Doubtful> {
    let children = gateway.children(compressed).await?;
    let beside = |child: &Session| {
        let source = child.source.as_deref().unwrap_or_default();
        BESIDE.contains(&source)
    };
    let mut going_on = children.into_iter().filter(|child| !beside(child));
    match (going_on.next(), going_on.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(unclear("it was compressed, and no session goes on from it")),
        (Some(_), Some(_)) => Err(unclear(
            "it was compressed, and several sessions go on from it",
        )),
    }
}

fn unclear(words: &str) -> Doubtful {
    Doubtful::new(Doubt::SuccessorUnclear, words)
}
