//! The calls that are tried, with the scope that the contract wants for each.

use std::collections::BTreeSet;

/// One call of a tool. In its arguments `{content}` and the like stand for identifiers.
pub(crate) struct Row {
    pub(crate) tool: &'static str,
    /// The scope that allows it, by the contract's §10 and §4.
    pub(crate) scope: &'static str,
    pub(crate) arguments: &'static str,
}

/// Arguments that look like identifiers and name nothing of a site. This list only gets shorter.
pub(crate) const NOT_TRIED: [&str; 6] = [
    // of agents alone that play roles, which need editions of Scripture: `director::agents` of the
    // program has their table
    "querylayer_claim_stage_task",
    "querylayer_submit_stage_result",
    "querylayer_submit_stage_result task_id",
    // the harness's own names for its sessions
    "querylayer_claim_console_task previous_session_id",
    "querylayer_claim_console_task session_id",
    "querylayer_complete_console_task session_id",
];

const fn row(tool: &'static str, scope: &'static str, arguments: &'static str) -> Row {
    Row {
        tool,
        scope,
        arguments,
    }
}

pub(crate) const ROWS: &[Row] = &[
    row("querylayer_site_context", "site:read", "{}"),
    row(
        "querylayer_form_screening_metrics",
        "site:read",
        r#"{"form": "contact"}"#,
    ),
    row("querylayer_list_content", "content:read", "{}"),
    row(
        "querylayer_list_content",
        "content:read",
        r#"{"content_id": "{content}", "include_fields": true}"#,
    ),
    row(
        "querylayer_list_content",
        "content:read",
        r#"{"content_id": "{content}", "revision_id": "{revision}"}"#,
    ),
    row(
        "querylayer_list_evidence",
        "content:read",
        r#"{"content_id": "{content}"}"#,
    ),
    row(
        "querylayer_list_evidence",
        "content:read",
        r#"{"revision_id": "{revision}"}"#,
    ),
    row(
        "querylayer_list_evidence",
        "content:read",
        r#"{"claim_id": "{claim}"}"#,
    ),
    row(
        "querylayer_list_evidence_reverification",
        "content:read",
        "{}",
    ),
    row(
        "querylayer_list_content_source_packages",
        "content:read",
        "{}",
    ),
    row(
        "querylayer_list_content_source_records",
        "content:read",
        r#"{"package_id": "{package}", "include_body": true}"#,
    ),
    row(
        "querylayer_stage_content_source_package",
        "content:write",
        r#"{"run_id": "{run}", "name": "n", "origin": "o", "records": [{"key": "k", "media_type": "text/plain", "body": "b"}]}"#,
    ),
    row(
        "querylayer_propose_content_source_draft",
        "content:write",
        r#"{"run_id": "{run}", "package_id": "{package}", "record_keys": ["hours"], "template": "article", "fields": {"title": "New", "body": ""}}"#,
    ),
    row(
        "querylayer_list_proposals",
        "runs:read",
        r#"{"proposal_id": "{proposal}"}"#,
    ),
    row(
        "querylayer_list_proposals",
        "runs:read",
        r#"{"run_id": "{run}"}"#,
    ),
    row(
        "querylayer_begin_run",
        "runs:write",
        r#"{"run_type": "write", "input": {}, "required_outputs": [], "completion_conditions": []}"#,
    ),
    row(
        "querylayer_claim_console_task",
        "runs:write",
        r#"{"session_id": "a session of nobody"}"#,
    ),
    row(
        "querylayer_create_task_plan",
        "runs:write",
        r#"{"turn_id": "{turn}", "lease_token": "{lease}", "goal": "g", "steps": [{"key": "find", "operation": "research"}]}"#,
    ),
    row(
        "querylayer_create_task_plan",
        "runs:write",
        r#"{"turn_id": "{turn}", "lease_token": "{lease}", "goal": "g", "steps": [{"key": "find", "operation": "research"}], "replaces_plan_id": "{plan}"}"#,
    ),
    row(
        "querylayer_complete_console_task",
        "runs:write",
        r#"{"turn_id": "{turn}", "lease_token": "{lease}", "outcome": "completed", "message": "m"}"#,
    ),
    row(
        "querylayer_complete_console_task",
        "runs:write",
        r#"{"turn_id": "{turn}", "lease_token": "{lease}", "outcome": "completed", "message": "m", "run_id": "{held}", "proposal_id": "{proposal}"}"#,
    ),
    row(
        "querylayer_record_artifact",
        "runs:write",
        r#"{"run_id": "{run}", "key": "k", "media_type": "text/plain", "body": "", "affected_content_ids": ["{content}"]}"#,
    ),
    row(
        "querylayer_finish_run",
        "runs:write",
        r#"{"run_id": "{run}", "outcome": "failed", "summary": "s"}"#,
    ),
    row(
        "querylayer_create_draft",
        "content:write",
        r#"{"run_id": "{run}", "template": "article", "fields": {"title": "New", "body": ""}}"#,
    ),
    row(
        "querylayer_create_draft",
        "content:write",
        r#"{"run_id": "{run}", "content_id": "{content}", "base_revision_id": "{revision}", "merge_patch": {"body": "x"}}"#,
    ),
    row(
        "querylayer_record_claim_evidence",
        "content:write",
        r#"{"run_id": "{run}", "revision_id": "{revision}", "claim": "c", "evidence": [{"source_url": "https://a.example", "title": "t", "excerpt": "e", "retrieved_at": "2026-11-01T00:00:00Z", "stance": "context"}]}"#,
    ),
    row(
        "querylayer_request_publish_approval",
        "publish:request",
        r#"{"run_id": "{run}", "rationale": "r", "items": [{"action": "publish", "content_id": "{content}", "revision_id": "{revision}"}]}"#,
    ),
    row(
        "querylayer_create_proposal",
        "content:write",
        r#"{"run_id": "{run}", "kind": "create_content", "title": "t", "rationale": "r", "payload": {"template": "article", "fields": {"title": "New", "body": ""}}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "content:write",
        r#"{"run_id": "{run}", "kind": "content_revision", "title": "t", "rationale": "r", "payload": {"content_id": "{content}", "base_revision_id": "{revision}", "merge_patch": {"body": "x"}}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "content:write",
        r#"{"run_id": "{run}", "kind": "content_source_draft", "title": "t", "rationale": "r", "payload": {"package_id": "{package}", "record_keys": ["hours"], "template": "article", "fields": {"title": "New", "body": ""}}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "publish:request",
        r#"{"run_id": "{run}", "kind": "publish_lifecycle", "title": "t", "rationale": "r", "payload": {"items": [{"action": "publish", "content_id": "{content}", "revision_id": "{revision}"}]}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "publish:request",
        r#"{"run_id": "{run}", "kind": "content_lifecycle", "title": "t", "rationale": "r", "payload": {"items": [{"action": "archive", "content_id": "{content}", "archived_at": "none"}]}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "topical-map:write",
        r#"{"run_id": "{run}", "kind": "topical_map_change", "title": "t", "rationale": "r", "payload": {"base_map_version": 0, "operations": [{"op": "add_node", "key": "tea", "kind": "pillar", "title": "Tea"}]}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "content:write",
        r#"{"run_id": "{run}", "kind": "internal_link", "title": "t", "rationale": "r", "payload": {"links": [{"source_content_id": "{content}", "source_revision_id": "{revision}", "anchor": "About", "prefix": "", "suffix": " ", "target_content_id": "{target}"}]}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "topical-map:write",
        r#"{"run_id": "{run}", "kind": "topical_strategy", "title": "t", "rationale": "r", "payload": {"opportunity_ids": ["{opportunity}"]}}"#,
    ),
    row(
        "querylayer_create_proposal",
        "content:write",
        r#"{"run_id": "{run}", "kind": "content_brief_draft", "title": "t", "rationale": "r", "payload": {"brief_id": "{brief}", "fields": {"title": "New", "body": ""}}}"#,
    ),
    row("querylayer_list_topical_map", "topical-map:read", "{}"),
    row(
        "querylayer_list_topical_map",
        "topical-map:read",
        r#"{"node_id": "{node}"}"#,
    ),
    row(
        "querylayer_list_topical_strategy_opportunities",
        "topical-map:read",
        "{}",
    ),
    row(
        "querylayer_propose_topical_strategy_opportunities",
        "topical-map:write",
        r#"{"run_id": "{run}", "opportunity_ids": ["{opportunity}"], "rationale": "r"}"#,
    ),
    row(
        "querylayer_list_content_briefs",
        "content:read",
        r#"{"brief_id": "{brief}"}"#,
    ),
    row(
        "querylayer_propose_content_brief_draft",
        "content:write",
        r#"{"run_id": "{run}", "brief_id": "{brief}", "fields": {"title": "New", "body": ""}}"#,
    ),
];

/// The identifiers that arguments take.
pub(crate) fn slots(arguments: &str) -> BTreeSet<&str> {
    let begun = arguments.split("\"{").skip(1);
    begun
        .filter_map(|rest| rest.split_once("}\"").map(|(slot, _)| slot))
        .filter(|slot| slot.bytes().all(|byte| byte.is_ascii_lowercase()))
        .collect()
}
