//! Pages that stand alone: signing in, and what to do when something went wrong.

use askama::Template;

use super::Csrf;
use crate::part::{Link, Tone};

/// Signing in with a password.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "sign_in.html")]
pub struct SignIn {
    /// The token of this browser.
    pub csrf: Csrf,
    /// The address to go on to.
    pub next: String,
    /// What was typed before.
    pub email: String,
    /// Why it didn't work.
    pub problem: Option<String>,
}

/// Where a sign-in link lands when the member has a password.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "landing.html")]
pub struct Landing {
    /// The member's name.
    pub name: String,
    /// The address to go on to.
    pub next: String,
}

/// Going to the same address again, from this server itself.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "again.html")]
pub struct Again {
    /// The address.
    pub next: String,
}

/// Choosing a password at the first visit, or another one later.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "new_password.html")]
pub struct NewPassword {
    /// The session's token.
    pub csrf: Csrf,
    /// The member's name.
    pub name: String,
    /// The address that a password manager files it under.
    pub email: String,
    /// The fewest characters.
    pub shortest: usize,
    /// Whether the present password is asked for first.
    pub asks_password: bool,
    /// Why it didn't work.
    pub problem: Option<String>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    /// The HTTP status.
    pub status: u16,
    /// What happened, in one line.
    pub title: String,
    /// What happened, in a sentence or two.
    pub message: String,
    /// What was kept.
    pub kept: Option<String>,
    /// What to do.
    pub remedy: String,
    /// Ways on.
    pub links: Vec<Link>,
}

impl ErrorPage {
    const fn tone(&self) -> Tone {
        if self.status == 404 {
            Tone::Quiet
        } else {
            Tone::Stopped
        }
    }

    /// The page of an address that leads nowhere, or to something of another site.
    pub fn not_found() -> Self {
        Self {
            status: 404,
            title: "There is nothing here".into(),
            message:
                "The address is mistyped, or what it named is not part of a site that you can \
                      see."
                    .into(),
            kept: None,
            remedy: "Go back to the page that you came from, or start again from the inbox.".into(),
            links: vec![Link::new("/", "Open the inbox")],
        }
    }
}

impl SignIn {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            csrf: Csrf {
                token: "sample-csrf-token".into(),
            },
            next: "/sites/elmsea/inbox".into(),
            email: "maren@garden.example".into(),
            problem: Some("The address or the password is wrong.".into()),
        }
    }
}

impl Landing {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            name: "Maren Oxley".into(),
            next: "/".into(),
        }
    }
}

impl Again {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            next: "/proposals/prop_01k8".into(),
        }
    }
}

impl NewPassword {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            csrf: Csrf {
                token: "sample-csrf-token".into(),
            },
            name: "Maren Oxley".into(),
            email: "maren@garden.example".into(),
            shortest: 10,
            asks_password: false,
            problem: None,
        }
    }
}

impl ErrorPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            status: 409,
            title: "The draft has moved on".into(),
            message: "Somebody saved revision #13 of /visit after you opened the form.".into(),
            kept: Some("Your text was not saved, and nothing else was changed.".into()),
            remedy: "Open the newer draft, and make your change there.".into(),
            links: vec![Link::new("/sites/elmsea/content/cnt_visit", "Open /visit")],
        }
    }
}
