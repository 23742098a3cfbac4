//! What can be mended of an answer without asking again.

/// The JSON object in an answer that has it in a code fence or among other words; the answer itself
/// where it has none. What is inside isn't touched.
pub fn object(answer: &str) -> &str {
    let answer = answer.trim();
    if answer.starts_with('{') {
        return balanced(answer).unwrap_or(answer);
    }
    let from = answer
        .find("```json")
        .or_else(|| answer.find("```"))
        .unwrap_or(0);
    let Some(start) = answer[from..].find('{') else {
        return answer;
    };
    balanced(&answer[from + start..]).unwrap_or(answer)
}

/// The text up to the brace that closes its first one.
fn balanced(text: &str) -> Option<&str> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&text[..=at]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_and_words_around_an_object_are_taken_off() {
        let cases = [
            r#"{"a": 1}"#,
            "  {\"a\": 1}\n",
            "```json\n{\"a\": {\"b\": \"}\"}}\n```",
            "Here it is:\n```\n{\"a\": 1}\n```\nAnything else?",
            r#"Sure: {"a": "\"}"} and more {"b": 2}"#,
            r#"{"a": 1} trailing"#,
            r#"{"a": 1"#,
            "no object",
            "",
        ];
        let lines: Vec<String> = cases.iter().map(|case| object(case).to_owned()).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        {"a": 1}
        {"a": 1}
        {"a": {"b": "}"}}
        {"a": 1}
        {"a": "\"}"}
        {"a": 1}
        {"a": 1
        no object
        "#);
    }
}
