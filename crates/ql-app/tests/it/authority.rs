//! Who may do what: every use case, every kind of caller, every scope.

use ql_app::OpContext;
use ql_app::session::SiteRef;
use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};
use ql_testkit::TestApp;

use crate::everything::{Ids, everything, reads, works};
use crate::say::outcome;

/// Every kind of caller.
#[derive(Debug, Clone, Copy)]
enum Caller {
    Member(Role),
    /// An owner by its personal token.
    Token,
    /// An agent with every scope.
    Agent,
    /// The command line.
    Operator,
}

impl Caller {
    const ALL: [Self; 8] = [
        Self::Member(Role::Owner),
        Self::Member(Role::Admin),
        Self::Member(Role::Editor),
        Self::Member(Role::Reviewer),
        Self::Member(Role::Viewer),
        Self::Token,
        Self::Agent,
        Self::Operator,
    ];

    async fn context(self, test: &TestApp) -> OpContext {
        match self {
            Self::Member(role) => test.member(role).await,
            Self::Agent => test.agent().await,
            Self::Operator => test.operator().await,
            Self::Token => {
                let owner = test.sign_in(&test.home, Role::Owner).await;
                let issued = test
                    .app
                    .issue_personal_token(&owner, "script")
                    .await
                    .expect("a token");
                let secret = issued.secret.expose();
                let signed_in = test
                    .app
                    .authenticate_personal_token(secret)
                    .await
                    .expect("in");
                let site = SiteRef::Id(test.home.site.id);
                test.app
                    .member_context(&signed_in, &site)
                    .await
                    .expect("its site")
                    .0
            }
        }
    }
}

