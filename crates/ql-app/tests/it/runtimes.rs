//! Identity drills: what happens to a Hermes agent when its profile is renamed, copied, deleted,
//! made anew or seen on two machines, and when its session isn't where it should be. Nothing is ever
//! put in its place.

use ql_app::runtime::{Availability, Looked, LookedFor, NewReport, Reported, SeenProfile};
use ql_app::turn::ClaimedTurn;
use ql_app::{Error, OpContext, Result};
use ql_core::access::Principal;
use ql_core::actor::Harness;
use ql_core::id::{AgentId, ConversationId};
use ql_core::role::Role;
use ql_core::runtime::Doubt;
use ql_core::scope::ScopeSet;
use ql_core::step::Operation;
use ql_core::time::minutes;
use ql_core::turn::Reply;
use ql_testkit::TestApp;
use ql_testkit::console::{plan, step};

use crate::say::code;

/// A Hermes agent at home, bound to the profile `p1`, with its connector.
struct Hermes {
    test: TestApp,
    agent: OpContext,
    conversation: ConversationId,
}

impl Hermes {
    async fn new() -> Self {
        let test = TestApp::new().await;
        let agent = register(&test, Some("p1")).await;
        let editor = test.member(Role::Editor).await;
        let begun = test.app.create_conversation(&editor, id_of(&agent)).await;
        let conversation = begun.expect("a conversation").id;
        test.say(conversation, "Write.").await;
        Self {
            test,
            agent,
            conversation,
        }
    }

    /// The connector reports profiles: id, name, and the sessions that it found.
    async fn report(&self, profiles: &[(&str, &str, &[&str])]) -> Reported {
        self.report_from("desk", profiles).await
    }

    async fn report_from(&self, connector: &str, profiles: &[(&str, &str, &[&str])]) -> Reported {
        let profiles = profiles.iter().map(|(id, name, sessions)| SeenProfile {
            profile_id: Some((*id).to_owned()).filter(|id| !id.is_empty()),
            profile_name: (*name).to_owned(),
            sessions: sessions.iter().map(|s| looked(s, true)).collect(),
        });
        let new = NewReport {
            connector: connector.into(),
            host: format!("{connector}.example"),
            profiles: profiles.collect(),
        };
        let reported = self.test.app.report_runtime(&self.agent, new).await;
        reported.expect("kept")
    }

    async fn verify(&self, session: &str, found: bool) -> String {
        let looked = LookedFor {
            connector: "desk".into(),
            profile_id: "p1".into(),
            seen: looked(session, found),
        };
        match self.test.app.verify_session(&self.agent, looked).await {
            Ok(Ok(())) => "available".to_owned(),
            Ok(Err(why)) => why.code().to_owned(),
            Err(error) => error.code().to_owned(),
        }
    }

    async fn claim(&self, session: &str) -> Result<ClaimedTurn> {
        self.test.claim_turn(&self.agent, session).await
    }

    /// Why a claim isn't let in.
    async fn refused(&self, session: &str) -> &'static str {
        match self.claim(session).await {
            Err(Error::RuntimeUnavailable(why)) => why.code(),
            Err(other) => other.code(),
            Ok(_) => "a turn",
        }
    }

    /// What the dashboard shows: the link, or the reason why there is none.
    async fn shown(&self) -> String {
        let viewer = self.test.member(Role::Viewer).await;
        let record = self.test.app.get_conversation(&viewer, self.conversation);
        match record.await.expect("the conversation").runtime {
            Availability::Available { link, command, .. } => {
                format!("{link} | {}", command.unwrap_or_default())
            }
            Availability::Unavailable { reason, .. } => reason.to_owned(),
            Availability::NotDiscovered => "no runtime".to_owned(),
        }
    }

    /// The conversation at work in the session `s1` under the profile `p1`.
    async fn bound(self) -> Self {
        self.report(&[("p1", "writer", &["s1"])]).await;
        let claimed = self.claim("s1").await.expect("a turn");
        let done = self
            .test
            .complete_turn(&self.agent, &claimed, Reply::Completed);
        done.await.expect("completed");
        self.test.say(self.conversation, "Go on.").await;
        self
    }
}

fn looked(session: &str, found: bool) -> Looked {
    Looked {
        session: session.to_owned(),
        found,
        doubt: None,
    }
}

fn id_of(agent: &OpContext) -> AgentId {
    match agent.principal() {
        Principal::Agent(agent) => agent.agent,
        other => panic!("no agent: {other:?}"),
    }
}

