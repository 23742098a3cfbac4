//! A quotation beside the words of the edition.

use ql_app::director::Finding;
use serde_json::Value;

use crate::diff::Span;
use crate::page::Compared;

/// The most differences that the engine keeps with a finding.
const KEPT: usize = 50;

/// What the edition has beside what was written, where the finding is that words differ. The
/// edition's side is made of the quotation and its differences, so nothing of the edition is shown
/// beyond what was quoted.
pub(crate) fn of(finding: &Finding, (reference, quote): (&str, &str)) -> Option<Compared> {
    let evidence = &finding.evidence;
    let differences = evidence["diff"].as_array().filter(|all| !all.is_empty())?;
    if evidence["grade"] != "NEAR_MISS" {
        return None;
    }
    let mut sides = Sides::default();
    let mut at = 0;
    for difference in differences {
        let (from, to) = (byte(&difference["from"])?, byte(&difference["to"])?);
        sides.same(quote.get(at..from)?);
        sides.differ(quote.get(from..to)?, difference["expected"].as_str()?);
        at = to;
    }
    sides.same(quote.get(at..)?);
    Some(Compared {
        passage: format!(
            "{reference} ({})",
            evidence["edition"].as_str().unwrap_or_default()
        ),
        edition: sides.edition,
        written: sides.written,
        is_cut: differences.len() >= KEPT,
    })
}

fn byte(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

#[derive(Default)]
struct Sides {
    edition: Vec<Span>,
    written: Vec<Span>,
}

impl Sides {
    fn same(&mut self, text: &str) {
        push(&mut self.edition, text, false);
        push(&mut self.written, text, false);
    }

    fn differ(&mut self, written: &str, expected: &str) {
        // What is missing has no place of its own in the quotation, so it brings its space.
        let is_apart = self
            .edition
            .last()
            .is_none_or(|last| last.text.ends_with(char::is_whitespace));
        if written.is_empty() && !is_apart {
            push(&mut self.edition, " ", false);
        }
        push(&mut self.edition, expected, true);
        if written.is_empty() && is_apart {
            push(&mut self.edition, " ", false);
        }
        push(&mut self.written, written, true);
    }
}

fn push(side: &mut Vec<Span>, text: &str, changed: bool) {
    if !text.is_empty() {
        let text = text.to_owned();
        side.push(Span { text, changed });
    }
}

#[cfg(test)]
mod tests {
    use ql_app::director::Finding;
    use serde_json::json;

    use super::*;

    fn shown(quote: &str, differences: &Value) -> String {
        let finding: Finding = serde_json::from_value(json!({
            "code": "SCRIPTURE_QUOTE_MISMATCH", "pointer": "/scripture/0/quote", "message": "",
            "evidence": {"grade": "NEAR_MISS", "edition": "kjv", "passage": "John 14:6",
                "diff": differences},
        }))
        .expect("a finding");
        let Some(compared) = of(&finding, ("John 14:6", quote)) else {
            return "nothing".to_owned();
        };
        let side = |spans: &[Span]| -> String {
            let span = |span: &Span| {
                if span.changed {
                    format!("[{}]", span.text)
                } else {
                    span.text.clone()
                }
            };
            spans.iter().map(span).collect()
        };
        format!("{}\n{}", side(&compared.edition), side(&compared.written))
    }

    #[test]
    fn the_editions_words_stand_beside_what_was_written() {
        let missing = json!([{"from": 7, "to": 7, "expected": "not", "found": ""}]);
        let added = json!([{"from": 4, "to": 8, "expected": "", "found": "very"}]);
        let lines = [
            shown(
                "no man but through me",
                &json!([{"from": 11, "to": 18, "expected": "by", "found": "through"}]),
            ),
            shown("thou do that", &missing),
            shown("the very way", &added),
            shown(
                "short",
                &json!([{"from": 3, "to": 99, "expected": "x", "found": "y"}]),
            ),
            shown("short", &json!([])),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        no man but [by] me
        no man but [through] me
        thou do [not] that
        thou do that
        the  way
        the [very] way
        nothing
        nothing
        ");
    }
}
