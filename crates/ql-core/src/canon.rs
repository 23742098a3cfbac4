//! Canonical JSON (RFC 8785): one value, one byte string, so that a digest means the value.

use serde_json::Value;

use crate::hash::Digest;

/// Writes `value` in the canonical form of RFC 8785.
///
/// Numbers are printed as ECMAScript prints an IEEE double. The edges refuse integers beyond 2^53,
/// so no two values that were accepted share a canonical form.
pub fn to_string(value: &Value) -> String {
    let mut text = String::with_capacity(256);
    write(value, &mut text);
    text
}

/// The SHA-256 digest of the canonical form.
pub fn digest(value: &Value) -> Digest {
    Digest::of(to_string(value).as_bytes())
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => write_object(members, out),
    }
}

fn write_object(members: &serde_json::Map<String, Value>, out: &mut String) {
    let mut sorted: Vec<_> = members.iter().collect();
    // RFC 8785 §3.2.3 orders keys by UTF-16 code units, which differs from the order of UTF-8
    // bytes once a key leaves the basic plane.
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

fn write_number(number: &serde_json::Number, out: &mut String) {
    if let Some(integer) = number.as_i64().filter(|n| n.unsigned_abs() <= 1 << 53) {
        out.push_str(&integer.to_string());
    } else {
        let double = number.as_f64().unwrap_or(f64::MAX);
        out.push_str(ryu_js::Buffer::new().format(double));
    }
}

fn write_string(text: &str, out: &mut String) {
    use std::fmt::Write as _;
    out.push('"');
    let mut clean = 0;
    for (index, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[clean..index]);
        clean = index + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x09 => out.push_str("\\t"),
            0x0A => out.push_str("\\n"),
            0x0C => out.push_str("\\f"),
            0x0D => out.push_str("\\r"),
            _ => write!(out, "\\u{byte:04x}").expect("writing to a String can't fail"),
        }
    }
    out.push_str(&text[clean..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_examples_of_the_standard() {
        let value: Value = serde_json::from_str(
            r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
                "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
        )
        .expect("valid JSON");
        insta::assert_snapshot!(to_string(&value), @r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#);
    }

    #[test]
    fn keys_sort_by_utf16_units() {
        let value = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
        assert_eq!(
            to_string(&value),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}"
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-(1_i64 << 53)..(1_i64 << 53)).prop_map(Value::from),
            any::<f64>()
                .prop_filter("finite", |n| n.is_finite())
                .prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..6)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn parsing_the_canonical_form_and_writing_again_changes_nothing(value in any_json()) {
            let text = to_string(&value);
            let back: Value = serde_json::from_str(&text).expect("canonical form is JSON");
            prop_assert_eq!(to_string(&back), text);
        }
    }
}