async fn register(test: &TestApp, profile_id: Option<&str>) -> OpContext {
    let admin = test.member(Role::Admin).await;
    let organization = test.organization_member(Role::Admin).await;
    let new = ql_app::agent::NewAgent {
        name: "Hermes".into(),
        harness: Harness::Hermes,
        profile_id: profile_id.map(str::to_owned),
        profile_name: None,
    };
    let agent = test.app.create_agent(&organization, new).await;
    let agent = agent.expect("an agent").id;
    test.app
        .set_permissions(&admin, agent, ScopeSet::ALL)
        .await
        .expect("set");
    connect(test, agent, "connector").await
}

async fn connect(test: &TestApp, agent: AgentId, name: &str) -> OpContext {
    let admin = test.member(Role::Admin).await;
    let new = ql_app::connection::NewConnection {
        agent,
        name: name.into(),
        scopes: ScopeSet::ALL,
        expires_at: None,
    };
    let issued = test.app.create_connection(&admin, new).await;
    let secret = issued.expect("a connection").secret;
    let context = test.app.authenticate_connection(secret.expose()).await;
    context.expect("a living connection")
}

#[tokio::test]
async fn without_a_report_nothing_is_claimed() {
    let hermes = Hermes::new().await;
    assert_eq!(hermes.refused("s1").await, "not_discovered");
    assert_eq!(hermes.shown().await, "not_discovered");
    let reported = hermes.report(&[("p1", "writer", &["s1"])]).await;
    assert_eq!(reported.profile, Ok("writer".to_owned()));
    assert_eq!(hermes.refused("s2").await, "session_unverified");
    hermes.claim("s1").await.expect("a turn");
    insta::assert_snapshot!(hermes.shown().await, @"hermes://sessions/s1?profile_id=p1 | hermes -p writer --resume s1");
}

#[tokio::test]
async fn an_agent_without_a_profile_id_is_bound_to_nothing() {
    let hermes = Hermes::new().await;
    let unbound = register_other(&hermes.test).await;
    let new = NewReport {
        connector: "desk".into(),
        host: "desk".into(),
        profiles: vec![SeenProfile {
            profile_id: None,
            profile_name: "writer".into(),
            sessions: Vec::new(),
        }],
    };
    let reported = hermes.test.app.report_runtime(&unbound, new).await;
    let why = reported.expect("kept").profile.expect_err("no profile");
    assert_eq!(why.code(), "profile_unbound");
    let refused = hermes.test.claim_turn(&unbound, "s1").await;
    assert_eq!(code(refused), "runtime_unavailable");
}

async fn register_other(test: &TestApp) -> OpContext {
    let organization = test.organization_member(Role::Admin).await;
    let new = ql_app::agent::NewAgent {
        name: "Unbound".into(),
        harness: Harness::Hermes,
        profile_id: None,
        profile_name: None,
    };
    let agent = test.app.create_agent(&organization, new).await;
    let agent = agent.expect("an agent").id;
    let admin = test.member(Role::Admin).await;
    test.app
        .set_permissions(&admin, agent, ScopeSet::ALL)
        .await
        .expect("set");
    connect(test, agent, "unbound").await
}

#[tokio::test]
async fn a_rename_moves_the_route_writes_one_event_and_changes_nothing_else() {
    let hermes = Hermes::new().await.bound().await;
    let before = hermes.shown().await;
    let reported = hermes.report(&[("p1", "author", &["s1"])]).await;
    assert_eq!(reported.agent.profile_name.as_deref(), Some("author"));
    hermes.report(&[("p1", "author", &["s1"])]).await;
    let admin = hermes.test.member(Role::Admin).await;
    let filter = ql_store::ledger::Filter {
        kind: Some("agent.renamed".into()),
        actor: None,
    };
    let page = ql_core::page::PageRequest::default();
    let renames = hermes.test.app.list_audit(&admin, &filter, &page).await;
    let names: Vec<String> = (renames.expect("a list").items.iter())
        .map(|entry| entry.detail["profile_name"].to_string())
        .collect();
    assert_eq!(names, ["\"author\"", "\"writer\""], "one event each");
    insta::assert_snapshot!(before, @"hermes://sessions/s1?profile_id=p1 | hermes -p writer --resume s1");
    insta::assert_snapshot!(hermes.shown().await, @"hermes://sessions/s1?profile_id=p1 | hermes -p author --resume s1");
    hermes.claim("s1").await.expect("the same conversation");
}

#[tokio::test]
async fn a_profile_that_was_copied_or_imported_twice_is_nobody() {
    let hermes = Hermes::new().await.bound().await;
    hermes
        .report(&[("p1", "writer", &["s1"]), ("p1", "writer-2", &[])])
        .await;
    assert_eq!(hermes.refused("s1").await, "profile_ambiguous");
    assert_eq!(hermes.shown().await, "profile_ambiguous");
    hermes.report(&[("p1", "writer", &["s1"])]).await;
    hermes.claim("s1").await.expect("it is alone again");
}

