//! Prices from the LiteLLM project's `model_prices_and_context_window.json`: an object of models, each with
//! dollars per token, picture or character as JSON numbers.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::value::RawValue;

use super::decimal::scaled;
use super::{MOST, Model, Price, Rates};

/// An entry that explains the others.
const EXPLANATION: &str = "sample_spec";
/// From dollars for one to micro-dollars for a million.
const BY_MILLION: i32 = 12;
/// From dollars to micro-dollars.
const BY_ONE: i32 = 6;

const INPUT: &[&str] = &["input_cost_per_token", "input_cost_per_image_token"];
const OUTPUT: &[&str] = &["output_cost_per_token", "output_cost_per_image_token"];
const CACHED: &[&str] = &["cache_read_input_token_cost"];
const CACHE_WRITE: &[&str] = &["cache_creation_input_token_cost"];
const IMAGE: &[&str] = &["output_cost_per_image", "input_cost_per_image"];
const SPEECH: &[&str] = &["input_cost_per_character"];

type Members = BTreeMap<String, Box<RawValue>>;

/// Prices that were found, and what there is to say of those that weren't.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The prices.
    pub models: BTreeMap<Model, Price>,
    /// What was left out or isn't the whole truth, model by model.
    pub remarks: Vec<Remark>,
}

/// Something to know of one model of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The model as the list names it.
    pub model: String,
    /// What there is to know.
    pub what: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.model, self.what)
    }
}

/// Reads the models whose names fit one of the patterns, in which `*` stands for any characters and
/// `?` for one; every model where there is no pattern.
///
/// # Errors
/// The text isn't a JSON object of objects.
pub fn read(text: &str, patterns: &[String]) -> Result<Imported, serde_json::Error> {
    let list: Members = serde_json::from_str(text)?;
    let mut imported = Imported::default();
    for (name, entry) in &list {
        let is_wanted = patterns.is_empty() || patterns.iter().any(|of| fits(of, name));
        if name == EXPLANATION || !is_wanted {
            continue;
        }
        let members: Members = serde_json::from_str(entry.get())?;
        let mut reading = Reading {
            members: &members,
            remarks: Vec::new(),
        };
        match reading.model(name) {
            Ok((model, price)) => drop(imported.models.insert(model, price)),
            Err(what) => reading.remarks.push(what),
        }
        let remark = |what| Remark {
            model: name.clone(),
            what,
        };
        imported
            .remarks
            .extend(reading.remarks.into_iter().map(remark));
    }
    Ok(imported)
}

/// One model on its way.
struct Reading<'l> {
    members: &'l Members,
    remarks: Vec<String>,
}

impl Reading<'_> {
    fn model(&mut self, name: &str) -> Result<(Model, Price), String> {
        let provider = self.members.get("litellm_provider");
        let provider: String = provider
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .ok_or("left out: it names no provider")?;
        let price = self.price()?;
        let model = name.strip_prefix(&format!("{provider}/")).unwrap_or(name);
        Ok(((provider.clone(), model.to_owned()), price))
    }

    fn price(&mut self) -> Result<Price, String> {
        let (input, output) = (
            self.rate(INPUT, BY_MILLION)?,
            self.rate(OUTPUT, BY_MILLION)?,
        );
        let cached = self.rate(CACHED, BY_MILLION)?;
        let cache_write = self.rate(CACHE_WRITE, BY_MILLION)?;
        let tokens = input.zip(output).map(|(input, output)| Rates {
            input,
            cached: cached.unwrap_or(input),
            cache_write: cache_write.unwrap_or(input),
            output,
        });
        let price = Price {
            tokens,
            image: self.rate(IMAGE, BY_ONE)?,
            speech: self.rate(SPEECH, BY_MILLION)?,
        };
        if price == Price::default() {
            return Err("left out: it has no price by tokens, pictures or characters".to_owned());
        }
        Ok(price)
    }

    /// The highest of some figures with all that are for longer requests, since a table that is used
    /// to set money aside may say too much and never too little.
    fn rate(&mut self, names: &[&str], scale: i32) -> Result<Option<i64>, String> {
        let mut highest: Option<(i64, &str)> = None;
        for (member, raw) in self.members {
            let is_above = |name: &&str| {
                member
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("_above_"))
            };
            if !names.iter().any(is_above) || raw.get() == "null" {
                continue;
            }
            let figure = scaled(raw.get(), scale)
                .map_err(|error| format!("left out: `{member}` is {raw}, which {error}"))?;
            if figure > MOST {
                return Err(format!(
                    "left out: `{member}` is {raw}, which no model costs"
                ));
            }
            if highest.is_none_or(|(most, _)| figure > most) {
                highest = Some((figure, member));
            }
        }
        if let Some((_, member)) = highest.filter(|(_, member)| member.contains("_above_")) {
            let what = format!("`{member}` counts for every request, the lower one for none");
            self.remarks.push(what);
        }
        Ok(highest.map(|(figure, _)| figure))
    }
}

