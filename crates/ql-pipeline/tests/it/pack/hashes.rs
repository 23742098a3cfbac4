//! The digests by which a task proves what was seen.

use ql_core::canon;
use ql_core::hash::Digest;
use ql_pipeline::pack::manifest::manifest;

use super::{Draft, another};

/// Made with `sha256sum` and `printf`, as docs/policy-packs.md says.
const BY_HAND: (&str, &str) = (
    "d9b95217001e3cd19e24712eb99e615c8d1d004049d05885b6fafa2b07bb870e",
    "5cd3593b3d3168f393881f209deaeafca03f1ad8ee7ead040016c8734766dae9",
);

#[test]
fn the_digests_are_those_made_by_hand() {
    let pack = another();
    let found = (
        pack.constitution_sha256.to_string(),
        pack.sha256.to_string(),
    );
    assert_eq!((found.0.as_str(), found.1.as_str()), BY_HAND);
}

#[test]
fn the_manifest_is_path_digest_and_size_by_path() {
    let pack = Draft::small().fit();
    let mut files = super::SMALL;
    assert!(!files.is_sorted(), "the order is the manifest's own");
    files.sort_unstable();
    let rows = files.map(|(path, content)| {
        let (sha256, size) = (Digest::of(content.as_bytes()), content.len());
        format!(r#"{{"path":"{path}","sha256":"{sha256}","size":{size}}}"#)
    });
    let text = format!("[{}]", rows.join(","));
    assert_eq!(canon::to_string(&manifest(&pack.files)), text);
    assert_eq!(pack.sha256, Digest::of(text.as_bytes()));
    assert_eq!(
        pack.constitution_sha256,
        Digest::of(pack.constitution().as_bytes())
    );
}

#[test]
fn a_byte_anywhere_makes_another_pack_and_the_order_of_files_does_not() {
    let pack = Draft::small().fit();
    for (path, _) in super::SMALL {
        let other = Draft::small().and(path, "\n").fit();
        assert_ne!(other.sha256, pack.sha256, "{path}");
        let is_constitution = path == "constitution.md";
        assert_eq!(
            other.constitution_sha256 != pack.constitution_sha256,
            is_constitution,
            "{path}"
        );
    }
    let mut turned = Draft::small();
    turned.0.reverse();
    assert_eq!(turned.fit(), pack);
}
