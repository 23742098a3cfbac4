//! Every use case that a caller's authority or an identifier decides about, by its name.

use ql_app::agent::{AgentPatch, NewAgent};
use ql_app::connection::NewConnection;
use ql_app::decision::{NewDecision, NewRollBack};
use ql_app::draft::{DraftTarget, NewDraft};
use ql_app::form::MetricsQuery;
use ql_app::member::NewMember;
use ql_app::reverification::NewResolution;
use ql_app::runtime::{Looked, LookedFor, NewReport, SeenProfile};
use ql_app::site::{NewSite, SitePatch};
use ql_app::source::{NewDisposal, RecordFilter};
use ql_app::{OpContext, Result, strategy, topical_map};
use ql_core::access::Principal;
use ql_core::actor::Harness;
use ql_core::form::Mark;
use ql_core::hash::Digest;
use ql_core::id::ProposalId;
use ql_core::ledger::Subject;
use ql_core::page::PageRequest;
use ql_core::policy::Policy;
use ql_core::proposal::Verdict;
use ql_core::reverification::Resolution;
use ql_core::role::Role;
use ql_core::run::Outcome;
use ql_core::scope::{Scope, ScopeSet};
use ql_core::source::Disposition;
use ql_core::step::Operation;
use ql_core::turn::Reply;
use ql_store::{content, evidence, ledger, proposal, reverification};
use ql_testkit::{TestApp, console, setup, source_draft, source_package, visitor};

use crate::ids::Ids;
use crate::runs::{artifact, in_short};

