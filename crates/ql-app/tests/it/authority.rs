//! Who may do what: every use case, every kind of caller, every scope.

use std::collections::BTreeMap;

use ql_app::OpContext;
use ql_app::session::SiteRef;
use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};
use ql_testkit::TestApp;

use crate::everything::{everything, reads, takes_turns, works};
use crate::ids::Ids;
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
    let mut rows: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in 0..columns[0].len() {
        let codes: Vec<&str> = columns
            .iter()
            .map(|column| outcome(&column[row].1))
            .collect();
        rows.entry(codes.join(" "))
            .or_default()
            .push(columns[0][row].0);
    }
    let lines: Vec<String> = rows
        .iter()
        .map(|(row, names)| format!("{row}\n  {}", names.join(" ")))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    agents_only agents_only agents_only agents_only agents_only agents_only ok agents_only
      begin_run record_artifact stage_source_package finish_run claim_turn begin_run_under create_task_plan renew_turn complete_turn report_runtime peek_turns verify_session
    not_found not_found not_found role_denied role_denied not_found not_found not_found
      create_draft_on_foreign_base
    not_found not_found not_found role_denied role_denied not_found ok members_only
      withdraw_proposal
    ok ok ok ok ok ok members_only ok
      list_reverification_attempts list_evidence_reviews get_evidence_review list_audit verify_ledger export_ledger get_policy list_connections get_connection get_organization list_organization_audit list_sites list_members list_agents get_agent list_conversations get_conversation conversation_version get_plan get_permissions
    ok ok ok ok ok ok ok ok
      describe_site list_content get_content get_content_at_revision get_content_record get_revision list_revisions list_templates list_template_versions get_claim list_forms get_form form_metrics list_reverification list_source_packages get_source_package list_source_records create_preview list_runs get_run list_proposals get_proposal list_proposal_events count_pending get_topical_map list_topical_map get_topical_node get_map_changes list_strategy_imports get_strategy_import list_opportunities list_briefs get_brief list_evidence_of_content list_evidence_of_revision list_revision_sources find_revision_brief list_proposals_of_run list_run_proposals
    ok ok ok ok role_denied ok members_only members_only
      list_submissions set_reverification run_reverification_now stop_reverification resolve_evidence_review
    ok ok ok policy_denied role_denied session_required members_only members_only
      decide cancel_proposal roll_back
    ok ok ok role_denied role_denied ok members_only members_only
      begin_strategy_import create_conversation add_turn reopen_turn cancel_turn answer_step reopen_step cancel_step cancel_plan dispose_sources
    ok ok ok role_denied role_denied ok members_only ok
      save_template save_form mark_submission
    ok ok ok role_denied role_denied ok ok members_only
      record_claim_evidence propose_source_draft propose_creation propose_rewriting propose_publication propose_unpublication propose_archiving propose_map_change propose_internal_link propose_strategy propose_brief_draft
    ok ok ok role_denied role_denied ok ok ok
      create_draft create_draft_of_item
    ok ok role_denied role_denied role_denied ok members_only ok
      update_site create_connection rotate_connection revoke_connection create_site create_agent update_agent
    ok ok role_denied role_denied role_denied session_required members_only members_only
      decide_content_lifecycle
    ok ok role_denied role_denied role_denied session_required members_only ok
      set_permissions set_policy create_member create_sign_in_link set_role remove_member
    ok role_denied role_denied role_denied role_denied session_required members_only ok
      create_owner rename_organization
    ");
}

/// An adapter for `WordPress` (#145): all fifty abilities were denied though the permission was there.
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
    site:read: describe_site list_forms get_form form_metrics
    content:read: list_content get_content get_content_at_revision get_content_record get_revision list_revisions list_templates list_template_versions get_claim list_reverification list_source_packages get_source_package list_source_records create_preview list_briefs get_brief list_evidence_of_content list_evidence_of_revision list_revision_sources find_revision_brief
    content:write: create_draft create_draft_of_item create_draft_on_foreign_base record_claim_evidence stage_source_package propose_source_draft propose_creation propose_rewriting propose_internal_link propose_brief_draft withdraw_proposal
    topical-map:read: get_topical_map list_topical_map get_topical_node get_map_changes list_strategy_imports get_strategy_import list_opportunities
    topical-map:write: propose_map_change propose_strategy
    runs:read: list_runs get_run list_proposals get_proposal list_proposal_events count_pending list_proposals_of_run list_run_proposals
    runs:write: begin_run record_artifact finish_run claim_turn begin_run_under create_task_plan renew_turn complete_turn report_runtime peek_turns verify_session
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
    answers.extend(takes_turns(test, &ctx, ids).await);
    test.app
        .set_permissions(admin, agent, ScopeSet::ALL)
        .await
        .expect("set");
    answers
        .iter()
        .map(|(name, answer)| (*name, outcome(answer)))
        .collect()
}

/// Use cases whose rows have another name here, or that are made of others.
const ELSEWHERE: [&str; 24] = [
    "create_proposal",
    "list_evidence",
    "create_site_with",
    "add_sample_templates",
    "add_sample_pages",
    "add_sample_forms",
    // Those of productions need editions of Scripture, which the program alone has; the table of
    // who may is `director::people` there.
    "start",
    "cast",
    "approve_stage",
    "reopen_stage",
    "waive",
    "exclude_source",
    "add_source",
    "request_source",
    "get_production",
    "list_productions",
    "set_budget",
    "take_exit",
    "claim_stage_task",
    "submit_stage_result",
    "list_cards",
    "list_cast",
    "get_stage",
    "find_publication",
];

/// A use case that is new must be put into the tables.
#[tokio::test]
async fn every_use_case_that_takes_a_caller_stands_in_the_tables() {
    let test = TestApp::new().await;
    let ids = Ids::of(&test, &test.home).await;
    let owner = test.member(Role::Owner).await;
    let rows: Vec<&str> = everything(&test, &owner, &ids)
        .await
        .iter()
        .map(|(name, _)| *name)
        .collect();
    let missing: Vec<String> = use_cases()
        .into_iter()
        .filter(|name| !rows.contains(&name.as_str()) && !ELSEWHERE.contains(&name.as_str()))
        .collect();
    assert_eq!(missing, [""; 0]);
}

/// The public functions of the crate that take a caller's context.
fn use_cases() -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(path).expect("a source file");
            for function in source.split("pub async fn ").skip(1) {
                let head = &function[..function.find('{').unwrap_or(function.len())];
                if head.contains("ctx: &OpContext") {
                    names.push(head[..head.find('(').expect("parameters")].to_owned());
                }
            }
        }
    }
    assert!(names.len() > 50, "{names:?}");
    names
}
