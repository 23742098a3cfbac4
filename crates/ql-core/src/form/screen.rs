//! Screening: a decision on a post, with its reasons, by stated rules alone.

use std::fmt;
use std::str::FromStr;

use crate::fold::fold;

use super::{Action, Answers, Decision, Rules};

/// Providers of throw-away mail addresses, one host name a line.
const DISPOSABLE: &str = include_str!("disposable.txt");

/// Why a post isn't accepted at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The field that people don't see was filled in.
    HoneypotFilled,
    /// It came sooner than a person can write.
    SubmittedTooFast,
    /// It carries no fill token.
    ChallengeMissing,
    /// It carries a fill token that isn't ours or another form's.
    ChallengeInvalid,
    /// It carries a fill token whose time ran out.
    ChallengeExpired,
    /// It carries a fill token that another post used.
    ChallengeReused,
    /// The network sent too many.
    RateLimited,
    /// Its mail address is a throw-away one.
    DisposableEmail,
    /// It has too many links.
    LinkDensity,
    /// The same was sent before.
    DuplicateContent,
    /// It holds a text that the form holds back.
    TextHeld,
    /// It holds a text that the form turns away.
    TextRejected,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 12] = [
        Self::HoneypotFilled,
        Self::SubmittedTooFast,
        Self::ChallengeMissing,
        Self::ChallengeInvalid,
        Self::ChallengeExpired,
        Self::ChallengeReused,
        Self::RateLimited,
        Self::DisposableEmail,
        Self::LinkDensity,
        Self::DuplicateContent,
        Self::TextHeld,
        Self::TextRejected,
    ];

    /// The reason's code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HoneypotFilled => "honeypot_filled",
            Self::SubmittedTooFast => "submitted_too_fast",
            Self::ChallengeMissing => "challenge_missing",
            Self::ChallengeInvalid => "challenge_invalid",
            Self::ChallengeExpired => "challenge_expired",
            Self::ChallengeReused => "challenge_reused",
            Self::RateLimited => "rate_limited",
            Self::DisposableEmail => "disposable_email",
            Self::LinkDensity => "link_density",
            Self::DuplicateContent => "duplicate_content",
            Self::TextHeld => "text_held",
            Self::TextRejected => "text_rejected",
        }
    }

    /// What the rule says, for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::HoneypotFilled => "the field that people don't see was filled in",
            Self::SubmittedTooFast => "it was sent sooner than a person can write",
            Self::ChallengeMissing => "it wasn't sent from the fetched form",
            Self::ChallengeInvalid => "its fill token isn't one of this form",
            Self::ChallengeExpired => "the form was fetched too long ago",
            Self::ChallengeReused => "its fill token was used by another post",
            Self::RateLimited => "its network sent too many",
            Self::DisposableEmail => "its mail address is a throw-away one",
            Self::LinkDensity => "it has too many links",
            Self::DuplicateContent => "the same was sent before",
            Self::TextHeld => "it holds a text that this form holds back",
            Self::TextRejected => "it holds a text that this form turns away",
        }
    }

    const fn decision(self, rules: &Rules) -> Decision {
        match self {
            Self::HoneypotFilled
            | Self::SubmittedTooFast
            | Self::ChallengeInvalid
            | Self::RateLimited
            | Self::TextRejected => Decision::Rejected,
            Self::ChallengeMissing
            | Self::ChallengeExpired
            | Self::ChallengeReused
            | Self::LinkDensity
            | Self::DuplicateContent
            | Self::TextHeld => Decision::Held,
            Self::DisposableEmail => match rules.disposable_addresses {
                Action::Allow => Decision::Accepted,
                Action::Hold => Decision::Held,
                Action::Reject => Decision::Rejected,
            },
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is no reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no reason of a screening")]
pub struct UnknownReason(String);

impl FromStr for Reason {
    type Err = UnknownReason;

    fn from_str(text: &str) -> Result<Self, UnknownReason> {
        let known = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        known.ok_or_else(|| UnknownReason(text.to_owned()))
    }
}

/// What the server knows about the form that a post was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// It was fetched at a time that a person needs.
    Sound,
    /// No token came.
    Missing,
    /// A token came that isn't one of this form.
    Invalid,
    /// It was fetched too shortly before.
    TooFast,
    /// It was fetched too long before.
    Expired,
    /// It was sent once already, with other words.
    Reused,
}

impl Fill {
    const fn reason(self) -> Option<Reason> {
        match self {
            Self::Sound => None,
            Self::Missing => Some(Reason::ChallengeMissing),
            Self::Invalid => Some(Reason::ChallengeInvalid),
            Self::TooFast => Some(Reason::SubmittedTooFast),
            Self::Expired => Some(Reason::ChallengeExpired),
            Self::Reused => Some(Reason::ChallengeReused),
        }
    }
}

/// What is to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// What the visitor wrote.
    pub answers: &'a Answers,
    /// Whether the field that people don't see was filled in.
    pub honeypot: bool,
    /// What is known about the form.
    pub fill: Fill,
    /// How many posts of the same network came in the rules' window.
    pub from_network: u32,
    /// Whether the same came in the rules' window.
    pub duplicate: bool,
}

