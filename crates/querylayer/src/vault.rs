//! The ledger's private key in the data folder, readable by this user alone.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use ql_app::ledger::{KeyVault, Seed};

/// Keys in files of one folder.
#[derive(Debug)]
pub struct FileVault {
    folder: PathBuf,
}

impl FileVault {
    /// The keys in `folder`, which must exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("ledger.key")
    }

    fn next(&self) -> PathBuf {
        self.folder.join("ledger.key.next")
    }
}

fn read(path: &Path) -> io::Result<Option<Seed>> {
    match fs::read(path) {
        Ok(bytes) => bytes.try_into().map(Some).map_err(|_| {
            let text = format!("{} holds no key of 32 bytes", path.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl KeyVault for FileVault {
    fn current(&self) -> io::Result<Option<Seed>> {
        read(&self.file())
    }

    fn staged(&self) -> io::Result<Option<Seed>> {
        read(&self.next())
    }

    fn stage(&self, seed: &Seed) -> io::Result<()> {
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(self.next())?;
        file.write_all(seed)?;
        file.sync_all()?;
        sync(&self.folder)
    }

    fn promote(&self) -> io::Result<()> {
        fs::rename(self.next(), self.file())?;
        sync(&self.folder)
    }
}

/// Makes the folder's names durable.
fn sync(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_staged_key_takes_the_place_of_the_one_in_use() {
        let folder = ql_testkit::TempDir::new();
        let vault = FileVault::new(folder.path());
        assert_eq!(vault.current().expect("readable"), None);
        for seed in [[1; 32], [2; 32]] {
            vault.stage(&seed).expect("staged");
            assert_eq!(vault.staged().expect("readable"), Some(seed));
            vault.promote().expect("promoted");
            assert_eq!(vault.current().expect("readable"), Some(seed));
            assert_eq!(vault.staged().expect("readable"), None);
        }
        let mode = fs::metadata(vault.file())
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(vault.file(), "no key").expect("written");
        assert!(vault.current().is_err(), "not taken for a missing one");
    }
}
