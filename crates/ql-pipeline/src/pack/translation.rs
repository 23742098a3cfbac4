//! What may be quoted.

use ql_scripture::quota::Grant;
use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::table::Entry;

/// A translation that may be quoted, and on what terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translation {
    /// Its name for people.
    pub name: String,
    /// The terms, as they were read on a day. The edition's id is in them.
    pub grant: Grant,
}

impl Entry for Translation {
    const FILE: &'static str = "translations.toml";
    const NAME: &'static str = "translation";
    const ID: &'static str = "grant/edition";

    fn id(&self) -> &str {
        &self.grant.edition
    }

    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let (name, grant) = (fields.words("name"), fields.inner("grant", grant));
        Some(Self {
            name: name?,
            grant: grant?,
        })
    }
}

fn grant(fields: &mut Fields<'_, '_>) -> Option<Grant> {
    let edition = fields.need("edition");
    let (as_of, source) = (fields.need("as_of"), fields.need("source"));
    let max_verses = fields.or_default("max_verses");
    let max_share_of_work = fields.or_default("max_share_of_work");
    let max_share_of_book = fields.or_default("max_share_of_book");
    let (media, notice) = (fields.or_default("media"), fields.or_default("notice"));
    Some(Grant {
        edition: edition?,
        as_of: as_of?,
        source: source?,
        max_verses: max_verses?,
        max_share_of_work: max_share_of_work?,
        max_share_of_book: max_share_of_book?,
        media: media?,
        notice: notice?,
    })
}
