//! Icons of the sprite that every page carries.

use std::fmt;

/// One icon, always beside a word that says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Icon(&'static str);

/// The icon of that name in `templates/part/sprite.html`.
pub const fn icon(name: &'static str) -> Icon {
    Icon(name)
}

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#i-{}\"/></svg>",
            self.0
        )
    }
}

super::markup!(Icon);
