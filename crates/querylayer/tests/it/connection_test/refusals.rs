//! What a token opens, and what it doesn't.

use super::Tester;
use crate::process::{Server, arg, json, said};

/// A connection of the server's agent with these scopes alone.
fn connection(server: &Server, scopes: &str) -> String {
    let data = server.data();
    let issued = json(&[
        "connection",
        "create",
        "narrow",
        "--agent",
        server.text("agent"),
        "--site",
        "elmsea",
        "--scopes",
        scopes,
        "--data",
        arg(&data),
        "--json",
    ]);
    issued["token"].as_str().expect("a token").to_owned()
}

#[test]
fn tools_that_are_not_there_are_named_with_their_scope() {
    let server = Server::start();
    let token = connection(&server, "site:read,content:read");
    let tester = || Tester::new(server.text("mcp_url"), &token);
    let (well, text) = tester().said();
    assert!(well);
    let tools = text.lines().last().and_then(|line| line.split_once("; "));
    insta::assert_snapshot!(tools.expect("a list").1, @"8 of 25 tools are there, not querylayer_begin_run (runs:write), querylayer_claim_console_task (runs:write), querylayer_complete_console_task (runs:write), querylayer_create_draft (content:write), querylayer_create_proposal (content:write or topical-map:write or publish:request), querylayer_create_task_plan (runs:write), querylayer_finish_run (runs:write), querylayer_list_proposals (runs:read), querylayer_list_topical_map (topical-map:read), querylayer_list_topical_strategy_opportunities (topical-map:read), querylayer_propose_content_brief_draft (content:write), querylayer_propose_content_source_draft (content:write), querylayer_propose_topical_strategy_opportunities (topical-map:write), querylayer_record_artifact (runs:write), querylayer_record_claim_evidence (content:write), querylayer_request_publish_approval (publish:request), querylayer_stage_content_source_package (content:write)");
    let needed = [
        "--tool",
        "querylayer_list_content",
        "--tool",
        "querylayer_create_draft",
    ];
    insta::assert_snapshot!(tester().with(&needed).wrong(), @"NOT tools: querylayer_create_draft isn't there: it needs content:write, which the connection or its agent lacks. Permit it to the agent (querylayer agent permit) and issue a connection that holds it; a connection's scopes can't be changed");
    let data = server.data();
    let beside = tester().with(&needed).with(&["--data", arg(&data)]);
    insta::assert_snapshot!(beside.wrong(), @"NOT tools: querylayer_create_draft isn't there: it needs content:write, which the connection or its agent lacks. The connection holds site:read content:read; its agent is permitted site:read content:read content:write topical-map:read topical-map:write runs:read runs:write publish:request on this site. Permit it to the agent (querylayer agent permit) and issue a connection that holds it; a connection's scopes can't be changed");
}

#[test]
fn an_agent_that_is_permitted_nothing_has_no_tools() {
    let server = Server::start();
    let data = server.data();
    said(&[
        "agent",
        "permit",
        server.text("agent"),
        "--site",
        "elmsea",
        "--scopes",
        "--data",
        arg(&data),
    ]);
    let wrong = Tester::of(&server).with(&["--data", arg(&data)]).wrong();
    insta::assert_snapshot!(wrong, @"NOT tools: the token holds, and opens no tool: no scope of its connection is one that its agent is permitted here. The connection holds site:read content:read content:write topical-map:read topical-map:write runs:read runs:write publish:request; its agent is permitted nothing on this site. Permit the agent something on this site");
}

#[test]
fn a_busy_connection_hears_how_long_to_wait() {
    let limits = [
        ("QUERYLAYER_CALLS_PER_MINUTE", "1"),
        ("QUERYLAYER_CALL_BURST", "1"),
    ];
    let server = Server::start_with(ql_testkit::TempDir::new(), &limits);
    assert_eq!(Tester::of(&server).code(), "rate_limited");
}
