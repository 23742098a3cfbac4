//! Styles, scripts and icons: embedded, and addressed by their content so that a browser may keep
//! them for ever.

use std::fmt;

use axum::response::{IntoResponse, Response};
use http::{HeaderName, StatusCode, header};

/// The dashboard's styles.
pub const STYLES: Asset = Asset::new(
    "ql",
    "css",
    "text/css; charset=utf-8",
    include_bytes!("../assets/ql.css"),
);

/// The dashboard's own script.
pub const SCRIPT: Asset = Asset::new(
    "ql",
    "js",
    "text/javascript; charset=utf-8",
    include_bytes!("../assets/ql.js"),
);

/// htmx, as published (its licence stands beside it).
pub const HTMX: Asset = Asset::new(
    "htmx",
    "js",
    "text/javascript; charset=utf-8",
    include_bytes!("../assets/htmx.min.js"),
);

/// The icon of the browser's tab.
pub const ICON: Asset = Asset::new(
    "icon",
    "svg",
    "image/svg+xml",
    include_bytes!("../assets/icon.svg"),
);

/// The styles of a content preview.
pub const PREVIEW_STYLES: Asset = Asset::new(
    "preview",
    "css",
    "text/css; charset=utf-8",
    include_bytes!("../assets/preview.css"),
);

/// Every asset.
pub const ALL: [&Asset; 5] = [&STYLES, &SCRIPT, &HTMX, &ICON, &PREVIEW_STYLES];

/// One embedded file. It prints as its address, `/assets/ql.0123456789abcdef.css`.
#[derive(Debug)]
pub struct Asset {
    name: &'static str,
    extension: &'static str,
    media_type: &'static str,
    body: &'static [u8],
    hash: u64,
}

impl Asset {
    const fn new(
        name: &'static str,
        extension: &'static str,
        media_type: &'static str,
        body: &'static [u8],
    ) -> Self {
        Self {
            name,
            extension,
            media_type,
            body,
            hash: fnv1a(body),
        }
    }

    /// The bytes as served.
    pub const fn body(&self) -> &'static [u8] {
        self.body
    }
}

impl fmt::Display for Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "/assets/{}.{:016x}.{}",
            self.name, self.hash, self.extension
        )
    }
}

/// FNV-1a: it tells versions apart and protects nothing, and must be
/// cheap enough for the compiler to work out.
const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01b3);
        index += 1;
    }
    hash
}

/// Serves one asset under its exact address.
pub(crate) fn serve(file: &str) -> Response {
    let address = format!("/assets/{file}");
    match ALL.into_iter().find(|asset| asset.to_string() == address) {
        Some(asset) => (
            [
                (header::CONTENT_TYPE, asset.media_type),
                (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
                // A sandboxed preview has an origin of its own and must still get its styles.
                (
                    HeaderName::from_static("cross-origin-resource-policy"),
                    "cross-origin",
                ),
            ],
            asset.body,
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
