//! A whole application in a throw-away folder, with people and agents who can act in it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ql_app::connection::IssuedConnection;
use ql_app::job::Round;
use ql_app::ledger::{Sequenced, Signed};
use ql_app::proposal::{ProposalView, Proposed};
use ql_app::session::SiteRef;
use ql_app::{App, AppConfig, OpContext, Result, SignedIn};
use ql_core::connection::Agent;
use ql_core::id::{ContentId, MemberId, ProposalId, RevisionId, RunId};
use ql_core::page::PageRequest;
use ql_core::proposal::{Payload, PublishItem, Verdict};
use ql_core::role::Role;
use ql_core::time::{Clock, Timestamp};
use ql_store::Store;
use ql_store::delivery::{Filter, LivePage};
use ql_store::site::Site;
use serde_json::json;

use crate::setup;
use crate::{CountingIds, FixedClock, FreshDatabase, MemoryVault};

/// An application over a fresh database, with a clock that stands still and identifiers that repeat.
///
/// The database is an embedded one, or, where `QL_TEST_ENGINE` is `postgres`, one of a server: the
/// same tests hold on both.
///
/// There are three sites: [`TestApp::home`], where the story takes place, a sibling of the same
/// organization, and a foreign one of another organization. Each has the `article` template and an
/// agent that holds every scope there; the home organization has a member of every role.
#[derive(Debug)]
pub struct TestApp {
    /// The use cases.
    pub app: App,
    /// The clock that `app` reads.
    pub clock: Arc<FixedClock>,
    /// The site that the story is about.
    pub home: Place,
    /// Another site of the same organization.
    pub sibling: Place,
    /// A site of another organization.
    pub foreign: Place,
    /// Where the ledger's key is.
    pub vault: Arc<MemoryVault>,
    sessions: Mutex<HashMap<MemberId, String>>,
    database: FreshDatabase,
}

/// A site with its agent and its organization's members.
#[derive(Debug, Clone)]
pub struct Place {
    /// The site.
    pub site: Site,
    /// An agent that holds every scope here.
    pub agent: Agent,
    /// The agent's connection with its secret; it holds every scope too.
    pub connection: IssuedConnection,
    /// The organization's members by role.
    pub members: HashMap<Role, MemberId>,
}

/// A draft by its item and its revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draft {
    /// The item.
    pub content: ContentId,
    /// The revision.
    pub revision: RevisionId,
}

impl TestApp {
    /// A new application at [`crate::NOON`].
    pub async fn new() -> Self {
        Self::over(FreshDatabase::chosen()).await
    }

    /// A new application over the embedded engine, for tests that look into its file.
    pub async fn embedded() -> Self {
        Self::over(FreshDatabase::embedded()).await
    }

    /// A new application over a database.
    pub async fn over(database: FreshDatabase) -> Self {
        let clock = Arc::new(FixedClock::default());
        let config = AppConfig {
            public_url: "https://ql.example".into(),
            preview_key: [7; 32],
        };
        let ids = Arc::new(CountingIds::default());
        let vault = Arc::new(MemoryVault::default());
        let store = database.store().clone();
        let app = App::new(store, clock.clone(), ids, config).with_vault(vault.clone());
        let [home, sibling, foreign] = setup::places(&app).await.expect("a sound set-up");
        Self {
            app,
            clock,
            home,
            sibling,
            foreign,
            vault,
            sessions: Mutex::default(),
            database,
        }
    }

    /// A second server of the same database, with the same clock; none on the embedded engine, which
    /// one server has for itself.
    pub fn replica(&self) -> Option<App> {
        let (store, clock) = (self.database.another_store()?, self.clock.clone());
        Some(self.server(store, clock))
    }

    /// As [`TestApp::replica`], where leases are judged by the database server's clock, while this
    /// server's own is `clock`.
    pub fn replica_with(&self, clock: Arc<dyn Clock>) -> Option<App> {
        Some(self.server(self.database.product_store()?, clock))
    }

    fn server(&self, store: Store, clock: Arc<dyn Clock>) -> App {
        let (ids, config) = (Arc::clone(self.app.ids()), self.app.config().clone());
        App::new(store, clock, ids, config).with_vault(self.vault.clone())
    }

    /// Ends the application and gives its database.
    pub fn into_database(self) -> FreshDatabase {
        self.database
    }

