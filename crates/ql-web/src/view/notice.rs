//! What was just done, carried in the address as a code and shown once.

use crate::edge::params::Params;
use crate::part::{Pill, Tone};

/// The sentence for the code in the address, where it has one.
pub(crate) fn read(params: &Params) -> Option<Pill> {
    let done = |word: &'static str| Some(Pill::new(Tone::Live, word));
    match params.get("notice")? {
        "saved" => done("Saved."),
        "material" => done("Kept. A page that is retrieved stands here once the server has it."),
        "draft" => done("Saved as a draft. Nothing went live by it."),
        "unchanged" => Some(Pill::new(
            Tone::Quiet,
            "Nothing was saved, since nothing changed.",
        )),
        "rolled-back" => done("Rolled back. The public reads the earlier revision again."),
        "revoked" => done("Revoked. Its very next call is refused."),
        "removed" => done("Removed. All of its sessions ended."),
        "policy" => done("The new policy is in force."),
        "password" => done("Your password is set."),
        "rejected" => {
            let count = |name| params.parse::<usize>(name).unwrap_or_default();
            let (rejected, failed) = (count("done"), count("failed"));
            let text = match failed {
                0 => format!("{rejected} rejected. The proposers can read why."),
                _ => format!("{rejected} rejected; {failed} had changed meanwhile and were left."),
            };
            Some(Pill::new(
                if failed == 0 { Tone::Live } else { Tone::Needs },
                text,
            ))
        }
        _ => None,
    }
}
