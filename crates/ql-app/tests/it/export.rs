//! Exports: who may have which part of the ledger, and that what they get proves itself.

use std::time::Duration;

use ql_app::OpContext;
use ql_app::audit::Filter;
use ql_core::bundle::{Held, Report, verify};
use ql_core::ledger::Subject;
use ql_core::note::PublicKey;
use ql_core::page::PageRequest;
use ql_core::proof;
use ql_core::role::Role;
use ql_core::run::{FinishRequest, Outcome};
use ql_testkit::TestApp;
use serde_json::json;

use crate::say::code;

/// The home site's run with an approved and a waiting proposal, finished.
async fn told(test: &TestApp) -> Subject {
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "First steps").await;
    let proposed = test.request_publication(&agent, run, &[draft]).await;
    let owner = test.member(Role::Owner).await;
    test.approve(&owner, proposed).await.expect("approved");
    let other = test.draft(&agent, run, "Next steps").await;
    test.request_publication(&agent, run, &[other]).await;
    let request = FinishRequest {
        summary: "All is done.".into(),
        // Whatever an agent may say, floats and keys of its own included.
        reasons: vec![json!({"code": "done", "details": {"Größe": 1.5}})],
    };
    let finished = test
        .app
        .finish_run(&agent, (run, Outcome::Completed), request, None);
    finished.await.expect("finished");
    Subject::Run(run)
}

async fn export(test: &TestApp, by: &OpContext, subject: Subject) -> String {
    let exported = test.app.export_ledger(by, subject, None).await;
    exported.expect("a bundle")
}

fn sound(bundle: &str, key: PublicKey) -> Report {
    let held = Held {
        key: Some(key),
        checkpoint: None,
    };
    verify(bundle.as_bytes(), &held).unwrap_or_else(|refused| panic!("{refused}: {bundle}"))
}

#[tokio::test]
async fn a_run_is_exported_with_its_proposals_and_their_approval() {
    let test = TestApp::new().await;
    let run = told(&test).await;
    let viewer = test.member(Role::Viewer).await;
    let bundle = export(&test, &viewer, run).await;
    let report = sound(&bundle, test.vault.key().public());
    assert_eq!(
        (report.subject, &*report.outcome),
        (run.to_string(), "completed")
    );
    let proposals: Vec<(&str, usize)> = (report.proposals.iter())
        .map(|proposal| (&*proposal.state, proposal.approvals.len()))
        .collect();
    assert_eq!(proposals, [("executed", 1), ("pending", 0)]);
    let owner = test.home.members[&Role::Owner].to_string();
    assert_eq!(report.proposals[0].approvals[0].member, owner);
    assert!(
        !bundle.contains("Größe"),
        "what the agent said is there by its digest alone"
    );
    test.verify_ledger().await;
}

#[tokio::test]
async fn every_kind_of_chain_can_be_exported() {
    let test = TestApp::with_a_story().await;
    let owner = test.member(Role::Owner).await;
    let key = test.vault.key().public();
    let site = Subject::Site(test.home.site.id);
    let report = sound(&export(&test, &owner, site).await, key);
    assert_eq!(
        (report.subject, &*report.outcome),
        (site.to_string(), "recorded")
    );
    let organization = Subject::Organization(test.home.site.organization);
    let report = sound(&export(&test, &owner, organization).await, key);
    assert_eq!(report.subject, organization.to_string());
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let draft = test.draft(&agent, run, "One more").await;
    let proposed = test.request_publication(&agent, run, &[draft]).await;
    let proposal = Subject::Proposal(proposed);
    let report = sound(&export(&test, &owner, proposal).await, key);
    assert_eq!(report.proposals[0].state, "pending");
    assert_eq!(
        report.keys.len(),
        3,
        "the keys lead from the first to the one that signed"
    );
}

#[tokio::test]
async fn what_belongs_to_another_site_was_never_there_and_agents_get_nothing() {
    let test = TestApp::new().await;
    let run = told(&test).await;
    let sibling = test.member_of(&test.sibling, Role::Owner).await;
    let foreign = test.member_of(&test.foreign, Role::Owner).await;
    let agent = test.agent().await;
    let site = Subject::Site(test.home.site.id);
    let organization = Subject::Organization(test.home.site.organization);
    let mut said = Vec::new();
    for (who, by, subject) in [
        ("sibling", &sibling, run),
        ("foreign", &foreign, run),
        ("sibling", &sibling, site),
        ("foreign", &foreign, organization),
        ("agent", &agent, run),
    ] {
        let refused = test.app.export_ledger(by, subject, None).await;
        said.push(format!("{who}: {}", code(refused)));
    }
    insta::assert_snapshot!(said.join("\n"), @"
    sibling: not_found
    foreign: not_found
    sibling: not_found
    foreign: not_found
    agent: members_only
    ");
    let owner = test.member(Role::Owner).await;
    let unknown = test.app.export_ledger(&owner, run, Some(1_000_000)).await;
    assert_eq!(code(unknown), "invalid_arguments");
}

#[tokio::test]
async fn an_export_proves_that_the_ledger_only_grew_since_the_last_one() {
    let test = TestApp::new().await;
    let run = told(&test).await;
    let before = test.sequence().await;
    test.app.rotate_ledger_key(0).await.expect("rotated");
    let owner = test.member(Role::Owner).await;
    let since = Some(before.checkpoint.size);
    let bundle = test.app.export_ledger(&owner, run, since).await;
    let held = Held {
        key: None,
        checkpoint: Some(&before.note),
    };
    let report = verify(bundle.expect("a bundle").as_bytes(), &held).expect("sound");
    assert_eq!(report.since, Some(before.checkpoint));
    let bundle = export(&test, &owner, run).await;
    let refused = verify(bundle.as_bytes(), &held).expect_err("nothing leads there");
    assert_eq!(refused.code(), "unconnected");
}

/// Each export is an entry that says where the chains ended, so a later one isn't the earlier cut
/// short.
#[tokio::test]
async fn an_export_is_recorded_and_holds_to_its_moment() {
    let test = TestApp::new().await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let owner = test.member(Role::Owner).await;
    let key = test.vault.clone();
    let early = export(&test, &owner, Subject::Run(run)).await;
    test.advance(Duration::from_secs(1));
    test.draft(&agent, run, "First steps").await;
    let late = export(&test, &owner, Subject::Run(run)).await;
    let key = key.key().public();
    assert_eq!(
        [sound(&early, key).entries, sound(&late, key).entries],
        [1, 2]
    );
    let cut: Vec<&str> = late
        .lines()
        .enumerate()
        .filter(|(at, _)| *at != 2)
        .map(|(_, line)| line)
        .collect();
    let cut = cut.join("\n") + "\n";
    assert!(verify(cut.as_bytes(), &Held::default()).is_err());
}

#[tokio::test]
async fn one_entry_is_proven_by_itself() {
    let test = TestApp::with_a_story().await;
    let owner = test.member(Role::Owner).await;
    // The key that was rotated to signs from the next entry on.
    test.begin_run(&test.agent().await).await;
    test.sequence().await;
    let (filter, page) = (Filter::default(), PageRequest::default());
    let entries = test.app.list_audit(&owner, &filter, &page).await;
    let entry = entries.expect("entries").items.remove(0);
    let text = test.app.prove_entry(entry.id).await.expect("a proof");
    let proven = proof::verify(&text, &test.vault.key().public()).expect("sound");
    assert!(proven.entry.contains(&entry.id.to_string()));
    let nowhere = ql_core::id::EntryId::mint(&**test.app.ids(), test.now());
    assert_eq!(code(test.app.prove_entry(nowhere).await), "not_found");
}
