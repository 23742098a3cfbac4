//! Whether the raw reference is still what the product sends: read from the server's own log.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::statements::{AUTHENTICATE, CHECK, INSERT_ITEM, WRITE};

/// Compares the statements of the last draft in a log with those of the reference.
///
/// # Errors
/// They differ, so that the reference would measure something else.
pub(crate) fn compare(log: &Path) -> Result<()> {
    let text = std::fs::read_to_string(log)?;
    let drafts = transactions(&text);
    let at = drafts
        .iter()
        .rposition(|sent| sent.contains(&INSERT_ITEM))
        .context("the server's log holds no draft")?;
    ensure!(
        drafts[at] == WRITE,
        "the raw reference is out of date: a draft writes by {:#?}",
        drafts[at]
    );
    for read in [&[AUTHENTICATE][..], &CHECK] {
        ensure!(
            drafts[..at].iter().any(|sent| sent == read),
            "the raw reference is out of date: no draft reads by {read:#?}"
        );
    }
    Ok(())
}

/// The statements of each transaction, in the order in which they ended. Lines look like
/// `2026-11-30 23:38:36.831 UTC [23132] LOG:  execute s145: SELECT …`, with other sessions' between.
fn transactions(log: &str) -> Vec<Vec<&str>> {
    let mut open: std::collections::HashMap<&str, Vec<&str>> = std::collections::HashMap::new();
    let mut ended = Vec::new();
    for line in log.lines() {
        let Some((session, said)) = line.split_once("] LOG:  ") else {
            continue;
        };
        let session = session.rsplit('[').next().unwrap_or(session);
        if let Some(command) = said.strip_prefix("statement: ") {
            let before = open.remove(session).unwrap_or_default();
            if command == "COMMIT" || command == "ROLLBACK" {
                ended.push(before);
            }
        } else if let Some((_, sent)) = said
            .strip_prefix("execute ")
            .and_then(|named| named.split_once(": "))
        {
            open.entry(session).or_default().push(sent);
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_of_sessions_are_told_apart() {
        let log = "\
12:00 UTC [1] LOG:  statement: BEGIN\n\
12:00 UTC [1] LOG:  execute s1: one\n\
12:00 UTC [1] DETAIL:  parameters: $1 = 'x'\n\
12:00 UTC [2] LOG:  statement: BEGIN\n\
12:00 UTC [2] LOG:  execute s1: other\n\
12:00 UTC [1] LOG:  execute s2: two\n\
12:00 UTC [2] LOG:  statement: ROLLBACK\n\
12:00 UTC [1] LOG:  statement: COMMIT\n";
        assert_eq!(transactions(log), [vec!["other"], vec!["one", "two"]]);
    }
}