/// A decision with its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screening {
    /// The worst that a reason asks for; accepted without one.
    pub decision: Decision,
    /// Every rule that was met, in the order of [`Reason::ALL`].
    pub reasons: Vec<Reason>,
}

/// Judges a post.
pub fn screen(rules: &Rules, observed: &Observed<'_>) -> Screening {
    let mut reasons: Vec<Reason> = observed.fill.reason().into_iter().collect();
    let mut when = |met: bool, reason| {
        if met {
            reasons.push(reason);
        }
    };
    let limit = rules.posts_per_network;
    let disposable = rules.disposable_addresses != Action::Allow;
    let words = fold(
        &observed
            .answers
            .values()
            .cloned()
            .collect::<Vec<_>>()
            .join("\n"),
    );
    let holds = |wanted: Action| {
        let mut texts = rules.texts.iter().filter(|rule| rule.action == wanted);
        texts.any(|rule| words.contains(&fold(rule.contains.trim())))
    };
    when(observed.honeypot, Reason::HoneypotFilled);
    when(
        limit > 0 && observed.from_network >= limit,
        Reason::RateLimited,
    );
    when(
        disposable && observed.answers.values().any(|text| is_disposable(text)),
        Reason::DisposableEmail,
    );
    when(
        links(&words) > rules.max_links as usize,
        Reason::LinkDensity,
    );
    when(observed.duplicate, Reason::DuplicateContent);
    when(holds(Action::Hold), Reason::TextHeld);
    when(holds(Action::Reject), Reason::TextRejected);
    reasons.sort_unstable();
    let decision = reasons
        .iter()
        .map(|reason| reason.decision(rules))
        .max()
        .unwrap_or(Decision::Accepted);
    Screening { decision, reasons }
}

/// How many links folded words have: addresses by their scheme or by `www.`, each counted once.
fn links(words: &str) -> usize {
    let schemes = ["http://", "https://"];
    let count = |text: &str| words.matches(text).count();
    let named: usize = schemes.into_iter().map(count).sum();
    let in_address: usize = ["http://www.", "https://www."].into_iter().map(count).sum();
    named + count("www.") - in_address
}

