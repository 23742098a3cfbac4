//! Short texts that the server hands out and knows again: preview links and fill tokens.

use hmac::{Hmac, KeyInit as _, Mac as _};
use ql_core::hash::Digest;
use ql_core::token::same_fingerprint;
use sha2::Sha256;

use crate::app::App;
use crate::error::{Error, Result};

impl App {
    /// A claim with the server's seal. Every claim begins with what it's for, so that a seal of one
    /// purpose opens nothing else.
    pub(crate) fn seal(&self, claim: &str) -> Result<String> {
        let seal = keyed_hash(&self.config().preview_key, &[claim.as_bytes()])?;
        Ok(format!("{claim}.{seal}"))
    }

    /// The claim of a sealed text, where the seal is this server's.
    pub(crate) fn unseal<'a>(&self, sealed: &'a str) -> Result<Option<&'a str>> {
        let Some((claim, seal)) = sealed.rsplit_once('.') else {
            return Ok(None);
        };
        let expected = keyed_hash(&self.config().preview_key, &[claim.as_bytes()])?;
        let is_ours = seal
            .parse()
            .is_ok_and(|presented| same_fingerprint(&presented, &expected));
        Ok(is_ours.then_some(claim))
    }
}

/// HMAC-SHA256 (RFC 2104) of the parts laid end to end.
pub(crate) fn keyed_hash(key: &[u8], parts: &[&[u8]]) -> Result<Digest> {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(key).map_err(|error| Error::Fault(error.to_string()))?;
    for part in parts {
        mac.update(part);
    }
    let bytes: [u8; 32] = mac.finalize().into_bytes().into();
    Ok(bytes.into())
}
