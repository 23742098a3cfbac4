//! Which profiles Hermes has on this machine, as its folder says.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::sidecar::{self, Identity};

/// A profile that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its current name.
    pub name: String,
    /// Its folder, which is its `HERMES_HOME`.
    pub folder: PathBuf,
    /// Who it is.
    pub identity: Identity,
}

/// How many profiles carry an identity that one should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotOne {
    /// None does.
    Missing,
    /// Several do.
    Ambiguous,
}

/// The folder of Hermes on this machine: the one that is named, `HERMES_HOME`, or `~/.hermes`. From
/// the folder of a profile it leads to the folder of them all, as Hermes does.
pub fn root(named: Option<&Path>) -> Option<PathBuf> {
    let set = || env::var_os("HERMES_HOME").filter(|home| !home.is_empty());
    let usual = || env::home_dir().map(|home| home.join(".hermes"));
    let home = named.map(Path::to_owned);
    let home = home.or_else(|| set().map(PathBuf::from)).or_else(usual)?;
    match home.parent() {
        Some(parent) if parent.ends_with("profiles") => parent.parent().map(Path::to_owned),
        Some(_) | None => Some(home),
    }
}

/// Every profile: the root as `default`, and each folder in `profiles`, by name. Copies, doubles and
/// those without an identity are among them as they are.
///
/// # Errors
/// The folder isn't there or can't be listed.
pub fn discover(root: &Path) -> io::Result<Vec<Profile>> {
    fs::read_dir(root)?;
    let mut names = Vec::new();
    match fs::read_dir(root.join("profiles")) {
        Ok(entries) => {
            for entry in entries {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if is_name(&name) && entry.path().is_dir() {
                    names.push(name);
                }
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    names.sort();
    let named = names.into_iter().map(|name| {
        let folder = root.join("profiles").join(&name);
        (name, folder)
    });
    let default = ("default".to_owned(), root.to_owned());
    Ok(std::iter::once(default)
        .chain(named)
        .map(|(name, folder)| Profile {
            identity: sidecar::read(&folder),
            name,
            folder,
        })
        .collect())
}

/// Hermes' own rule for what is a profile's name; the root alone is `default`.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text != "default"
        && text.len() <= 64
        && text.bytes().next().is_some_and(plain)
        && text
            .bytes()
            .all(|byte| plain(byte) || b"_-".contains(&byte))
}

/// The one profile that carries an identity.
///
/// # Errors
/// None does, or several.
pub fn find<'p>(profiles: &'p [Profile], id: &str) -> Result<&'p Profile, NotOne> {
    let mut found = profiles
        .iter()
        .filter(|profile| profile.identity.id() == Some(id));
    match (found.next(), found.next()) {
        (Some(profile), None) => Ok(profile),
        (None, _) => Err(NotOne::Missing),
        (Some(_), Some(_)) => Err(NotOne::Ambiguous),
    }
}
