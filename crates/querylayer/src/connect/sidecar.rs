//! The immutable identity of a Hermes profile: the file `querylayer.toml` in the profile's folder.
//!
//! Hermes knows a profile by the name of its folder, which a rename changes. A file in the folder
//! moves with it, is copied with it, and is gone with it; so it tells those apart.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use ql_core::id::ProfileId;
use serde::Deserialize;

/// The file's name.
pub const FILE: &str = "querylayer.toml";

/// The most characters of an identity, as the server takes them.
const LONGEST: usize = 200;

/// What a profile's folder says about who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// It carries this one.
    Of(String),
    /// It was never enrolled.
    None,
    /// Its file is there and can't be read, for this reason.
    Unreadable(String),
}

impl Identity {
    /// The identity, where there is one.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Of(id) => Some(id),
            Self::None | Self::Unreadable(_) => None,
        }
    }
}

/// Why a profile wasn't enrolled.
#[derive(Debug, thiserror::Error)]
pub enum NotEnrolled {
    /// It was before, and an identity is never replaced unasked.
    #[error("the profile is enrolled already, as {0}")]
    Already(String),
    /// Its file holds something else.
    #[error("{FILE} in the profile's folder {0}; look at it, and take it away if nothing needs it")]
    Unreadable(String),
    /// The file can't be written.
    #[error("{FILE} can't be written in the profile's folder: {0}")]
    Io(#[from] io::Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sidecar {
    profile_id: String,
}

/// Reads who the profile in this folder is.
pub fn read(folder: &Path) -> Identity {
    let text = match fs::read_to_string(folder.join(FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Identity::None,
        Err(error) => return Identity::Unreadable(format!("can't be read: {error}")),
    };
    match toml::from_str::<Sidecar>(&text) {
        Ok(Sidecar { profile_id }) if is_usable(&profile_id) => Identity::Of(profile_id),
        Ok(_) => Identity::Unreadable("holds no usable profile_id".to_owned()),
        Err(error) => {
            let why = error.message().to_owned();
            Identity::Unreadable(format!("isn't what enrolling wrote: {why}"))
        }
    }
}

fn is_usable(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\');
    !id.is_empty() && id.len() <= LONGEST && id.chars().all(is_plain)
}

/// Gives the profile in this folder its identity, once: a second call is refused with the one that
/// it has.
///
/// # Errors
/// The profile has one already, or the file can't be written.
pub fn enroll(folder: &Path, id: ProfileId) -> Result<(), NotEnrolled> {
    let written = write_beside(folder, id)?;
    // A link is made whole or not at all, and never over a file that is there.
    let linked = fs::hard_link(&written, folder.join(FILE));
    fs::remove_file(&written)?;
    match linked {
        Ok(()) => Ok(sync(folder)?),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(match read(folder) {
            Identity::Of(id) => NotEnrolled::Already(id),
            Identity::None => error.into(),
            Identity::Unreadable(why) => NotEnrolled::Unreadable(why),
        }),
        Err(error) => Err(error.into()),
    }
}

/// Gives the profile in this folder another identity than the one it has: a copy stops being its
/// original by that.
///
/// # Errors
/// The file can't be written.
pub fn enroll_anew(folder: &Path, id: ProfileId) -> Result<(), NotEnrolled> {
    let written = write_beside(folder, id)?;
    fs::rename(&written, folder.join(FILE))?;
    Ok(sync(folder)?)
}

fn write_beside(folder: &Path, id: ProfileId) -> io::Result<std::path::PathBuf> {
    let path = folder.join(format!(".{FILE}.{id}"));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)?;
    write!(
        file,
        "# Who this Hermes profile is for QueryLayer, whatever its name becomes.\n\
         # Don't copy it into another profile: two with one id are nobody.\n\
         profile_id = \"{id}\"\n"
    )?;
    file.sync_all()?;
    Ok(path)
}

fn sync(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}
