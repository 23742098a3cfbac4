//! The organization's members.

use ql_app::member::NewMember as Adding;
use ql_core::id::MemberId;
use ql_core::role::Role;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::answer::{Instant, List, Text};
use super::route::{Answered, Call, Nothing, Route, delete, get, patch, post};
use crate::input::argument::one_of;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "list_members",
            "/members",
            "Lists the organization's members, removed ones too, oldest first",
            list,
        ),
        post(
            "create_member",
            "/members",
            "Adds a member, who comes in with a sign-in link first",
            create,
        )
        .created(),
        patch(
            "set_member_role",
            "/members/{id}",
            "Gives a member another role",
            set_role,
        ),
        delete(
            "remove_member",
            "/members/{id}",
            "Removes a member, with its sessions and personal tokens; its history stays",
            remove,
        ),
        post(
            "create_sign_in_link",
            "/members/{id}/sign-in-link",
            "Makes a sign-in link that works once within a day; it is shown once",
            sign_in_link,
        )
        .created(),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Member {
    id: Text<MemberId>,
    email: String,
    name: String,
    role: Text<Role>,
    /// Whether it has set a password.
    has_password: bool,
    created_at: Instant,
    removed_at: Option<Instant>,
}

impl From<ql_app::member::Member> for Member {
    fn from(member: ql_app::member::Member) -> Self {
        Self {
            id: Text(member.id),
            email: member.email,
            name: member.name,
            role: Text(member.role),
            has_password: member.password_hash.is_some(),
            created_at: Instant(member.created_at),
            removed_at: member.removed_at.map(Instant),
        }
    }
}

async fn list(call: Call) -> Answered<List<Member>> {
    let ctx = call.in_organization();
    let members = call.app().list_members(&ctx).await?;
    Ok(List::of(members, Member::from))
}

fn role(_: &mut SchemaGenerator) -> Schema {
    one_of(Role::ALL.map(Role::as_str))
}

/// A member to add.
#[derive(Deserialize, JsonSchema)]
struct NewMember {
    /// The address that it signs in with.
    #[schemars(length(min = 1, max = 254))]
    email: String,
    /// The name people see.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// What it may do.
    #[schemars(schema_with = "role")]
    role: Role,
}

async fn create(call: Call<Nothing, NewMember>) -> Answered<Member> {
    let ctx = call.in_organization();
    let NewMember { email, name, role } = call.body;
    let new = Adding { email, name, role };
    Ok(call.rest.app.create_member(&ctx, new).await?.into())
}

/// Another role.
#[derive(Deserialize, JsonSchema)]
struct NewRole {
    /// What the member may do from now on.
    #[schemars(schema_with = "role")]
    role: Role,
}

async fn set_role(call: Call<Nothing, NewRole>) -> Answered<Member> {
    let (ctx, id) = (call.in_organization(), call.id("member")?);
    Ok(call.app().set_role(&ctx, id, call.body.role).await?.into())
}

async fn remove(call: Call) -> Answered<()> {
    let (ctx, id) = (call.in_organization(), call.id("member")?);
    Ok(call.app().remove_member(&ctx, id).await?)
}

/// A link that opens one session.
#[derive(Serialize, JsonSchema)]
struct Link {
    url: String,
}

async fn sign_in_link(call: Call) -> Answered<Link> {
    let (ctx, id) = (call.in_organization(), call.id("member")?);
    let secret = call.app().create_sign_in_link(&ctx, id).await?;
    Ok(Link {
        url: call.app().sign_in_url(&secret),
    })
}
