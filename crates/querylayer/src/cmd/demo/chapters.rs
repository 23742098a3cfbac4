//! The chapters that `--all` adds to the story, each in its file.

use anyhow::Result;

use super::story::Scene;
use super::{console, evidence, forms, sources, topical};
use crate::cmd::told::Told;

/// Tells every chapter, in order.
pub(super) async fn tell(scene: &mut Scene<'_>, told: &mut Told) -> Result<()> {
    topical::tell(scene, told).await?;
    sources::tell(scene, told).await?;
    evidence::tell(scene, told).await?;
    forms::tell(scene, told).await?;
    console::tell(scene, told).await?;
    Ok(())
}
