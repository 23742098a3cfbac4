//! One of everything on a site that a tool or a route can name.

use std::collections::BTreeMap;

use ql_core::opportunity::Media;
use ql_testkit::{Place, TestApp};
use serde_json::Value;

/// Identifiers by the names that the table gives them.
#[derive(Clone)]
pub(crate) struct Belongings(BTreeMap<&'static str, String>);

impl Belongings {
    /// One of everything on a place's site, made by its own agent.
    pub(crate) async fn of(test: &TestApp, place: &Place) -> Self {
        let agent = test.agent_of(place).await;
        let run = test.begin_run(&agent).await;
        let draft = test.draft(&agent, run, "Words").await;
        let claim = test.claim(draft);
        let claim = test
            .app
            .record_claim_evidence(&agent, Some(run), claim, None);
        let target = test.draft(&agent, run, "Elsewhere").await;
        let brief = test.briefed(place, &run.to_string()).await;
        let state = test.app.get_brief(&agent, brief).await.expect("a brief");
        let artifact = format!("query\nabout {run}\n");
        let import = test.imported(place, Media::Csv, artifact.as_bytes()).await;
        let opportunity = test.opportunities(place).await[0];
        let recorded = claim.await.expect("a claim");
        let (claim, evidence) = (recorded.claim_id, recorded.evidence_ids[0]);
        let review = test.reviewed(place, evidence).await;
        let package = test.stage(&agent, run).await;
        let proposal = test.request_publication(&agent, run, &[draft]).await;
        let submission = test.post(place, "Words of a visitor").await;
        let talks = test.talk(place).await;
        Self(BTreeMap::from([
            ("conversation", talks.conversation.to_string()),
            ("turn", talks.held.turn_id.to_string()),
            ("lease", talks.held.lease_token.to_string()),
            ("held", talks.run.to_string()),
            ("failed", talks.failed.to_string()),
            ("queued", talks.queued.to_string()),
            ("plan", talks.plan.to_string()),
            ("asking", talks.asking.to_string()),
            ("stopped", talks.stopped.to_string()),
            ("offered", talks.offered.to_string()),
            ("run", run.to_string()),
            ("content", draft.content.to_string()),
            ("revision", draft.revision.to_string()),
            ("claim", claim.to_string()),
            ("evidence", evidence.to_string()),
            ("review", review.to_string()),
            ("proposal", proposal.to_string()),
            ("submission", submission.to_string()),
            ("target", target.content.to_string()),
            ("brief", brief.to_string()),
            ("node", state.brief.node.to_string()),
            ("import", import.import.id.to_string()),
            ("opportunity", opportunity.to_string()),
            ("package", package.to_string()),
            ("site", place.site.id.to_string()),
            ("agent", place.agent.id.to_string()),
            ("connection", place.connection.connection.id.to_string()),
        ]))
    }

    /// The same and something more, or something else.
    pub(crate) fn and(mut self, slot: &'static str, id: &impl ToString) -> Self {
        self.0.insert(slot, id.to_string());
        self
    }

    /// Identifiers of the same form that were never anybody's.
    pub(crate) fn never(&self) -> Self {
        let nobody = |id: &String| {
            let (kind, digits) = id.split_once('_').expect("a prefix");
            format!("{kind}_{}", "0".repeat(digits.len()))
        };
        Self(
            self.0
                .iter()
                .map(|(slot, id)| (*slot, nobody(id)))
                .collect(),
        )
    }

    /// The same but for one, which is somebody else's.
    pub(crate) fn with(&self, slot: &str, other: &Self) -> Self {
        let mut changed = self.clone();
        let id = changed.0.get_mut(slot).expect("a known slot");
        other.get(slot).clone_into(id);
        changed
    }

    pub(crate) fn get(&self, slot: &str) -> &str {
        &self.0[slot]
    }

    /// A text with every identifier in its place.
    pub(crate) fn write(&self, text: &str) -> String {
        let slots = self.0.iter();
        slots.fold(text.to_owned(), |text, (slot, id)| {
            text.replace(&format!("{{{slot}}}"), id)
        })
    }

    /// Arguments with every identifier in its place.
    pub(crate) fn fill(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.write(arguments)).expect("JSON")
    }
}
