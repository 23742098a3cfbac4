//! Instants: microseconds since 1970 in UTC, printed with fixed width so that texts sort.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Where time comes from.
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the machine's clock"
    )]
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_microsecond())
    }
}

/// An instant in microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant that many microseconds after the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The instant `span` later, capped at the end of time.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)),
        )
    }

    /// The instant `span` earlier.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)),
        )
    }

    /// The time from `earlier` to this instant, zero when it lies ahead.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0).max(0).unsigned_abs())
    }
}

/// Whole days as a span.
pub const fn days(count: u64) -> Duration {
    Duration::from_secs(count * 86_400)
}

/// Whole hours as a span.
pub const fn hours(count: u64) -> Duration {
    Duration::from_secs(count * 3_600)
}

/// Whole minutes as a span.
pub const fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with six fractional digits: `2026-11-30T12:00:00.000000Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(instant) => write!(f, "{instant:.6}"),
            Err(_) => f.write_str("out of range"),
        }
    }
}

/// A text that isn't an RFC 3339 instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an RFC 3339 instant such as 2026-11-30T12:00:00Z")]
pub struct InvalidTimestamp;

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let instant: jiff::Timestamp = text.parse().map_err(|_| InvalidTimestamp)?;
        Ok(Self(instant.as_microsecond()))
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// An IANA time zone name that this build knows, such as `Europe/Amsterdam`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeZone(String);

impl TimeZone {
    /// The zone's IANA name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The local wall-clock reading of an instant in this zone, to the minute.
    pub fn local(&self, at: Timestamp) -> String {
        let zone = jiff::tz::TimeZone::get(&self.0).unwrap_or(jiff::tz::TimeZone::UTC);
        jiff::Timestamp::from_microsecond(at.0).map_or_else(
            |_| at.to_string(),
            |instant| {
                instant
                    .to_zoned_datetime(zone)
                    .strftime("%Y-%m-%d %H:%M %Z")
                    .to_string()
            },
        )
    }
}

impl TimeZone {
    /// The instant at which a clock in this zone reads `local`, such as `2026-12-04T09:00`. Of two
    /// such instants, when clocks go back, it is the first.
    ///
    /// # Errors
    /// The text is no date and time, or clocks skip it when they go forward.
    pub fn instant(&self, local: &str) -> Result<Timestamp, InvalidLocalTime> {
        let zone = jiff::tz::TimeZone::get(&self.0).map_err(|_| InvalidLocalTime)?;
        let reading: jiff::civil::DateTime = local.parse().map_err(|_| InvalidLocalTime)?;
        let instant = zone.to_ambiguous_timestamp(reading);
        if matches!(instant.offset(), jiff::tz::AmbiguousOffset::Gap { .. }) {
            return Err(InvalidLocalTime);
        }
        let first = instant.earlier().map_err(|_| InvalidLocalTime)?;
        Ok(Timestamp(first.as_microsecond()))
    }
}

/// A text that is no reading of a clock in a zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a local date and time that exists, such as 2026-12-04T09:00")]
pub struct InvalidLocalTime;

/// A text that names no IANA time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an IANA time zone such as Europe/Amsterdam or Asia/Kathmandu")]
pub struct InvalidTimeZone;

impl FromStr for TimeZone {
    type Err = InvalidTimeZone;

    fn from_str(text: &str) -> Result<Self, InvalidTimeZone> {
        jiff::tz::TimeZone::get(text)
            .map(|_| Self(text.to_owned()))
            .map_err(|_| InvalidTimeZone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn print_is_fixed_width_and_parses_back() {
        let instant = Timestamp::from_micros(1_796_040_000_000_000);
        insta::assert_snapshot!(instant, @"2026-11-30T12:00:00.000000Z");
        assert_eq!(instant.to_string().parse(), Ok(instant));
        assert_eq!("2026-11-30T17:45:00+05:45".parse(), Ok(instant));
        assert!("2026-11-30".parse::<Timestamp>().is_err());
    }

    #[test]
    fn zones_are_iana_names_and_know_quarter_hours() {
        let zone: TimeZone = "Asia/Kathmandu".parse().expect("a zone");
        let noon = Timestamp::from_micros(1_796_040_000_000_000);
        insta::assert_snapshot!(zone.local(noon), @"2026-11-30 17:45 +0545");
        assert_eq!(zone.instant("2026-11-30T17:45"), Ok(noon));
        let london: TimeZone = "Europe/London".parse().expect("a zone");
        assert_eq!(london.instant("2027-03-28T01:30"), Err(InvalidLocalTime));
        let first = london
            .instant("2026-10-25T01:30")
            .expect("the first of two");
        insta::assert_snapshot!(first, @"2026-10-25T00:30:00.000000Z");
        assert!("Mars/Olympus".parse::<TimeZone>().is_err());
        assert!("UTC-05:30".parse::<TimeZone>().is_err());
    }
}
