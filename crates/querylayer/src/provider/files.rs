//! Files that providers make, each under the hash of its bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ql_app::director::{Failure, MadeFile};
use ql_core::hash::Digest;
use ql_pipeline::envelope::output::{Artifact, Label};

/// A folder of files.
#[derive(Debug, Clone)]
pub struct Files {
    folder: PathBuf,
}

impl Files {
    /// The files below a folder, which is made with the first of them.
    pub fn new(folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder }
    }

    /// Where the file of a digest is kept, if it is: `sha256/ab/cdef…`.
    pub fn path(&self, sha256: &Digest) -> PathBuf {
        let digits = sha256.to_string();
        let (first, rest) = digits.split_at(2);
        self.folder.join("sha256").join(first).join(rest)
    }

    /// Keeps bytes, so that they're there after a power failure too. Bytes that are there already
    /// stay as they are.
    ///
    /// # Errors
    /// The folder can't be written to.
    pub fn keep(&self, bytes: &[u8]) -> io::Result<Digest> {
        let sha256 = Digest::of(bytes);
        let path = self.path(&sha256);
        if fs::read(&path).is_ok_and(|kept| kept == bytes) {
            return Ok(sha256);
        }
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let (mut file, beside) = beside(&path)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        if let Err(error) = written.and_then(|()| fs::rename(&beside, &path)) {
            let _ = fs::remove_file(&beside);
            return Err(error);
        }
        // The name is kept with the folder that has it, and a new folder with the one around it.
        for folder in path.ancestors().skip(1).take(3) {
            File::open(folder)?.sync_all()?;
        }
        Ok(sha256)
    }

    /// Keeps a file that was made and is paid for.
    pub(super) async fn made(
        &self,
        (name, media_type): (&str, &str),
        bytes: Vec<u8>,
    ) -> Result<MadeFile, Failure> {
        let (files, length) = (self.clone(), bytes.len() as u64);
        let kept = tokio::task::spawn_blocking(move || files.keep(&bytes)).await;
        let sha256 = kept
            .map_err(io::Error::other)
            .flatten()
            .map_err(|error| Failure::Uncertain(format!("{name} can't be kept: {error}")))?;
        Ok(MadeFile {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            sha256,
            bytes: length,
        })
    }
}

/// A new file beside a path, under a name that nobody else has.
fn beside(path: &Path) -> io::Result<(File, PathBuf)> {
    for number in 0_u32.. {
        let beside = path.with_extension(format!("{number}.part"));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)
        {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A file as documents name it; none that is too large for one.
pub(super) fn artifact(file: &MadeFile) -> Option<Artifact> {
    Some(Artifact {
        sha256: file.sha256.to_string(),
        bytes: file.bytes.try_into().ok()?,
        media_type: Label(file.media_type.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_once_under_their_hash_and_mended_when_damaged() {
        let dir = ql_testkit::TempDir::new();
        let files = Files::new(dir.path());
        let sha256 = files.keep(b"a picture").expect("kept");
        let path = files.path(&sha256);
        let below = path.strip_prefix(dir.path()).expect("below the folder");
        insta::assert_snapshot!(below.display(), @"sha256/92/b2fa58028958317e408bd84ecfa70f5ee35b121991dbc232c49d166353708b");
        assert_eq!(files.keep(b"a picture").expect("kept"), sha256);
        fs::write(&path, b"a pic").expect("damaged");
        files.keep(b"a picture").expect("kept");
        assert_eq!(fs::read(&path).expect("there"), b"a picture");
        let names = fs::read_dir(path.parent().expect("a folder")).expect("read");
        assert_eq!(names.count(), 1);
    }
}
