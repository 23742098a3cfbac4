//! A pack in a folder. The only module of this crate that touches files.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::Pack;
use super::files::{FILES, MAX_FILE_BYTES};
use super::load::load;
use super::problem::Unfit;

/// How much of a file is read: a byte more than it may have.
const LIMIT: u64 = MAX_FILE_BYTES as u64 + 1;

/// A folder that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{path} can't be read: {error}", path = .path.display())]
pub struct Unreadable {
    /// What can't be read.
    pub path: PathBuf,
    /// What the operating system says.
    pub error: io::Error,
}

/// Loads the pack in a folder.
///
/// # Errors
/// The folder or a file in it can't be read. A pack that isn't fit for use is an answer.
pub fn open(folder: &Path) -> Result<Result<Pack, Unfit>, Unreadable> {
    Ok(load(files(folder)?))
}

/// The files of a folder with their bytes, by name.
///
/// What is no file, such as a folder within, is a name that ends in `/`. A file that no pack has is
/// a name alone, and of one that is too large only so much is read that it's seen to be.
///
/// # Errors
/// The folder or a file in it can't be read.
pub fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Unreadable> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |error| Unreadable { path, error }
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !path.is_file() {
            found.push((format!("{name}/"), Vec::new()));
            continue;
        }
        let mut bytes = Vec::new();
        if FILES.contains(&&*name) {
            let file = File::open(&path).map_err(unreadable(&path))?;
            let read = file.take(LIMIT).read_to_end(&mut bytes);
            read.map_err(unreadable(&path))?;
        }
        found.push((name.into_owned(), bytes));
    }
    found.sort();
    Ok(found)
}