/// What a use case answered: how many things it gave, or why it refused.
pub(crate) type Answer = (&'static str, Result<usize>);

macro_rules! answers {
    ($($name:ident: $answer:expr;)*) => {
        vec![$((stringify!($name), $answer.await.map(|_| 1))),*]
    };
}

/// Everything that reads.
pub(crate) async fn reads(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let (app, page) = (&test.app, PageRequest::default());
    let (live, draft) = (ids.live.content, ids.draft);
    let mut answers = answers! {
        describe_site: app.describe_site(ctx);
        list_content: app.list_content(ctx, &content::Filter::default(), &page, true);
        get_content: app.get_content(ctx, live, None);
        get_content_at_revision: app.get_content(ctx, live, Some(ids.formerly_live));
        get_content_record: app.get_content_record(ctx, live);
        get_revision: app.get_revision(ctx, draft.revision);
        list_revisions: app.list_revisions(ctx, live, &page);
        list_templates: app.list_templates(ctx);
        list_template_versions: app.list_template_versions(ctx, "article");
        get_claim: app.get_claim(ctx, ids.claim);
        list_forms: app.list_forms(ctx);
        get_form: app.get_form(ctx, "contact");
        form_metrics: app.form_metrics(ctx, MetricsQuery::default());
        list_submissions: app.list_submissions(ctx, ("contact", "held"), &page);
        list_reverification: app.list_reverification(ctx, reverification::Filter::default(), &page);
        list_reverification_attempts: app.list_reverification_attempts(ctx, ids.evidence, &page);
        list_evidence_reviews: app.list_evidence_reviews(ctx, None, &page);
        get_evidence_review: app.get_evidence_review(ctx, ids.review);
        list_source_packages: app.list_source_packages(ctx, None, &page);
        get_source_package: app.get_source_package(ctx, ids.package);
        list_source_records: app.list_source_records(ctx, ids.package, RecordFilter::default(), &page);
        create_preview: app.create_preview(ctx, draft.revision);
        list_runs: app.list_runs(ctx, PageRequest::default());
        get_run: app.get_run(ctx, ids.run);
        list_proposals: app.list_proposals(ctx, &proposal::Filter::default(), &page);
        get_proposal: app.get_proposal(ctx, ids.to_approve);
        list_proposal_events: app.list_proposal_events(ctx, ids.to_approve);
        count_pending: app.count_pending(ctx);
        list_audit: app.list_audit(ctx, &ledger::Filter::default(), &page);
        verify_ledger: app.verify_ledger(ctx);
        export_ledger: app.export_ledger(ctx, Subject::Run(ids.run), None);
        get_policy: app.get_policy(ctx);
        list_connections: app.list_connections(ctx);
        get_connection: app.get_connection(ctx, ids.connection);
        get_organization: app.get_organization(ctx);
        list_organization_audit: app.list_organization_audit(ctx, &page);
        list_sites: app.list_sites(ctx);
        list_members: app.list_members(ctx);
        list_agents: app.list_agents(ctx);
        get_agent: app.get_agent(ctx, ids.agent);
        get_topical_map: app.get_topical_map(ctx);
        list_topical_map: app.list_topical_map(ctx, topical_map::Filter::default(), &page);
        get_topical_node: app.get_topical_node(ctx, ids.node);
        get_map_changes: app.get_map_changes(ctx, ids.to_change_the_map);
        list_strategy_imports: app.list_strategy_imports(ctx, &page);
        get_strategy_import: app.get_strategy_import(ctx, ids.import);
        list_opportunities: app.list_opportunities(ctx, &strategy::Filter::default(), &page);
        list_briefs: app.list_briefs(ctx, None, &page);
        get_brief: app.get_brief(ctx, ids.brief);
        list_conversations: app.list_conversations(ctx, &page);
        get_conversation: app.get_conversation(ctx, ids.talks.conversation);
        conversation_version: app.conversation_version(ctx, ids.talks.conversation);
        get_plan: app.get_plan(ctx, ids.talks.plan);
    };
    answers.extend(narrowed(test, ctx, ids).await);
    answers
}

/// Lists that an identifier narrows: what it names elsewhere gives as little as what never was.
async fn narrowed(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let (app, page) = (&test.app, PageRequest::default());
    let of_run = proposal::Filter {
        run: Some(ids.run),
        ..proposal::Filter::default()
    };
    let claims = |filter| async move {
        let list = app
            .list_evidence(ctx, filter, &PageRequest::default())
            .await;
        list.map(|claims| claims.items.len())
    };
    vec![
        (
            "list_evidence_of_content",
            claims(evidence::Filter::Content(ids.draft.content)).await,
        ),
        (
            "list_evidence_of_revision",
            claims(evidence::Filter::Revision(ids.draft.revision)).await,
        ),
        (
            "list_revision_sources",
            app.list_revision_sources(ctx, ids.drawn)
                .await
                .map(|sources| sources.len()),
        ),
        (
            "find_revision_brief",
            app.find_revision_brief(ctx, ids.drawn)
                .await
                .map(|found| usize::from(found.is_some())),
        ),
        (
            "list_proposals_of_run",
            app.list_proposals(ctx, &of_run, &page)
                .await
                .map(|list| list.items.len()),
        ),
        (
            "list_run_proposals",
            app.list_run_proposals(ctx, ids.run)
                .await
                .map(|list| list.len()),
        ),
        (
            "get_permissions",
            app.get_permissions(ctx, ids.agent)
                .await
                .map(|scopes| scopes.iter().count()),
        ),
    ]
}

/// Everything that works on content and asks for changes; agents do so in a run.
pub(crate) async fn works(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let app = &test.app;
    let run = matches!(ctx.principal(), Principal::Agent(_)).then_some(ids.run);
    let mut note = artifact(ids.run, "notes", "Found.");
    note.affected = vec![ids.live.content];
    let wrong_item = NewDraft {
        target: DraftTarget::Existing {
            content: ids.live.content,
            base: ids.draft.revision,
        },
        ..setup::revision(ids.draft, "Of another item")
    };
    let next = setup::revision(ids.live, "Live, once more");
    let map = setup::small_map(test.map_version(&test.home).await, "new");
    let links = setup::links(vec![setup::link(ids.draft, ids.live.content)]);
    answers! {
        begin_run: app.begin_run(ctx, setup::run(&[]), None);
        record_artifact: app.record_artifact(ctx, note, None);
        create_draft: app.create_draft(ctx, run, setup::new_article("New"), None);
        create_draft_of_item: app.create_draft(ctx, run, next, None);
        create_draft_on_foreign_base: app.create_draft(ctx, run, wrong_item, None);
        record_claim_evidence: app.record_claim_evidence(ctx, run, test.claim(ids.draft), None);
        stage_source_package: app.stage_source_package(ctx, source_package(ids.run), None);
        propose_source_draft: test.propose(ctx, run, source_draft(ids.package, &["hours"], "From sources"));
        propose_creation: test.propose(ctx, run, setup::creation("New"));
        propose_rewriting: test.propose(ctx, run, setup::rewriting(ids.draft, "Rewritten"));
        propose_publication: test.propose(ctx, run, setup::publication(vec![ids.draft.publish()]));
        propose_unpublication: test.propose(ctx, run, setup::publication(vec![ids.live.unpublish()]));
        propose_archiving: test.propose(ctx, run, setup::archive(ids.draft.content));
        propose_map_change: test.propose(ctx, run, map);
        propose_internal_link: test.propose(ctx, run, links);
        propose_strategy: test.propose(ctx, run, setup::opportunities(vec![ids.opportunity]));
        propose_brief_draft: test.propose(ctx, run, setup::brief_draft(ids.brief, "Answer"));
        begin_strategy_import: imported_nothing(test, ctx);
        withdraw_proposal: app.withdraw_proposal(ctx, ids.to_withdraw);
        finish_run: app.finish_run(ctx, (ids.run, Outcome::Completed), in_short(), None);
        save_template: app.save_template(ctx, setup::article_template());
        save_form: app.save_form(ctx, visitor::contact());
        mark_submission: app.mark_submission(ctx, ids.submission, Mark::Spam);
    }
}

/// An import that is begun and given up.
async fn imported_nothing(test: &TestApp, ctx: &OpContext) -> Result<()> {
    let new = setup::strategy(ql_core::opportunity::Media::Csv);
    let import = test.app.begin_strategy_import(ctx, new).await?;
    import.abandon("interrupted").await
}

/// Everything that agents and their connectors do in the console.
pub(crate) async fn takes_turns(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let (app, talks) = (&test.app, &ids.talks);
    let steps = vec![console::step("find", Operation::Research, &[])];
    let begin = (setup::run(&[]), Some(talks.held.lease_token));
    let report = NewReport {
        connector: "desk".into(),
        host: "desk".into(),
        profiles: vec![SeenProfile {
            profile_id: Some("p1".into()),
            profile_name: "writer".into(),
            sessions: Vec::new(),
        }],
    };
    let looked = LookedFor {
        connector: "desk".into(),
        profile_id: "p1".into(),
        seen: Looked {
            session: talks.session.clone(),
            found: true,
            doubt: None,
        },
    };
    answers! {
        claim_turn: app.claim_turn(ctx, console::claim(&talks.session), None);
        begin_run_under: app.begin_run_under(ctx, begin, None);
        create_task_plan: app.create_task_plan(ctx, console::plan(&talks.held, steps), None);
        renew_turn: app.renew_turn(ctx, talks.held.turn_id, Some(talks.held.lease_token));
        complete_turn: app.complete_turn(ctx, console::completion(&talks.held, Reply::Failed), None);
        report_runtime: app.report_runtime(ctx, report);
        peek_turns: app.peek_turns(ctx, std::time::Duration::ZERO);
        verify_session: app.verify_session(ctx, looked);
    }
}

/// Everything that people do in the console.
pub(crate) async fn talks(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let (app, talks) = (&test.app, &ids.talks);
    answers! {
        create_conversation: app.create_conversation(ctx, ids.agent);
        add_turn: app.add_turn(ctx, talks.conversation, "More.".into());
        reopen_turn: app.reopen_turn(ctx, talks.failed);
        cancel_turn: app.cancel_turn(ctx, talks.queued);
        answer_step: app.answer_step(ctx, talks.asking, "Yes.".into());
        reopen_step: app.reopen_step(ctx, talks.stopped);
        cancel_step: app.cancel_step(ctx, talks.offered);
        cancel_plan: app.cancel_plan(ctx, talks.plan);
    }
}

/// Everything that decides.
pub(crate) async fn decides(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let app = &test.app;
    let back = NewRollBack {
        content: ids.live.content,
        to: ids.formerly_live,
        comment: "It was better.".into(),
    };
    let reject = NewDisposal {
        package: ids.package,
        record_keys: None,
        disposition: Disposition::Rejected,
        reason: "Not ours.".into(),
    };
    let resolution = NewResolution {
        review: ids.review,
        resolution: Resolution::Holds,
        note: "It says the same elsewhere.".into(),
    };
    let approve = decision(test, ids.to_approve).await;
    let archive = decision(test, ids.to_archive).await;
    answers! {
        decide: app.decide(ctx, approve);
        decide_content_lifecycle: app.decide(ctx, archive);
        cancel_proposal: app.cancel_proposal(ctx, ids.to_cancel);
        roll_back: app.roll_back(ctx, back);
        dispose_sources: app.dispose_sources(ctx, reject);
        set_reverification: app.set_reverification(ctx, ids.evidence, 7);
        run_reverification_now: app.run_reverification_now(ctx, ids.evidence);
        stop_reverification: app.stop_reverification(ctx, ids.evidence);
        resolve_evidence_review: app.resolve_evidence_review(ctx, resolution);
    }
}

/// An approval on the digest that stands, where the home site has the proposal.
async fn decision(test: &TestApp, id: ProposalId) -> NewDecision {
    let owner = test.member(Role::Owner).await;
    let shown = test.app.get_proposal(&owner, id).await;
    let digest = shown.map_or(Digest::ZERO, |view| view.digest);
    setup::decision(id, Verdict::Approve, digest)
}

/// Everything that administers a site or an organization.
pub(crate) async fn administers(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let app = &test.app;
    let name = |text: &str| Some(format!("{text}, renamed"));
    let patch = SitePatch {
        name: name("Site"),
        ..SitePatch::default()
    };
    let connection = NewConnection {
        agent: ids.agent,
        name: "new".into(),
        scopes: [Scope::SiteRead].into_iter().collect(),
        expires_at: None,
    };
    let agent = NewAgent {
        name: "Another agent".into(),
        harness: Harness::Other,
        profile_id: None,
        profile_name: None,
    };
    let renamed = AgentPatch {
        name: name("Agent"),
        profile_name: None,
    };
    let site = NewSite {
        name: "Another site".into(),
        slug: "another".into(),
        base_url: "https://another.example".into(),
        locale: "en".into(),
        time_zone: "UTC".into(),
    };
    let policy = Policy {
        high_risk_items: 3,
        ..Policy::default()
    };
    answers! {
        update_site: app.update_site(ctx, patch);
        create_connection: app.create_connection(ctx, connection);
        rotate_connection: app.rotate_connection(ctx, ids.connection);
        revoke_connection: app.revoke_connection(ctx, ids.connection);
        set_permissions: app.set_permissions(ctx, ids.agent, ScopeSet::ALL);
        set_policy: app.set_policy(ctx, policy);
        create_site: app.create_site(ctx, site);
        create_agent: app.create_agent(ctx, agent);
        update_agent: app.update_agent(ctx, ids.agent, renamed);
    }
}

/// Everything that decides about people.
pub(crate) async fn manages_people(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let app = &test.app;
    let member = |email: &str, role| NewMember {
        email: email.into(),
        name: "New".into(),
        role,
    };
    answers! {
        create_member: app.create_member(ctx, member("new@acme.example", Role::Viewer));
        create_owner: app.create_member(ctx, member("boss@acme.example", Role::Owner));
        create_sign_in_link: app.create_sign_in_link(ctx, ids.member);
        set_role: app.set_role(ctx, ids.member, Role::Reviewer);
        remove_member: app.remove_member(ctx, ids.member);
        rename_organization: app.rename_organization(ctx, "Acme, renamed");
    }
}

/// Everything.
pub(crate) async fn everything(test: &TestApp, ctx: &OpContext, ids: &Ids) -> Vec<Answer> {
    let mut answers = reads(test, ctx, ids).await;
    answers.extend(works(test, ctx, ids).await);
    answers.extend(takes_turns(test, ctx, ids).await);
    answers.extend(talks(test, ctx, ids).await);
    answers.extend(decides(test, ctx, ids).await);
    answers.extend(administers(test, ctx, ids).await);
    answers.extend(manages_people(test, ctx, ids).await);
    answers
}
