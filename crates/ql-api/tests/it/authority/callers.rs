//! Everybody who may try, with a credential that opens something and without.

use std::collections::BTreeMap;

use axum::Router;
use ql_api::mcp::{McpConfig, router};
use ql_app::OpContext;
use ql_app::connection::{IssuedConnection, NewConnection};
use ql_core::role::Role;
use ql_core::scope::{Scope, ScopeSet};
use ql_core::time::minutes;
use ql_testkit::{Place, TestApp};

use super::rows::Row;
use crate::actor::Actor;
use crate::belongings::Belongings;

/// Whose credential opens something. All name what belongs to the home site.
pub(super) const KNOWN: [&str; 7] = [
    "every scope",
    "the needed scope alone",
    "all but the needed scope",
    "the needed permission withdrawn",
    "another connection of the agent",
    "the agent's connection to another site",
    "another organization's agent",
];

/// Whose credential opens nothing.
pub(super) const STRANGERS: [&str; 15] = [
    "junk",
    "wrong checksum",
    "never issued",
    "expired",
    "revoked",
    "rotated",
    "owner's personal token",
    "admin's personal token",
    "editor's personal token",
    "reviewer's personal token",
    "viewer's personal token",
    "a session's secret",
    "a sign-in link's secret",
    "a connection's id",
    "a connection's fingerprint",
];

/// The whole application with everybody in it.
pub(super) struct Callers {
    test: TestApp,
    router: Router,
    operator: OpContext,
    pub(super) home: Belongings,
    sibling: Belongings,
    foreign: Belongings,
    next_door: IssuedConnection,
    second: IssuedConnection,
    strangers: BTreeMap<&'static str, String>,
}

impl Callers {
    pub(super) async fn new() -> Self {
        let test = TestApp::new().await;
        let unlimited = McpConfig {
            calls: None,
            failed_authentications: None,
            ..McpConfig::default()
        };
        let operator = test.operator().await;
        let strangers = strangers(&test, &operator).await;
        let next_door = {
            let sibling = ql_app::session::SiteRef::Id(test.sibling.site.id);
            let (there, _) = test
                .app
                .operator_site_context(0, &sibling)
                .await
                .expect("it");
            let agent = test.home.agent.id;
            let permitted = test.app.set_permissions(&there, agent, ScopeSet::ALL).await;
            permitted.expect("permissions");
            connect(&test, &there, &test.home, ScopeSet::ALL).await
        };
        Self {
            router: router(test.app.clone(), unlimited),
            home: Belongings::of(&test, &test.home).await,
            sibling: Belongings::of(&test, &test.sibling).await,
            foreign: Belongings::of(&test, &test.foreign).await,
            second: connect(&test, &operator, &test.home, ScopeSet::ALL).await,
            next_door,
            operator,
            strangers,
            test,
        }
    }

    /// A caller of a row, and what is its own: new things of the home site, in a run of its own
    /// connection where it can have one.
    pub(super) async fn prepare(&self, caller: &str, row: &Row) -> (Actor, Belongings) {
        let needed: Scope = row.scope.parse().expect("a scope");
        let needed = [needed].into_iter().collect();
        let all_but = ScopeSet::ALL.minus(needed);
        let own = Belongings::of(&self.test, &self.test.home).await;
        let held = match caller {
            "all but the needed scope" => all_but,
            _ => ScopeSet::ALL,
        };
        let issued = match caller {
            "the agent's connection to another site" => self.next_door.clone(),
            "another organization's agent" => self.test.foreign.connection.clone(),
            "another connection of the agent" => self.second.clone(),
            _ => connect(&self.test, &self.operator, &self.test.home, held).await,
        };
        let secret = issued.secret.expose();
        let context = self.test.app.authenticate_connection(secret).await;
        let context = context.expect("a living connection");
        let begun = match caller {
            "every scope"
            | "the needed scope alone"
            | "all but the needed scope"
            | "the needed permission withdrawn" => {
                let run = ql_testkit::setup::run(&[]);
                self.test.app.begin_run(&context, run, None).await.ok()
            }
            _ => None,
        };
        let own = match begun {
            Some(begun) => own.and("run", &begun.run_id),
            None => own,
        };
        match caller {
            "the needed scope alone" => self.permit(needed).await,
            "the needed permission withdrawn" => self.permit(all_but).await,
            _ => {}
        }
        (Actor::on(self.router.clone()).token(secret), own)
    }

