//! Members: added, given roles and removed.

use ql_core::access::{ManageMembers, ManageOrganization, ReadOrganization};
use ql_core::id::MemberId;
use ql_core::role::Role;
use ql_store::{Tx, member, session};
use serde_json::json;

use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

pub use ql_store::member::Member;

/// A member to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// Its address, which it signs in with.
    pub email: String,
    /// The name people see.
    pub name: String,
    /// What it may do.
    pub role: Role,
}

impl App {
    /// Adds a member. It signs in with a link first and sets a password then.
    pub async fn create_member(&self, ctx: &OpContext, new: NewMember) -> Result<Member> {
        let authorized = ctx.authorize_organization::<ManageMembers>()?;
        if new.role == Role::Owner {
            ctx.authorize_organization::<ManageOrganization>()?;
        }
        let email = new.email.trim().to_lowercase();
        let mut checks = Checks::default();
        let address = email.split_once('@').is_some_and(|(user, host)| {
            let named = host.contains('.') || host == "localhost";
            !user.is_empty() && named && !host.contains('@')
        });
        checks.that(
            address && email.len() <= 254 && !email.contains(char::is_whitespace),
            "/email",
            "format",
            "expected an e-mail address",
        );
        checks.text("/name", &new.name, 120);
        checks.finish()?;
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        let member = Member {
            id: MemberId::mint(scribe.ids(), scribe.at),
            organization: authorized.organization(),
            email,
            name: new.name.trim().to_owned(),
            role: new.role,
            password_hash: None,
            created_at: scribe.at,
            removed_at: None,
        };
        let added = member.clone();
        self.store()
            .write(move |tx| {
                if member::find_by_email(tx, &member.email)?.is_some() {
                    return Err(Error::NameTaken("member"));
                }
                member::insert(tx, &authorized, &member)?;
                scribe.administration(
                    tx,
                    "member.added",
                    json!({"member": member.id, "role": member.role}),
                )
            })
            .await?;
        Ok(added)
    }

    /// Gives a member another role; making or unmaking an owner needs an owner.
    pub async fn set_role(&self, ctx: &OpContext, id: MemberId, role: Role) -> Result<Member> {
        let authorized = ctx.authorize_organization::<ManageMembers>()?;
        let owners = ctx.authorize_organization::<ManageOrganization>().map(drop);
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        self.store()
            .write(move |tx| {
                let before = find_here(tx, authorized.organization(), id)?;
                if before.role == role {
                    return Ok(before);
                }
                if before.role == Role::Owner || role == Role::Owner {
                    owners.clone()?;
                }
                if before.role == Role::Owner {
                    require_another_owner(tx, &before)?;
                }
                member::set_role(tx, &authorized, id, role)?;
                let detail = json!({"member": id, "before": before.role, "after": role});
                scribe.administration(tx, "member.role_set", detail)?;
                Ok(Member { role, ..before })
            })
            .await
    }

    /// Removes a member: its sessions and personal tokens end with it, its history stays.
    pub async fn remove_member(&self, ctx: &OpContext, id: MemberId) -> Result<()> {
        let authorized = ctx.authorize_organization::<ManageMembers>()?;
        let owners = ctx.authorize_organization::<ManageOrganization>().map(drop);
        let scribe = Scribe::in_organization(self, authorized.actor(), authorized.organization());
        self.store()
            .write(move |tx| {
                let before = find_here(tx, authorized.organization(), id)?;
                if before.role == Role::Owner {
                    owners.clone()?;
                    require_another_owner(tx, &before)?;
                }
                member::remove(tx, &authorized, id, scribe.at)?;
                session::end_all(tx, id, scribe.at)?;
                scribe.administration(tx, "member.removed", json!({"member": id}))
            })
            .await
    }

    /// The organization's members, removed ones too, oldest first.
    pub async fn list_members(&self, ctx: &OpContext) -> Result<Vec<Member>> {
        let organization = ctx
            .authorize_organization::<ReadOrganization>()?
            .organization();
        self.store()
            .read(move |tx| Ok(member::list(tx, organization)?))
            .await
    }
}

fn find_here(
    tx: &mut Tx<'_>,
    organization: ql_core::id::OrganizationId,
    id: MemberId,
) -> Result<Member> {
    crate::session::living_member(tx, id)?
        .filter(|member| member.organization == organization)
        .ok_or(Error::NotFound("member"))
}

fn require_another_owner(tx: &mut Tx<'_>, owner: &Member) -> Result<()> {
    let another = member::list(tx, owner.organization)?.iter().any(|member| {
        member.id != owner.id && member.role == Role::Owner && member.removed_at.is_none()
    });
    if another {
        Ok(())
    } else {
        Err(Error::LastOwner)
    }
}
