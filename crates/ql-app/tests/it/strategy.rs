//! Strategy artifacts come in row by row, are seen when they are complete, and become proposals.

use ql_app::Error;
use ql_app::strategy::{Filter, ImportRecord};
use ql_core::opportunity::{ImportState, Media, Reconciliation};
use ql_core::page::PageRequest;
use ql_core::proposal::{ProposalState, Verdict};
use ql_core::role::Role;
use ql_core::time::minutes;
use ql_testkit::{TestApp, setup};

use crate::say::{code, problems};

/// What an import counted and noted, in lines.
fn told(record: &ImportRecord) -> String {
    let counts = record.import.counts;
    let mut lines = vec![format!(
        "{}: {} read, {} kept, {} marked, {} refused",
        record.import.state.as_str(),
        counts.read,
        counts.kept,
        counts.marked,
        counts.refused
    )];
    lines.extend(
        record
            .notes
            .iter()
            .map(|note| format!("line {}: {} {}", note.line, note.code, note.cell)),
    );
    lines.join("\n")
}

/// The opportunities with where they stand and why, the oldest first.
async fn picture(test: &TestApp, filter: Filter) -> String {
    let agent = test.agent().await;
    let page = PageRequest::new(Some(100), None);
    let listed = test.app.list_opportunities(&agent, &filter, &page).await;
    let lines = listed
        .expect("opportunities")
        .items
        .into_iter()
        .rev()
        .map(|found| {
            format!(
                "{} is {} by {}: {:?}",
                found.row.query, found.reconciliation, found.rule, found.found
            )
        });
    lines.collect::<Vec<_>>().join("\n")
}

async fn refused(test: &TestApp, media: Media, artifact: &[u8]) -> String {
    let owner = test.member(Role::Owner).await;
    let begun = test
        .app
        .begin_strategy_import(&owner, setup::strategy(media))
        .await;
    let mut import = begun.expect("an import");
    let id = import.id();
    let answer = match import.push(artifact).await {
        Ok(()) => import.finish().await.map(drop),
        Err(error) => Err(error),
    };
    let Err(Error::Invalid(found)) = answer else {
        panic!("taken: {answer:?}")
    };
    let record = test.app.get_strategy_import(&owner, id).await.expect("it");
    let ImportState::Failed { reason, .. } = record.import.state else {
        panic!("{:?}", record.import.state)
    };
    assert_eq!(reason, found[0].code);
    reason
}

