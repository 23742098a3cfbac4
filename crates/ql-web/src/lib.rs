//! The dashboard: server-rendered pages for the people who decide what goes live.
//!
//! Every page works without JavaScript; htmx only swaps fragments of pages that stand on their
//! own. A page is a struct that says what it shows ([`page`]); templates turn it into HTML and
//! nothing else does.

pub mod assets;
mod config;
pub mod diff;
mod edge;
mod labels;
pub mod page;
pub mod part;
pub mod preview;
mod route;
pub mod schema_form;
mod view;

pub use config::WebConfig;
pub use route::router;