#[tokio::test]
async fn two_machines_with_one_profile_are_nobody_until_one_falls_silent() {
    let hermes = Hermes::new().await.bound().await;
    hermes
        .report_from("laptop", &[("p1", "writer", &["s1"])])
        .await;
    assert_eq!(hermes.refused("s1").await, "profile_ambiguous");
    hermes.test.advance(minutes(2));
    assert_eq!(hermes.refused("s1").await, "discovery_stale");
    hermes.report(&[("p1", "writer", &["s1"])]).await;
    hermes.claim("s1").await.expect("the laptop is silent");
}

#[tokio::test]
async fn a_profile_that_was_made_anew_under_the_same_name_is_another() {
    let hermes = Hermes::new().await.bound().await;
    hermes.report(&[("", "writer", &["s1"])]).await;
    assert_eq!(hermes.refused("s1").await, "profile_missing");
    hermes.report(&[("p2", "writer", &["s1"])]).await;
    assert_eq!(hermes.refused("s1").await, "profile_missing");
    assert_eq!(hermes.shown().await, "profile_missing");
}

#[tokio::test]
async fn a_session_under_another_profile_is_not_the_session() {
    let hermes = Hermes::new().await.bound().await;
    hermes
        .report(&[("p1", "writer", &[]), ("p2", "other", &["s1"])])
        .await;
    assert_eq!(hermes.refused("s1").await, "session_unverified");
    assert_eq!(hermes.verify("s1", false).await, "session_missing");
    assert_eq!(hermes.refused("s1").await, "session_missing");
    assert_eq!(hermes.shown().await, "session_missing");
    assert_eq!(hermes.verify("s1", true).await, "available");
    hermes.claim("s1").await.expect("it is back");
}