/// The contract's table of roles and the rule for personal tokens, as the use cases keep them. The
/// columns are owner, admin, editor, reviewer, viewer, an owner's personal token, an agent with every
/// scope, and the command line.
#[tokio::test]
async fn what_each_kind_of_caller_may_do() {
    let mut columns = Vec::new();
    for caller in Caller::ALL {
        let test = TestApp::new().await;
        let ids = Ids::of(&test, &test.home)
            .await
            .with_member(test.home.members[&Role::Viewer]);
        let ctx = caller.context(&test).await;
        columns.push(everything(&test, &ctx, &ids).await);
        test.verify_ledger().await;
    }
    let lines: Vec<String> = (0..columns[0].len())
        .map(|row| {
            let codes: Vec<&str> = columns
                .iter()
                .map(|column| outcome(&column[row].1))
                .collect();
            format!("{:28} {}", columns[0][row].0, codes.join(" "))
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    describe_site                ok ok ok ok ok ok ok ok
    list_content                 ok ok ok ok ok ok ok ok
    get_content                  ok ok ok ok ok ok ok ok
    get_content_at_revision      ok ok ok ok ok ok ok ok
    get_content_record           ok ok ok ok ok ok ok ok
    get_revision                 ok ok ok ok ok ok ok ok
    list_revisions               ok ok ok ok ok ok ok ok
    list_templates               ok ok ok ok ok ok ok ok
    list_template_versions       ok ok ok ok ok ok ok ok
    get_claim                    ok ok ok ok ok ok ok ok
    create_preview               ok ok ok ok ok ok ok ok
    list_runs                    ok ok ok ok ok ok ok ok
    get_run                      ok ok ok ok ok ok ok ok
    list_proposals               ok ok ok ok ok ok ok ok
    get_proposal                 ok ok ok ok ok ok ok ok
    list_proposal_events         ok ok ok ok ok ok ok ok
    count_pending                ok ok ok ok ok ok ok ok
    list_audit                   ok ok ok ok ok ok members_only ok
    verify_ledger                ok ok ok ok ok ok members_only ok
    get_policy                   ok ok ok ok ok ok members_only ok
    list_connections             ok ok ok ok ok ok members_only ok
    get_connection               ok ok ok ok ok ok members_only ok
    get_organization             ok ok ok ok ok ok members_only ok
    list_organization_audit      ok ok ok ok ok ok members_only ok
    list_sites                   ok ok ok ok ok ok members_only ok
    list_members                 ok ok ok ok ok ok members_only ok
    list_agents                  ok ok ok ok ok ok members_only ok
    get_agent                    ok ok ok ok ok ok members_only ok
    list_evidence_of_content     ok ok ok ok ok ok ok ok
    list_evidence_of_revision    ok ok ok ok ok ok ok ok
    list_proposals_of_run        ok ok ok ok ok ok ok ok
    list_run_proposals           ok ok ok ok ok ok ok ok
    get_permissions              ok ok ok ok ok ok members_only ok
    begin_run                    agents_only agents_only agents_only agents_only agents_only agents_only ok agents_only
    record_artifact              agents_only agents_only agents_only agents_only agents_only agents_only ok agents_only
    create_draft                 ok ok ok role_denied role_denied ok ok ok
    create_draft_of_item         ok ok ok role_denied role_denied ok ok ok
    create_draft_on_foreign_base not_found not_found not_found role_denied role_denied not_found not_found not_found
    record_claim_evidence        ok ok ok role_denied role_denied ok ok members_only
    propose_creation             ok ok ok role_denied role_denied ok ok members_only
    propose_rewriting            ok ok ok role_denied role_denied ok ok members_only
    propose_publication          ok ok ok role_denied role_denied ok ok members_only
    propose_unpublication        ok ok ok role_denied role_denied ok ok members_only
    propose_archiving            ok ok ok role_denied role_denied ok ok members_only
    withdraw_proposal            not_found not_found not_found role_denied role_denied not_found ok members_only
    finish_run                   agents_only agents_only agents_only agents_only agents_only agents_only ok agents_only
    save_template                ok ok ok role_denied role_denied ok members_only ok
    decide                       ok ok ok policy_denied role_denied session_required members_only members_only
    decide_content_lifecycle     ok ok role_denied role_denied role_denied session_required members_only members_only
    cancel_proposal              ok ok ok ok role_denied session_required members_only members_only
    roll_back                    ok ok ok policy_denied role_denied session_required members_only members_only
    update_site                  ok ok role_denied role_denied role_denied ok members_only ok
    create_connection            ok ok role_denied role_denied role_denied ok members_only ok
    rotate_connection            ok ok role_denied role_denied role_denied ok members_only ok
    revoke_connection            ok ok role_denied role_denied role_denied ok members_only ok
    set_permissions              ok ok role_denied role_denied role_denied session_required members_only ok
    set_policy                   ok ok role_denied role_denied role_denied session_required members_only ok
    create_site                  ok ok role_denied role_denied role_denied ok members_only ok
    create_agent                 ok ok role_denied role_denied role_denied ok members_only ok
    update_agent                 ok ok role_denied role_denied role_denied ok members_only ok
    create_member                ok ok role_denied role_denied role_denied session_required members_only ok
    create_owner                 ok role_denied role_denied role_denied role_denied session_required members_only ok
    create_sign_in_link          ok ok role_denied role_denied role_denied session_required members_only ok
    set_role                     ok ok role_denied role_denied role_denied session_required members_only ok
    remove_member                ok ok role_denied role_denied role_denied session_required members_only ok
    rename_organization          ok role_denied role_denied role_denied role_denied session_required members_only ok
    ");
}

/// A plugin for WordPress (#145): all fifty abilities were denied though the permission was there.
#[tokio::test]
async fn each_use_case_of_an_agent_needs_one_scope_and_that_one_suffices() {
    let test = TestApp::new().await;
    let admin = test.member(Role::Admin).await;
    let mut lines = Vec::new();
    for scope in Scope::ALL {
        let ids = Ids::of(&test, &test.home).await;
        let without = ScopeSet::ALL.minus(only(scope));
        let answers = answers_with(&test, &admin, (without, &ids)).await;
        let denied = answers
            .iter()
            .filter(|(_, answer)| *answer == "scope_denied");
        let denied: Vec<&str> = denied.map(|(name, _)| *name).collect();
        let alone = answers_with(&test, &admin, (only(scope), &ids)).await;
        for name in &denied {
            let answer = alone
                .iter()
                .find(|(other, _)| other == name)
                .expect("the same use cases")
                .1;
            assert_ne!(answer, "scope_denied", "{scope} alone suffices for {name}");
        }
        lines.push(format!("{scope}: {}", denied.join(" ")));
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    site:read: describe_site
    content:read: list_content get_content get_content_at_revision get_content_record get_revision list_revisions list_templates list_template_versions get_claim create_preview list_evidence_of_content list_evidence_of_revision
    content:write: create_draft create_draft_of_item create_draft_on_foreign_base record_claim_evidence propose_creation propose_rewriting withdraw_proposal
    topical-map:read: 
    topical-map:write: 
    runs:read: list_runs get_run list_proposals get_proposal list_proposal_events count_pending list_proposals_of_run list_run_proposals
    runs:write: begin_run record_artifact finish_run
    publish:request: propose_publication propose_unpublication propose_archiving
    ");

    let ids = Ids::of(&test, &test.home).await;
    test.app
        .set_permissions(&admin, test.home.agent.id, ScopeSet::EMPTY)
        .await
        .expect("set");
    let nothing = test.agent().await;
    let answers = everything(&test, &nothing, &ids).await;
    let allowed: Vec<&str> = answers
        .iter()
        .filter(|(_, answer)| answer.is_ok())
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(allowed, [""; 0], "without a scope an agent may do nothing");
}

const fn only(scope: Scope) -> ScopeSet {
    ScopeSet::from_bits(scope as u16)
}

/// What the agent is answered when it holds just these scopes.
async fn answers_with(
    test: &TestApp,
    admin: &OpContext,
    (scopes, ids): (ScopeSet, &Ids),
) -> Vec<(&'static str, &'static str)> {
    let agent = test.home.agent.id;
    test.app
        .set_permissions(admin, agent, scopes)
        .await
        .expect("set");
    let ctx = test.agent().await;
    let mut answers = reads(test, &ctx, ids).await;
    answers.extend(works(test, &ctx, ids).await);
    test.app
        .set_permissions(admin, agent, ScopeSet::ALL)
        .await
        .expect("set");
    answers
        .iter()
        .map(|(name, answer)| (*name, outcome(answer)))
        .collect()
}
