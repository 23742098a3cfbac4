//! A bar that says how much of a budget is spent.

use askama::Template;

use super::Tone;

/// How much of something is used, as a bar with its words above it.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"<div class="meter"><p class="row"><span>{{ label }}</span><span class="push">{{ said }}</span></p>
<svg viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="{{ label }}: {{ self.percent() }} % used"><rect class="meter-rail" x="0" y="0" width="100" height="4"/><rect class="bar-{{ self.tone() }}" x="0" y="0" width="{{ self.percent().min(100) }}" height="4"/></svg></div>"#
)]
pub struct Meter {
    /// What it is the budget of.
    pub label: String,
    /// How much is used of how much, in words.
    pub said: String,
    /// How much is used.
    pub used: u64,
    /// How much there is.
    pub most: u64,
}

impl Meter {
    /// The share in whole per cent; what is used of nothing is all of it.
    fn percent(&self) -> u64 {
        match (self.used, self.most) {
            (0, _) => 0,
            (_, 0) => 100,
            // What is used at all is seen.
            (used, most) => (used.saturating_mul(100) / most).max(1),
        }
    }

    fn tone(&self) -> Tone {
        match self.percent() {
            0..80 => Tone::Proposed,
            80..=100 => Tone::Needs,
            _ => Tone::Stopped,
        }
    }
}

super::markup!(Meter);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_seen_as_soon_as_there_is_one() {
        let meter = |used, most| {
            let meter = Meter {
                label: String::new(),
                said: String::new(),
                used,
                most,
            };
            format!("{} {}", meter.percent(), meter.tone())
        };
        let table = [
            (0, 0),
            (1, 0),
            (1, 1_000_000),
            (79, 100),
            (80, 100),
            (101, 100),
        ]
        .map(|(used, most)| format!("{used}/{most}: {}", meter(used, most)));
        insta::assert_snapshot!(table.join("\n"), @"
        0/0: 0 proposed
        1/0: 100 needs
        1/1000000: 1 proposed
        79/100: 79 proposed
        80/100: 80 needs
        101/100: 101 stopped
        ");
    }
}
