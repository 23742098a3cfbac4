//! Decimal numbers as JSON writes them, scaled to whole ones without a float in between.

/// A number that can't be an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It isn't a decimal number that isn't negative.
    #[error("isn't a number from zero")]
    NotANumber,
    /// It has more digits than are read, or is larger than any price.
    #[error("is out of range")]
    OutOfRange,
}

/// The number times ten to the power of `scale`, rounded up to a whole one: `2.5e-06` scaled by 12
/// is 2,500,000.
///
/// # Errors
/// It isn't a number, is negative or is out of range.
pub fn scaled(text: &str, scale: i32) -> Result<i64, Unreadable> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(decimals) {
        return Err(Unreadable::NotANumber);
    }
    let exponent: i32 = exponent.parse().map_err(|_| Unreadable::NotANumber)?;
    let digits = format!("{whole}{decimals}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let decimals = i32::try_from(decimals.len()).map_err(|_| Unreadable::OutOfRange)?;
    // Fewer than 38 digits fit into 128 bits.
    if digits.len() > 30 || exponent.abs() > 60 {
        return Err(Unreadable::OutOfRange);
    }
    let digits: u128 = digits.parse().map_err(|_| Unreadable::OutOfRange)?;
    let power = exponent + scale - decimals;
    let ten = 10_u128.checked_pow(power.unsigned_abs());
    let value = match (power >= 0, ten) {
        (true, Some(ten)) => digits.checked_mul(ten),
        (false, Some(ten)) => Some(digits.div_ceil(ten)),
        (true, None) => None,
        (false, None) => Some(1),
    };
    let value = value.and_then(|value| i64::try_from(value).ok());
    value.ok_or(Unreadable::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_per_token_become_whole_micro_dollars_per_million() {
        let cases = [
            "0",
            "0.0",
            "2.5e-06",
            "0.0000025",
            "1.5E-5",
            "7.5e-08",
            "1.2499999999999999e-06",
            "1e-13",
            "1e-60",
            "3e3",
            "1e30",
            "-1e-06",
            "1.",
            ".5",
            "1e",
            "\"2.5e-06\"",
            "1e2147483648",
            "123456789012345678901234567890123456789",
        ];
        let lines = cases.map(|text| match scaled(text, 12) {
            Ok(value) => format!("{text}: {value}"),
            Err(error) => format!("{text} {error}"),
        });
        insta::assert_snapshot!(lines.join("\n"), @r#"
        0: 0
        0.0: 0
        2.5e-06: 2500000
        0.0000025: 2500000
        1.5E-5: 15000000
        7.5e-08: 75000
        1.2499999999999999e-06: 1250000
        1e-13: 1
        1e-60: 1
        3e3: 3000000000000000
        1e30 is out of range
        -1e-06 isn't a number from zero
        1.: 1000000000000
        .5 isn't a number from zero
        1e isn't a number from zero
        "2.5e-06" isn't a number from zero
        1e2147483648 isn't a number from zero
        123456789012345678901234567890123456789 is out of range
        "#);
    }
}
