//! What models cost: a table with a date, read from `prices.toml`, and its arithmetic.
//!
//! Every figure is whole: micro-dollars for a million tokens or characters, micro-dollars for a
//! picture. What an answer costs is rounded up, so that many small ones are never charged as
//! nothing.

pub mod decimal;
pub mod litellm;
mod table;

use std::collections::BTreeMap;

use ql_core::hash::Digest;
use serde::Serialize;

pub use table::write;

/// How many tokens or characters a rate is for.
const MILLION: i128 = 1_000_000;
/// The most that a figure of the table may be: a thousand dollars a token.
const MOST: i64 = 1_000_000_000_000_000;
/// What a provider may put around the words of a request, in tokens.
const AROUND: i128 = 1_000;

/// Tokens, as a provider counted them; none is counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Read anew.
    pub input: i64,
    /// Read from a cache.
    pub cached: i64,
    /// Written to a cache.
    pub cache_write: i64,
    /// Written as the answer, with what was thought for it.
    pub output: i64,
}

/// Micro-dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Read anew.
    pub input: i64,
    /// Read from a cache.
    pub cached: i64,
    /// Written to a cache.
    pub cache_write: i64,
    /// Written as the answer.
    pub output: i64,
}

impl Rates {
    /// What so many tokens cost in micro-dollars, rounded up; none for a number that nobody can
    /// have counted.
    pub fn cost(&self, usage: Usage) -> Option<i64> {
        let parts = [
            (usage.input, self.input),
            (usage.cached, self.cached),
            (usage.cache_write, self.cache_write),
            (usage.output, self.output),
        ];
        if parts.iter().any(|(tokens, _)| *tokens < 0) {
            return None;
        }
        let parts = parts.map(|(tokens, rate)| i128::from(tokens) * i128::from(rate));
        rounded_up(parts.into_iter().sum())
    }

    /// The most that a request of so many bytes with so many tokens of answer can cost, in
    /// micro-dollars. A token stands for one byte at least, so the bytes bound the tokens.
    pub fn most(&self, bytes: usize, output: u32) -> Option<i64> {
        let dearest = self.input.max(self.cached).max(self.cache_write);
        let read = (i128::try_from(bytes).ok()? + AROUND) * i128::from(dearest);
        rounded_up(read + i128::from(output) * i128::from(self.output))
    }

    /// Whether nothing ever costs anything.
    pub const fn is_free(&self) -> bool {
        self.input == 0 && self.cached == 0 && self.cache_write == 0 && self.output == 0
    }
}

/// What a model costs, as far as it's known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// By tokens.
    pub tokens: Option<Rates>,
    /// Micro-dollars for a picture.
    pub image: Option<i64>,
    /// Micro-dollars for a million characters that are spoken.
    pub speech: Option<i64>,
}

impl Price {
    /// What speaking so many characters costs in micro-dollars, rounded up.
    pub fn spoken(&self, characters: usize) -> Option<i64> {
        rounded_up(i128::try_from(characters).ok()? * i128::from(self.speech?))
    }
}

/// Divided by a million, and not beyond what a budget may be.
fn rounded_up(millionths: i128) -> Option<i64> {
    i64::try_from((millionths + MILLION - 1) / MILLION).ok()
}

/// A model by its provider and its name.
pub type Model = (String, String);

/// A table of prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prices {
    /// The day on which they held, `YYYY-MM-DD`.
    pub as_of: String,
    /// Where they are from.
    pub source: String,
    /// The prices.
    pub models: BTreeMap<Model, Price>,
    /// The digest of the file's bytes.
    pub sha256: Digest,
}

impl Prices {
    /// The price of a provider's model.
    pub fn find(&self, provider: &str, model: &str) -> Option<&Price> {
        self.models.get(&(provider.to_owned(), model.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates {
        input: 3_000_000,
        cached: 300_000,
        cache_write: 3_750_000,
        output: 15_000_000,
    };

    fn usage(input: i64, cached: i64, cache_write: i64, output: i64) -> Usage {
        Usage {
            input,
            cached,
            cache_write,
            output,
        }
    }

    #[test]
    fn tokens_are_charged_each_by_its_kind_and_rounded_up_once() {
        let cases = [
            usage(0, 0, 0, 0),
            usage(1_000_000, 0, 0, 0),
            usage(1000, 2000, 400, 500),
            usage(0, 1, 0, 0),
            usage(0, 3, 0, 0),
            usage(i64::MAX, i64::MAX, i64::MAX, i64::MAX),
            usage(-1, 0, 0, 5),
        ];
        let lines = cases.map(|of| match RATES.cost(of) {
            Some(cost) => format!("{cost} micro-dollars"),
            None => "can't be told".to_owned(),
        });
        insta::assert_snapshot!(lines.join("\n"), @"
        0 micro-dollars
        3000000 micro-dollars
        12600 micro-dollars
        1 micro-dollars
        1 micro-dollars
        can't be told
        can't be told
        ");
    }

    #[test]
    fn speech_costs_by_its_characters() {
        let price = Price {
            speech: Some(15_000_000),
            ..Price::default()
        };
        assert_eq!(price.spoken(1001), Some(15_015));
        assert_eq!(Price::default().spoken(1001), None);
    }

    proptest::proptest! {
        #[test]
        fn no_answer_costs_more_than_the_most_that_was_said(
            bytes in 0_usize..5_000_000,
            most in 0_u32..200_000,
            cuts in proptest::array::uniform3(0.0_f64..1.0),
            rates in proptest::array::uniform4(0_i64..100_000_000),
        ) {
            let [input, cached, cache_write, output] = rates;
            let rates = Rates { input, cached, cache_write, output };
            let part = |of: i64, share: f64| {
                #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "any part will do")]
                { (of as f64 * share) as i64 }
            };
            let all = i64::try_from(bytes).expect("small");
            let first = part(all, cuts[0]);
            let second = part(all - first, cuts[1]);
            let used = usage(first, second, all - first - second, part(i64::from(most), cuts[2]));
            proptest::prop_assert!(rates.cost(used) <= rates.most(bytes, most));
        }
    }
}
