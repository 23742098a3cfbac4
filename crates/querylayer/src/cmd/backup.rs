//! Copies of a data folder: the database, consistently and while it is used, and the keys.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::admin::Request;
use crate::cli::Place;
use crate::cmd::admin;
use crate::data::DataDir;
use crate::output;

/// Copies the folder into `target`, which must not exist.
///
/// # Errors
/// `target` exists, or one of the folders can't be read or written.
pub async fn backup(target: &Path, place: &Place) -> Result<()> {
    let data = place.data_dir();
    data.require()?;
    embedded_alone(&data)?;
    let copy = fresh(target)?;
    let database = std::path::absolute(copy.database())?;
    admin::answer(Request::Backup(database), place).await?;
    copy_keys(&data, &copy)?;
    let found = check(&copy).await?;
    let answer = json!({"backup": target, "chains": found.0, "entries": found.1});
    output::print(&answer, place.json)
}

/// Makes a data folder, which must not hold data, from the copy in `source`.
///
/// # Errors
/// The folder holds data already, the copy's ledger doesn't hold, or one of them can't be read or
/// written.
pub async fn restore(source: &Path, place: &Place) -> Result<()> {
    let (copy, data) = (DataDir::new(source), place.data_dir());
    embedded_alone(&data)?;
    copy.require()
        .with_context(|| format!("{} is no backup", source.display()))?;
    if data.exists() {
        bail!(
            "{} holds data already; name another folder with --data, or move it away first",
            place.data.display()
        );
    }
    data.create()?;
    // The database goes last and by one rename, so that a restore that broke off left no data.
    let arriving = data.path().join("arriving.db");
    fs::copy(copy.database(), &arriving).context("the database can't be copied")?;
    fs::set_permissions(&arriving, fs::Permissions::from_mode(0o600))?;
    copy_keys(&copy, &data)?;
    fs::File::open(&arriving)?.sync_all()?;
    fs::rename(&arriving, data.database())?;
    let (chains, entries) = check(&data).await?;
    output::print(
        &json!({"restored": place.data, "chains": chains, "entries": entries}),
        place.json,
    )
}

/// A database server has its own ways to be copied.
fn embedded_alone(data: &DataDir) -> Result<()> {
    if data.has_server() {
        bail!(
            "a database server is copied with its own tools, such as `pg_dump --format=custom` and `pg_restore`; copy the folder {} beside it, the embedded database is all that this command copies",
            data.keys().display()
        );
    }
    Ok(())
}

fn fresh(target: &Path) -> Result<DataDir> {
    if target.exists() {
        bail!(
            "{} exists already; name a folder that doesn't",
            target.display()
        );
    }
    let copy = DataDir::new(target);
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(target)?;
    copy.create()?;
    Ok(copy)
}

fn copy_keys(from: &DataDir, to: &DataDir) -> Result<()> {
    for entry in fs::read_dir(from.keys()).context("the keys can't be read")? {
        let entry = entry?;
        // Copying keeps the mode, so a key stays readable by its owner alone.
        fs::copy(entry.path(), to.keys().join(entry.file_name()))
            .context("a key can't be copied")?;
    }
    Ok(())
}

/// Opens a folder and follows its ledger: chains and entries, or what is broken.
async fn check(data: &DataDir) -> Result<(u64, u64)> {
    let app = data.open("http://127.0.0.1")?;
    let found = crate::admin::said(app.verify_whole_ledger().await);
    app.store().close();
    let found = found?;
    match found.broken.first() {
        None => Ok((found.chains, found.entries)),
        Some(broken) => bail!(
            "the ledger in {} doesn't hold: {broken}",
            data.path().display()
        ),
    }
}
