//! Profiles of Hermes: listed as they are, and given an identity.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use ql_core::id::{ProfileId, SystemIdGen};
use ql_core::time::{Clock as _, SystemClock};
use serde_json::{Value, json};

use crate::connect::profiles::{Profile, discover};
use crate::connect::sidecar::{self, Identity, NotEnrolled};
use crate::output;

/// Prints every profile.
pub(super) fn list(root: &Path, as_json: bool) -> Result<ExitCode> {
    let found = all(root)?;
    let rows: Value = found.iter().map(|profile| row(profile, &found)).collect();
    output::print(&rows, as_json)?;
    Ok(ExitCode::SUCCESS)
}

/// Gives a profile its identity and prints it. One that it has is printed and kept, unless a new one
/// is asked for.
pub(super) fn enroll(root: &Path, (name, new_id): (&str, bool), as_json: bool) -> Result<ExitCode> {
    let found = all(root)?;
    let profile = found.iter().find(|profile| profile.name == name);
    let Some(profile) = profile else {
        let names: Vec<&str> = found.iter().map(|profile| profile.name.as_str()).collect();
        bail!("there is no profile {name}; there is {}", names.join(", "));
    };
    let id = ProfileId::mint(&SystemIdGen::default(), SystemClock.now());
    let enrolled = if new_id {
        sidecar::enroll_anew(&profile.folder, id)
    } else {
        sidecar::enroll(&profile.folder, id)
    };
    match enrolled {
        Ok(()) | Err(NotEnrolled::Already(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let found = all(root)?;
    let profile = found.iter().find(|profile| profile.name == name);
    let profile = profile.context("the profile is gone")?;
    output::print(&row(profile, &found), as_json)?;
    Ok(ExitCode::SUCCESS)
}

fn all(root: &Path) -> Result<Vec<Profile>> {
    discover(root).with_context(|| format!("can't list the profiles in {}", root.display()))
}

/// A profile, with what stands in the way of an agent that is bound to it.
fn row(profile: &Profile, all: &[Profile]) -> Value {
    let id = profile.identity.id();
    let others = all
        .iter()
        .filter(|other| id.is_some() && other.identity.id() == id)
        .count();
    let note = match &profile.identity {
        Identity::Of(_) if others > 1 => {
            "another profile has the same id, so neither is taken; enroll the copy with --new-id"
                .to_owned()
        }
        Identity::Of(_) => String::new(),
        Identity::None => "not enrolled".to_owned(),
        Identity::Unreadable(why) => format!("{} {why}", sidecar::FILE),
    };
    json!({"name": profile.name, "profile_id": id, "note": note})
}
