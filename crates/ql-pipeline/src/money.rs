//! Money, in whole millionths of a dollar.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most that one amount may be: a million dollars.
const MOST: i64 = 1_000_000_000_000;

/// An amount of money in micro-dollars, never negative. In envelopes it is a number of dollars with
/// at most six decimals (`budget_usd` of the seed, §1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(i64);

/// An amount that can't be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAmount {
    /// More decimals than a micro-dollar has.
    #[error("{0} has more than six decimals; amounts are whole millionths of a dollar")]
    TooPrecise(String),
    /// Below zero, or beyond a million dollars.
    #[error("{0} isn't between 0 and 1000000 dollars")]
    OutOfRange(String),
}

impl Micros {
    /// Nothing, which is known to be nothing.
    pub const ZERO: Self = Self(0);

    /// So many micro-dollars; nothing below zero or beyond a million dollars.
    pub const fn new(micros: i64) -> Option<Self> {
        if micros < 0 || micros > MOST {
            None
        } else {
            Some(Self(micros))
        }
    }

    /// The micro-dollars.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The sum, or nothing where that is beyond a million dollars.
    pub const fn plus(self, other: Self) -> Option<Self> {
        Self::new(self.0 + other.0)
    }

    /// What is left after taking `other`, or nothing if that is more.
    pub const fn minus(self, other: Self) -> Option<Self> {
        Self::new(self.0 - other.0)
    }

    /// Reads a decimal number of dollars, as JSON writes it.
    ///
    /// # Errors
    /// What isn't a plain decimal number, has a digit other than zero beyond the sixth decimal, or
    /// is out of range.
    pub fn parse(dollars: &str) -> Result<Self, InvalidAmount> {
        let out_of_range = || InvalidAmount::OutOfRange(dollars.to_owned());
        // The shortest form of a double has an exponent only where it's very small or very large.
        if let Some((_, exponent)) = dollars.split_once(['e', 'E']) {
            return Err(if exponent.starts_with('-') {
                InvalidAmount::TooPrecise(dollars.to_owned())
            } else {
                out_of_range()
            });
        }
        let (whole, decimals) = dollars.split_once('.').unwrap_or((dollars, ""));
        let decimals = decimals.trim_end_matches('0');
        if decimals.len() > 6 {
            return Err(InvalidAmount::TooPrecise(dollars.to_owned()));
        }
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 7 || !digits(whole) || !digits(decimals) {
            return Err(out_of_range());
        }
        let micros = format!("{whole}{decimals:0<6}");
        let micros = micros.parse().map_err(|_| out_of_range())?;
        Self::new(micros).ok_or_else(out_of_range)
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let part = format!("{part:06}");
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            part => write!(f, "{whole}.{part}"),
        }
    }
}

impl Serialize for Micros {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: serde_json::Number = self
            .to_string()
            .parse()
            .map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        Self::parse(&number.to_string()).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Micros {
    fn schema_name() -> Cow<'static, str> {
        "Dollars".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "number",
            "minimum": 0,
            "maximum": 1_000_000,
            "description": "US dollars with at most six decimals.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_to_the_millionth_and_no_further() {
        let cases = [
            "0",
            "0.6",
            "0.60",
            "0.000001",
            "0.0000001",
            "1e-7",
            "12.3456789",
            "1000000",
            "1000000.000001",
            "1e21",
            "-1",
            "1.",
            ".5",
            "abc",
            "0.1000000",
        ];
        let lines: Vec<String> = cases
            .iter()
            .map(|text| match Micros::parse(text) {
                Ok(amount) => format!("{text}: {} micro-dollars, written {amount}", amount.get()),
                Err(error) => error.to_string(),
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        0: 0 micro-dollars, written 0
        0.6: 600000 micro-dollars, written 0.6
        0.60: 600000 micro-dollars, written 0.6
        0.000001: 1 micro-dollars, written 0.000001
        0.0000001 has more than six decimals; amounts are whole millionths of a dollar
        1e-7 has more than six decimals; amounts are whole millionths of a dollar
        12.3456789 has more than six decimals; amounts are whole millionths of a dollar
        1000000: 1000000000000 micro-dollars, written 1000000
        1000000.000001 isn't between 0 and 1000000 dollars
        1e21 isn't between 0 and 1000000 dollars
        -1 isn't between 0 and 1000000 dollars
        1.: 1000000 micro-dollars, written 1
        .5 isn't between 0 and 1000000 dollars
        abc isn't between 0 and 1000000 dollars
        0.1000000: 100000 micro-dollars, written 0.1
        ");
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_reads_back(micros in 0..=MOST) {
            let amount = Micros::new(micros).expect("in range");
            let json = serde_json::to_string(&amount).expect("json");
            proptest::prop_assert_eq!(serde_json::from_str::<Micros>(&json).expect("reads"), amount);
        }
    }
}
