//! A live page as JSON.

use ql_app::Result;
use ql_app::delivery::LivePage;
use ql_core::id::{ContentId, RevisionId, TranslationGroupId};
use ql_core::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use super::selection::Selection;

/// A live page. All of it follows from its revision, which is what its entity tag names.
#[derive(Serialize)]
pub(super) struct Page {
    id: ContentId,
    revision_id: RevisionId,
    template: String,
    locale: String,
    translation_group_id: TranslationGroupId,
    slug: String,
    published_at: Timestamp,
    fields: Box<RawValue>,
}

impl Page {
    /// The page with the fields that are wanted.
    pub(super) fn of(live: LivePage, selection: &Selection) -> Result<Self> {
        Ok(Self {
            id: live.content,
            revision_id: live.revision,
            template: live.template,
            locale: live.locale.to_string(),
            translation_group_id: live.translation_group,
            slug: live.slug.to_string(),
            published_at: live.published_at,
            fields: selection.apply(live.fields)?,
        })
    }
}

/// The bytes of an answer.
pub(super) fn json(answer: &impl Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(answer)?)
}
