//! Leases over work that one server at a time does for all, with a number that grows with each
//! holder.

use std::time::Duration;

use ql_core::time::Timestamp;

use crate::{Result, Tx};

statements! {
    TAKE = "UPDATE leases SET fence = CASE WHEN holder = $2 THEN fence ELSE fence + 1 END, holder = $2, lease_until = $4 \
        WHERE name = $1 AND (holder = $2 OR lease_until <= $3) RETURNING fence";
}

/// Takes or renews a lease for `holder`; its fencing number, or none while another one holds it.
pub fn take(
    tx: &mut Tx<'_>,
    (name, holder): (&str, &str),
    now: Timestamp,
    span: Duration,
) -> Result<Option<i64>> {
    let args = [
        name.into(),
        holder.into(),
        now.into(),
        now.plus(span).into(),
    ];
    tx.find(TAKE, &args)?.map(|mut row| row.int()).transpose()
}
