//! Members: the people of an organization.

use ql_core::access::{Authorized, ManageMembers};
use ql_core::id::{MemberId, OrganizationId};
use ql_core::role::Role;
use ql_core::time::Timestamp;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO members (id, organization_id, email, name, role, password_hash, created_at, removed_at) \
        VALUES ($1, $2, $3, $4, $5, NULL, $6, NULL)";
    FIND = "SELECT id, organization_id, email, name, role, password_hash, created_at, removed_at \
        FROM members WHERE id = $1";
    FIND_BY_EMAIL = "SELECT id, organization_id, email, name, role, password_hash, created_at, removed_at \
        FROM members WHERE email = $1 AND removed_at IS NULL";
    LIST = "SELECT id, organization_id, email, name, role, password_hash, created_at, removed_at \
        FROM members WHERE organization_id = $1 ORDER BY id";
    SET_ROLE = "UPDATE members SET role = $3 WHERE id = $1 AND organization_id = $2 AND removed_at IS NULL";
    REMOVE = "UPDATE members SET removed_at = $3 WHERE id = $1 AND organization_id = $2 AND removed_at IS NULL";
    SET_PASSWORD = "UPDATE members SET password_hash = $2 WHERE id = $1 AND removed_at IS NULL";
}

/// A human.
#[derive(Clone, PartialEq, Eq)]
pub struct Member {
    /// Identity.
    pub id: MemberId,
    /// The tenant.
    pub organization: OrganizationId,
    /// Where it gets mail, lower-cased; it signs in with this.
    pub email: String,
    /// The name people see.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The Argon2id hash of its password; none before the first visit.
    pub password_hash: Option<String>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was removed.
    pub removed_at: Option<Timestamp>,
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member")
            .field("id", &self.id)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

fn read(row: &mut Row) -> Result<Member> {
    Ok(Member {
        id: row.parse()?,
        organization: row.parse()?,
        email: row.text()?,
        name: row.text()?,
        role: row.parse()?,
        password_hash: row.opt_text()?,
        created_at: row.time()?,
        removed_at: row.opt_time()?,
    })
}

/// Adds a member to the organization that the authorization is for.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ManageMembers>,
    member: &Member,
) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(member.id),
            Arg::text(authorized.organization()),
            (&member.email).into(),
            (&member.name).into(),
            member.role.as_str().into(),
            member.created_at.into(),
        ],
    )
}

/// The member with this id, removed or not.
pub fn find(tx: &mut Tx<'_>, id: MemberId) -> Result<Option<Member>> {
    tx.find(FIND, &[Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The member that signs in with this address.
pub fn find_by_email(tx: &mut Tx<'_>, email: &str) -> Result<Option<Member>> {
    tx.find(FIND_BY_EMAIL, &[email.into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// An organization's members, removed ones too, oldest first.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Member>> {
    tx.list(LIST, &[Arg::text(organization)], read)
}

/// Gives a member another role.
pub fn set_role(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ManageMembers>,
    id: MemberId,
    role: Role,
) -> Result<()> {
    tx.execute_one(
        SET_ROLE,
        &[
            Arg::text(id),
            Arg::text(authorized.organization()),
            role.as_str().into(),
        ],
    )
}

/// Removes a member; history keeps it.
pub fn remove(
    tx: &mut Tx<'_>,
    authorized: &Authorized<ManageMembers>,
    id: MemberId,
    at: Timestamp,
) -> Result<()> {
    tx.execute_one(
        REMOVE,
        &[
            Arg::text(id),
            Arg::text(authorized.organization()),
            at.into(),
        ],
    )
}

/// Sets a member's own password hash. The caller has just proved to be that member.
pub fn set_password(tx: &mut Tx<'_>, id: MemberId, hash: &str) -> Result<()> {
    tx.execute_one(SET_PASSWORD, &[Arg::text(id), hash.into()])
}
