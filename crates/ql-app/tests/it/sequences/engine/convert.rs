//! Steps as the inputs of use cases.

use ql_app::draft::{DraftTarget, NewDraft};
use ql_app::evidence::{NewClaim, NewEvidence};
use ql_app::template::NewTemplate;
use ql_core::edit::{Change as Edited, TextEdit};
use ql_core::evidence::Stance;
use ql_core::hash::Digest as Sha256;
use ql_core::policy::{Policy as Rules, Rule, SelfApproval};
use ql_core::proposal::{
    ArchivedAt, ContentRevision, CreateContent, Items, LifecycleAction, LifecycleItem,
    Payload as Asked, ProposalKind, PublishItem, Risk,
};
use ql_core::role::Role;
use ql_core::time::Timestamp;
use ql_testkit::setup;
use serde_json::{Map, Value, json};

use super::super::step::{
    Change, Claim, Draft, Fields, Hash, Lifecycle, New, Next, Payload, Policy, Publish, Template,
};
use super::Engine;

impl Engine {
    pub(super) fn new_draft(&self, draft: &Draft) -> NewDraft {
        let (target, slug, change) = match draft {
            Draft::New(new) => (
                DraftTarget::New {
                    template: new.template.into(),
                    locale: new.locale.map(str::to_owned),
                    translation_group: None,
                },
                new.slug,
                Edited::Fields(document(&new.fields)),
            ),
            Draft::Next(next) => (
                DraftTarget::Existing {
                    content: self.names.items.id(next.item, self.elsewhere.items),
                    base: self.names.revisions.id(next.base, self.elsewhere.revisions),
                },
                next.slug,
                edited(&next.change),
            ),
        };
        NewDraft {
            target,
            slug: slug.map(str::to_owned),
            change,
            note: String::new(),
        }
    }

    pub(super) fn new_claim(&self, claim: &Claim, now: Timestamp) -> NewClaim {
        let source = |number: usize| {
            let excerpt = format!("It is so, says source {number}.");
            NewEvidence {
                source_url: format!("https://source.example/{number}"),
                title: "A source".into(),
                publisher: None,
                sha256: hash(claim.hash, &excerpt),
                excerpt,
                locator: None,
                retrieved_at: now,
                stance: Stance::Supports,
            }
        };
        NewClaim {
            revision: self
                .names
                .revisions
                .id(claim.revision, self.elsewhere.revisions),
            text: "It is so.".into(),
            pointer: claim.pointer.map(str::to_owned),
            evidence: (0..claim.sources).map(source).collect(),
        }
    }

    pub(super) fn payload(&self, payload: &Payload) -> Asked {
        match payload {
            Payload::Create(new) => Asked::CreateContent(creation(new)),
            Payload::Revise(next) => Asked::ContentRevision(self.revision(next)),
            Payload::Publish(pages) => Asked::PublishLifecycle(Items {
                items: pages.iter().map(|page| self.publication(page)).collect(),
            }),
            Payload::Lifecycle(pages) => Asked::ContentLifecycle(Items {
                items: pages.iter().map(|page| self.lifecycle(page)).collect(),
            }),
        }
    }

    fn revision(&self, next: &Next) -> ContentRevision {
        ContentRevision {
            content_id: self.names.items.id(next.item, self.elsewhere.items),
            base_revision_id: self.names.revisions.id(next.base, self.elsewhere.revisions),
            slug: next.slug.map(str::to_owned),
            change: edited(&next.change),
        }
    }

    fn publication(&self, page: &Publish) -> PublishItem {
        let content_id = self.names.items.id(page.item, self.elsewhere.items);
        match page.revision {
            None => PublishItem::Unpublish { content_id },
            Some(revision) => PublishItem::Publish {
                content_id,
                revision_id: self.names.revisions.id(revision, self.elsewhere.revisions),
                publish_at: page.at,
                time_zone: page.zone.map(str::to_owned),
            },
        }
    }

    fn lifecycle(&self, page: &Lifecycle) -> LifecycleItem {
        let action = if page.archive {
            LifecycleAction::Archive
        } else {
            LifecycleAction::Restore
        };
        LifecycleItem {
            action,
            content_id: self.names.items.id(page.item, self.elsewhere.items),
            archived_at: ArchivedAt(page.seen),
        }
    }
}

fn creation(new: &New) -> CreateContent {
    CreateContent {
        template: new.template.into(),
        slug: new.slug.map(str::to_owned),
        locale: new.locale.map(str::to_owned),
        translation_group: None,
        fields: document(&new.fields),
    }
}

fn document(fields: &Fields) -> Value {
    let member = |(field, text): (&&str, &String)| ((*field).to_owned(), json!(text));
    Value::Object(fields.iter().map(member).collect::<Map<_, _>>())
}

fn edited(change: &Change) -> Edited {
    match change {
        Change::Fields(fields) => Edited::Fields(document(fields)),
        Change::Patch(field, text) => Edited::MergePatch(json!({*field: text})),
        Change::Edit(edit) => Edited::Edits(vec![TextEdit {
            pointer: format!("/{}", edit.field),
            find: edit.find.into(),
            replace: edit.replace.into(),
            count: edit.count,
        }]),
    }
}

/// The hash that a caller says a text has.
pub(super) fn hash(hash: Hash, text: &str) -> Option<Sha256> {
    match hash {
        Hash::Unsaid => None,
        Hash::Right => Some(Sha256::of(text.as_bytes())),
        Hash::Wrong => Some(Sha256::of(b"something else")),
    }
}

/// A version of the article template.
pub(super) fn template(template: Template) -> NewTemplate {
    let mut new = setup::article_template();
    if template != Template::Plain {
        new.schema["properties"]["summary"] = json!({"type": "string"});
    }
    if template == Template::NeedsSummary {
        new.schema["required"] = json!(["title", "body", "summary"]);
    }
    new
}

/// A policy as it's written down.
pub(super) fn policy(policy: Policy) -> Rules {
    let mut rules = Rules::default();
    match policy {
        Policy::Default => {}
        Policy::Two => {
            rules.high_risk_items = 2;
            let publish = |rule: &&mut Rule| rule.kind == ProposalKind::PublishLifecycle;
            for rule in rules.rules.iter_mut().filter(publish) {
                rule.approvals = 2;
                rule.valid_hours = 48;
                rule.roles.push(Role::Reviewer);
            }
        }
        Policy::Owner | Policy::Strict => {
            for rule in &mut rules.rules {
                rule.risk = Risk::ALL.to_vec();
                rule.roles = vec![Role::Owner];
                rule.valid_hours = if policy == Policy::Owner { 1 } else { 336 };
            }
        }
    }
    if policy == Policy::Strict {
        rules.self_approval = SelfApproval::Forbidden;
    }
    rules
}
