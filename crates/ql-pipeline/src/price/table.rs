//! `prices.toml`, as it's read and written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ql_core::hash::Digest;

use super::{MOST, Model, Price, Prices, Rates};
use crate::settings::{self, Fields, Unusable};

/// The file, as problems name it.
const FILE: &str = "prices.toml";

impl Prices {
    /// Reads a table of prices.
    ///
    /// # Errors
    /// Everything that is wrong with it, with its line.
    pub fn read(text: &str) -> Result<Self, Unusable> {
        settings::read(FILE, text, |fields| {
            let as_of = fields.words("as_of").unwrap_or_default();
            if !as_of.is_empty() && !is_day(&as_of) {
                fields.wrong("as_of", format!("`{as_of}` isn't a day such as 2026-12-01"));
            }
            let source = fields.words("source").unwrap_or_default();
            let mut models = BTreeMap::new();
            fields.each("price", |fields| entry(fields, &mut models));
            let sha256 = Digest::of(text.as_bytes());
            Self {
                as_of,
                source,
                models,
                sha256,
            }
        })
    }
}

/// A table of prices as a file.
pub fn write(as_of: &str, source: &str, models: &BTreeMap<Model, Price>) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!(
        "# Micro-dollars for a million tokens; `image` is for one picture, `speech` for a million\n\
         # characters. Written by `querylayer prices import`; entries of your own may stand here too.\n\
         as_of = {}\nsource = {}\n",
        quoted(as_of),
        quoted(source)
    );
    for ((provider, model), price) in models {
        let _ = write!(
            text,
            "\n[[price]]\nprovider = {}\nmodel = {}\n",
            quoted(provider),
            quoted(model)
        );
        let rates = price.tokens.map(|rates| {
            [
                ("input", rates.input),
                ("cached", rates.cached),
                ("cache_write", rates.cache_write),
                ("output", rates.output),
            ]
        });
        let others = [("image", price.image), ("speech", price.speech)];
        let others = others
            .into_iter()
            .filter_map(|(name, rate)| Some((name, rate?)));
        for (name, rate) in rates.into_iter().flatten().chain(others) {
            let _ = writeln!(text, "{name} = {rate}");
        }
    }
    text
}

fn entry(fields: &mut Fields<'_, '_>, models: &mut BTreeMap<Model, Price>) {
    let (provider, model) = (fields.words("provider"), fields.words("model"));
    let price = price(fields);
    let (Some(provider), Some(model)) = (provider, model) else {
        return;
    };
    let twice = format!("`{model}` of `{provider}` has a price above already");
    if models.insert((provider, model), price).is_some() {
        fields.wrong("model", twice);
    }
}

fn price(fields: &mut Fields<'_, '_>) -> Price {
    let names = [
        "input",
        "cached",
        "cache_write",
        "output",
        "image",
        "speech",
    ];
    let is_bare = !names.iter().any(|name| fields.has(name));
    let [input, cached, cache_write, output, image, speech] =
        names.map(|name| figure(fields, name));
    if is_bare {
        let message = "no price: give `input` and `output`, or `image`, or `speech`; what is known to cost nothing is 0";
        fields.wrong("", message);
    }
    let tokens = match (input, output) {
        (Some(input), Some(output)) => Some(Rates {
            input,
            cached: cached.unwrap_or(input),
            cache_write: cache_write.unwrap_or(input),
            output,
        }),
        (None, None) if cached.is_none() && cache_write.is_none() => None,
        _ => {
            fields.wrong("", "a price by tokens has both `input` and `output`");
            None
        }
    };
    Price {
        tokens,
        image,
        speech,
    }
}

fn figure(fields: &mut Fields<'_, '_>, name: &str) -> Option<i64> {
    let is_there = fields.has(name);
    let figure = fields.or_default::<Option<i64>>(name).flatten();
    if figure.is_some_and(|figure| !(0..=MOST).contains(&figure)) {
        fields.wrong(name, format!("`{name}` is between 0 and {MOST}"));
    }
    // What is there and wrong isn't missing besides.
    figure.or(is_there.then_some(0))
}

/// Whether a text is `YYYY-MM-DD`.
pub(super) fn is_day(text: &str) -> bool {
    let shape = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_wrong_is_said_with_its_line() {
        let text = r#"as_of = "yesterday"
currency = "EUR"

[[price]]
provider = "openai"
model = "gpt-5"
input = 1.25
output = 10_000_000

[[price]]
provider = "openai"
model = "mute"

[[price]]
provider = "openai"
model = "half"
cached = 5

[[price]]
provider = "anthropic"
model = "claude-opus-4-5"
input = -1
output = 25_000_000

[[price]]
provider = "anthropic"
model = "claude-opus-4-5"
input = 5_000_000
output = 25_000_000
outptu = 3
"#;
        let unusable = Prices::read(text).expect_err("not fit");
        insta::assert_snapshot!(unusable, @"
        prices.toml can't be used; 9 to mend
          prices.toml: `source` is missing
          prices.toml, line 1: `yesterday` isn't a day such as 2026-12-01
          prices.toml, line 2: there is no field `currency` here
          prices.toml, line 7: `input`: invalid type: floating point `1.25`, expected i64
          prices.toml, line 10: no price: give `input` and `output`, or `image`, or `speech`; what is known to cost nothing is 0
          prices.toml, line 14: a price by tokens has both `input` and `output`
          prices.toml, line 22: `input` is between 0 and 1000000000000000
          prices.toml, line 27: `claude-opus-4-5` of `anthropic` has a price above already
          prices.toml, line 30: there is no field `outptu` here
        ");
    }

    #[test]
    fn what_is_written_reads_back() {
        let text = "as_of = \"2026-12-01\"\nsource = \"a \\\"page\\\"\"\n\
            [[price]]\nprovider = \"a\"\nmodel = \"m\"\ninput = 4\noutput = 9\n\
            [[price]]\nprovider = \"a\"\nmodel = \"n\"\nimage = 40_000\nspeech = 0\n";
        let prices = Prices::read(text).expect("fit");
        let written = write(&prices.as_of, &prices.source, &prices.models);
        insta::assert_snapshot!(written, @r#"
        # Micro-dollars for a million tokens; `image` is for one picture, `speech` for a million
        # characters. Written by `querylayer prices import`; entries of your own may stand here too.
        as_of = "2026-12-01"
        source = "a \"page\""

        [[price]]
        provider = "a"
        model = "m"
        input = 4
        cached = 4
        cache_write = 4
        output = 9

        [[price]]
        provider = "a"
        model = "n"
        image = 40000
        speech = 0
        "#);
        let again = Prices::read(&written).expect("fit");
        assert_eq!((again.models, again.source), (prices.models, prices.source));
    }
}