    /// Lets the database server count its rows, as it does by itself after a while; it plans by that.
    pub fn count_rows(&self) {
        self.database.count_rows();
    }

    /// The file of the embedded database.
    pub fn database(&self) -> PathBuf {
        self.database.file()
    }

    /// Takes the database away from the running application.
    pub fn lose_database(&self) {
        self.database.lose();
    }

    /// The current instant.
    pub fn now(&self) -> Timestamp {
        self.app.now()
    }

    /// Moves the clock forward.
    pub fn advance(&self, span: Duration) {
        self.clock.advance(span);
    }

    /// Lets the server do what is due by now.
    pub async fn run_due_work(&self) -> Round {
        self.app.run_due_work().await.expect("the server's work")
    }

    /// The home site's agent, authenticated anew, with the scopes it has now.
    pub async fn agent(&self) -> OpContext {
        self.agent_of(&self.home).await
    }

    /// A place's agent, authenticated anew.
    pub async fn agent_of(&self, place: &Place) -> OpContext {
        let secret = place.connection.secret.expose();
        let context = self.app.authenticate_connection(secret).await;
        context.expect("a living connection")
    }

    /// The home organization's member of a role, on the home site.
    pub async fn member(&self, role: Role) -> OpContext {
        self.member_of(&self.home, role).await
    }

    /// A member on a place's site.
    pub async fn member_of(&self, place: &Place, role: Role) -> OpContext {
        let signed_in = self.signed_in(place, role).await;
        let site = SiteRef::Id(place.site.id);
        let (context, _) = self
            .app
            .member_context(&signed_in, &site)
            .await
            .expect("its site");
        context
    }

    /// The home organization's member of a role, in the organization as a whole.
    pub async fn organization_member(&self, role: Role) -> OpContext {
        let signed_in = self.signed_in(&self.home, role).await;
        self.app.organization_context(&signed_in)
    }

    /// A member's session as it stands now; the member signs in where it has none that lives.
    pub async fn signed_in(&self, place: &Place, role: Role) -> SignedIn {
        let id = place.members[&role];
        let known = self.sessions.lock().expect("no panic").get(&id).cloned();
        if let Some(cookie) = known
            && let Ok(signed_in) = self.app.authenticate_session(&cookie).await
        {
            return signed_in;
        }
        self.sign_in(place, role).await
    }

    /// Signs a member in anew, which counts as a fresh re-authentication.
    pub async fn sign_in(&self, place: &Place, role: Role) -> SignedIn {
        let id = place.members[&role];
        let operator = self.operator_of(place).await;
        let link = self
            .app
            .create_sign_in_link(&operator, id)
            .await
            .expect("a link");
        let session = self.app.sign_in_with_link(&link).await.expect("a session");
        let signed_in = self.app.authenticate_session(&session.secret).await;
        self.sessions
            .lock()
            .expect("no panic")
            .insert(id, session.secret);
        signed_in.expect("a session that has just begun")
    }

    /// Somebody at the command line, on the home site.
    pub async fn operator(&self) -> OpContext {
        self.operator_of(&self.home).await
    }

    async fn operator_of(&self, place: &Place) -> OpContext {
        let site = SiteRef::Id(place.site.id);
        self.app
            .operator_site_context(1000, &site)
            .await
            .expect("the site")
            .0
    }

    /// Begins a run without required outputs.
    pub async fn begin_run(&self, agent: &OpContext) -> RunId {
        let begun = self.app.begin_run(agent, setup::run(&[]), None).await;
        begun.expect("a run").run_id
    }

    /// Writes the first draft of a new article.
    pub async fn draft(&self, agent: &OpContext, run: RunId, title: &str) -> Draft {
        let new = setup::new_article(title);
        let drafted = self.app.create_draft(agent, Some(run), new, None).await;
        drafted.expect("a draft").into()
    }

    /// Writes the next draft of an article.
    pub async fn revise(&self, agent: &OpContext, run: RunId, base: Draft, title: &str) -> Draft {
        let new = setup::revision(base, title);
        let drafted = self.app.create_draft(agent, Some(run), new, None).await;
        drafted.expect("a draft").into()
    }

    /// Asks for a payload to be carried out; a member proposes without a run.
    pub async fn propose(
        &self,
        by: &OpContext,
        run: Option<RunId>,
        payload: Payload,
    ) -> Result<Proposed> {
        let new = setup::proposal(run, payload);
        self.app.create_proposal(by, new, None).await
    }

