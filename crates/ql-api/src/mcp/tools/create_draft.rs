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
    /// The open run that the draft belongs to.
    #[schemars(schema_with = "argument::id")]
    run_id: String,
    /// For a new item: the key of its template, from `querylayer_site_context`. Give either this or `content_id`.
    #[schemars(length(min = 1, max = 64))]
    #[serde(default)]
    template: Option<String>,
    /// For an existing item: the item. `base_revision_id` goes with it.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    content_id: Option<String>,
    /// For an existing item: its current draft, from which the change starts. If a newer draft exists the answer is `stale_revision` and nothing is written.
    #[schemars(schema_with = "argument::id")]
    #[serde(default)]
    base_revision_id: Option<String>,
    /// For a new item: its language, such as en or pt-BR; the site's own when left out.
    #[schemars(length(min = 2, max = 35))]
    #[serde(default)]
    locale: Option<String>,
    /// The page's address. Left out, a new item gets one made from its title and an existing one keeps its own.
    #[schemars(length(min = 1, max = 200))]
    #[serde(default)]
    slug: Option<String>,
    #[serde(flatten)]
    change: ChangeArguments,
    /// Why, in a sentence, for the people who review it.
    #[schemars(length(max = 1000))]
    #[serde(default)]
    change_note: Option<String>,
}

impl Tool<Product> for CreateDraft {
    const NAME: &'static str = "querylayer_create_draft";
    const TITLE: &'static str = "Create a draft";
    const DESCRIPTION: &'static str = "Writes a draft: a new item (template and fields) or a new revision of an existing item (content_id, base_revision_id and one of fields, merge_patch, edits). A draft is never live; ask for that with querylayer_request_publish_approval and the returned revision_id. Fields are checked against the template's schema and every problem is returned with its pointer. A change that changes nothing makes no revision and says unchanged. Returns content_id, revision_id, number, slug and where it differs from its base.";
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
