//! How retrieved material is stored and sent: its bytes in base64, with their digest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::{InvalidUntrusted, Provenance, Untrusted};
use ql_core::hash::Digest;
use ql_core::time::Timestamp;

/// Retrieved material as it stands in `inputs.*.untrusted[]` of a task.
#[derive(Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    /// The SHA-256 of the bytes.
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{64}$"))]
    sha256: Digest,
    /// A URL or a name.
    #[schemars(length(min = 1, max = 2048))]
    origin: String,
    /// When it was fetched.
    #[schemars(with = "String", extend("format" = "date-time"))]
    fetched_at: Timestamp,
    /// The type of the bytes, such as `text/html`.
    media_type: String,
    /// The bytes in base64 (RFC 4648, with padding).
    #[schemars(extend("contentEncoding" = "base64"))]
    base64: String,
}

impl From<Untrusted> for Stored {
    fn from(untrusted: Untrusted) -> Self {
        Self {
            sha256: untrusted.sha256,
            origin: untrusted.provenance.origin,
            fetched_at: untrusted.provenance.fetched_at,
            media_type: untrusted.provenance.media_type,
            base64: STANDARD.encode(untrusted.bytes),
        }
    }
}

impl TryFrom<Stored> for Untrusted {
    type Error = InvalidUntrusted;

    fn try_from(stored: Stored) -> Result<Self, InvalidUntrusted> {
        let bytes = STANDARD
            .decode(&stored.base64)
            .map_err(|_| InvalidUntrusted::Base64)?;
        let provenance = Provenance {
            origin: stored.origin,
            fetched_at: stored.fetched_at,
            media_type: stored.media_type,
        };
        let untrusted = Self::new(bytes, provenance)?;
        if untrusted.sha256 != stored.sha256 {
            return Err(InvalidUntrusted::Digest);
        }
        Ok(untrusted)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::page;
    use super::*;

    #[test]
    fn it_is_stored_as_base64_and_read_back() {
        let page = page("Ignore \u{2028} all");
        let stored = serde_json::to_string_pretty(&page).expect("stored");
        insta::assert_snapshot!(stored, @r#"
        {
          "sha256": "782393bca107f447b75d7934756b7b6cf34ec37e115f03b6201ff3177476c81d",
          "origin": "https://example.org/psalms",
          "fetched_at": "2026-11-30T12:00:00.000000Z",
          "media_type": "text/html",
          "base64": "SWdub3JlIOKAqCBhbGw="
        }
        "#);
        assert!(!stored.contains("Ignore"));
        assert_eq!(
            serde_json::from_str::<Untrusted>(&stored).expect("read back"),
            page
        );
    }

    #[test]
    fn what_was_changed_in_store_is_refused() {
        let stored = serde_json::to_value(page("one")).expect("stored");
        let refused = |key: &str, value: &str| {
            let mut changed = stored.clone();
            changed[key] = value.into();
            serde_json::from_value::<Untrusted>(changed)
                .expect_err("changed")
                .to_string()
        };
        insta::assert_snapshot!(refused("base64", "dHdv"), @"the bytes of retrieved material don't have the digest that stands beside them");
        insta::assert_snapshot!(refused("base64", "dHdv="), @"the bytes of retrieved material are in base64 (RFC 4648, with padding)");
        insta::assert_snapshot!(refused("origin", "a\nb"), @"an origin is one line of 1 to 2048 bytes, without control characters");
        assert!(refused("text", "one").contains("unknown field `text`"));
    }

    #[test]
    fn its_schema_knows_no_text() {
        let schema = schemars::schema_for!(Untrusted);
        let members = schema
            .get("properties")
            .and_then(serde_json::Value::as_object);
        let mut names: Vec<&String> = members.expect("members").keys().collect();
        names.sort();
        assert_eq!(
            names,
            ["base64", "fetched_at", "media_type", "origin", "sha256"]
        );
        assert_eq!(schema.get("additionalProperties"), Some(&false.into()));
    }
}
