//! Every page with its sample.

use askama::Template;

use super::{
    Account, AgentPage, Agents, ArtifactPage, Audit, BriefPage, Briefs, Compare, ConfirmConnection,
    ConnectionPage, Console, Content, ContentPage, ConversationPage, Edit, ErrorPage, EvidencePage,
    EvidenceReviewPage, FormPage, Forms, ImportStrategy, Inbox, Landing, Members, NewAgent,
    NewConnection, NewForm, NewPassword, NewSite, NewTemplate, Opportunities, ProposalPage,
    Propose, RevisionPage, RunPage, Runs, Settings, SignIn, SourcePackagePage, Sources,
    StrategyImport, TemplatePage, Templates, TopicalMap, TopicalNode,
};

/// The samples: a name that begins with the template's, and the HTML.
///
/// # Errors
///
/// A template failed to render.
#[expect(clippy::too_many_lines, reason = "one line for each page")]
pub fn gallery() -> askama::Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("sign_in", SignIn::sample().render()?),
        ("again", super::Again::sample().render()?),
        ("landing", Landing::sample().render()?),
        ("new_password", NewPassword::sample().render()?),
        ("error", ErrorPage::sample().render()?),
        ("error-404", ErrorPage::not_found().render()?),
        ("preview", crate::preview::Preview::sample().render()?),
        ("inbox", Inbox::sample().render()?),
        ("inbox-empty", Inbox::empty_sample().render()?),
        ("proposal", ProposalPage::sample().render()?),
        ("proposal-stale", ProposalPage::stale_sample().render()?),
        (
            "proposal-executed",
            ProposalPage::executed_sample().render()?,
        ),
        ("content", Content::sample().render()?),
        ("content-empty", Content::empty_sample().render()?),
        ("content_item", ContentPage::sample().render()?),
        ("revision", RevisionPage::sample().render()?),
        ("compare", Compare::sample().render()?),
        ("edit", Edit::sample().render()?),
        ("edit-stale", Edit::stale_sample().render()?),
        ("edit-raw", Edit::raw_sample().render()?),
        ("propose", Propose::sample().render()?),
        ("propose-roll_back", Propose::roll_back_sample().render()?),
        ("topical_map", TopicalMap::sample().render()?),
        ("topical_map-empty", TopicalMap::empty_sample().render()?),
        ("topical_map-marks", TopicalMap::drawn_sample(130).render()?),
        ("topical_node", TopicalNode::sample().render()?),
        ("opportunities", Opportunities::sample().render()?),
        (
            "opportunities-empty",
            Opportunities::empty_sample().render()?,
        ),
        ("import_strategy", ImportStrategy::sample().render()?),
        ("strategy_import", StrategyImport::sample().render()?),
        ("briefs", Briefs::sample().render()?),
        ("brief", BriefPage::sample().render()?),
        ("templates", Templates::sample().render()?),
        ("template", TemplatePage::sample().render()?),
        ("new_template", NewTemplate::sample().render()?),
        ("forms", Forms::sample().render()?),
        ("forms-empty", Forms::empty_sample().render()?),
        ("form_page", FormPage::sample().render()?),
        ("new_form", NewForm::sample().render()?),
        ("runs", Runs::sample().render()?),
        ("runs-empty", Runs::empty_sample().render()?),
        ("run", RunPage::sample().render()?),
        ("artifact", ArtifactPage::sample().render()?),
        ("console", Console::sample().render()?),
        ("console-empty", Console::empty_sample().render()?),
        ("conversation", ConversationPage::sample().render()?),
        (
            "conversation-closed",
            ConversationPage::closed_sample().render()?,
        ),
        ("sources", Sources::sample().render()?),
        ("sources-empty", Sources::empty_sample().render()?),
        ("source_package", SourcePackagePage::sample().render()?),
        ("evidence", EvidencePage::sample().render()?),
        ("evidence-empty", EvidencePage::empty_sample().render()?),
        ("evidence_review", EvidenceReviewPage::sample().render()?),
        (
            "evidence_review-closed",
            EvidenceReviewPage::closed_sample().render()?,
        ),
        ("agents", Agents::sample().render()?),
        ("agents-empty", Agents::empty_sample().render()?),
        ("new_agent", NewAgent::sample().render()?),
        ("agent", AgentPage::sample().render()?),
        ("new_connection", NewConnection::sample().render()?),
        ("connection", ConnectionPage::sample().render()?),
        ("connection-new", ConnectionPage::new_sample().render()?),
        ("confirm_connection", ConfirmConnection::sample().render()?),
        ("members", Members::sample().render()?),
        ("account", Account::sample().render()?),
        ("settings", Settings::sample().render()?),
        ("new_site", NewSite::sample().render()?),
        ("audit", Audit::sample().render()?),
        ("audit-broken", Audit::broken_sample().render()?),
    ])
}
