//! Refusals and faults as problem documents (RFC 9457), for REST and delivery.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ql_app::Error;
use ql_core::problem::Problem;
use serde::Serialize;
use serde_json::Value;

/// A problem document on its way out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ProblemDocument {
    #[serde(rename = "type")]
    kind: String,
    title: String,
    status: u16,
    #[serde(skip)]
    http: StatusCode,
    #[serde(skip)]
    retry_after: Option<u64>,
    detail: String,
    code: &'static str,
    remedy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

impl ProblemDocument {
    /// A document with a stable code, which rule was met and what to do next.
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        detail: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let words = code.replace('_', " ");
        let (first, rest) = words.split_at(1);
        Self {
            kind: format!("urn:querylayer:problem:{code}"),
            title: first.to_uppercase() + rest,
            status: status.as_u16(),
            http: status,
            retry_after: None,
            detail: detail.into(),
            code,
            remedy: remedy.into(),
            details: None,
            problems: Vec::new(),
        }
    }

    /// There is nothing at this address.
    pub(crate) fn no_route(list: &str) -> Self {
        let remedy = format!("Check the path; {list}.");
        let detail = "there is nothing at this address";
        Self::new(StatusCode::NOT_FOUND, "no_such_route", detail, remedy)
    }

    /// The same document, to be tried again after so many seconds.
    pub(crate) fn with_retry_after(self, seconds: u64) -> Self {
        Self {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// The same document with every place that is wrong.
    pub(crate) fn with_problems(mut self, problems: Vec<Problem>) -> Self {
        self.problems = problems;
        self
    }
}

/// The status of every error of a use case.
fn status(error: &Error) -> StatusCode {
    match error {
        Error::NotFound(_) => StatusCode::NOT_FOUND,
        Error::Denied(_)
        | Error::ReauthenticationRequired
        | Error::MayNotApprove(_)
        | Error::SignInFailed(_) => StatusCode::FORBIDDEN,
        Error::Invalid(_) | Error::ScopeExceedsPermission { .. } => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Error::RunClosed(_)
        | Error::RunLimitExceeded
        | Error::StaleRevision { .. }
        | Error::StaleMap { .. }
        | Error::ImportRunning
        | Error::Archived
        | Error::SlugTaken(_)
        | Error::IdempotencyConflict
        | Error::DigestMismatch { .. }
        | Error::AlreadyApproved
        | Error::InvalidTransition(_)
        | Error::InvalidTurnTransition(_)
        | Error::InvalidStepTransition(_)
        | Error::InvalidStageTransition(_)
        | Error::NoTask { .. }
        | Error::LeaseLost(_)
        | Error::SessionRefused(_)
        | Error::RuntimeUnavailable(_)
        | Error::NeedsProposal { .. }
        | Error::PlanStands { .. }
        | Error::NameTaken(_)
        | Error::LastOwner
        | Error::Conflict => StatusCode::CONFLICT,
        Error::Unsigned(_) | Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Fault(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<Error> for ProblemDocument {
    fn from(error: Error) -> Self {
        if let Some(internal) = error.internal() {
            tracing::error!(internal, "a use case failed");
        }
        let document = Self::new(
            status(&error),
            error.code(),
            error.message(),
            error.remedy(),
        );
        let details = error.details();
        match error {
            Error::Invalid(problems) => document.with_problems(problems),
            _ => Self {
                details,
                ..document
            },
        }
    }
}

impl IntoResponse for ProblemDocument {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).expect("texts, numbers and JSON values serialize");
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.http;
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use ql_core::access::Denied;
    use ql_core::conversation::SessionRefused;
    use ql_core::id::{PlanId, RevisionId, SystemIdGen};
    use ql_core::policy::MayNotApprove;
    use ql_core::proposal::InvalidTransition;
    use ql_core::role::{MemberAct, Role};
    use ql_core::run::{Outcome, RunClosed};
    use ql_core::runtime::Unavailable;
    use ql_core::scope::{Scope, ScopeSet};
    use ql_core::step::InvalidStepTransition;
    use ql_core::time::Timestamp;
    use ql_core::turn::{InvalidTurnTransition, LeaseLost};

    use super::*;

    fn every_error() -> Vec<Error> {
        let (ids, at) = (SystemIdGen::default(), Timestamp::from_micros(0));
        let (current, plan) = (RevisionId::mint(&ids, at), PlanId::mint(&ids, at));
        let denied = Denied::Role {
            role: Role::Viewer,
            act: MemberAct::Edit,
        };
        vec![
            Error::NotFound("page"),
            Denied::Scope(Scope::SiteRead).into(),
            denied.into(),
            Denied::PersonalToken(MemberAct::Decide).into(),
            Denied::MembersOnly.into(),
            Denied::AgentsOnly.into(),
            Error::Invalid(Vec::new()),
            Error::RunClosed(RunClosed {
                outcome: Outcome::Failed,
            }),
            Error::RunLimitExceeded,
            Error::StaleRevision { current },
            Error::StaleMap { current: 3 },
            Error::ImportRunning,
            Error::Archived,
            Error::SlugTaken("a".to_owned()),
            Error::IdempotencyConflict,
            Error::DigestMismatch {
                current: String::new(),
            },
            Error::ReauthenticationRequired,
            MayNotApprove::OwnProposal.into(),
            MayNotApprove::SamePerson.into(),
            MayNotApprove::Role(Role::Viewer).into(),
            Error::AlreadyApproved,
            InvalidTransition { from: "executed" }.into(),
            InvalidTurnTransition { from: "completed" }.into(),
            InvalidStepTransition { from: "succeeded" }.into(),
            Error::NoTask { elsewhere: false },
            LeaseLost.into(),
            SessionRefused::Unnamed.into(),
            Unavailable::SessionMissing.into(),
            Error::NeedsProposal {
                kind: "create_content",
            },
            Error::PlanStands { plan },
            Error::ScopeExceedsPermission {
                missing: ScopeSet::ALL,
            },
            Error::NameTaken("site"),
            Error::LastOwner,
            Error::Conflict,
            Error::SignInFailed("no"),
            Error::Unsigned(ql_app::ledger::Signing::OtherKey),
            Error::Fault("the disk of host db-7 is full".to_owned()),
        ]
    }

    #[test]
    fn every_error_has_its_status() {
        let mut table = String::new();
        for error in every_error() {
            let document = ProblemDocument::from(error);
            let _ = writeln!(table, "{} {}", document.status, document.code);
        }
        insta::assert_snapshot!(table, @"
        404 not_found
        403 scope_denied
        403 role_denied
        403 session_required
        403 members_only
        403 agents_only
        422 invalid_arguments
        409 run_closed
        409 run_limit_exceeded
        409 stale_revision
        409 stale_map
        409 import_running
        409 archived
        409 slug_taken
        409 idempotency_conflict
        409 digest_mismatch
        403 reauthentication_required
        403 own_proposal
        403 same_person
        403 policy_denied
        409 already_approved
        409 invalid_transition
        409 invalid_transition
        409 invalid_transition
        409 no_task
        409 lease_lost
        409 session_refused
        409 runtime_unavailable
        409 needs_proposal
        409 plan_stands
        422 scope_exceeds_permission
        409 name_taken
        409 last_owner
        409 conflict
        403 sign_in_failed
        503 ledger_unsigned
        500 internal_error
        ");
    }

    #[test]
    fn a_fault_says_nothing_of_the_inside() {
        let document = ProblemDocument::from(Error::Fault("the disk of host db-7 is full".into()));
        let text = serde_json::to_string_pretty(&document).expect("JSON");
        insta::assert_snapshot!(text, @r#"
        {
          "type": "urn:querylayer:problem:internal_error",
          "title": "Internal error",
          "status": 500,
          "detail": "the server failed",
          "code": "internal_error",
          "remedy": "Try again; if it stays, tell the operator the time of the call."
        }
        "#);
    }
}
