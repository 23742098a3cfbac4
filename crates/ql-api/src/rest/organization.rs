//! The member's organization.

use ql_app::audit::Entry as LedgerEntry;
use ql_core::id::{EntryId, OrganizationId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Instant, List, Text};
use super::audit::Entry;
use super::route::{Answered, Call, Nothing, Route, get, patch};
use crate::input::argument::Paging;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "get_organization",
            "/organization",
            "The member's organization",
            show,
        ),
        patch(
            "rename_organization",
            "/organization",
            "Gives the organization another name",
            rename,
        ),
        get(
            "list_organization_audit",
            "/organization/audit",
            "Lists what happened in the organization apart from its sites, newest first",
            audit,
        ),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Organization {
    id: Text<OrganizationId>,
    name: String,
    created_at: Instant,
}

impl From<ql_app::organization::Organization> for Organization {
    fn from(organization: ql_app::organization::Organization) -> Self {
        Self {
            id: Text(organization.id),
            name: organization.name,
            created_at: Instant(organization.created_at),
        }
    }
}

async fn show(call: Call) -> Answered<Organization> {
    let ctx = call.in_organization();
    Ok(call.app().get_organization(&ctx).await?.into())
}

/// A new name.
#[derive(Deserialize, JsonSchema)]
struct Name {
    /// The name people see.
    #[schemars(length(min = 1, max = 120))]
    name: String,
}

async fn rename(call: Call<Nothing, Name>) -> Answered<Organization> {
    let ctx = call.in_organization();
    call.app()
        .rename_organization(&ctx, &call.body.name)
        .await?;
    Ok(call.app().get_organization(&ctx).await?.into())
}

async fn audit(call: Call<Paging>) -> Answered<List<Entry>> {
    let page = call.query.request::<EntryId>()?;
    let ctx = call.in_organization();
    let entries = call.app().list_organization_audit(&ctx, &page).await?;
    Ok(List::page(entries, |entry: LedgerEntry| entry.into()))
}
