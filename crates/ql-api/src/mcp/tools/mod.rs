//! The product's tools, each in its own file, and the table of them.

mod begin_run;
mod claim_console_task;
mod claim_stage_task;
mod complete_console_task;
mod create_draft;
mod create_proposal;
mod create_task_plan;
mod finish_run;
mod form_screening_metrics;
mod list_content;
mod list_content_briefs;
mod list_content_source_packages;
mod list_content_source_records;
mod list_evidence;
mod list_evidence_reverification;
mod list_proposals;
mod list_topical_map;
mod list_topical_strategy_opportunities;
mod propose_content_brief_draft;
mod propose_content_source_draft;
mod propose_topical_strategy_opportunities;
mod record_artifact;
mod record_claim_evidence;
mod request_publish_approval;
mod site_context;
mod stage_content_source_package;
mod submit_stage_result;

use super::product::Product;
use super::registry::Registry;
use crate::input::shape::SchemaDefect;

/// Every tool of the product.
///
/// # Errors
/// A tool whose schema can't be enforced, which the schema gate's test finds first.
pub(crate) fn registry() -> Result<Registry<Product>, SchemaDefect> {
    Registry::default()
        .with::<begin_run::BeginRun>()?
        .with::<claim_console_task::ClaimConsoleTask>()?
        .with::<claim_stage_task::ClaimStageTask>()?
        .with::<complete_console_task::CompleteConsoleTask>()?
        .with::<create_draft::CreateDraft>()?
        .with::<create_proposal::CreateProposal>()?
        .with::<create_task_plan::CreateTaskPlan>()?
        .with::<finish_run::FinishRun>()?
        .with::<form_screening_metrics::FormScreeningMetrics>()?
        .with::<list_content::ListContent>()?
        .with::<list_content_briefs::ListContentBriefs>()?
        .with::<list_content_source_packages::ListContentSourcePackages>()?
        .with::<list_content_source_records::ListContentSourceRecords>()?
        .with::<list_evidence::ListEvidence>()?
        .with::<list_evidence_reverification::ListEvidenceReverification>()?
        .with::<list_proposals::ListProposals>()?
        .with::<list_topical_map::ListTopicalMap>()?
        .with::<list_topical_strategy_opportunities::ListOpportunities>()?
        .with::<propose_content_brief_draft::ProposeContentBriefDraft>()?
        .with::<propose_topical_strategy_opportunities::ProposeOpportunities>()?
        .with::<propose_content_source_draft::ProposeContentSourceDraft>()?
        .with::<record_artifact::RecordArtifact>()?
        .with::<record_claim_evidence::RecordClaimEvidence>()?
        .with::<request_publish_approval::RequestPublishApproval>()?
        .with::<site_context::SiteContext>()?
        .with::<stage_content_source_package::StageContentSourcePackage>()?
        .with::<submit_stage_result::SubmitStageResult>()
}
