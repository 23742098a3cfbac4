//! The director: takes productions through the stages of a policy pack (seed, §1 to §5).
//!
//! A stage of a role is one governed run of the agent that plays the role: the task goes out, the
//! raw answer is kept before it is read, the engine says what it's worth, and everything that
//! follows from that is kept in one transaction. Whoever dies in between is followed by another,
//! who finds everything where it was.

mod ask;
mod call;
mod claim;
mod detail;
mod exit;
pub(crate) mod follow;
mod gate;
mod made;
mod money;
mod next;
mod offer;
mod outlet;
mod provider;
mod publish;
mod settle;
mod situation;
mod source;
mod start;
mod view;
mod waiting;
mod word;
mod worker;

use std::sync::Arc;

use ql_core::access::{ActAsServer, Authorized, OnSite, Principal};
use ql_core::id::{ProductionId, SiteId};
use ql_pipeline::audit::Ground;
use ql_pipeline::pack::Pack;
use ql_store::{connection, production};

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::session::agent_context;

pub(crate) use source::RETRIEVE_JOB;

pub use claim::{ClaimedTask, DEFAULT_HOLD, LONGEST_HOLD, Submitted};
pub use detail::{DocumentView, RuleView, StageDetail, TaskView};
pub use exit::NewExit;
pub use outlet::{Outlet, Parcel, Sending};
pub use provider::{Answered, Ask, Asking, Failure, MadeFile, Nobody, Provider, Recorded, Usage};
pub use ql_pipeline::attestation::{Attested, Status};
pub use ql_pipeline::finding::{Finding, Severity};
pub use ql_pipeline::money::{InvalidAmount, Micros};
pub use ql_pipeline::pack::Actor as StageActor;
pub use ql_store::production_exit::Exit;
pub use ql_store::stage_task::{AuditRecord, Release, Waiver};
pub use start::NewProduction;
pub use view::{ProductionCard, ProductionView, RoleView, SourceView, Spending, StageView};
pub use waiting::{Waiting, Whom};

/// The kind of job that takes a stage further.
const STAGE_JOB: &str = "stage.run";

/// Takes productions through their stages.
#[derive(Clone)]
pub struct Director {
    app: App,
    ground: Arc<Ground>,
    provider: Arc<dyn Provider>,
    outlet: Option<Arc<dyn Outlet>>,
}

impl std::fmt::Debug for Director {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Director")
            .field("policy", &self.pack().sha256)
            .finish_non_exhaustive()
    }
}

impl Director {
    /// A director under a policy, with the editions against which quotations are judged, asking
    /// `provider` wherever a role is played by the server itself.
    pub fn new(app: App, ground: Arc<Ground>, provider: Arc<dyn Provider>) -> Self {
        Self {
            app,
            ground,
            provider,
            outlet: None,
        }
    }

    /// The same where what was published is sent somewhere beside the site.
    #[must_use]
    pub fn sending_to(self, outlet: Arc<dyn Outlet>) -> Self {
        Self {
            outlet: Some(outlet),
            ..self
        }
    }

    /// The policy.
    pub fn pack(&self) -> &Pack {
        self.ground.pack()
    }

    fn server(place: OnSite) -> Result<Authorized<ActAsServer>> {
        Ok(Principal::System.authorize(place)?)
    }

    /// The agent that plays a role on a site, with what it may do at this very moment.
    ///
    /// # Errors
    /// [`Error::NotFound`] where nobody does, or by a connection that was revoked or has run out.
    async fn player(&self, site: SiteId, role: &str) -> Result<OpContext> {
        let role = role.to_owned();
        let grant = self
            .app
            .store()
            .read(move |tx| {
                let Some(cast) = production::find_cast(tx, site, &role)? else {
                    return Ok::<_, Error>(None);
                };
                Ok(connection::find_grant_by_id(tx, cast.connection)?)
            })
            .await?;
        let is_active = |grant: &connection::Grant| {
            grant.connection.standing(self.app.now()) == ql_core::connection::Standing::Active
        };
        let grant = grant
            .filter(is_active)
            .ok_or(Error::NotFound("agent for this role"))?;
        Ok(agent_context(&self.app, &grant))
    }

    /// The agent that plays the role which publishes.
    async fn publisher(&self, site: SiteId) -> Result<OpContext> {
        let mut roles = self.pack().roles.iter();
        let role = roles
            .find(|role| role.publishes)
            .ok_or(Error::NotFound("role"))?;
        self.player(site, &role.id).await
    }
}

/// What a job of a stage is about.
fn subject(production: ProductionId, stage: &str) -> String {
    format!("{production}:{stage}")
}
