//! Productions, who plays which role in them, and where their stages stand.

use ql_core::access::{ActAsServer, Authorized, DirectProductions};
use ql_core::actor::Actor;
use ql_core::id::{ConnectionId, ProductionId, SiteId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::production::{Cast, PlayedBy, PolicyRef, Production, ProductionStage, StageState};
use ql_core::time::Timestamp;

use crate::row::json;
use crate::run::AFTER_ALL;
use crate::spending;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO productions (id, organization_id, site_id, title, objective, audience, medium, template, fields, \
        policy_version, constitution_sha256, policy_sha256, task_budget, started_by, started_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    FIND = "SELECT p.id, p.organization_id, p.site_id, p.title, p.objective, p.audience, p.medium, p.template, p.fields, \
        p.policy_version, p.constitution_sha256, p.policy_sha256, b.budget, b.task_budget, p.started_by, p.started_at \
        FROM productions p JOIN production_budgets b ON b.production_id = p.id WHERE p.id = $1 AND p.site_id = $2";
    LIST = "SELECT p.id, p.organization_id, p.site_id, p.title, p.objective, p.audience, p.medium, p.template, p.fields, \
        p.policy_version, p.constitution_sha256, p.policy_sha256, b.budget, b.task_budget, p.started_by, p.started_at \
        FROM productions p JOIN production_budgets b ON b.production_id = p.id \
        WHERE p.site_id = $1 AND p.id < $2 ORDER BY p.id DESC LIMIT $3";
    CAST = "INSERT INTO production_roles (site_id, role, connection_id, cast_by, cast_at, played_by) \
        VALUES ($1, $2, $3, $4, $5, $6) \
        ON CONFLICT (site_id, role) DO UPDATE SET connection_id = excluded.connection_id, cast_by = excluded.cast_by, \
        cast_at = excluded.cast_at, played_by = excluded.played_by";
    CAST_OF = "SELECT role, connection_id, played_by FROM production_roles WHERE site_id = $1 ORDER BY role";
    ROLE_OF = "SELECT role, connection_id, played_by FROM production_roles WHERE site_id = $1 AND role = $2";
    ROLES_OF = "SELECT role, connection_id, played_by FROM production_roles WHERE connection_id = $1 ORDER BY role";
    ADD_STAGE = "INSERT INTO production_stages (production_id, stage, position, state, reason, attempts, task_id, verdict, \
        updated_at) VALUES ($1, $2, $3, $4, NULL, 0, NULL, NULL, $5)";
    STAGES = "SELECT stage, position, state, reason, attempts, task_id, verdict, updated_at FROM production_stages \
        WHERE production_id = $1 ORDER BY position";
    MOVE = "UPDATE production_stages SET state = $3, reason = $4, attempts = $5, task_id = $6, verdict = $7, updated_at = $8 \
        WHERE production_id = $1 AND stage = $2 AND state = $9 AND attempts = $10";
}

fn read(row: &mut Row) -> Result<Production> {
    Ok(Production {
        id: row.parse()?,
        organization: row.parse()?,
        site: row.parse()?,
        title: row.text()?,
        objective: row.text()?,
        audience: row.text()?,
        medium: row.text()?,
        template: row.text()?,
        fields: row.json()?,
        policy: PolicyRef {
            version: row.text()?,
            constitution_sha256: row.digest()?,
            sha256: row.digest()?,
        },
        budget: row.int()?,
        task_budget: row.int()?,
        started_by: row.actor()?,
        started_at: row.time()?,
    })
}

fn read_stage(row: &mut Row) -> Result<ProductionStage> {
    Ok(ProductionStage {
        stage: row.text()?,
        position: row.int()?,
        state: read_state(row)?,
        attempts: row.int()?,
        task: row.opt_parse()?,
        verdict: row.opt_text()?,
        updated_at: row.time()?,
    })
}

fn read_state(row: &mut Row) -> Result<StageState> {
    let (name, reason) = (row.text()?, row.opt_text()?);
    match (name.as_str(), reason) {
        ("waiting", None) => Ok(StageState::Waiting),
        ("ready", None) => Ok(StageState::Ready),
        ("running", None) => Ok(StageState::Running),
        ("needs_review", Some(reason)) => Ok(StageState::NeedsReview { reason }),
        ("passed", None) => Ok(StageState::Passed),
        _ => Err(row.corrupt("a stage's state with its reason")),
    }
}

/// Adds a production with its stages, each in its first state.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<DirectProductions>,
    production: &Production,
    stages: &[(String, StageState)],
) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(production.id),
            Arg::text(authorized.organization()),
            Arg::text(authorized.site()),
            (&production.title).into(),
            (&production.objective).into(),
            (&production.audience).into(),
            (&production.medium).into(),
            (&production.template).into(),
            json(&production.fields)?.into(),
            (&production.policy.version).into(),
            (&production.policy.constitution_sha256).into(),
            (&production.policy.sha256).into(),
            production.task_budget.into(),
            production.started_by.to_text().into(),
            production.started_at.into(),
        ],
    )?;
    let limits = (production.budget, production.task_budget);
    spending::open(tx, authorized, production.id, limits)?;
    for (position, (stage, state)) in (0_i64..).zip(stages) {
        let args = [
            Arg::text(production.id),
            stage.into(),
            position.into(),
            state.as_str().into(),
            production.started_at.into(),
        ];
        tx.execute_one(ADD_STAGE, &args)?;
    }
    Ok(())
}

