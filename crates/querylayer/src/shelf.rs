//! Where editions of Scripture are kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use ql_scripture::corpus::Corpus;
use ql_scripture::corpus::folder;
use ql_scripture::corpus::library::Library;

/// Where editions are kept, and how a command prints.
#[derive(Debug, Clone, Args)]
pub struct Shelf {
    /// The data folder; its editions are in the folder `corpora` within
    #[arg(
        long,
        env = "QUERYLAYER_DATA",
        value_name = "DIR",
        default_value = "data",
        global = true
    )]
    data: PathBuf,
    /// The folder of editions, if it is another
    #[arg(long, env = "QUERYLAYER_CORPORA", value_name = "DIR", global = true)]
    corpora: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

impl Shelf {
    /// The folder of editions, which need not exist.
    pub fn folder(&self) -> PathBuf {
        let within = || self.data.join("corpora");
        self.corpora.clone().unwrap_or_else(within)
    }

    /// The folders of these editions, or of all where none is named.
    ///
    /// # Errors
    /// There is none, or the folder can't be read.
    pub fn editions(&self, ids: &[String]) -> Result<Vec<PathBuf>> {
        let folder = self.folder();
        if !ids.is_empty() {
            return Ok(ids.iter().map(|id| folder.join(id)).collect());
        }
        let editions = folder::list(&folder)?;
        if editions.is_empty() {
            bail!(
                "there is no edition in {}; import one with `querylayer corpus import`, or name the right folder with --corpora",
                folder.display()
            );
        }
        Ok(editions)
    }

    /// Loads these editions, or all where none is named.
    ///
    /// # Errors
    /// There is none, or one is missing or damaged.
    pub fn library(&self, ids: &[String]) -> Result<Library> {
        let load = |path: &Path| -> Result<Arc<Corpus>> { Ok(Arc::new(folder::open(path)?)) };
        let editions = self.editions(ids)?;
        let corpora: Result<Vec<_>> = editions.iter().map(|path| load(path)).collect();
        Ok(Library::new(corpora?))
    }
}
