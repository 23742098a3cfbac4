//! Source packages to stage and to write from.

use ql_app::OpContext;
use ql_app::content::Filter;
use ql_app::source::{NewPackage, NewRecord};
use ql_core::hash::Digest;
use ql_core::id::{RevisionId, RunId, SourcePackageId};
use ql_core::page::PageRequest;
use ql_core::proposal::{ContentSourceDraft, Payload};

use crate::app::{Place, TestApp, article};

/// A record whose checksum is right.
pub fn source_record(key: &str, body: &str) -> NewRecord {
    NewRecord {
        key: key.into(),
        media_type: "text/markdown".into(),
        body: body.into(),
        sha256: Some(Digest::of(body.as_bytes())),
    }
}

/// A package of two sound records, `hours` and `prices`.
pub fn source_package(run: RunId) -> NewPackage {
    NewPackage {
        run,
        name: "Interview notes".into(),
        origin: "A call with the curator, typed by hand.".into(),
        records: vec![
            source_record("hours", "Open from nine to five."),
            source_record("prices", "Tickets cost ten."),
        ],
    }
}

/// What makes a new article from records when it is carried out.
pub fn source_draft(package_id: SourcePackageId, keys: &[&str], title: &str) -> Payload {
    Payload::ContentSourceDraft(ContentSourceDraft {
        package_id,
        record_keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        template: "article".into(),
        slug: None,
        fields: article(title),
    })
}

impl TestApp {
    /// Stages a package of two sound records.
    pub async fn stage(&self, agent: &OpContext, run: RunId) -> SourcePackageId {
        let new = source_package(run);
        let staged = self.app.stage_source_package(agent, new, None).await;
        staged.expect("a package").package_id
    }

    /// The draft that an approved proposal made from a package's first record.
    pub async fn drawn(&self, place: &Place, package: SourcePackageId) -> RevisionId {
        let payload = source_draft(package, &["hours"], "Drawn from sources");
        let slug = self.carry_out(place, payload).await.proposal.resolved[0]
            .slug
            .clone();
        let filter = Filter {
            slug,
            ..Filter::default()
        };
        let agent = self.agent_of(place).await;
        let found = self
            .app
            .list_content(&agent, &filter, &PageRequest::default(), false)
            .await
            .expect("a list");
        found.items[0].stored.item.current_draft
    }
}
