//! Load balancers, supervisors and Prometheus ask how the server is.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use ql_api::health::Metrics;
use ql_api::{ApiConfig, router};
use ql_core::proposal::{Items, Payload, PublishItem};
use ql_core::time::{hours, minutes};
use ql_testkit::TestApp;

use crate::actor::{Actor, Reply};

struct Monitor {
    app: TestApp,
    router: Router,
}

impl Monitor {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let metrics = Arc::new(Metrics::default());
        let router = router(&app.app, ApiConfig::default(), &metrics);
        Self { app, router }
    }

    async fn get(&self, path: &str) -> Reply {
        let anybody = Actor::on(self.router.clone()).without_token();
        let host = ("host", "10.0.0.7:9000".to_owned());
        anybody.send("GET", path, &[host], Body::empty()).await
    }
}

#[tokio::test]
async fn a_server_that_works_is_alive_and_ready() {
    let monitor = Monitor::new().await;
    for path in ["/healthz", "/readyz"] {
        let reply = monitor.get(path).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("cache-control")),
            (200, "no-store")
        );
    }
    insta::assert_snapshot!(monitor.get("/healthz").await.body, @r#"{"status":"ok"}"#);
    insta::assert_snapshot!(monitor.get("/readyz").await.body, @r#"{"status":"ready"}"#);
}

#[tokio::test]
async fn a_server_whose_jobs_are_stuck_is_not_ready() {
    let monitor = Monitor::new().await;
    let app = &monitor.app;
    let agent = app.agent().await;
    let run = app.begin_run(&agent).await;
    let draft = app.draft(&agent, run, "Later").await;
    let item = PublishItem::Publish {
        content_id: draft.content,
        revision_id: draft.revision,
        publish_at: Some(app.now().plus(hours(1))),
        time_zone: None,
    };
    app.carry_out(
        &app.home,
        Payload::PublishLifecycle(Items { items: vec![item] }),
    )
    .await;
    app.advance(hours(1));
    assert_eq!(
        monitor.get("/readyz").await.status,
        200,
        "it may take a moment"
    );
    app.advance(minutes(1));
    let stuck = monitor.get("/readyz").await;
    assert_eq!(stuck.status, 503);
    insta::assert_snapshot!(stuck.body, @r#"{"reason":"1 jobs are due and nobody does them","status":"not_ready"}"#);
    app.run_due_work().await;
    assert_eq!(monitor.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn a_server_without_its_database_is_alive_but_not_ready() {
    let monitor = Monitor::new().await;
    monitor.app.lose_database();
    assert_eq!(monitor.get("/healthz").await.status, 200);
    let reply = monitor.get("/readyz").await;
    assert_eq!(reply.status, 503);
    insta::assert_snapshot!(reply.body, @r#"{"reason":"the database doesn't answer","status":"not_ready"}"#);
    assert!(
        monitor
            .get("/metrics")
            .await
            .body
            .contains("querylayer_database_up 0\n")
    );
}

#[tokio::test]
async fn what_happened_and_what_is_open_is_counted() {
    let monitor = Monitor::new().await;
    let before = monitor.app.app.writes();
    let agent = monitor.app.agent().await;
    let run = monitor.app.begin_run(&agent).await;
    let draft = monitor.app.draft(&agent, run, "A page").await;
    monitor.app.request_publication(&agent, run, &[draft]).await;
    for path in [
        "/mcp",
        "/api/v1/session",
        "/delivery/v1/sites/site/items",
        "/delivery/v1/x",
        "/delivery/v1/y",
    ] {
        monitor.get(path).await;
    }
    let figures = monitor.get("/metrics").await;
    assert_eq!(
        figures.header("content-type"),
        "text/plain; version=0.0.4; charset=utf-8"
    );
    assert!(monitor.app.app.writes() >= before + 3);
    // The use of a connection is noted at a time of its own, so the number of writes is left out.
    let fixed = |line: &&str| !line.starts_with("querylayer_writes_total");
    let lines: Vec<&str> = figures.body.lines().filter(fixed).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    # HELP querylayer_requests_total Answers by surface and status.
    # TYPE querylayer_requests_total counter
    querylayer_requests_total{surface="mcp",status="403"} 1
    querylayer_requests_total{surface="rest",status="403"} 1
    querylayer_requests_total{surface="delivery",status="200"} 1
    querylayer_requests_total{surface="delivery",status="404"} 2
    # HELP querylayer_build_info The version that runs.
    # TYPE querylayer_build_info gauge
    querylayer_build_info{version="0.1.0"} 1
    # HELP querylayer_database_up Whether the database answers.
    # TYPE querylayer_database_up gauge
    querylayer_database_up 1
    # HELP querylayer_writes_total Changes that were committed.
    # TYPE querylayer_writes_total counter
    # HELP querylayer_ledger_signs Whether nothing keeps this server from signing the ledger.
    # TYPE querylayer_ledger_signs gauge
    querylayer_ledger_signs 1
    # HELP querylayer_waiting_claims Claims of console tasks that wait on this server.
    # TYPE querylayer_waiting_claims gauge
    querylayer_waiting_claims 0
    # HELP querylayer_failed_looks_total Looks for what waiting claims may have that failed.
    # TYPE querylayer_failed_looks_total counter
    querylayer_failed_looks_total 0
    # HELP querylayer_open_runs Runs that were begun and not finished.
    # TYPE querylayer_open_runs gauge
    querylayer_open_runs 1
    # HELP querylayer_pending_proposals Proposals that wait for people.
    # TYPE querylayer_pending_proposals gauge
    querylayer_pending_proposals 1
    # HELP querylayer_ledger_waiting_entries Entries of the ledger that wait to be signed.
    # TYPE querylayer_ledger_waiting_entries gauge
    querylayer_ledger_waiting_entries 27
    # HELP querylayer_stuck_jobs Jobs that are due and that nobody does.
    # TYPE querylayer_stuck_jobs gauge
    querylayer_stuck_jobs 0
    "#);
}
