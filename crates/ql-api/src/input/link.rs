//! Links between pages, as arguments.

use ql_app::Result;
use ql_core::internal_link::{Link, RELATIONS};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::argument::{self, named};

/// One link to set in a page's draft.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct LinkArguments {
    /// Gets the link.
    #[schemars(schema_with = "argument::id")]
    source_content_id: String,
    /// Its current draft.
    #[schemars(schema_with = "argument::id")]
    source_revision_id: String,
    /// Becomes the link; with prefix and suffix it stands once in the draft.
    anchor: String,
    /// Text right before; may be empty.
    prefix: String,
    /// Text right after; may be empty.
    suffix: String,
    /// Where it goes.
    #[schemars(schema_with = "argument::id")]
    target_content_id: String,
    /// None when left out.
    #[schemars(schema_with = "relation")]
    #[serde(default)]
    rel: Option<String>,
}

fn relation(_: &mut SchemaGenerator) -> Schema {
    argument::one_of(RELATIONS)
}

/// Reads every link.
pub(crate) fn read(links: Vec<LinkArguments>) -> Result<Vec<Link>> {
    links.into_iter().map(LinkArguments::read).collect()
}

impl LinkArguments {
    fn read(self) -> Result<Link> {
        Ok(Link {
            source_content_id: named("content item", &self.source_content_id)?,
            source_revision_id: named("revision", &self.source_revision_id)?,
            anchor: self.anchor,
            prefix: self.prefix,
            suffix: self.suffix,
            target_content_id: named("content item", &self.target_content_id)?,
            rel: self.rel,
        })
    }
}
