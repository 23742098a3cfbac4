//! Who acts in the story: an owner, and an agent for each role of the policy.

use anyhow::{Context as _, Result};
use ql_app::OpContext;
use ql_app::agent::NewAgent;
use ql_app::connection::NewConnection;
use ql_app::director::Director;
use ql_app::session::SiteRef;
use ql_core::actor::Harness;
use ql_core::id::SiteId;
use ql_core::production::Cast;
use ql_core::scope::ScopeSet;

use crate::admin::said;
use crate::cmd::quickstart::Fresh;
use crate::server::Running;

/// The site's owner, signed in.
///
/// # Errors
/// The link was used before, or the site is gone.
pub async fn owner(running: &Running, fresh: &Fresh) -> Result<OpContext> {
    let link = fresh
        .sign_in_url
        .rsplit('/')
        .next()
        .context("a sign-in link")?;
    let session = said(running.app.sign_in_with_link(link).await)?;
    let signed_in = running.app.authenticate_session(&session.secret).await?;
    let (owner, _) = said(
        running
            .app
            .member_context(&signed_in, &SiteRef::Id(fresh.site))
            .await,
    )?;
    Ok(owner)
}

/// Gives every role of the policy an agent of its own.
pub(super) async fn cast(
    running: &Running,
    director: &Director,
    (owner, site): (&OpContext, SiteId),
) -> Result<usize> {
    let app = &running.app;
    let uid = rustix::process::getuid().as_raw();
    let (operator, _) = said(app.operator_site_context(uid, &SiteRef::Id(site)).await)?;
    let organization = said(app.operator_context(uid, None).await)?;
    for role in &director.pack().roles {
        let new = NewAgent {
            name: role.name.clone(),
            harness: Harness::Other,
            profile_id: None,
            profile_name: None,
        };
        let agent = said(app.create_agent(&organization, new).await)?;
        said(
            app.set_permissions(&operator, agent.id, ScopeSet::ALL)
                .await,
        )?;
        let new = NewConnection {
            agent: agent.id,
            name: role.id.clone(),
            scopes: ScopeSet::ALL,
            expires_at: None,
        };
        let issued = said(app.create_connection(&operator, new).await)?;
        let cast = Cast::by_provider(&role.id, issued.connection.id);
        said(director.cast(owner, cast).await)?;
    }
    Ok(director.pack().roles.len())
}
