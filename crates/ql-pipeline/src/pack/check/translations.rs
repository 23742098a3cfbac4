//! Whether the terms of translations can be applied.

use super::super::problem::{Code, Problems};
use super::Tables;

pub(super) fn check(tables: &Tables, problems: &mut Problems) {
    for row in &tables.translations.rows {
        for unfit in row.entry.grant.unfit() {
            let at = row.at.within("grant").within(unfit.field);
            let message = format!("`{}` is to be {}", unfit.field, unfit.message);
            problems.add(&at, Code::UnfitGrant, message);
        }
    }
}
