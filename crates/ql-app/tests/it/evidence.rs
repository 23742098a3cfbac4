//! Claims of a revision, with the sources that bear on them.

use ql_core::hash::Digest;
use ql_core::page::PageRequest;
use ql_core::time::days;
use ql_store::evidence::Filter;

use crate::drafts::Writer;
use crate::say::{code, problems};

#[tokio::test]
async fn a_claim_belongs_to_one_revision_and_its_excerpts_are_hashed() {
    let writer = Writer::new().await;
    let (app, agent) = (&writer.test.app, &writer.agent);
    let first = writer.draft("One").await;
    let second = writer.revise(first, "Two").await;
    let new = writer.test.claim(first);
    let recorded = app
        .record_claim_evidence(agent, Some(writer.run), new, None)
        .await
        .expect("recorded");

    let claim = app.get_claim(agent, recorded.claim_id).await.expect("it");
    assert_eq!(
        (claim.revision, claim.content, claim.run),
        (first.revision, first.content, Some(writer.run))
    );
    assert_eq!(claim.evidence[0].excerpt_sha256, Digest::of(b"It is so."));
    let count = |filter| async move {
        app.list_evidence(agent, filter, &PageRequest::default())
            .await
            .expect("a list")
            .items
            .len()
    };
    assert_eq!(count(Filter::All).await, 1);
    assert_eq!(count(Filter::Content(first.content)).await, 1);
    assert_eq!(count(Filter::Revision(first.revision)).await, 1);
    assert_eq!(count(Filter::Revision(second.revision)).await, 0);
}

#[tokio::test]
async fn everything_wrong_with_a_claim_is_said_at_once_and_nothing_is_kept() {
    let writer = Writer::new().await;
    let draft = writer.draft("One").await;
    let mut bad = writer.test.claim(draft);
    bad.text = " ".into();
    let source = &mut bad.evidence[0];
    source.source_url = "ftp://source.example".into();
    source.sha256 = Some(Digest::ZERO);
    source.retrieved_at = writer.test.now().plus(days(2));
    let empty = ql_app::evidence::NewClaim {
        evidence: Vec::new(),
        ..writer.test.claim(draft)
    };
    let app = &writer.test.app;
    let refused = app
        .record_claim_evidence(&writer.agent, Some(writer.run), bad, None)
        .await;
    insta::assert_snapshot!(problems(refused), @"
    /claim required: expected a text that isn't empty
    /evidence/0/source_url format: expected an http or https address
    /evidence/0/retrieved_at range: expected an instant that has passed
    /evidence/0/sha256 hash_mismatch: the excerpt's SHA-256 is 623306a708b09a8b473c4c9ec97059e33874a68b95584f4d4295f2310a2fa4d8
    ");
    let refused = app
        .record_claim_evidence(&writer.agent, Some(writer.run), empty, None)
        .await;
    assert_eq!(
        problems(refused),
        "/evidence required: a claim names at least one source"
    );
    let mut nowhere = writer.test.claim(draft);
    nowhere.pointer = Some("/summary".into());
    let refused = app
        .record_claim_evidence(&writer.agent, Some(writer.run), nowhere, None)
        .await;
    assert_eq!(code(refused), "invalid_arguments");
    let all = app
        .list_evidence(&writer.agent, Filter::All, &PageRequest::default())
        .await;
    assert_eq!(all.expect("a list").items, []);
}
