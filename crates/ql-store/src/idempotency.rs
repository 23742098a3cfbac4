//! Idempotency keys: the first success under a key is the answer for ever.

use ql_core::hash::Digest;
use ql_core::id::{AgentId, SiteId};
use ql_core::time::Timestamp;

use crate::{Arg, Result, Tx};

statements! {
    INSERT = "INSERT INTO idempotency_keys (agent_id, site_id, tool, key, request, response, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    FIND = "SELECT request, response FROM idempotency_keys \
        WHERE agent_id = $1 AND site_id = $2 AND tool = $3 AND key = $4";
}

/// What a key is scoped to, and the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The agent that uses it.
    pub agent: AgentId,
    /// The site it works on.
    pub site: SiteId,
    /// The tool it calls.
    pub tool: &'static str,
    /// The key, 1 to 128 characters.
    pub key: String,
    /// The digest of the canonical arguments.
    pub request: Digest,
}

impl Key {
    fn args(&self) -> [Arg<'_>; 4] {
        [
            Arg::text(self.agent),
            Arg::text(self.site),
            self.tool.into(),
            (&self.key).into(),
        ]
    }
}

/// The request digest and the response that stand under a key.
pub fn find(tx: &mut Tx<'_>, key: &Key) -> Result<Option<(Digest, String)>> {
    tx.find(FIND, &key.args())?
        .map(|mut row| Ok((row.digest()?, row.text()?)))
        .transpose()
}

/// Binds a key to the response of a call that succeeded.
pub fn insert(tx: &mut Tx<'_>, key: &Key, response: &str, at: Timestamp) -> Result<()> {
    let [agent, site, tool, text] = key.args();
    tx.execute_one(
        INSERT,
        &[
            agent,
            site,
            tool,
            text,
            (&key.request).into(),
            response.into(),
            at.into(),
        ],
    )
}
