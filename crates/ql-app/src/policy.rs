//! The approval policy: looked at by everybody, changed by administrators.

use ql_core::access::{ChangeAuthority, ReadAdministration};
use ql_core::policy::Policy;
use ql_store::policy;
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;

pub use ql_store::policy::PolicyVersion;

impl App {
    /// The policy in force.
    pub async fn get_policy(&self, ctx: &OpContext) -> Result<PolicyVersion> {
        let site = ctx.authorize::<ReadAdministration>()?.site();
        self.store()
            .read(move |tx| Ok(policy::current(tx, site)?))
            .await
    }

    /// Puts another policy in force. Approvals that were given under the old one no longer count,
    /// since the digest that they name holds the policy's.
    pub async fn set_policy(&self, ctx: &OpContext, new: Policy) -> Result<PolicyVersion> {
        let authorized = ctx.authorize::<ChangeAuthority>()?;
        let problems = new.problems();
        if !problems.is_empty() {
            return Err(Error::Invalid(problems));
        }
        let scribe = Scribe::on_site(self, authorized.actor(), authorized.place());
        self.store()
            .write(move |tx| {
                let before = policy::current(tx, authorized.site())?;
                if before.policy == new {
                    return Ok(before);
                }
                let after = PolicyVersion {
                    version: before.version + 1,
                    policy: new.clone(),
                    digest: new.digest(),
                    created_at: scribe.at,
                };
                policy::insert(tx, &authorized, &after)?;
                let detail = json!({"version": after.version, "before": before.digest, "after": after.digest});
                scribe.administration(tx, "policy.set", detail)?;
                Ok(after)
            })
            .await
    }
}