    /// Asks for drafts to be published at once.
    pub async fn request_publication(
        &self,
        agent: &OpContext,
        run: RunId,
        drafts: &[Draft],
    ) -> ProposalId {
        let items = drafts.iter().map(|draft| draft.publish()).collect();
        let payload = setup::publication(items);
        let proposed = self.propose(agent, Some(run), payload).await;
        proposed.expect("a proposal").proposal_id
    }

    /// Decides a proposal on the digest that it shows now.
    pub async fn decide(
        &self,
        by: &OpContext,
        id: ProposalId,
        verdict: Verdict,
    ) -> Result<ProposalView> {
        let digest = self.app.get_proposal(by, id).await?.digest;
        self.app
            .decide(by, setup::decision(id, verdict, digest))
            .await
    }

    /// Approves a proposal on the digest that it shows now.
    pub async fn approve(&self, by: &OpContext, id: ProposalId) -> Result<ProposalView> {
        self.decide(by, id, Verdict::Approve).await
    }

    /// Asks for something and has an owner approve it, who signs in for it.
    pub async fn carry_out(&self, place: &Place, payload: Payload) -> ProposalView {
        let agent = self.agent_of(place).await;
        let run = self.begin_run(&agent).await;
        let proposed = self
            .propose(&agent, Some(run), payload)
            .await
            .expect("a proposal");
        self.sign_in(place, Role::Owner).await;
        let owner = self.member_of(place, Role::Owner).await;
        self.approve(&owner, proposed.proposal_id)
            .await
            .expect("carried out")
    }

    /// Puts a draft live through a request and an approval.
    pub async fn publish(&self, place: &Place, draft: Draft) -> ProposalView {
        let items = vec![draft.publish()];
        self.carry_out(place, setup::publication(items)).await
    }

    /// A new article that is live.
    pub async fn live_article(&self, place: &Place, title: &str) -> Draft {
        let agent = self.agent_of(place).await;
        let run = self.begin_run(&agent).await;
        let draft = self.draft(&agent, run, title).await;
        self.publish(place, draft).await;
        draft
    }

    /// What the public can read of a place's site, newest first.
    pub async fn live(&self, place: &Place) -> Vec<LivePage> {
        let (filter, page) = (Filter::default(), PageRequest::new(Some(100), None));
        let live = self.app.live_pages(&place.site, &filter, &page).await;
        live.expect("the live pages").pages.items
    }

    /// Gives every entry its place in the signed tree; answers the last checkpoint.
    pub async fn sequence(&self) -> Signed {
        let mut last = None;
        loop {
            match self.app.sequence().await.expect("a ledger that is signed") {
                Sequenced::Appended { signed, .. } => last = Some(signed),
                Sequenced::Idle => break,
                other => panic!("the ledger isn't signed: {other:?}"),
            }
        }
        match last {
            Some(signed) => signed,
            None => (self.app.latest_checkpoint().await)
                .expect("a readable ledger")
                .expect("a checkpoint"),
        }
    }

    /// Follows every chain of the ledger, which must be sound.
    pub async fn verify_ledger(&self) {
        let found = self
            .app
            .verify_whole_ledger()
            .await
            .expect("a readable ledger");
        assert_eq!(found.broken, []);
    }
}

impl Draft {
    /// The wish to have it live at once.
    pub const fn publish(self) -> PublishItem {
        PublishItem::Publish {
            content_id: self.content,
            revision_id: self.revision,
            publish_at: None,
            time_zone: None,
        }
    }

    /// The wish to have it live at an instant.
    pub fn publish_at(self, at: Timestamp, zone: Option<&str>) -> PublishItem {
        PublishItem::Publish {
            content_id: self.content,
            revision_id: self.revision,
            publish_at: Some(at),
            time_zone: zone.map(str::to_owned),
        }
    }

    /// The wish to have whatever is live of its item off the site.
    pub const fn unpublish(self) -> PublishItem {
        PublishItem::Unpublish {
            content_id: self.content,
        }
    }
}

impl From<ql_app::draft::Drafted> for Draft {
    fn from(drafted: ql_app::draft::Drafted) -> Self {
        Self {
            content: drafted.content_id,
            revision: drafted.revision_id,
        }
    }
}

/// The fields of an article with this title.
pub fn article(title: &str) -> serde_json::Value {
    json!({"title": title, "body": format!("About {title}.")})
}
