//! A site on which everything happened that leaves a row.

use ql_app::IdempotencyKey;
use ql_app::evidence::{NewClaim, NewEvidence};
use ql_app::run::RecordArtifact;
use ql_app::source::NewDisposal;
use ql_core::evidence::Stance;
use ql_core::id::{EvidenceId, ReviewId};
use ql_core::opportunity::Media;
use ql_core::page::PageRequest;
use ql_core::policy::Policy;
use ql_core::role::Role;
use ql_core::source::Disposition;
use ql_core::turn::Reply;
use serde_json::json;

use crate::{Draft, Place, ScriptedFetcher, TestApp, setup};

impl TestApp {
    /// An application with two live articles, each with a claim, an artifact, a key that was used, a
    /// conversation, evidence that was looked at again and a draft from sources, under a policy of the site's own,
    /// all signed: every append-only table has rows.
    pub async fn with_a_story() -> Self {
        Self::new().await.told().await
    }

    /// The same over the embedded engine, for tests that look into its file.
    pub async fn embedded_with_a_story() -> Self {
        Self::embedded().await.told().await
    }

    async fn told(self) -> Self {
        let test = self;
        let owner = test.member(Role::Owner).await;
        let policy = Policy {
            high_risk_items: 5,
            ..Policy::default()
        };
        test.app.set_policy(&owner, policy).await.expect("a policy");
        let policy = Policy::default();
        test.app.set_policy(&owner, policy).await.expect("a policy");
        for title in ["First steps", "Next steps"] {
            let draft = test.live_article(&test.home, title).await;
            test.work_on(draft).await;
            test.work_from_sources().await;
            test.look_again(draft).await;
            test.sequence().await;
            let rotated = test.app.rotate_ledger_key(0).await;
            rotated.expect("another key");
        }
        for place in [&test.home, &test.sibling] {
            test.post(place, "Words of a visitor").await;
        }
        test.plan().await;
        test.sequence().await;
        test
    }

    /// Two pages are planned, briefed, written and linked, and two rows of a strategy are noted about.
    async fn plan(&self) {
        let mut drafts = Vec::new();
        for name in ["tea", "coffee"] {
            let brief = self.briefed(&self.home, name).await;
            let answer = setup::brief_draft(brief, name);
            self.carry_out(&self.home, answer).await;
            drafts.push(self.answered(&self.home, brief).await);
        }
        let [tea, coffee] = [drafts[0], drafts[1]];
        let links = vec![
            setup::link(tea, coffee.content),
            setup::link(coffee, tea.content),
        ];
        self.carry_out(&self.home, setup::links(links)).await;
        let artifact = b"query,cluster\nsencha,Tea\n=a,Tea\n=b,Tea\n";
        self.imported(&self.home, Media::Csv, artifact).await;
    }

    async fn work_on(&self, draft: Draft) {
        let agent = self.agent().await;
        let arguments = json!({"about": draft.content});
        let key = IdempotencyKey::new("begin_run", draft.content.to_string(), &arguments);
        let begun = self.app.begin_run(&agent, setup::run(&[]), Some(key)).await;
        let run = begun.expect("a run").run_id;
        let artifact = RecordArtifact {
            run,
            key: "notes".into(),
            media_type: "text/plain".into(),
            body: "What I found.".into(),
            sha256: None,
            affected: vec![draft.content],
        };
        let recorded = self.app.record_artifact(&agent, artifact, None).await;
        recorded.expect("an artifact");
        let claim = self.claim(draft);
        let recorded = self
            .app
            .record_claim_evidence(&agent, Some(run), claim, None)
            .await;
        recorded.expect("a claim");
        self.talk_about(draft).await;
    }

    /// Somebody asks the agent for something, and it does that in a run.
    async fn talk_about(&self, draft: Draft) {
        let agent = self.agent().await;
        let conversation = self.asked("Look at it once more.").await;
        let session = format!("session-{}", draft.content);
        let claimed = self.claim_turn(&agent, &session).await.expect("a turn");
        assert_eq!(claimed.conversation.conversation_id, conversation);
        self.run_for(&agent, &claimed).await;
        let done = self.complete_turn(&agent, &claimed, Reply::Completed).await;
        done.expect("completed");
    }

    /// A package, a member's word about it, and a draft from it.
    async fn work_from_sources(&self) {
        let (agent, owner) = (self.agent().await, self.member(Role::Owner).await);
        let run = self.begin_run(&agent).await;
        let package = self.stage(&agent, run).await;
        let accept = NewDisposal {
            package,
            record_keys: None,
            disposition: Disposition::Accepted,
            reason: "It is ours.".into(),
        };
        let decided = self.app.dispose_sources(&owner, accept).await;
        decided.expect("decided");
        self.drawn(&self.home, package).await;
    }

    /// A source that was looked at again and is gone, which waits for a person.
    async fn look_again(&self, draft: Draft) {
        let evidence = self.evidence_of(draft).await;
        self.reviewed(&self.home, evidence).await;
    }

    /// The review of evidence that was looked at again and is gone.
    pub async fn reviewed(&self, place: &Place, evidence: EvidenceId) -> ReviewId {
        let fetcher = ScriptedFetcher::default();
        fetcher.answers(410, "Gone.");
        self.looked_at(place, (evidence, &fetcher)).await
    }

    /// The review of evidence that was looked at again and isn't as it was.
    pub(crate) async fn looked_at(
        &self,
        place: &Place,
        (evidence, fetcher): (EvidenceId, &ScriptedFetcher),
    ) -> ReviewId {
        let owner = self.member_of(place, Role::Owner).await;
        let set = self.app.set_reverification(&owner, evidence, 30).await;
        set.expect("a target");
        let asked = self.app.run_reverification_now(&owner, evidence).await;
        asked.expect("a job");
        assert!(self.app.run_due_fetch(fetcher).await.expect("a look"));
        let open = self
            .app
            .list_evidence_reviews(&owner, Some(true), &PageRequest::default())
            .await
            .expect("reviews");
        open.items[0].id
    }

    /// A piece of evidence for a new claim of a draft of the home site.
    pub async fn evidence_of(&self, draft: Draft) -> EvidenceId {
        self.evidence_at(&self.home, draft).await
    }

    /// A piece of evidence for a new claim of a draft.
    pub async fn evidence_at(&self, place: &Place, draft: Draft) -> EvidenceId {
        let agent = self.agent_of(place).await;
        let run = self.begin_run(&agent).await;
        let claim = self.claim(draft);
        let recorded = self
            .app
            .record_claim_evidence(&agent, Some(run), claim, None)
            .await;
        recorded.expect("a claim").evidence_ids[0]
    }

    /// A claim of a draft's body, with one source that supports it.
    pub fn claim(&self, draft: Draft) -> NewClaim {
        let evidence = NewEvidence {
            source_url: "https://source.example/page".into(),
            title: "A source".into(),
            publisher: None,
            excerpt: "It is so.".into(),
            locator: None,
            retrieved_at: self.now(),
            sha256: None,
            stance: Stance::Supports,
        };
        NewClaim {
            revision: draft.revision,
            text: "It is so.".into(),
            pointer: Some("/body".into()),
            evidence: vec![evidence],
        }
    }
}
