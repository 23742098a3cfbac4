//! The table, and the page around it.

use std::fmt::Write as _;
use std::time::Duration;

use crate::load::Measured;

/// One row.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// What came out.
    pub(crate) measured: String,
    /// What it should reach, empty for a reference.
    pub(crate) reach: String,
    /// Whether it does.
    pub(crate) reached: Option<bool>,
}

impl Row {
    /// A reference, which reaches for nothing.
    pub(crate) fn reference(what: &str, measured: String) -> Self {
        Self {
            what: what.to_owned(),
            measured,
            reach: String::new(),
            reached: None,
        }
    }

    /// A figure with its goal.
    pub(crate) fn goal(what: &str, measured: String, reach: &str, reached: bool) -> Self {
        Self {
            what: what.to_owned(),
            measured,
            reach: reach.to_owned(),
            reached: Some(reached),
        }
    }
}

/// `12,345/s, p50 0.42 ms, p99 1.30 ms, 0.15 ms CPU`, with the errors if there were any.
pub(crate) fn rate(measured: &Measured) -> String {
    let mut text = format!(
        "{}/s, p50 {}, p99 {}",
        grouped(measured.rate),
        milliseconds(measured.p50),
        milliseconds(measured.p99),
    );
    if let Some(cost) = measured.cost {
        // Writing to a text can't fail.
        let _ = write!(text, ", {:.3} ms CPU", cost.as_secs_f64() * 1000.0);
    }
    if measured.errors > 0 {
        // Writing to a text can't fail.
        let _ = write!(text, ", **{} errors**", measured.errors);
    }
    if measured.unavailable > 0 {
        // Writing to a text can't fail.
        let _ = write!(text, ", {} of them `unavailable`", measured.unavailable);
    }
    text
}

/// A duration in milliseconds with two decimals.
pub(crate) fn milliseconds(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}

/// Bytes as megabytes with one decimal.
pub(crate) fn megabytes(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

/// A whole number with commas.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The Markdown table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = String::from("| what | measured | to reach | reached |\n|---|---|---|---|\n");
    for row in rows {
        let reached = match row.reached {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "reference",
        };
        // Writing to a text can't fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {reached} |",
            row.what, row.measured, row.reach
        );
    }
    text
}

/// The page that goes into the documentation.
pub(crate) fn page(machine: &str, seconds: u64, table: &str) -> String {
    format!(
        "# Performance\n\n\
         Written by `bench/run`. Figures of one machine in one run; compare them with the references \
         beside them, not with another machine's.\n\n\
         - Machine: {machine}\n\
         - Load: closed loop from one thread on the same machine over loopback, keep-alive, \
         {seconds} s a row after a warm-up. It takes its share of the cores. `CPU` is the server's \
         processor time for one answer, which other programs on the machine hardly change.\n\
         - Durability: SQLite in WAL mode with `synchronous=FULL`; an answer is sent after the commit \
         is on disk. PostgreSQL in a cluster of this run's own on the same machine, with the settings that \
         its rows name; the product reaches it over a local socket.\n\
         - Data: deterministic; every draft is a new article of about 1 KB under its own idempotency \
         key. Call limits are lifted. What grown stores are filled with is made by the database and older \
         than what is drafted.\n\n\
         {table}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567.4), "1,234,567");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(megabytes(40_250_000), "40.2 MB");
        assert_eq!(milliseconds(Duration::from_micros(1234)), "1.23 ms");
    }
}