/// Whether a text fits a pattern.
fn fits(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('*') => (0..=text.len())
            .filter(|at| text.is_char_boundary(*at))
            .any(|at| fits(rest.as_str(), &text[at..])),
        Some(wanted) => {
            let mut chars = text.chars();
            let first = chars.next();
            first.is_some_and(|first| wanted == '?' || first == wanted)
                && fits(rest.as_str(), chars.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::write;
    use super::*;

    const LIST: &str = r#"{
        "sample_spec": {"input_cost_per_token": "dollars", "litellm_provider": "one of a list"},
        "gpt-5": {"litellm_provider": "openai", "mode": "chat", "max_tokens": 128000,
            "input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05,
            "cache_read_input_token_cost": 1.25e-07, "input_cost_per_token_priority": 2.5e-06,
            "supports_vision": true, "metadata": {"notes": [1, 2.5, null]}},
        "gemini/gemini-pro": {"litellm_provider": "gemini", "input_cost_per_token": 1.25e-06,
            "input_cost_per_token_above_200k_tokens": 2.5e-06, "output_cost_per_token": 1e-05,
            "output_cost_per_token_above_200k_tokens": 1.5e-05},
        "claude-haiku": {"litellm_provider": "anthropic", "input_cost_per_token": 0.000001,
            "output_cost_per_token": 0.000005, "cache_read_input_token_cost": 1e-07,
            "cache_creation_input_token_cost": 1.25e-06},
        "tts-1": {"litellm_provider": "openai", "mode": "audio_speech", "input_cost_per_character": 1.5e-05},
        "draw": {"litellm_provider": "openai", "mode": "image_generation", "output_cost_per_image": 0.04},
        "by-pixel": {"litellm_provider": "openai", "input_cost_per_pixel": 1.9e-08},
        "negative": {"litellm_provider": "openai", "input_cost_per_token": -1e-06, "output_cost_per_token": 0},
        "in-words": {"litellm_provider": "openai", "input_cost_per_token": "cheap", "output_cost_per_token": 0},
        "nobody's": {"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06}
    }"#;

    fn told(patterns: &[&str]) -> String {
        let patterns: Vec<String> = patterns.iter().map(|&of| of.to_owned()).collect();
        let imported = read(LIST, &patterns).expect("a list");
        let remarks: Vec<String> = imported.remarks.iter().map(ToString::to_string).collect();
        let table = write("2026-12-01", "a list", &imported.models);
        let entries = table.split_once("\n\n").map_or("", |(_, entries)| entries);
        format!("{entries}\n{}", remarks.join("\n"))
    }

    #[test]
    fn prices_are_taken_exactly_and_what_isnt_is_named() {
        insta::assert_snapshot!(told(&[]), @r#"
        [[price]]
        provider = "anthropic"
        model = "claude-haiku"
        input = 1000000
        cached = 100000
        cache_write = 1250000
        output = 5000000

        [[price]]
        provider = "gemini"
        model = "gemini-pro"
        input = 2500000
        cached = 2500000
        cache_write = 2500000
        output = 15000000

        [[price]]
        provider = "openai"
        model = "draw"
        image = 40000

        [[price]]
        provider = "openai"
        model = "gpt-5"
        input = 1250000
        cached = 125000
        cache_write = 1250000
        output = 10000000

        [[price]]
        provider = "openai"
        model = "tts-1"
        speech = 15000000

        by-pixel: left out: it has no price by tokens, pictures or characters
        gemini/gemini-pro: `input_cost_per_token_above_200k_tokens` counts for every request, the lower one for none
        gemini/gemini-pro: `output_cost_per_token_above_200k_tokens` counts for every request, the lower one for none
        in-words: left out: `input_cost_per_token` is "cheap", which isn't a number from zero
        negative: left out: `input_cost_per_token` is -1e-06, which isn't a number from zero
        nobody's: left out: it names no provider
        "#);
    }

    #[test]
    fn patterns_choose_models_by_their_names() {
        insta::assert_snapshot!(told(&["tts-?", "*/gemini-*"]), @r#"
        [[price]]
        provider = "gemini"
        model = "gemini-pro"
        input = 2500000
        cached = 2500000
        cache_write = 2500000
        output = 15000000

        [[price]]
        provider = "openai"
        model = "tts-1"
        speech = 15000000

        gemini/gemini-pro: `input_cost_per_token_above_200k_tokens` counts for every request, the lower one for none
        gemini/gemini-pro: `output_cost_per_token_above_200k_tokens` counts for every request, the lower one for none
        "#);
        assert_eq!(told(&["gpt"]), "\n");
    }

    #[test]
    fn a_list_of_something_else_is_refused() {
        assert!(read("[]", &[]).is_err());
        assert!(read(r#"{"gpt-5": 3}"#, &[]).is_err());
    }
}
