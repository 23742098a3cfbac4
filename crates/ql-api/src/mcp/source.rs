//! What tools say of staged source records.

use ql_core::source::Finding;
use serde::Serialize;

/// One thing that a check found.
#[derive(Debug, Serialize)]
pub(crate) struct FindingView {
    code: &'static str,
    /// The line of the body, where it is in one place.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    message: &'static str,
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code.as_str(),
            line: finding.line,
            message: finding.code.describe(),
        }
    }
}
