//! A site on which everything happened that leaves a row.

use ql_app::IdempotencyKey;
use ql_app::evidence::{NewClaim, NewEvidence};
use ql_app::run::RecordArtifact;
use ql_core::evidence::Stance;
use ql_core::opportunity::Media;
use ql_core::policy::Policy;
use ql_core::role::Role;
use ql_core::turn::Reply;
use serde_json::json;

use crate::{Draft, TestApp, setup};

impl TestApp {
    /// An application with two live articles, each with a claim, an artifact, a key that was used and a
    /// conversation, under a policy of the site's own, all signed: every append-only table has rows.
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
