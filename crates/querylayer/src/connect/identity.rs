//! How a connector names itself to the server.

use std::path::Path;

use ql_core::hash::Digest;

/// The name of this machine, as it names itself.
pub(super) fn host() -> String {
    let named = rustix::system::uname();
    let name = named.nodename().to_string_lossy();
    match name.as_ref() {
        "" => "unnamed".to_owned(),
        name => name.chars().take(60).collect(),
    }
}

/// The connector's name: it stays while the machine runs, and is another one for another folder and
/// on a machine that was copied from this one.
pub(super) fn connector_id(root: &Path) -> String {
    // Two machines that were made from one image agree in everything but this.
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let parts = [boot.trim().as_bytes(), root.as_os_str().as_encoded_bytes()];
    let digest = Digest::of_parts(&parts).to_string();
    let short = digest.rsplit(':').next().unwrap_or_default();
    format!("{}-{}", host(), short.get(..12).unwrap_or(short))
}
