//! Source packages: staged and checked, disposed of by members, written from by proposals.

use ql_app::source::{NewDisposal, NewPackage, RecordFilter};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::SourcePackageId;
use ql_core::page::PageRequest;
use ql_core::proposal::ProposalState;
use ql_core::role::Role;
use ql_core::source::{Disposition, MAX_RECORD_BYTES, MAX_RECORDS, Verdict};
use ql_testkit::{source_draft, source_package, source_record};

use crate::drafts::Writer;
use crate::say::{code, problems};

fn mixed(writer: &Writer) -> NewPackage {
    let mut lied = source_record("lied", "Said to be something else.");
    lied.sha256 = Some(Digest::ZERO);
    let mut package = source_package(writer.run);
    package.records.extend([
        lied,
        source_record("active", "<script>alert(1)</script>"),
        source_record("long", &"a".repeat(MAX_RECORD_BYTES + 1)),
    ]);
    package
}

async fn stage(writer: &Writer, new: NewPackage) -> SourcePackageId {
    let staged = writer
        .test
        .app
        .stage_source_package(&writer.agent, new, None)
        .await;
    staged.expect("staged").package_id
}

fn disposal(package: SourcePackageId, keys: &[&str], disposition: Disposition) -> NewDisposal {
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    NewDisposal {
        package,
        record_keys: (!keys.is_empty()).then_some(keys),
        disposition,
        reason: "I looked at it.".into(),
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_record_is_marked_and_every_record_is_kept() {
    let writer = Writer::new().await;
    let app = &writer.test.app;
    let new = mixed(&writer);
    let staged = app
        .stage_source_package(&writer.agent, new.clone(), None)
        .await
        .expect("staged");
    let lines: Vec<String> = (staged.records.iter())
        .map(|record| {
            let codes: Vec<&str> = (record.findings.iter()).map(|f| f.code.as_str()).collect();
            format!("{} {} {codes:?}", record.key, record.verdict.as_str())
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    hours valid []
    prices valid []
    lied invalid ["checksum_mismatch"]
    active warning ["active_markup"]
    long invalid ["oversized"]
    "#);
    let page = PageRequest::new(Some(100), None);
    let kept = app
        .list_source_records(
            &writer.agent,
            staged.package_id,
            RecordFilter::default(),
            &page,
        )
        .await
        .expect("a list");
    let sent: Vec<&str> = new.records.iter().map(|r| r.body.as_str()).collect();
    let kept: Vec<&str> = kept.items.iter().map(|r| r.body.as_str()).collect();
    assert_eq!(kept, sent, "as they were sent");
    let events = app.get_run(&writer.agent, writer.run).await.expect("it");
    let event = events.events.last().expect("an event");
    assert_eq!(event.kind, "source_package.staged");
    let detail = event.detail.to_string();
    assert!(
        !detail.contains("script") && !detail.contains("Interview"),
        "{detail}"
    );
    writer.test.verify_ledger().await;
}

#[tokio::test]
async fn a_page_with_bodies_ends_where_it_would_be_too_large() {
    let writer = Writer::new().await;
    let body = "a".repeat(MAX_RECORD_BYTES - 10);
    let mut new = source_package(writer.run);
    new.records = vec![
        source_record("one", &body),
        source_record("two", &format!("{body}b")),
        source_record("three", "c"),
    ];
    let id = stage(&writer, new).await;
    let filter = RecordFilter {
        bodies: true,
        ..RecordFilter::default()
    };
    let (mut pages, mut page) = (Vec::new(), PageRequest::default());
    loop {
        let app = &writer.test.app;
        let found = app.list_source_records(&writer.agent, id, filter, &page);
        let found = found.await.expect("a page");
        pages.push(
            found
                .items
                .iter()
                .map(|r| r.key.clone())
                .collect::<Vec<_>>(),
        );
        let Some(next) = found.next else { break };
        page = PageRequest::new(None, Some(next));
    }
    assert_eq!(pages, [vec!["one"], vec!["two", "three"]]);
    let other = stage(&writer, source_package(writer.run)).await;
    let app = &writer.test.app;
    let cursor = ql_core::page::Cursor {
        key: 0,
        id: other.to_string(),
    };
    let foreign = PageRequest::new(None, Some(cursor));
    let refused = app.list_source_records(&writer.agent, id, filter, &foreign);
    assert_eq!(code(refused.await), "invalid_arguments");
}

#[tokio::test]
async fn everything_wrong_with_a_package_itself_is_said_at_once() {
    let writer = Writer::new().await;
    let mut new = source_package(writer.run);
    new.name = " ".into();
    new.records[1].key = String::new();
    let app = &writer.test.app;
    let refused = app.stage_source_package(&writer.agent, new, None).await;
    insta::assert_snapshot!(problems(refused), @"
    /name required: expected a text that isn't empty
    /records/1/key required: expected a text that isn't empty
    ");
    let mut many = source_package(writer.run);
    many.records = vec![source_record("a", "A."); MAX_RECORDS + 1];
    let refused = app.stage_source_package(&writer.agent, many, None).await;
    insta::assert_snapshot!(problems(refused), @"/records range: expected 1 to 100 records");
    let mut heavy = source_package(writer.run);
    heavy.records = vec![source_record("a", &"a".repeat(1 << 20)); 5];
    let refused = app.stage_source_package(&writer.agent, heavy, None).await;
    insta::assert_snapshot!(problems(refused), @"/records too_long: expected at most 4194304 bytes of bodies, found 5242880");
    let none = app
        .list_source_packages(&writer.agent, None, &PageRequest::default())
        .await;
    assert_eq!(none.expect("a list").items, []);
}

#[tokio::test]
async fn what_cannot_be_used_is_refused_with_its_place() {
    let writer = Writer::new().await;
    let id = stage(&writer, mixed(&writer)).await;
    let editor = writer.test.member(Role::Editor).await;
    let app = &writer.test.app;
    for (key, disposition) in [
        ("hours", Disposition::Rejected),
        ("prices", Disposition::Superseded),
    ] {
        let new = disposal(id, &[key], disposition);
        app.dispose_sources(&editor, new).await.expect("decided");
    }
    let payload = source_draft(
        id,
        &["hours", "lied", "prices", "active", "active", "never"],
        "",
    );
    let refused = writer
        .test
        .propose(&writer.agent, Some(writer.run), payload)
        .await;
    insta::assert_snapshot!(problems(refused), @r#"
    /payload/record_keys/0 record_rejected: a member rejected this record
    /payload/record_keys/1 record_invalid: the checks found this record invalid; stage it again, corrected
    /payload/record_keys/2 record_superseded: a member marked this record as superseded
    /payload/record_keys/4 duplicate: this record is named twice
    /payload/record_keys/5 no_such_record: the package has no record of this key
    /payload/fields/title schema: "" is shorter than 1 character
    "#);
}

#[tokio::test]
async fn an_accepted_draft_is_its_agents_and_keeps_where_it_came_from() {
    let writer = Writer::new().await;
    let (test, app) = (&writer.test, &writer.test.app);
    let id = stage(&writer, mixed(&writer)).await;
    let payload = source_draft(id, &["hours", "active"], "Opening hours");
    let proposed = test
        .propose(&writer.agent, Some(writer.run), payload)
        .await
        .expect("a card");
    let owner = test.member(Role::Owner).await;
    let shown = app
        .get_proposal(&owner, proposed.proposal_id)
        .await
        .expect("it");
    assert_eq!(
        shown.proposal.title,
        "Draft from 2 record(s) of “Interview notes”"
    );
    assert!(shown.proposal.resolved[0].sources_sha256.is_some());
    let none = app
        .list_content(
            &owner,
            &ql_store::content::Filter::default(),
            &PageRequest::default(),
            false,
        )
        .await;
    assert_eq!(none.expect("a list").items, [], "a card makes nothing");

    test.approve(&owner, proposed.proposal_id)
        .await
        .expect("done");

    let made = app
        .list_content(
            &owner,
            &ql_store::content::Filter::default(),
            &PageRequest::default(),
            true,
        )
        .await
        .expect("a list");
    let revision = made.items[0].revision.as_ref().expect("its draft");
    assert_eq!(made.items[0].stored.item.published, None);
    assert_eq!(revision.author, writer.agent.principal().actor());
    assert_eq!(revision.run, Some(writer.run));
    let sources = app
        .list_revision_sources(&owner, revision.id)
        .await
        .expect("a list");
    let sources: Vec<_> = sources
        .iter()
        .map(|source| (source.package, source.key.as_str(), source.sha256))
        .collect();
    assert_eq!(
        sources,
        [
            (id, "hours", Digest::of(b"Open from nine to five.")),
            (id, "active", Digest::of(b"<script>alert(1)</script>")),
        ]
    );
    let events = app
        .list_proposal_events(&owner, proposed.proposal_id)
        .await
        .expect("its chain");
    let executed = events.last().expect("an event");
    assert_eq!(executed.detail["package"], id.to_string());
    test.verify_ledger().await;
}

#[tokio::test]
async fn a_record_that_is_rejected_meanwhile_makes_the_proposal_stale() {
    let writer = Writer::new().await;
    let (test, app) = (&writer.test, &writer.test.app);
    let id = stage(&writer, source_package(writer.run)).await;
    let payload = source_draft(id, &["hours"], "Opening hours");
    let proposed = test
        .propose(&writer.agent, Some(writer.run), payload)
        .await
        .expect("a card");
    let owner = test.member(Role::Owner).await;
    let new = disposal(id, &[], Disposition::Rejected);
    app.dispose_sources(&owner, new).await.expect("decided");
    let view = test
        .approve(&owner, proposed.proposal_id)
        .await
        .expect("taken");
    let ProposalState::Stale { reason, .. } = view.proposal.state else {
        panic!("{:?}", view.proposal.state)
    };
    assert_eq!(reason, "source_not_usable");
}

#[tokio::test]
async fn the_newest_decision_holds_for_a_record_and_for_its_package() {
    let writer = Writer::new().await;
    let app = &writer.test.app;
    let id = stage(&writer, mixed(&writer)).await;
    let editor = writer.test.member(Role::Editor).await;
    let decide = async |keys: &[&str], disposition| {
        let new = disposal(id, keys, disposition);
        app.dispose_sources(&editor, new).await
    };
    let standing = async || {
        let page = PageRequest::default();
        let records = app.list_source_records(&editor, id, RecordFilter::default(), &page);
        let records = records.await.expect("a list").items;
        let package = app
            .get_source_package(&editor, id)
            .await
            .expect("it")
            .package;
        let records: Vec<&str> = records.iter().map(|r| r.disposition.as_str()).collect();
        format!("{}: {}", package.disposition.as_str(), records.join(" "))
    };
    let mut lines = vec![standing().await];
    decide(&["prices"], Disposition::Rejected)
        .await
        .expect("decided");
    lines.push(standing().await);
    decide(&[], Disposition::Accepted).await.expect("decided");
    lines.push(standing().await);
    decide(&["hours", "active"], Disposition::Superseded)
        .await
        .expect("decided");
    lines.push(standing().await);
    let view = decide(&[], Disposition::Pending).await.expect("decided");
    lines.push(standing().await);
    insta::assert_snapshot!(lines.join("\n"), @"
    pending: pending pending pending pending pending
    pending: pending rejected pending pending pending
    accepted: accepted accepted accepted accepted accepted
    accepted: superseded accepted accepted superseded accepted
    pending: pending pending pending pending pending
    ");
    assert_eq!(view.disposals.len(), 5, "nothing that was decided is lost");
    let Actor::Member(member) = editor.principal().actor() else {
        panic!("a member")
    };
    assert!(
        view.disposals
            .iter()
            .all(|disposal| disposal.member == member)
    );

    let refused = decide(&["hours", "lied", "never", "hours"], Disposition::Accepted).await;
    insta::assert_snapshot!(problems(refused), @"
    /record_keys/1 record_invalid: the checks found this record invalid, so it can't be accepted; have it staged again, corrected
    /record_keys/2 no_such_record: the package has no record of this key
    /record_keys/3 duplicate: this record is named twice
    ");
    let mut wordless = disposal(id, &[], Disposition::Rejected);
    wordless.reason = String::new();
    let refused = app.dispose_sources(&editor, wordless).await;
    insta::assert_snapshot!(problems(refused), @"/reason required: expected a text that isn't empty");
    let reviewer = writer.test.member(Role::Reviewer).await;
    let refused = app.dispose_sources(&reviewer, disposal(id, &[], Disposition::Accepted));
    assert_eq!(code(refused.await), "role_denied");
}

#[tokio::test]
async fn packages_are_listed_by_what_was_decided_about_them() {
    let writer = Writer::new().await;
    let app = &writer.test.app;
    let first = stage(&writer, source_package(writer.run)).await;
    let second = stage(&writer, mixed(&writer)).await;
    let editor = writer.test.member(Role::Editor).await;
    let accept = disposal(first, &[], Disposition::Accepted);
    app.dispose_sources(&editor, accept).await.expect("decided");
    let page = PageRequest::default();
    let listed = async |state| {
        let list = app.list_source_packages(&writer.agent, state, &page).await;
        let ids = list.expect("a list").items.into_iter().map(|p| p.id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(listed(None).await, [second, first]);
    assert_eq!(listed(Some(Disposition::Pending)).await, [second]);
    assert_eq!(listed(Some(Disposition::Accepted)).await, [first]);
    assert_eq!(listed(Some(Disposition::Rejected)).await, []);
    let warned = RecordFilter {
        verdict: Some(Verdict::Warning),
        ..RecordFilter::default()
    };
    let records = app.list_source_records(&writer.agent, second, warned, &page);
    let keys = records
        .await
        .expect("a list")
        .items
        .into_iter()
        .map(|r| r.key);
    assert_eq!(keys.collect::<Vec<_>>(), ["active"]);
}