/// Whether a text is a mail address of a throw-away provider or of a host under one.
fn is_disposable(text: &str) -> bool {
    let Some((_, host)) = text.trim().rsplit_once('@') else {
        return false;
    };
    let host = host.to_ascii_lowercase();
    let is_under = |provider: &str| {
        host.strip_suffix(provider)
            .is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    DISPOSABLE.lines().any(is_under)
}

#[cfg(test)]
mod tests {
    use super::{Action, Fill, Observed, Reason, Rules, Screening, screen};
    use crate::form::{Answers, Decision, TextRule};

    fn answers(pairs: &[(&str, &str)]) -> Answers {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    }

    fn judge(message: &str, change: impl FnOnce(&mut Observed<'_>)) -> Screening {
        let written = answers(&[("email", "ada@example.org"), ("message", message)]);
        let mut observed = Observed {
            answers: &written,
            honeypot: false,
            fill: Fill::Sound,
            from_network: 0,
            duplicate: false,
        };
        change(&mut observed);
        let rules = Rules {
            texts: vec![
                TextRule {
                    contains: "Crème".into(),
                    action: Action::Hold,
                },
                TextRule {
                    contains: "casino".into(),
                    action: Action::Reject,
                },
            ],
            ..Rules::default()
        };
        screen(&rules, &observed)
    }

    #[test]
    fn every_reason_has_a_post_that_meets_it_alone() {
        use Decision::{Held, Rejected};
        use Reason as R;
        type Change = fn(&mut Observed<'_>);
        let none: Change = |_| {};
        let links = "http://a.test https://www.b.test www.c.test";
        let cases: [(Reason, Decision, &str, Change); 11] = [
            (R::HoneypotFilled, Rejected, "", |o| o.honeypot = true),
            (R::SubmittedTooFast, Rejected, "", |o| {
                o.fill = Fill::TooFast;
            }),
            (R::ChallengeMissing, Held, "", |o| o.fill = Fill::Missing),
            (R::ChallengeInvalid, Rejected, "", |o| {
                o.fill = Fill::Invalid;
            }),
            (R::ChallengeExpired, Held, "", |o| o.fill = Fill::Expired),
            (R::ChallengeReused, Held, "", |o| o.fill = Fill::Reused),
            (R::RateLimited, Rejected, "", |o| o.from_network = 20),
            (R::LinkDensity, Held, links, none),
            (R::DuplicateContent, Held, "", |o| o.duplicate = true),
            (R::TextHeld, Held, "ask for CREME please", none),
            (R::TextRejected, Rejected, "the best Casinò", none),
        ];
        for (reason, decision, message, change) in cases {
            let expected = Screening {
                decision,
                reasons: vec![reason],
            };
            assert_eq!(judge(message, change), expected, "{reason}");
        }
    }

    #[test]
    fn an_ordinary_post_meets_none() {
        let two_links = "See http://www.a.test and https://b.test.";
        let screening = judge(two_links, |observed| observed.from_network = 19);
        assert_eq!(screening.decision, Decision::Accepted);
        assert_eq!(screening.reasons, []);
    }

    #[test]
    fn the_worst_reason_decides_and_all_are_told() {
        let screening = judge("casino", |observed| {
            observed.duplicate = true;
            observed.honeypot = true;
        });
        assert_eq!(screening.decision, Decision::Rejected);
        let told = [
            Reason::HoneypotFilled,
            Reason::DuplicateContent,
            Reason::TextRejected,
        ];
        assert_eq!(screening.reasons, told);
    }

    #[test]
    fn throw_away_addresses_are_known_by_their_host() {
        let said = |address: &str, disposable_addresses| {
            let written = answers(&[("email", address)]);
            let observed = Observed {
                answers: &written,
                honeypot: false,
                fill: Fill::Sound,
                from_network: 0,
                duplicate: false,
            };
            let rules = Rules {
                disposable_addresses,
                ..Rules::default()
            };
            screen(&rules, &observed).decision
        };
        assert_eq!(said("a@mailinator.com", Action::Hold), Decision::Held);
        assert_eq!(
            said("a@x.Mailinator.com", Action::Reject),
            Decision::Rejected
        );
        assert_eq!(said("a@mailinator.com", Action::Allow), Decision::Accepted);
        assert_eq!(
            said("a@notmailinator.com", Action::Hold),
            Decision::Accepted
        );
        assert_eq!(said("mailinator.com", Action::Hold), Decision::Accepted);
    }

    #[test]
    fn reasons_read_as_they_print() {
        for reason in Reason::ALL {
            assert_eq!(reason.as_str().parse(), Ok(reason));
            let json = serde_json::to_value(reason).expect("JSON");
            assert_eq!(json, reason.as_str());
        }
    }
}
