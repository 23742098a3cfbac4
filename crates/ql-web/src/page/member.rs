//! Members with their roles, and one's own account.

use askama::Template;

use super::sample::{ago, idris, maren, shell};
use super::{Section, Shell};
use crate::part::{Choice, Pill, Select, Tone, When, Who};

/// The members of the organization.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "members.html")]
pub struct Members {
    /// The frame.
    pub shell: Shell,
    /// The members.
    pub rows: Vec<MemberRow>,
    /// The roles to choose from for a new one.
    pub roles: Select,
    /// What was typed for a new one.
    pub typed: (String, String),
    /// A sign-in link that was just made, with whom it is for.
    pub link: Option<(String, String)>,
    /// Whether this member may change anything.
    pub may_administer: bool,
    /// Why the last change didn't work.
    pub problem: Option<String>,
}

/// One member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// Its identifier.
    pub id: String,
    /// Its badge.
    pub who: Who,
    /// Its address.
    pub email: String,
    /// Its role, to be changed.
    pub role: Select,
    /// Whether it can come in.
    pub state: Pill,
    /// When it was added.
    pub at: When,
    /// Whether its role can be changed and it can be removed by this member.
    pub is_changeable: bool,
}

/// One's own account.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "account.html")]
pub struct Account {
    /// The frame.
    pub shell: Shell,
    /// One's own address.
    pub email: String,
    /// Personal tokens, the newest first.
    pub tokens: Vec<TokenRow>,
    /// A token's secret, this once.
    pub secret: Option<String>,
    /// Whether the password is asked for before a token is made.
    pub asks_password: bool,
    /// Why the last change didn't work.
    pub problem: Option<String>,
}

/// One personal token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The first characters of its secret.
    pub prefix: String,
    /// Whether it works.
    pub state: Pill,
    /// When it ends.
    pub expires: When,
    /// Whether it can be revoked.
    pub is_active: bool,
}

/// A choice of roles.
pub fn role_select(chosen: ql_core::role::Role, with_owner: bool) -> Select {
    let offered = ql_core::role::Role::ALL
        .into_iter()
        .filter(|role| with_owner || *role != ql_core::role::Role::Owner || *role == chosen);
    Select {
        name: "role",
        label: "Role",
        chosen: chosen.as_str().into(),
        choices: offered
            .map(|role| Choice::new(role.as_str(), role.as_str()))
            .collect(),
    }
}

impl Members {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        use ql_core::role::Role;
        let row = |who: Who, email: &str, role, state| MemberRow {
            id: "mem_1".into(),
            who,
            email: email.into(),
            role: role_select(role, true),
            state,
            at: ago(300_000),
            is_changeable: true,
        };
        Self {
            shell: shell(Section::Members),
            rows: vec![
                MemberRow {
                    is_changeable: false,
                    ..row(
                        maren(),
                        "maren@garden.example",
                        Role::Owner,
                        Pill::new(Tone::Live, "Active"),
                    )
                },
                row(
                    idris(),
                    "idris@garden.example",
                    Role::Editor,
                    Pill::new(Tone::Live, "Active"),
                ),
                row(
                    Who::person("Ada Quill"),
                    "ada@garden.example",
                    Role::Reviewer,
                    Pill::new(Tone::Needs, "No password yet"),
                ),
            ],
            roles: role_select(Role::Editor, true),
            typed: (String::new(), String::new()),
            link: Some((
                "Ada Quill".into(),
                "https://cms.garden.example/sign-in/3f2a9c1d5e6b7a80".into(),
            )),
            may_administer: true,
            problem: None,
        }
    }
}

impl Account {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::None),
            email: "maren@garden.example".into(),
            tokens: vec![TokenRow {
                id: "mtk_1".into(),
                name: "export script".into(),
                prefix: "qlp_4rTz81Mc".into(),
                state: Pill::new(Tone::Live, "Active"),
                expires: ago(-60 * 24 * 60),
                is_active: true,
            }],
            secret: Some("qlp_4rTz81McS4mpl3S4mpl3S4mpl3S4mpl3abcd".into()),
            asks_password: true,
            problem: None,
        }
    }
}
