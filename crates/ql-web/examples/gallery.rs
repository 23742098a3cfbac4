//! Writes every sample page and asset into a folder, to be looked at in a browser.
//!
//! `cargo run -p ql-web --example gallery -- FOLDER`

use std::fs;
use std::io::{Error, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    fs::create_dir_all(folder.join("assets"))?;
    for asset in ql_web::assets::ALL {
        fs::write(
            folder.join(asset.to_string().trim_start_matches('/')),
            asset.body(),
        )?;
    }
    for (name, html) in ql_web::page::gallery().map_err(Error::other)? {
        fs::write(folder.join(name).with_extension("html"), html)?;
    }
    Ok(())
}
