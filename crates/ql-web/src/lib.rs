//! The dashboard: server-rendered pages for the people who decide what goes live.
//!
//! Every page works without JavaScript; htmx only swaps fragments of pages that stand on their
//! own. A page is a struct that says what it shows ([`page`]); templates turn it into HTML and
//! nothing else does.

pub mod assets;
pub mod diff;
mod labels;
pub mod page;
pub mod part;
pub mod preview;
pub mod schema_form;