#[tokio::test]
async fn sound_rows_are_kept_and_each_other_row_is_named_with_its_line() {
    let test = TestApp::new().await;
    let large = "x".repeat(1 << 20);
    let artifact = format!(
        "Keyword,Topic,Cluster,Intent,URL,Volume\n\
        brew sencha,How to brew sencha,Green tea,informational,https://site.example/sencha,120\n\
        Brew  SENCHA,again,,,,\n\
        too,few\n\
        =1+1,,,,,\n\
        {large},,,,,\n\
        caf\u{e9},Café,,,,\n"
    );
    let record = test
        .imported(&test.home, Media::Csv, artifact.as_bytes())
        .await;
    insta::assert_snapshot!(told(&record), @"
    complete: 6 read, 3 kept, 1 marked, 3 refused
    line 3: duplicate 
    line 4: ragged 
    line 5: formula Keyword
    line 6: too_large
    ");
    insta::assert_snapshot!(picture(&test, Filter::default()).await, @"
    brew sencha is new by nothing_matches: None
    =1+1 is new by nothing_matches: None
    café is new by nothing_matches: None
    ");
    let found = picture(
        &test,
        Filter {
            query: Some("CAFE".into()),
            ..Filter::default()
        },
    )
    .await;
    assert_eq!(found.lines().count(), 1);
    let nothing = picture(
        &test,
        Filter {
            source: Some("Other".into()),
            ..Filter::default()
        },
    )
    .await;
    assert_eq!(nothing, "");
    test.verify_ledger().await;
}

#[tokio::test]
async fn an_artifact_that_cannot_be_read_leaves_nothing() {
    let test = TestApp::new().await;
    let cases: [(Media, &[u8]); 8] = [
        (Media::Csv, b"\xff\xfeq\0u\0e\0r\0y\0"),
        (Media::Csv, b"volume\n1\n"),
        (Media::Csv, b""),
        (Media::Csv, b"query\n"),
        (Media::Json, br#"{"query": "a"}"#),
        (Media::Json, br#"[{"query": "a"}, {"query": "b"#),
        (Media::Json, b"[]"),
        (Media::Json, br#"[{"query": "a"}] [1]"#),
    ];
    let mut reasons = Vec::new();
    for (media, artifact) in cases {
        reasons.push(refused(&test, media, artifact).await);
    }
    insta::assert_snapshot!(reasons.join(" "), @"encoding no_query_column empty empty not_an_array truncated empty trailing");
    assert_eq!(test.opportunities(&test.home).await, []);
}

#[tokio::test]
async fn rows_are_seen_when_the_import_is_complete_and_a_site_receives_one_at_a_time() {
    let test = TestApp::new().await;
    let owner = test.member(Role::Owner).await;
    let begin = |media| {
        test.app
            .begin_strategy_import(&owner, setup::strategy(media))
    };
    let mut import = begin(Media::Csv).await.expect("an import");
    let rows: Vec<String> = (0..5000).map(|row| format!("tea {row}\n")).collect();
    let rows = rows.concat();
    import
        .push(format!("query\n{rows}").as_bytes())
        .await
        .expect("readable");
    assert_eq!(
        test.opportunities(&test.home).await,
        [],
        "nothing is seen before the end"
    );
    let second = begin(Media::Json).await.map(drop);
    assert_eq!(second, Err(Error::ImportRunning));
    let id = import.id();
    drop(import);
    assert_eq!(
        test.run_due_work().await.imports_ended,
        0,
        "its sender may be slow"
    );
    test.advance(minutes(6));
    assert_eq!(test.run_due_work().await.imports_ended, 1);
    let owner = test.member(Role::Owner).await;
    let record = test.app.get_strategy_import(&owner, id).await.expect("it");
    assert_eq!(
        told(&record),
        "failed: 5000 read, 5000 kept, 0 marked, 0 refused"
    );
    let mut import = test
        .app
        .begin_strategy_import(&owner, setup::strategy(Media::Json))
        .await
        .expect("another");
    import
        .push(br#"[{"query": "tea 1", "#)
        .await
        .expect("readable");
    import
        .push(br#""difficulty": 7}]"#)
        .await
        .expect("readable");
    import.finish().await.expect("complete");
    insta::assert_snapshot!(picture(&test, Filter::default()).await, @"tea 1 is new by nothing_matches: None");
    test.verify_ledger().await;
}

#[tokio::test]
async fn where_a_row_stands_follows_the_stated_rules() {
    let test = TestApp::new().await;
    test.briefed(&test.home, "tea").await;
    test.live_article(&test.home, "Opening hours").await;
    let artifact = "query,cluster,url\n\
        about tea page,tea cluster,\n\
        About TEA cluster,Coffee,\n\
        when open,,https://site.example/opening-hours\n\
        brew sencha,Tea cluster,\n";
    test.imported(&test.home, Media::Csv, artifact.as_bytes())
        .await;
    insta::assert_snapshot!(picture(&test, Filter::default()).await, @r#"
    about tea page is matches_existing by same_query: Some("tea-page")
    About TEA cluster is conflicts by same_query_elsewhere: Some("tea-cluster")
    when open is matches_existing by same_address: Some("opening-hours")
    brew sencha is new by nothing_matches: None
    "#);
    test.imported(&test.home, Media::Json, br#"[{"keyword": "Brew sencha"}]"#)
        .await;
    let superseded = Filter {
        reconciliation: Some(Reconciliation::Superseded),
        ..Filter::default()
    };
    insta::assert_snapshot!(picture(&test, superseded).await, @"brew sencha is superseded by later_artifact: None");
    let again = refused(&test, Media::Json, br#"[{"keyword": "Brew sencha"}]"#).await;
    assert_eq!(again, "already_imported");
    let new = Filter {
        reconciliation: Some(Reconciliation::New),
        ..Filter::default()
    };
    assert_eq!(
        picture(&test, new).await,
        "Brew sencha is new by nothing_matches: None"
    );
}

#[tokio::test]
async fn opportunities_become_pages_of_the_map_and_briefs_by_an_approval() {
    let test = TestApp::new().await;
    let artifact = "query,title,cluster,intent\n\
        brew sencha,How to brew sencha,Green tea,informational\n\
        buy gyokuro,,Green tea,transactional\n\
        what is tea,,,\n";
    test.imported(&test.home, Media::Csv, artifact.as_bytes())
        .await;
    let ids = test.opportunities(&test.home).await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let propose = |ids: Vec<_>| test.propose(&agent, Some(run), setup::opportunities(ids));
    let proposed = propose(ids.clone()).await.expect("a proposal");
    let again = propose(vec![ids[0], ids[0]]).await;
    insta::assert_snapshot!(problems(again), @"
    /payload/opportunity_ids/0 not_open: only new and rejected ones can be proposed, and it is proposed: A proposal that holds it waits for a decision.
    /payload/opportunity_ids/1 duplicate: this opportunity is named twice
    /payload/opportunity_ids/1 not_open: only new and rejected ones can be proposed, and it is proposed: A proposal that holds it waits for a decision.
    ");
    let held = Filter {
        reconciliation: Some(Reconciliation::Proposed),
        ..Filter::default()
    };
    assert_eq!(picture(&test, held).await.lines().count(), 3);
    let owner = test.member(Role::Owner).await;
    let view = test
        .approve(&owner, proposed.proposal_id)
        .await
        .expect("approved");
    assert!(matches!(
        view.proposal.state,
        ProposalState::Executed { .. }
    ));
    insta::assert_snapshot!(picture(&test, Filter::default()).await, @r#"
    brew sencha is accepted by carried_out: Some("how-to-brew-sencha")
    buy gyokuro is accepted by carried_out: Some("buy-gyokuro")
    what is tea is accepted by carried_out: Some("what-is-tea")
    "#);
    let whole = test.app.get_topical_map(&agent).await.expect("a map");
    let nodes: Vec<String> = whole
        .map
        .nodes
        .iter()
        .map(|stored| {
            format!(
                "{} {} ({}) under {:?}: {}",
                stored.node.kind, stored.key, stored.node.title, stored.node.parent, stored.status
            )
        })
        .collect();
    insta::assert_snapshot!(nodes.join("\n"), @r#"
    pillar opportunities (Opportunities) under None: planned
    page what-is-tea (what is tea) under Some("opportunities"): briefed
    cluster green-tea (Green tea) under Some("opportunities"): planned
    page buy-gyokuro (buy gyokuro) under Some("green-tea"): briefed
    page how-to-brew-sencha (How to brew sencha) under Some("green-tea"): briefed
    "#);
    let briefs = test
        .app
        .list_briefs(&agent, None, &PageRequest::default())
        .await;
    assert_eq!(briefs.expect("briefs").items.len(), 3);
    test.verify_ledger().await;
}

/// What becomes of the proposal decides where its opportunities stand.
#[tokio::test]
async fn a_rejection_is_remembered_and_a_withdrawal_is_not() {
    let test = TestApp::new().await;
    test.imported(&test.home, Media::Csv, b"query\na tea\nb tea\n")
        .await;
    let ids = test.opportunities(&test.home).await;
    let agent = test.agent().await;
    let run = test.begin_run(&agent).await;
    let propose = |id| test.propose(&agent, Some(run), setup::opportunities(vec![id]));
    let withdrawn = propose(ids[0]).await.expect("one").proposal_id;
    let rejected = propose(ids[1]).await.expect("another").proposal_id;
    test.app
        .withdraw_proposal(&agent, withdrawn)
        .await
        .expect("withdrawn");
    let owner = test.member(Role::Owner).await;
    test.decide(&owner, rejected, Verdict::Reject)
        .await
        .expect("rejected");
    insta::assert_snapshot!(picture(&test, Filter::default()).await, @"
    a tea is rejected by turned_down: None
    b tea is new by nothing_matches: None
    ");
    propose(ids[1]).await.expect("proposed once more");
}

#[tokio::test]
async fn only_editors_import_and_what_they_say_of_it_is_checked() {
    let test = TestApp::new().await;
    let viewer = test.member(Role::Viewer).await;
    let denied = test
        .app
        .begin_strategy_import(&viewer, setup::strategy(Media::Csv))
        .await;
    assert_eq!(code(denied), "role_denied");
    let editor = test.member(Role::Editor).await;
    let mut wrong = setup::strategy(Media::Csv);
    wrong.source = " ".into();
    wrong.exported_at = test.now().plus(ql_core::time::days(9));
    let refused = test.app.begin_strategy_import(&editor, wrong).await;
    insta::assert_snapshot!(problems(refused), @"
    /source required: expected a text that isn't empty
    /exported_at range: expected an instant that has passed
    ");
}
