//! Instants: relative in words, exact on hover and for machines.

use askama::Template;
use ql_core::time::Timestamp;

/// An instant as seen from now.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"<time datetime="{{ iso }}" title="{{ exact }}" data-relative>{{ relative }}</time>"#
)]
pub struct When {
    iso: String,
    exact: String,
    relative: String,
}

impl When {
    /// How `at` looks at the instant `now`.
    pub fn new(at: Timestamp, now: Timestamp) -> Self {
        let iso = at.to_string();
        let exact = match iso.get(..19) {
            Some(second) => format!("{} UTC", second.replace('T', " ")),
            None => iso.clone(),
        };
        let relative =
            relative(at, now).unwrap_or_else(|| exact.get(..10).unwrap_or(&exact).into());
        Self {
            iso,
            exact,
            relative,
        }
    }
}

/// The distance in the largest whole unit up to days; beyond thirty days there is none, and the
/// date says more. The script that keeps times fresh uses the same words.
fn relative(at: Timestamp, now: Timestamp) -> Option<String> {
    let ahead = at > now;
    let seconds = if ahead { at.since(now) } else { now.since(at) }.as_secs();
    let text = match seconds {
        0..5 => return Some("now".into()),
        5..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        86_400..2_592_000 => format!("{} d", seconds / 86_400),
        _ => return None,
    };
    Some(if ahead {
        format!("in {text}")
    } else {
        format!("{text} ago")
    })
}

super::markup!(When);

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(offset_seconds: i64) -> String {
        let now = Timestamp::from_micros(1_796_040_000_000_000);
        let at = Timestamp::from_micros(now.as_micros() + offset_seconds * 1_000_000);
        relative(at, now).unwrap_or_else(|| "the date".into())
    }

    #[test]
    fn distances_read_as_people_say_them() {
        let table: Vec<String> = [
            0,
            -4,
            -59,
            -60,
            -3_599,
            -86_399,
            -86_400,
            -2_592_000,
            61,
            86_400 * 29,
        ]
        .map(shown)
        .into();
        insta::assert_snapshot!(table.join(", "), @"now, now, 59 s ago, 1 min ago, 59 min ago, 23 h ago, 1 d ago, the date, in 1 min, in 29 d");
    }

    #[test]
    fn the_exact_time_is_on_hover_and_for_machines() {
        let now = Timestamp::from_micros(1_796_040_000_000_000);
        let at = Timestamp::from_micros(now.as_micros() - 90_000_000);
        insta::assert_snapshot!(When::new(at, now), @r#"<time datetime="2026-11-30T11:58:30.000000Z" title="2026-11-30 11:58:30 UTC" data-relative>1 min ago</time>"#);
    }
}
