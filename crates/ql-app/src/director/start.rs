//! How productions begin, and who plays in them.

use std::collections::BTreeSet;

use ql_core::access::DirectProductions;
use ql_core::id::{ConnectionId, JobId, ProductionId};
use ql_core::production::{Cast, PolicyRef, Production, StageState};
use ql_pipeline::money::Micros;
use ql_pipeline::pack::{Actor, Stage};
use ql_store::job::{self, NewJob};
use ql_store::{Tx, connection, production};
use serde_json::{Value, json};

use super::{Director, STAGE_JOB, subject};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

/// A production to start.
#[derive(Debug, Clone)]
pub struct NewProduction {
    /// What it's called.
    pub title: String,
    /// What is to be made.
    pub objective: String,
    /// For whom.
    pub audience: String,
    /// The medium, such as `video`.
    pub medium: String,
    /// The template of the page that it becomes.
    pub template: String,
    /// The fields of that page which no document fills.
    pub fields: Value,
    /// The most that all of it may cost.
    pub budget: Micros,
    /// The most that a task may cost.
    pub task_budget: Micros,
}

impl NewProduction {
    fn check(&self) -> Result<()> {
        let mut checks = Checks::default();
        checks.text("/title", &self.title, 200);
        checks.text("/objective", &self.objective, 4000);
        checks.text("/audience", &self.audience, 1000);
        checks.text("/medium", &self.medium, 40);
        checks.text("/template", &self.template, 64);
        checks.that(
            self.fields.is_object(),
            "/fields",
            "type",
            "expected an object",
        );
        checks.finish()
    }
}

impl Director {
    /// Starts a production: its first stages can begin at once.
    ///
    /// # Errors
    /// Everything that doesn't fit in what is said of it.
    pub async fn start(&self, ctx: &OpContext, new: NewProduction) -> Result<ProductionId> {
        let authorized = ctx.authorize::<DirectProductions>()?;
        new.check()?;
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        let pack = self.pack();
        let production = Production {
            id: ProductionId::mint(scribe.ids(), scribe.at),
            organization: authorized.organization(),
            site: authorized.site(),
            title: new.title.trim().to_owned(),
            objective: new.objective,
            audience: new.audience,
            medium: new.medium,
            template: new.template,
            fields: new.fields,
            policy: PolicyRef {
                version: pack.version.clone(),
                constitution_sha256: pack.constitution_sha256,
                sha256: pack.sha256,
            },
            budget: new.budget.get(),
            task_budget: new.task_budget.get(),
            started_by: authorized.actor(),
            started_at: scribe.at,
        };
        let (stages, begun) = self.first_stages();
        let jobs: Vec<(JobId, String)> = begun
            .into_iter()
            .map(|stage| {
                (
                    JobId::mint(scribe.ids(), scribe.at),
                    subject(production.id, stage),
                )
            })
            .collect();
        let id = production.id;
        self.app
            .store()
            .write(move |tx| {
                production::insert(tx, &authorized, &production, &stages)?;
                for (id, subject) in &jobs {
                    let job = NewJob {
                        id: *id,
                        kind: STAGE_JOB,
                        subject,
                        site: production.site,
                        due_at: scribe.at,
                    };
                    job::insert(tx, job, scribe.at)?;
                }
                let detail = json!({
                    "production": production.id, "title": production.title,
                    "constitution_sha256": production.policy.constitution_sha256,
                    "policy_pack_sha256": production.policy.sha256,
                    "budget_micros": production.budget, "task_budget_micros": production.task_budget,
                });
                scribe.administration(tx, "production.started", detail)?;
                Ok::<_, Error>(())
            })
            .await?;
        Ok(id)
    }

    /// Every stage in its first state, and those that agents or the server can begin.
    fn first_stages(&self) -> (Vec<(String, StageState)>, Vec<&str>) {
        let free = self.pack().free(&BTreeSet::new());
        let first = |stage: &Stage| {
            if free.iter().any(|free| free.id == stage.id) {
                StageState::Ready
            } else {
                StageState::Waiting
            }
        };
        let all = self.pack().stages.iter();
        let stages = all.map(|stage| (stage.id.clone(), first(stage))).collect();
        let begun = free.iter().filter(|stage| stage.by != Actor::Human);
        (stages, begun.map(|stage| stage.id.as_str()).collect())
    }

    /// Says in the name of which connection of the site a role is played from now on, and by whom.
    /// A task that waits for whoever played it before is given to whoever plays it now.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a role that the policy doesn't have, [`Error::NotFound`] for a
    /// connection of another site.
    pub async fn cast(&self, ctx: &OpContext, cast: Cast) -> Result<()> {
        let authorized = ctx.authorize::<DirectProductions>()?;
        if self.pack().role(&cast.role).is_none() {
            let message = format!("the policy has no role `{}`", cast.role);
            return Err(Error::invalid("/role", "unknown_role", message));
        }
        let scribe = Scribe::on_site(&self.app, authorized.actor(), authorized.place());
        self.app
            .store()
            .write(move |tx| {
                own_connection(tx, cast.connection, authorized.site())?;
                production::cast(tx, &authorized, &cast, authorized.actor(), scribe.at)?;
                job::recall(tx, authorized.site(), STAGE_JOB)?;
                let detail = json!({
                    "role": cast.role, "connection": cast.connection,
                    "played_by": cast.played_by.as_str(),
                });
                scribe.administration(tx, "production.role_cast", detail)?;
                Ok(())
            })
            .await
    }
}

fn own_connection(tx: &mut Tx<'_>, id: ConnectionId, site: ql_core::id::SiteId) -> Result<()> {
    connection::find(tx, id)?
        .filter(|connection| connection.site == site)
        .map(drop)
        .ok_or(Error::NotFound("connection"))
}
