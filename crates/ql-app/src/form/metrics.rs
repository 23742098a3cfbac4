//! Counts of screened posts, which is all that an agent learns of them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use ql_core::access::ReadSite;
use ql_core::form::Reason;
use ql_core::time::Timestamp;
use ql_store::{form, submission};
use serde::{Serialize, Serializer};

use super::post::{DAY, day_of};
use crate::app::App;
use crate::context::OpContext;
use crate::error::{Error, Result};

/// The most days that are counted at once.
const MAX_DAYS: i64 = 92;
/// The days that are counted when none are named.
const DEFAULT_DAYS: i64 = 30;

/// A UTC day, printed as `2026-12-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// The day so many days after 1970-01-01.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Its number of days since 1970-01-01.
    pub const fn number(self) -> i64 {
        self.0
    }

    fn start(self) -> Timestamp {
        Timestamp::from_micros(self.0.saturating_mul(DAY))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.start().to_string()[..10])
    }
}

/// A text that is no day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a day such as 2026-12-01, or an instant in it")]
pub struct InvalidDay;

impl FromStr for Day {
    type Err = InvalidDay;

    fn from_str(text: &str) -> std::result::Result<Self, InvalidDay> {
        let instant = if text.len() == 10 {
            format!("{text}T00:00:00Z").parse::<Timestamp>()
        } else {
            text.parse()
        };
        instant.map(|at| Self(day_of(at))).map_err(|_| InvalidDay)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Which posts to count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsQuery {
    /// The first day; 30 days before the last when absent.
    pub from: Option<Day>,
    /// The last day, itself included; today when absent.
    pub to: Option<Day>,
    /// The key of one form; all when absent.
    pub form: Option<String>,
}

/// How many posts of a day stand somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StandingCount {
    /// The UTC day they came on.
    pub day: Day,
    /// The form's key.
    pub form: String,
    /// `accepted`, `held`, `rejected`, `marked_ham` or `marked_spam`.
    pub decision: String,
    /// How many.
    pub count: i64,
}

/// How many posts of a day met a rule. A post that met several is counted at each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReasonCount {
    /// The UTC day they came on.
    pub day: Day,
    /// The form's key.
    pub form: String,
    /// Where they stand.
    pub decision: String,
    /// The rule's code.
    pub reason: Reason,
    /// How many.
    pub count: i64,
}

/// Counts of screened posts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScreeningMetrics {
    /// The first day counted.
    pub from: Day,
    /// The last day counted.
    pub to: Day,
    /// By day, form and where the posts stand. What isn't listed is zero.
    pub counts: Vec<StandingCount>,
    /// By day, form, standing and rule.
    pub reasons: Vec<ReasonCount>,
    /// For each form, for how many days rejected posts are kept: older ones are gone, and their
    /// totals with them.
    pub rejected_kept_days: BTreeMap<String, u32>,
}

impl App {
    /// Counts the site's screened posts by UTC day.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the days are in the wrong order or too many, [`Error::NotFound`] for
    /// a form that there isn't.
    pub async fn form_metrics(
        &self,
        ctx: &OpContext,
        query: MetricsQuery,
    ) -> Result<ScreeningMetrics> {
        let site = ctx.authorize::<ReadSite>()?.site();
        let to = query.to.unwrap_or(Day(day_of(self.now())));
        let from = query.from.unwrap_or(Day(to.0 - DEFAULT_DAYS + 1));
        if !(0..MAX_DAYS).contains(&(to.0 - from.0)) {
            let message = format!("expected a day up to `to`, at most {MAX_DAYS} days in all");
            return Err(Error::invalid("/from", "range", message));
        }
        self.store()
            .scan(move |tx| {
                let mut forms = form::list(tx, site)?;
                if let Some(key) = &query.form {
                    forms.retain(|form| form.key == *key);
                    if forms.is_empty() {
                        return Err(Error::NotFound("form"));
                    }
                }
                let span = (from.start(), Day(to.0 + 1).start());
                let counted = submission::count(tx, site, span, query.form.as_deref())?;
                let kept = forms
                    .into_iter()
                    .map(|form| (form.key, form.rules.retention_days));
                Ok(tabulate((from, to), &counted, kept.collect()))
            })
            .await
    }
}

fn tabulate(
    (from, to): (Day, Day),
    counted: &[submission::Count],
    rejected_kept_days: BTreeMap<String, u32>,
) -> ScreeningMetrics {
    let mut counts: BTreeMap<(Day, &str, &str), i64> = BTreeMap::new();
    let mut reasons: BTreeMap<(Day, &str, &str, Reason), i64> = BTreeMap::new();
    for row in counted {
        let (day, form, standing) = (Day(row.day), row.form.as_str(), row.standing.as_str());
        *counts.entry((day, form, standing)).or_default() += row.count;
        for reason in &row.reasons {
            *reasons.entry((day, form, standing, *reason)).or_default() += row.count;
        }
    }
    ScreeningMetrics {
        from,
        to,
        counts: counts
            .into_iter()
            .map(|((day, form, decision), count)| StandingCount {
                day,
                form: form.to_owned(),
                decision: decision.to_owned(),
                count,
            })
            .collect(),
        reasons: reasons
            .into_iter()
            .map(|((day, form, decision, reason), count)| ReasonCount {
                day,
                form: form.to_owned(),
                decision: decision.to_owned(),
                reason,
                count,
            })
            .collect(),
        rejected_kept_days,
    }
}
