//! Content written by hand, under the rules that hold for agents; nothing goes live by it.

use ql_app::Result;
use ql_app::draft::{DraftTarget, Drafted as Written, NewDraft};
use ql_core::edit::{Change, FieldChange};
use ql_core::hash::Digest;
use ql_core::id::{ContentId, RevisionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::Text;
use super::route::{Answered, Call, Nothing, Route, post};
use crate::input::argument::{self, Combination, named};
use crate::input::change::ChangeArguments;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "create_content",
            "/sites/{site}/content",
            "Writes a new item by hand; nothing goes live by it",
            create,
        )
        .created(),
        post(
            "create_draft",
            "/sites/{site}/content/{id}/drafts",
            "Writes the next draft of an item by hand; nothing goes live by it",
            revise,
        )
        .created(),
    ]
}

/// A new item.
#[derive(Deserialize, JsonSchema)]
struct NewItem {
    /// The key of its template.
    #[schemars(length(min = 1, max = 64))]
    template: String,
    /// Its language; the site's own when left out.
    #[schemars(length(min = 2, max = 35))]
    #[serde(default)]
    locale: Option<String>,
    /// The item that it is a translation of.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    translation_group_id: Option<String>,
    /// The page's address; made from its title when left out.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    slug: Option<String>,
    /// The fields, as the template's schema describes them.
    fields: Map<String, Value>,
    /// Why, in a sentence.
    #[schemars(length(max = 1000))]
    #[serde(default)]
    change_note: String,
}

impl NewItem {
    fn read(self) -> Result<NewDraft> {
        let group = self.translation_group_id.as_deref();
        let group = group.map(|id| named("translation group", id)).transpose()?;
        Ok(NewDraft {
            target: DraftTarget::New {
                template: self.template,
                locale: self.locale,
                translation_group: group,
            },
            slug: self.slug,
            change: Change::Fields(Value::Object(self.fields)),
            note: self.change_note,
        })
    }
}

/// A draft that was written, or that says what its base says.
#[derive(Serialize, JsonSchema)]
struct Drafted {
    content_id: Text<ContentId>,
    revision_id: Text<RevisionId>,
    number: i64,
    slug: String,
    sha256: Text<Digest>,
    /// Whether nothing was written because nothing changed.
    unchanged: bool,
    /// Where it differs from its base.
    #[schemars(with = "Vec<Value>")]
    changes: Vec<FieldChange>,
}

impl From<Written> for Drafted {
    fn from(written: Written) -> Self {
        Self {
            content_id: Text(written.content_id),
            revision_id: Text(written.revision_id),
            number: written.number,
            slug: written.slug,
            sha256: Text(written.sha256),
            unchanged: written.unchanged,
            changes: written.changes,
        }
    }
}

async fn create(call: Call<Nothing, NewItem>) -> Answered<Drafted> {
    let ctx = call.on_site().await?;
    let draft = call.body.read()?;
    let app = &call.rest.app;
    Ok(app.create_draft(&ctx, None, draft, None).await?.into())
}

/// The next draft of an item.
#[derive(Deserialize, JsonSchema)]
struct NewRevision {
    /// The item's current draft, from which the change starts.
    #[schemars(schema_with = "argument::id")]
    base_revision_id: String,
    /// A new address; the base's when left out.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    slug: Option<String>,
    #[serde(flatten)]
    change: ChangeArguments,
    /// Why, in a sentence.
    #[schemars(length(max = 1000))]
    #[serde(default)]
    change_note: String,
}

impl NewRevision {
    fn read(self, content: ContentId) -> Result<NewDraft> {
        let mut combination = Combination::default();
        let change = self.change.of_existing(&mut combination);
        Ok(NewDraft {
            change: combination.finish(change)?,
            target: DraftTarget::Existing {
                content,
                base: named("revision", &self.base_revision_id)?,
            },
            slug: self.slug,
            note: self.change_note,
        })
    }
}

async fn revise(call: Call<Nothing, NewRevision>) -> Answered<Drafted> {
    let (ctx, id) = (call.on_site().await?, call.id("content item")?);
    let draft = call.body.read(id)?;
    let app = &call.rest.app;
    Ok(app.create_draft(&ctx, None, draft, None).await?.into())
}
