//! Writes every sample page and asset into a folder, to be looked at in a browser.
//!
//! `cargo run -p ql-web --example gallery -- FOLDER`

use std::fs;
use std::io::{Error, Result};
use std::path::PathBuf;

use askama::Template as _;

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
    // Too large for a snapshot, and the size at which a map must still be readable.
    let large = ql_web::page::TopicalMap::drawn_sample(500).render();
    fs::write(
        folder.join("topical_map-500.html"),
        large.map_err(Error::other)?,
    )?;
    Ok(())
}
