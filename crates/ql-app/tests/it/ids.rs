//! One of everything that has an identifier.

use ql_app::connection::NewConnection;
use ql_app::turn::{ClaimedConversation, ClaimedTurn};
use ql_core::id::{
    AgentId, BriefId, ClaimId, ConnectionId, ContentId, ConversationId, EvidenceId, ImportId,
    LeaseToken, MemberId, NodeId, OpportunityId, PlanId, ProposalId, ReviewId, RevisionId, RunId,
    SourcePackageId, StepId, SubmissionId, TurnId,
};
use ql_core::opportunity::Media;
use ql_core::role::Role;
use ql_core::scope::Scope;
use ql_core::time::hours;
use ql_testkit::{Draft, Place, Talks, TestApp, setup};

/// One of everything that has an identifier.
#[derive(Debug, Clone)]
pub(crate) struct Ids {
    pub(crate) agent: AgentId,
    pub(crate) connection: ConnectionId,
    pub(crate) member: MemberId,
    pub(crate) run: RunId,
    pub(crate) draft: Draft,
    pub(crate) live: Draft,
    pub(crate) formerly_live: RevisionId,
    pub(crate) claim: ClaimId,
    pub(crate) submission: SubmissionId,
    pub(crate) evidence: EvidenceId,
    pub(crate) review: ReviewId,
    pub(crate) package: SourcePackageId,
    pub(crate) drawn: RevisionId,
    pub(crate) to_approve: ProposalId,
    pub(crate) to_archive: ProposalId,
    pub(crate) to_cancel: ProposalId,
    pub(crate) to_withdraw: ProposalId,
    pub(crate) to_change_the_map: ProposalId,
    pub(crate) node: NodeId,
    pub(crate) brief: BriefId,
    pub(crate) import: ImportId,
    pub(crate) opportunity: OpportunityId,
    pub(crate) talks: Talks,
}

impl Ids {
    /// One of everything on a place's site.
    #[expect(clippy::too_many_lines, reason = "one of everything")]
    pub(crate) async fn of(test: &TestApp, place: &Place) -> Self {
        let (agent, owner) = (
            test.agent_of(place).await,
            test.member_of(place, Role::Owner).await,
        );
        let run = test.begin_run(&agent).await;
        let first = test.live_article(place, "Live").await;
        let live = test.revise(&agent, run, first, "Live, again").await;
        test.publish(place, live).await;
        let draft = test.draft(&agent, run, "Draft").await;
        let claim = test
            .app
            .record_claim_evidence(&agent, Some(run), test.claim(draft), None)
            .await;
        let claim = claim.expect("a claim");
        let evidence = claim.evidence_ids[0];
        let review = test.reviewed(place, evidence).await;
        let package = test.stage(&agent, run).await;
        let drawn = test.drawn(place, package).await;
        let propose = |payload| async {
            let proposed = test.propose(&agent, Some(run), payload).await;
            proposed.expect("a proposal").proposal_id
        };
        let due = test.now().plus(hours(1));
        let scheduled = test.draft(&agent, run, "Scheduled").await;
        let to_cancel = propose(setup::publication(vec![scheduled.publish_at(due, None)])).await;
        test.approve(&owner, to_cancel).await.expect("scheduled");
        let brief = test.briefed(place, &run.to_string()).await;
        let map = setup::small_map(test.map_version(place).await, &format!("{run}-2"));
        let to_change_the_map = propose(map).await;
        let node = test
            .app
            .get_brief(&owner, brief)
            .await
            .expect("it")
            .brief
            .node;
        let artifact = format!("query\n{run} tea");
        let import = test.imported(place, Media::Csv, artifact.as_bytes()).await;
        let opportunity = test.opportunities(place).await[0];
        let other = test.draft(&agent, run, "Other").await;
        let spare = NewConnection {
            agent: place.agent.id,
            name: "spare".into(),
            scopes: [Scope::SiteRead].into_iter().collect(),
            expires_at: None,
        };
        let spare = test
            .app
            .create_connection(&owner, spare)
            .await
            .expect("a connection");
        Self {
            agent: place.agent.id,
            connection: spare.connection.id,
            member: place.members[&Role::Owner],
            run,
            draft,
            live,
            formerly_live: first.revision,
            submission: test.post(place, "Words of a visitor").await,
            claim: claim.claim_id,
            evidence,
            review,
            package,
            drawn,
            to_approve: propose(setup::creation("Approved")).await,
            to_archive: propose(setup::archive(other.content)).await,
            to_cancel,
            to_withdraw: propose(setup::creation("Withdrawn")).await,
            to_change_the_map,
            node,
            brief,
            import: import.import.id,
            opportunity,
            talks: test.talk(place).await,
        }
    }

    /// Identifiers that were never anybody's.
    pub(crate) fn never(test: &TestApp) -> Self {
        let (ids, now) = (&**test.app.ids(), test.now());
        let draft = || Draft {
            content: ContentId::mint(ids, now),
            revision: RevisionId::mint(ids, now),
        };
        Self {
            agent: AgentId::mint(ids, now),
            connection: ConnectionId::mint(ids, now),
            member: MemberId::mint(ids, now),
            run: RunId::mint(ids, now),
            draft: draft(),
            live: draft(),
            formerly_live: RevisionId::mint(ids, now),
            claim: ClaimId::mint(ids, now),
            submission: SubmissionId::mint(ids, now),
            evidence: EvidenceId::mint(ids, now),
            review: ReviewId::mint(ids, now),
            package: SourcePackageId::mint(ids, now),
            drawn: RevisionId::mint(ids, now),
            to_approve: ProposalId::mint(ids, now),
            to_archive: ProposalId::mint(ids, now),
            to_cancel: ProposalId::mint(ids, now),
            to_withdraw: ProposalId::mint(ids, now),
            to_change_the_map: ProposalId::mint(ids, now),
            node: NodeId::mint(ids, now),
            brief: BriefId::mint(ids, now),
            import: ImportId::mint(ids, now),
            opportunity: OpportunityId::mint(ids, now),
            talks: never_talked(test),
        }
    }

    /// The same with a member that may be demoted and removed.
    pub(crate) fn with_member(self, member: MemberId) -> Self {
        Self { member, ..self }
    }

    /// The same with another run.
    pub(crate) fn with_run(self, run: RunId) -> Self {
        Self { run, ..self }
    }
}

/// Talks that were never held.
fn never_talked(test: &TestApp) -> Talks {
    let (ids, now) = (&**test.app.ids(), test.now());
    let conversation = ConversationId::mint(ids, now);
    Talks {
        conversation,
        session: format!("session of {conversation}"),
        plan: PlanId::mint(ids, now),
        asking: StepId::mint(ids, now),
        stopped: StepId::mint(ids, now),
        offered: StepId::mint(ids, now),
        failed: TurnId::mint(ids, now),
        queued: TurnId::mint(ids, now),
        held: ClaimedTurn {
            turn_id: TurnId::mint(ids, now),
            lease_token: LeaseToken::mint(ids, now),
            lease_expires_at: now,
            attempt: 1,
            user_message: String::new(),
            conversation: ClaimedConversation {
                conversation_id: conversation,
                turn_number: 1,
                session_id: None,
                root_session_id: None,
                plan_id: None,
            },
            plan_step: None,
        },
        run: RunId::mint(ids, now),
    }
}