/// What a connector can't tell is no "not there": people read why, and no step is stopped by it.
#[tokio::test]
async fn a_doubt_of_the_connector_refuses_with_its_own_reason() {
    let hermes = Hermes::new().await.bound().await;
    let mut seen = Vec::new();
    for doubt in Doubt::ALL {
        let looked = LookedFor {
            connector: "desk".into(),
            profile_id: "p1".into(),
            seen: Looked {
                doubt: Some(doubt),
                ..looked("s1", true)
            },
        };
        let answer = hermes.test.app.verify_session(&hermes.agent, looked).await;
        answer.expect("kept").expect_err("refused");
        assert_eq!(hermes.refused("s1").await, doubt.as_str());
        seen.push(hermes.shown().await);
    }
    insta::assert_snapshot!(seen.join("\n"), @"
    gateway_unreachable
    gateway_foreign
    successor_unclear
    ");
    assert_eq!(hermes.verify("s1", true).await, "available");
    hermes.claim("s1").await.expect("the doubt is gone");
}

/// The connector keeps the lease while the session works, and gives it back with why.
#[tokio::test]
async fn a_lease_is_renewed_and_given_back_with_the_reason() {
    let hermes = Hermes::new().await.bound().await;
    let (test, app) = (&hermes.test, &hermes.test.app);
    let claimed = hermes.claim("s1").await.expect("a turn");
    let token = Some(claimed.lease_token);
    test.advance(minutes(9));
    let until = app.renew_turn(&hermes.agent, claimed.turn_id, token).await;
    assert_eq!(until.expect("renewed"), test.app.now().plus(minutes(10)));
    test.advance(minutes(9));
    let done = test.complete_turn(&hermes.agent, &claimed, Reply::Released);
    assert_eq!(done.await.expect("it still held").turn_state, "queued");
    let lost = app.renew_turn(&hermes.agent, claimed.turn_id, token).await;
    assert_eq!(code(lost), "lease_lost");
    let viewer = test.member(Role::Viewer).await;
    let record = app.get_conversation(&viewer, hermes.conversation).await;
    let turns = record.expect("the conversation").turns;
    let given_back = turns.iter().find(|turn| turn.id == claimed.turn_id);
    let given_back = given_back.expect("the turn");
    assert_eq!(given_back.reason.as_deref(), Some("released"));
    assert_eq!(given_back.returned_with.as_deref(), Some("It is released."));
}

#[tokio::test]
async fn a_session_that_was_rotated_is_followed_when_it_is_there() {
    let hermes = Hermes::new().await.bound().await;
    let after = ql_app::turn::ClaimTurn {
        presented: ql_core::conversation::Presented {
            session: Some("s2".into()),
            previous: Some("s1".into()),
        },
        ..ql_app::turn::ClaimTurn::default()
    };
    let app = &hermes.test.app;
    let early = app.claim_turn(&hermes.agent, after.clone(), None).await;
    assert_eq!(code(early), "runtime_unavailable");
    assert_eq!(hermes.verify("s2", true).await, "available");
    let claimed = app.claim_turn(&hermes.agent, after, None).await;
    let session = claimed.expect("a turn").conversation.session_id;
    assert_eq!(session.as_deref(), Some("s2"));
    insta::assert_snapshot!(hermes.shown().await, @"hermes://sessions/s2?profile_id=p1 | hermes -p writer --resume s2");
}

#[tokio::test]
async fn a_discovery_grows_old() {
    let hermes = Hermes::new().await.bound().await;
    hermes.test.advance(minutes(2));
    assert_eq!(hermes.refused("s1").await, "discovery_stale");
    assert_eq!(hermes.shown().await, "discovery_stale");
}

#[tokio::test]
async fn where_a_connector_runs_it_alone_claims_and_hands_the_lease_on() {
    let hermes = Hermes::new().await.bound().await;
    let (test, own) = (&hermes.test, id_of(&hermes.agent));
    let agent = connect(test, own, "the agent itself").await;
    let refused = test.claim_turn(&agent, "s1").await;
    let Err(Error::RuntimeUnavailable(why)) = refused else {
        panic!("claimed beside the connector")
    };
    assert_eq!(why.code(), "connector_claims");
    let claimed = hermes.claim("s1").await.expect("the connector's");
    let run = test.run_for(&agent, &claimed).await;
    test.draft(&agent, run, "Moss").await;
    test.complete_turn(&agent, &claimed, Reply::Completed)
        .await
        .expect("the agent completes");
}

#[tokio::test]
async fn a_connector_sees_what_waits_and_for_which_session() {
    let hermes = Hermes::new().await.bound().await;
    let peek = hermes
        .test
        .app
        .peek_turns(&hermes.agent, std::time::Duration::ZERO);
    let waiting = peek.await.expect("a list");
    let sessions: Vec<Option<&str>> = waiting.iter().map(|turn| turn.session.as_deref()).collect();
    assert_eq!(sessions, [Some("s1")]);
    assert_eq!(waiting[0].conversation, hermes.conversation);
    let stranger = hermes.test.agent().await;
    let peek = hermes
        .test
        .app
        .peek_turns(&stranger, std::time::Duration::ZERO);
    assert_eq!(peek.await.expect("a list"), []);
}

/// What was seen not to be there stops the task with the reason; what was only not seen waits.
#[tokio::test]
async fn a_task_whose_runtime_is_gone_stops_with_the_reason_and_a_person_opens_it_again() {
    let hermes = Hermes::new().await.bound().await;
    let test = &hermes.test;
    let claimed = hermes.claim("s1").await.expect("a turn");
    let steps = vec![step("find", Operation::Research, &[])];
    let made = test
        .app
        .create_task_plan(&hermes.agent, plan(&claimed, steps), None)
        .await
        .expect("a plan");
    test.complete_turn(&hermes.agent, &claimed, Reply::Completed)
        .await
        .expect("completed");
    let step = async || {
        let viewer = test.member(Role::Viewer).await;
        let record = test.app.get_plan(&viewer, made.plan_id).await;
        let step = record.expect("the plan").steps.remove(0);
        let reason = step.state.reason().map(|reason| reason.code.clone());
        (step.state.as_str(), reason.unwrap_or_default(), step.id)
    };
    test.advance(minutes(2));
    assert_eq!(hermes.refused("s1").await, "discovery_stale");
    assert_eq!(step().await.0, "offered", "not seen is not gone");
    hermes
        .report(&[("p1", "writer", &["s1"]), ("p1", "copy", &["s1"])])
        .await;
    let (state, reason, id) = step().await;
    assert_eq!((state, reason.as_str()), ("blocked", "profile_ambiguous"));
    test.nothing_is_stuck().await;
    hermes.report(&[("p1", "writer", &["s1"])]).await;
    assert_eq!(hermes.refused("s1").await, "no_task", "nothing by itself");
    let editor = test.member(Role::Editor).await;
    test.app.reopen_step(&editor, id).await.expect("opened");
    hermes.claim("s1").await.expect("the step");
}

/// Names come from another machine. What a shell would read otherwise isn't offered for copying.
#[tokio::test]
async fn strange_names_are_escaped_in_the_link_and_make_no_command() {
    let hermes = Hermes::new().await;
    hermes.report(&[("p1", "a; rm -rf ~", &["s 1/?#&"])]).await;
    hermes.claim("s 1/?#&").await.expect("a turn");
    insta::assert_snapshot!(hermes.shown().await, @"hermes://sessions/s%201%2F%3F%23%26?profile_id=p1 | ");
}