/// A production of the site.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: ProductionId) -> Result<Option<Production>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The site's productions, newest first.
pub fn list(tx: &mut Tx<'_>, site: SiteId, page: &PageRequest) -> Result<Page<Production>> {
    let before = page.after.as_ref().map_or(AFTER_ALL, |cursor| &cursor.id);
    let args = [Arg::text(site), before.into(), (page.limit() + 1).into()];
    let rows = tx.list(LIST, &args, read)?;
    Ok(Page::cut(rows, page, |production| Cursor {
        key: production.started_at.as_micros(),
        id: production.id.to_string(),
    }))
}

/// Says by which connection a role is played on the site from now on.
pub fn cast(
    tx: &mut Tx<'_>,
    authorized: &Authorized<DirectProductions>,
    cast: &Cast,
    by: Actor,
    at: Timestamp,
) -> Result<()> {
    let args = [
        Arg::text(authorized.site()),
        (&cast.role).into(),
        Arg::text(cast.connection),
        by.to_text().into(),
        at.into(),
        cast.played_by.as_str().into(),
    ];
    tx.execute_one(CAST, &args)
}

fn read_cast(row: &mut Row) -> Result<Cast> {
    Ok(Cast {
        role: row.text()?,
        connection: row.parse()?,
        played_by: {
            let played_by = PlayedBy::from_name(&row.text()?);
            played_by.ok_or_else(|| row.corrupt("who plays a role"))?
        },
    })
}

/// Every role that is cast on the site.
pub fn cast_of(tx: &mut Tx<'_>, site: SiteId) -> Result<Vec<Cast>> {
    tx.list(CAST_OF, &[Arg::text(site)], read_cast)
}

/// Who plays a role on the site.
pub fn find_cast(tx: &mut Tx<'_>, site: SiteId, role: &str) -> Result<Option<Cast>> {
    tx.find(ROLE_OF, &[Arg::text(site), role.into()])?
        .map(|mut row| read_cast(&mut row))
        .transpose()
}

/// The roles that are played in a connection's name.
pub fn roles_of(tx: &mut Tx<'_>, connection: ConnectionId) -> Result<Vec<Cast>> {
    tx.list(ROLES_OF, &[Arg::text(connection)], read_cast)
}

/// The stages of a production, in their order.
pub fn stages(tx: &mut Tx<'_>, id: ProductionId) -> Result<Vec<ProductionStage>> {
    tx.list(STAGES, &[Arg::text(id)], read_stage)
}

/// Moves a stage from what it was to what it is; false where it isn't what it was any more.
pub fn move_stage(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    id: ProductionId,
    (before, after): (&ProductionStage, &ProductionStage),
) -> Result<bool> {
    let reason = match &after.state {
        StageState::NeedsReview { reason } => Some(reason.as_str()),
        StageState::Waiting | StageState::Ready | StageState::Running | StageState::Passed => None,
    };
    let args = [
        Arg::text(id),
        (&before.stage).into(),
        after.state.as_str().into(),
        reason.into(),
        after.attempts.into(),
        Arg::opt_text(after.task),
        after.verdict.as_deref().into(),
        after.updated_at.into(),
        before.state.as_str().into(),
        before.attempts.into(),
    ];
    Ok(tx.execute(MOVE, &args)? == 1)
}