    /// Gives the agent back what [`Callers::prepare`] may have withdrawn.
    pub(super) async fn restore(&self) {
        self.permit(ScopeSet::ALL).await;
    }

    async fn permit(&self, scopes: ScopeSet) {
        let agent = self.test.home.agent.id;
        let set = self.test.app.set_permissions(&self.operator, agent, scopes);
        set.await.expect("permissions");
    }

    /// What isn't the caller's: of two other sites, one of them of another organization, and of
    /// nobody.
    pub(super) fn elsewhere(&self, caller: &str) -> [Belongings; 3] {
        let others = match caller {
            "the agent's connection to another site" => [&self.home, &self.foreign],
            "another organization's agent" => [&self.home, &self.sibling],
            _ => [&self.sibling, &self.foreign],
        };
        [others[0].clone(), others[1].clone(), self.home.never()]
    }

    /// Somebody without a credential that opens something.
    pub(super) fn stranger(&self, stranger: &str) -> Actor {
        Actor::on(self.router.clone()).token(&self.strangers[stranger])
    }
}

async fn connect(
    test: &TestApp,
    site: &OpContext,
    place: &Place,
    scopes: ScopeSet,
) -> IssuedConnection {
    let new = NewConnection {
        agent: place.agent.id,
        name: "tried".to_owned(),
        scopes,
        expires_at: None,
    };
    let issued = test.app.create_connection(site, new).await;
    issued.expect("a connection")
}

/// Each stranger's credential.
async fn strangers(test: &TestApp, operator: &OpContext) -> BTreeMap<&'static str, String> {
    let live = test.home.connection.secret.expose().to_owned();
    let expired = NewConnection {
        agent: test.home.agent.id,
        name: "short".to_owned(),
        scopes: ScopeSet::ALL,
        expires_at: Some(test.now().plus(minutes(2))),
    };
    let expired = test
        .app
        .create_connection(operator, expired)
        .await
        .expect("one");
    test.advance(minutes(3));
    let revoked = connect(test, operator, &test.home, ScopeSet::ALL).await;
    let rotated = connect(test, operator, &test.home, ScopeSet::ALL).await;
    let ended = test
        .app
        .revoke_connection(operator, revoked.connection.id)
        .await;
    ended.expect("revoked");
    let ended = test
        .app
        .rotate_connection(operator, rotated.connection.id)
        .await;
    ended.expect("rotated");
    let never =
        ql_core::token::Token::generate(ql_core::token::TokenKind::Connection, &**test.app.ids());
    let link = |role| {
        test.app
            .create_sign_in_link(operator, test.home.members[&role])
    };
    let session = link(Role::Viewer).await.expect("a link");
    let session = test.app.sign_in_with_link(&session).await.expect("in");
    let mut strangers = BTreeMap::from([
        ("junk", "not a token".to_owned()),
        ("wrong checksum", format!("{}x", &live[..live.len() - 1])),
        ("never issued", never.expose().to_owned()),
        ("expired", expired.secret.expose().to_owned()),
        ("revoked", revoked.secret.expose().to_owned()),
        ("rotated", rotated.secret.expose().to_owned()),
        ("a session's secret", session.secret),
        (
            "a sign-in link's secret",
            link(Role::Editor).await.expect("a link"),
        ),
        (
            "a connection's id",
            test.home.connection.connection.id.to_string(),
        ),
        (
            "a connection's fingerprint",
            test.home.connection.secret.fingerprint().to_string(),
        ),
    ]);
    for name in STRANGERS {
        let Some(role) = name.strip_suffix("'s personal token") else {
            continue;
        };
        let role = role.parse().expect("a role");
        let member = test.sign_in(&test.home, role).await;
        let issued = test.app.issue_personal_token(&member, "script").await;
        let secret = issued.expect("a token").secret;
        strangers.insert(name, secret.expose().to_owned());
    }
    strangers
}
