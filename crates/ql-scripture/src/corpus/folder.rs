//! Editions in a folder: `ID/manifest.json`, `ID/verses.tsv` and `ID/sums.txt`.
//!
//! The text is the normal form itself, so that `sha256sum verses.tsv` prints what the manifest
//! says. The only module of this crate that touches files.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use super::Corpus;
use super::damage::Damage;
use super::manifest::Manifest;
use super::normal::NormalForm;

const MANIFEST: &str = "manifest.json";
const VERSES: &str = "verses.tsv";
const SUMS: &str = "sums.txt";

/// Why an edition can't be read from or written to a folder.
#[derive(Debug)]
pub enum Error {
    /// There is no edition of this name.
    Missing(PathBuf),
    /// There is one already.
    Exists(PathBuf),
    /// The operating system says no.
    Io(PathBuf, io::Error),
    /// The manifest isn't one.
    Manifest(PathBuf, serde_json::Error),
    /// The text isn't UTF-8; the number of bytes that are.
    NotUtf8(PathBuf, usize),
    /// The text isn't the one that was imported.
    Damaged(Box<Damage>),
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(
                f,
                "there is no edition in {}; import one, or name the right folder",
                path.display()
            ),
            Self::Exists(path) => write!(
                f,
                "there is an edition in {} already; remove the folder, or give another id",
                path.display()
            ),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Manifest(path, error) => {
                write!(f, "{} is no manifest of a corpus: {error}", path.display())
            }
            Self::NotUtf8(path, at) => write!(
                f,
                "{} isn't UTF-8 after {at} bytes; import the text again",
                path.display()
            ),
            Self::Damaged(damage) => write!(f, "{damage}; import the text again"),
        }
    }
}

/// The folders of the editions in a folder, by name.
///
/// # Errors
/// The folder can't be read. One that isn't there holds none.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::Io(folder.to_owned(), error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| Error::Io(folder.to_owned(), error))?
            .path();
        if path.join(MANIFEST).is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// What is known of the edition in a folder, without reading its text.
///
/// # Errors
/// There is none, or the manifest isn't one.
pub fn manifest(folder: &Path) -> Result<Manifest, Error> {
    let path = folder.join(MANIFEST);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::Missing(folder.to_owned()));
        }
        Err(error) => return Err(Error::Io(path, error)),
    };
    serde_json::from_slice(&bytes).map_err(|error| Error::Manifest(path, error))
}

/// Loads the edition in a folder, if it is still the one that was imported.
///
/// # Errors
/// There is none, or it is damaged; then everything that differs, with its line.
pub fn open(folder: &Path) -> Result<Corpus, Error> {
    let manifest = manifest(folder)?;
    let path = folder.join(VERSES);
    let bytes = fs::read(&path).map_err(|error| Error::Io(path.clone(), error))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| Error::NotUtf8(path, error.utf8_error().valid_up_to()))?;
    super::damage::check(&manifest, &text)
        .map_err(|damage| {
            let sums = fs::read_to_string(folder.join(SUMS)).unwrap_or_default();
            Error::Damaged(Box::new(damage.located(&text, &sums)))
        })
        .map(|rows| Corpus::index(manifest, text, rows))
}

/// Writes an edition into a new folder of its name within `folder`, and answers where.
///
/// The manifest is written last: a folder without one holds no edition.
///
/// # Errors
/// There is one of that name, or what the operating system says.
pub fn save(folder: &Path, normal: &NormalForm) -> Result<PathBuf, Error> {
    let target = folder.join(&normal.manifest.id);
    if target.join(MANIFEST).exists() {
        return Err(Error::Exists(target));
    }
    let io = |error| Error::Io(target.clone(), error);
    fs::create_dir_all(&target).map_err(io)?;
    let manifest = serde_json::to_string_pretty(&normal.manifest)
        .map_err(|error| Error::Manifest(target.clone(), error))?;
    write(&target.join(VERSES), &normal.text).map_err(io)?;
    write(&target.join(SUMS), &normal.sums).map_err(io)?;
    let unfinished = target.join("manifest.part");
    write(&unfinished, &(manifest + "\n")).map_err(io)?;
    fs::rename(&unfinished, target.join(MANIFEST)).map_err(io)?;
    Ok(target)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
