//! Organizations: the tenants.

use ql_core::id::OrganizationId;
use ql_core::time::Timestamp;

use crate::{Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)";
    FIND = "SELECT id, name, created_at FROM organizations WHERE id = $1";
    LIST = "SELECT id, name, created_at FROM organizations ORDER BY id";
    RENAME = "UPDATE organizations SET name = $2 WHERE id = $1";
}

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Identity.
    pub id: OrganizationId,
    /// The name people gave it.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

fn read(row: &mut Row) -> Result<Organization> {
    Ok(Organization {
        id: row.parse()?,
        name: row.text()?,
        created_at: row.time()?,
    })
}

/// Adds an organization. Only the operator does, before anybody could be authorized in it.
pub fn insert(tx: &mut Tx<'_>, organization: &Organization) -> Result<()> {
    let created_at = organization.created_at.into();
    tx.execute_one(
        INSERT,
        &[
            crate::Arg::text(organization.id),
            (&organization.name).into(),
            created_at,
        ],
    )
}

/// The organization with this id.
pub fn find(tx: &mut Tx<'_>, id: OrganizationId) -> Result<Option<Organization>> {
    tx.find(FIND, &[crate::Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Every organization, oldest first.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<Organization>> {
    tx.list(LIST, &[], read)
}

/// Gives the organization another name.
pub fn rename(
    tx: &mut Tx<'_>,
    authorized: &ql_core::access::Authorized<ql_core::access::ManageOrganization>,
    name: &str,
) -> Result<()> {
    tx.execute_one(
        RENAME,
        &[crate::Arg::text(authorized.organization()), name.into()],
    )
}
