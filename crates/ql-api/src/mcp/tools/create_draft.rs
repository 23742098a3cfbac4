//! `querylayer_create_draft`: writes a new item or a new revision; nothing goes live by it.

use ql_app::draft::{DraftTarget, Drafted, NewDraft};
use ql_core::edit::Change;
use ql_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::argument::{self, Combination};
use crate::input::change::ChangeArguments;
use crate::mcp::answer::Failure;
use crate::mcp::product::{AgentCaller, Product, idempotency};
use crate::mcp::tool::{Call, Effect, Tool};

/// The tool.
pub(crate) struct CreateDraft;

/// Its arguments.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The open run.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// New item: a template's key, from `querylayer_site_context`.
    #[serde(default)]
    template: Option<String>,
    /// Existing item; with `base_revision_id`.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    content_id: Option<String>,
    /// Existing item: its current draft; `stale_revision` if there is a newer one.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    base_revision_id: Option<String>,
    /// New item: language, such as pt-BR; the site's when left out.
    #[serde(default)]
    locale: Option<String>,
    /// The page's address; left out, made from the title or kept.
    #[serde(default)]
    slug: Option<String>,
    #[serde(flatten)]
    change: ChangeArguments,
    /// Why, for the reviewers.
    #[serde(default)]
    change_note: Option<String>,
}

impl Tool<Product> for CreateDraft {
    const NAME: &'static str = "querylayer_create_draft";
    const TITLE: &'static str = "Create a draft";
    const DESCRIPTION: &'static str = "Writes a draft: a new item (template, fields) or a new revision of an existing one (content_id, base_revision_id and one of fields, merge_patch, edits). A draft is never live; ask for that with querylayer_request_publish_approval and the returned revision_id. Returns content_id, revision_id, number, slug, and what differs from the base or that nothing does.";
    const SCOPES: &'static [Scope] = &[Scope::ContentWrite];
    const EFFECT: Effect = Effect::Adds;
    type Params = Params;
    type Output = Drafted;

    async fn call(
        product: &Product,
        caller: &AgentCaller,
        Call { params, repeat }: Call<Params>,
    ) -> Result<Drafted, Failure> {
        let run = argument::named("run", &params.run_id)?;
        let draft = params.read()?;
        let key = idempotency::<Self>(repeat);
        Ok(product
            .app
            .create_draft(caller.ctx(), Some(run), draft, key)
            .await?)
    }
}

impl Params {
    fn read(self) -> Result<NewDraft, Failure> {
        let mut combination = Combination::default();
        let (content, base) = (self.content_id, self.base_revision_id);
        let note = self.change_note.unwrap_or_default();
        let slug = self.slug;
        if let Some(template) = self.template {
            let given = [
                ("/content_id", content.is_some()),
                ("/base_revision_id", base.is_some()),
            ];
            combination.refuse("template", given);
            let fields = self.change.of_new(&mut combination);
            let change = Change::Fields(combination.finish(fields)?);
            let locale = self.locale;
            let target = DraftTarget::New {
                template,
                locale,
                translation_group: None,
            };
            return Ok(NewDraft {
                target,
                slug,
                change,
                note,
            });
        }
        combination.refuse("content_id", [("/locale", self.locale.is_some())]);
        let because = "give template for a new item, content_id for an existing one";
        let content = combination.required("/content_id", content, because);
        let because = "name the current draft, from which the change starts";
        let base = combination.required("/base_revision_id", base, because);
        let change = self.change.of_existing(&mut combination);
        let ((content, base), change) = combination.finish(content.zip(base).zip(change))?;
        let target = DraftTarget::Existing {
            content: argument::named("content item", &content)?,
            base: argument::named("revision", &base)?,
        };
        Ok(NewDraft {
            target,
            slug,
            change,
            note,
        })
    }
}
