//! A policy pack: the text and the tables under which a production is made.
//!
//! A pack is a folder whose files are hashed. It holds all that is doctrine; the code knows the
//! shape alone. [`load()`] makes one of its files, [`folder`] reads them, [`diff()`] compares two.

mod check;
pub mod diff;
pub mod disputed;
pub mod doctrine;
pub(crate) mod fields;
pub mod files;
pub mod folder;
mod header;
mod load;
pub mod manifest;
mod order;
pub mod problem;
pub mod role;
pub mod rule;
pub(crate) mod source;
pub mod stage;
mod table;
pub mod translation;

use ql_core::hash::Digest;

pub use diff::diff;
pub use disputed::Disputed;
pub use doctrine::Doctrine;
pub use load::load;
pub use role::{Exegesis, Role};
pub use rule::{Check, Rule, RuleKind};
pub use stage::{Actor, Stage};
pub use translation::Translation;

/// One file of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackFile {
    /// Its path below the pack's folder, with `/` between folders.
    pub path: String,
    /// Its text as it stands.
    pub text: String,
    /// The digest of its bytes.
    pub sha256: Digest,
}

/// A policy pack that was read and found fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Its name, such as `biblical-teaching`.
    pub name: String,
    /// The version of its constitution, such as `1.0.0`.
    pub version: String,
    /// The digest of the constitution's bytes.
    pub constitution_sha256: Digest,
    /// The digest of the canonical manifest: path, digest and size of every file, sorted by path.
    pub sha256: Digest,
    /// Every file, sorted by path. They travel with each task.
    pub files: Vec<PackFile>,
    /// The roles, by number.
    pub roles: Vec<Role>,
    /// The stages, each after all that it needs.
    pub stages: Vec<Stage>,
    /// The rules of validation.
    pub rules: Vec<Rule>,
    /// What is taught.
    pub doctrines: Vec<Doctrine>,
    /// Passages on which readers differ.
    pub disputed: Vec<Disputed>,
    /// The translations that may be quoted.
    pub translations: Vec<Translation>,
}

impl Pack {
    /// The constitution's text.
    pub fn constitution(&self) -> &str {
        let is_it = |file: &&PackFile| file.path == files::CONSTITUTION;
        self.files.iter().find(is_it).map_or("", |file| &file.text)
    }

    /// The role of that id.
    pub fn role(&self, id: &str) -> Option<&Role> {
        self.roles.iter().find(|role| role.id == id)
    }

    /// The stage of that id.
    pub fn stage(&self, id: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// The rule of that id.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The translation of that edition.
    pub fn translation(&self, edition: &str) -> Option<&Translation> {
        let is_it = |of: &&Translation| of.grant.edition == edition;
        self.translations.iter().find(is_it)
    }
}
