//! The folder that publications are put into for whoever carries them on to media platforms.
//!
//! A parcel is a folder, `PRODUCTION/NUMBER-KIND`, that appears whole or not at all. What is there
//! already is compared and never written again.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use ql_app::director::{Outlet, Parcel, Sending};
use ql_core::hash::Digest;

use crate::provider::files::Files;

/// A folder on this machine.
#[derive(Debug, Clone)]
pub struct Outbox {
    folder: PathBuf,
    /// Where providers' files are kept, by their hashes.
    files: Files,
}

impl Outbox {
    /// The outbox in `folder`, with the providers' files in `files`.
    pub fn new(folder: PathBuf, files: &Path) -> Self {
        let files = Files::new(files);
        Self { folder, files }
    }

    fn put(&self, parcel: &Parcel) -> Result<()> {
        let name = format!("{}-{}", parcel.release, parcel.kind);
        let within = self.folder.join(parcel.production.to_string());
        let (there, aside) = (within.join(&name), within.join(format!(".{name}")));
        let files = self.gather(parcel)?;
        if there.exists() {
            return compare(&there, &files);
        }
        if aside.exists() {
            // Somebody died while writing it.
            fs::remove_dir_all(&aside)?;
        }
        fs::create_dir_all(&aside)?;
        for (name, bytes) in &files {
            let mut file = fs::File::create_new(aside.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        compare(&aside, &files)?;
        fs::rename(&aside, &there)?;
        fs::File::open(&within)?.sync_all()?;
        Ok(())
    }

    /// Every file of a parcel; those that providers made are called by their hashes.
    fn gather(&self, parcel: &Parcel) -> Result<Vec<(String, Vec<u8>)>> {
        let mut files = parcel.files.clone();
        for sha256 in &parcel.made_files {
            let path = self.files.path(sha256);
            if !path.exists() {
                // Files that somebody else keeps are named by their hash alone.
                continue;
            }
            let bytes =
                fs::read(&path).with_context(|| format!("{} can't be read", path.display()))?;
            if Digest::of(&bytes) != *sha256 {
                bail!("{} isn't what its name says", path.display());
            }
            files.push((sha256.to_string(), bytes));
        }
        Ok(files)
    }
}

fn compare(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    for (name, bytes) in files {
        let path = folder.join(name);
        let there = fs::read(&path).with_context(|| format!("{} can't be read", path.display()))?;
        if Digest::of(&there) != Digest::of(bytes) {
            bail!("{} isn't what was sealed", path.display());
        }
    }
    Ok(())
}

impl Outlet for Outbox {
    fn name(&self) -> &'static str {
        "outbox"
    }

    fn send<'p>(&'p self, parcel: &'p Parcel) -> Sending<'p> {
        let (outbox, parcel) = (self.clone(), parcel.clone());
        Box::pin(async move {
            tokio::task::spawn_blocking(move || outbox.put(&parcel))
                .await
                .map_err(|error| error.to_string())?
                .map_err(|error| format!("{error:#}"))
        })
    }
}
