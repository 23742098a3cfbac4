//! Members' roles and the table of what each may do (contract §1).

use std::fmt;
use std::str::FromStr;

/// A member's role in the organization.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything, the organization and its owners included.
    Owner,
    /// Everything but the organization and its owners.
    Admin,
    /// Content, templates and decisions.
    Editor,
    /// Evidence reviews and comments; decisions where the policy says so.
    Reviewer,
    /// Reading.
    Viewer,
}

impl Role {
    /// Every role, the most powerful first.
    pub const ALL: [Self; 5] = [
        Self::Owner,
        Self::Admin,
        Self::Editor,
        Self::Reviewer,
        Self::Viewer,
    ];

    /// The role's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Editor => "editor",
            Self::Reviewer => "reviewer",
            Self::Viewer => "viewer",
        }
    }

    /// Whether this role may do `act`.
    ///
    /// Deciding and rolling back are open to a reviewer here; the site's approval policy narrows
    /// them again.
    pub const fn may(self, act: MemberAct) -> bool {
        match act {
            MemberAct::ManageOrganization => matches!(self, Self::Owner),
            MemberAct::Administer
            | MemberAct::ChangeAuthority
            | MemberAct::DecideContentLifecycle
            | MemberAct::WaiveFinding => {
                matches!(self, Self::Owner | Self::Admin)
            }
            MemberAct::Edit => matches!(self, Self::Owner | Self::Admin | Self::Editor),
            MemberAct::Decide
            | MemberAct::RollBack
            | MemberAct::Review
            | MemberAct::ReadSubmissions => {
                matches!(
                    self,
                    Self::Owner | Self::Admin | Self::Editor | Self::Reviewer
                )
            }
            MemberAct::Read => true,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no role; the roles are owner, admin, editor, reviewer, viewer")]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| UnknownRole(text.to_owned()))
    }
}

/// What a member may be allowed to do: one row of the contract's table each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberAct {
    /// The organization itself and its owners.
    ManageOrganization,
    /// Sites, agents and connections.
    Administer,
    /// Members, agents' permissions and the approval policy.
    ChangeAuthority,
    /// Templates, content by hand and dispositions.
    Edit,
    /// Decisions on proposals other than `content_lifecycle`.
    Decide,
    /// Decisions on `content_lifecycle`.
    DecideContentLifecycle,
    /// Moving a live page back to an earlier revision.
    RollBack,
    /// Waiving an audit finding.
    WaiveFinding,
    /// Evidence reviews and comments.
    Review,
    /// What visitors sent.
    ReadSubmissions,
    /// Reading.
    Read,
}

impl MemberAct {
    /// The act in words, for a refusal.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::ManageOrganization => "manage the organization and its owners",
            Self::Administer => "administer sites, agents or connections",
            Self::ChangeAuthority => "change members, permissions or the approval policy",
            Self::Edit => "edit content and templates",
            Self::Decide => "decide proposals",
            Self::DecideContentLifecycle => "decide archiving and restoring",
            Self::RollBack => "roll back a live page",
            Self::WaiveFinding => "waive a finding",
            Self::Review => "review and comment",
            Self::ReadSubmissions => "read what visitors sent",
            Self::Read => "read",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_contract() {
        let acts = [
            MemberAct::ManageOrganization,
            MemberAct::Administer,
            MemberAct::ChangeAuthority,
            MemberAct::Edit,
            MemberAct::Decide,
            MemberAct::DecideContentLifecycle,
            MemberAct::RollBack,
            MemberAct::WaiveFinding,
            MemberAct::Review,
            MemberAct::ReadSubmissions,
            MemberAct::Read,
        ];
        let table: Vec<String> = acts
            .iter()
            .map(|act| {
                let row: String = Role::ALL
                    .iter()
                    .map(|role| if role.may(*act) { '+' } else { '-' })
                    .collect();
                format!("{row} {}", act.describe())
            })
            .collect();
        insta::assert_snapshot!(table.join("\n"), @"
        +---- manage the organization and its owners
        ++--- administer sites, agents or connections
        ++--- change members, permissions or the approval policy
        +++-- edit content and templates
        ++++- decide proposals
        ++--- decide archiving and restoring
        ++++- roll back a live page
        ++--- waive a finding
        ++++- review and comment
        ++++- read what visitors sent
        +++++ read
        ");
    }
}
