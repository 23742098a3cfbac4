//! The approval policy: data that says who approves what, how many, and for how long it is valid.
//!
//! No policy takes the human out: every rule asks for at least one approval by a member.

use serde::{Deserialize, Serialize};

use crate::access::MemberPrincipal;
use crate::actor::Actor;
use crate::canon;
use crate::hash::Digest;
use crate::problem::Problem;
use crate::proposal::{ProposalKind, Risk};
use crate::role::{MemberAct, Role};

/// A site's approval policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// From this number of items on, a publication is high risk.
    pub high_risk_items: u32,
    /// Whether the only eligible member may approve its own proposal.
    pub self_approval: SelfApproval,
    /// The rules; exactly one applies to each kind and risk.
    pub rules: Vec<Rule>,
}

/// Whether a member may approve what it proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfApproval {
    /// Never.
    Forbidden,
    /// When no other member of the site could.
    WhenAlone,
}

/// What one kind of proposal at some risks needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The kind.
    pub kind: ProposalKind,
    /// The risks.
    pub risk: Vec<Risk>,
    /// How many members must approve; at least one.
    pub approvals: u32,
    /// Which roles may.
    pub roles: Vec<Role>,
    /// For how many hours the proposal can be approved.
    pub valid_hours: u32,
}

impl Default for Policy {
    fn default() -> Self {
        let rule = |kind| Rule {
            kind,
            risk: Risk::ALL.to_vec(),
            approvals: 1,
            roles: if kind == ProposalKind::ContentLifecycle {
                vec![Role::Owner, Role::Admin]
            } else {
                vec![Role::Owner, Role::Admin, Role::Editor]
            },
            valid_hours: 336,
        };
        Self {
            high_risk_items: 10,
            self_approval: SelfApproval::WhenAlone,
            rules: ProposalKind::ALL.into_iter().map(rule).collect(),
        }
    }
}

/// Why a member may not approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MayNotApprove {
    /// The policy names other roles.
    #[error("the policy doesn't let the role {0} approve this")]
    Role(Role),
    /// The member proposed it.
    #[error("the policy forbids approving one's own proposal")]
    OwnProposal,
    /// A sign-in link joins the member to somebody who proposed or approved it.
    #[error(
        "whoever makes a sign-in link could open it, so one made by or for somebody who proposed or approved this makes no other person"
    )]
    SamePerson,
}

impl Policy {
    /// The digest that proposals and the ledger name the policy by.
    ///
    /// # Panics
    /// Never: every key of a policy is a text.
    pub fn digest(&self) -> Digest {
        canon::digest(&serde_json::to_value(self).expect("a policy has string keys"))
    }

    /// Everything that is wrong with the policy.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if self.high_risk_items == 0 {
            problems.push(Problem::new(
                "/high_risk_items",
                "range",
                "expected at least 1",
            ));
        }
        for (index, rule) in self.rules.iter().enumerate() {
            problems.extend(
                rule.problems()
                    .into_iter()
                    .map(|p| p.under(&format!("/rules/{index}"))),
            );
        }
        for kind in ProposalKind::ALL {
            for risk in Risk::ALL {
                let rules = self
                    .rules
                    .iter()
                    .filter(|rule| rule.covers(kind, risk))
                    .count();
                if rules != 1 {
                    problems.push(Problem::new(
                        "/rules",
                        "coverage",
                        format!(
                            "expected exactly one rule for {kind} at {risk} risk, found {rules}"
                        ),
                    ));
                }
            }
        }
        problems
    }

    /// The server's judgement of a proposal's risk.
    pub fn risk(&self, kind: ProposalKind, items: usize) -> Risk {
        match kind {
            ProposalKind::CreateContent
            | ProposalKind::ContentRevision
            | ProposalKind::TopicalMapChange
            | ProposalKind::InternalLink
            | ProposalKind::TopicalStrategy
            | ProposalKind::ContentBriefDraft
            | ProposalKind::ContentSourceDraft => Risk::Low,
            ProposalKind::PublishLifecycle if items >= self.high_risk_items as usize => Risk::High,
            ProposalKind::PublishLifecycle => Risk::Medium,
            ProposalKind::ContentLifecycle => Risk::High,
        }
    }

    /// The rule for a kind at a risk. A policy that was stored has one; where none fits, one owner
    /// must approve within a day.
    pub fn rule(&self, kind: ProposalKind, risk: Risk) -> Rule {
        self.rules
            .iter()
            .find(|rule| rule.covers(kind, risk))
            .cloned()
            .unwrap_or(Rule {
                kind,
                risk: vec![risk],
                approvals: 1,
                roles: vec![Role::Owner],
                valid_hours: 24,
            })
    }

    /// Whether `member` may approve under `rule`; the answer says whether it would approve its own
    /// proposal. `others` is how many other members could. Whom the
    /// proposer let in by a sign-in link, or who let the proposer in, is no other person.
    pub fn may_approve(
        &self,
        rule: &Rule,
        member: &MemberPrincipal,
        (proposer, let_in_by): (Actor, Option<Actor>),
        others: usize,
    ) -> Result<bool, MayNotApprove> {
        if !rule.roles.contains(&member.role) {
            return Err(MayNotApprove::Role(member.role));
        }
        let own = proposer == Actor::Member(member.member);
        let me = (Actor::Member(member.member), member.credential.let_in_by());
        if !own && Actor::may_be_one_person(me, (proposer, let_in_by)) {
            return Err(MayNotApprove::SamePerson);
        }
        match self.self_approval {
            SelfApproval::WhenAlone if own && others == 0 => Ok(true),
            SelfApproval::Forbidden | SelfApproval::WhenAlone if own => {
                Err(MayNotApprove::OwnProposal)
            }
            SelfApproval::Forbidden | SelfApproval::WhenAlone => Ok(false),
        }
    }

    /// The policy in sentences, for agents and people.
    pub fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.rules.iter().map(Rule::describe).collect();
        lines.push(format!("Publishing {} or more pages at once is high risk; archiving and restoring always are, and need a re-authentication in the last five minutes.", self.high_risk_items));
        lines.push(match self.self_approval {
            SelfApproval::Forbidden => "Nobody approves their own proposal.".to_owned(),
            SelfApproval::WhenAlone => {
                "Nobody approves their own proposal, unless nobody else on the site could."
                    .to_owned()
            }
        });
        let publishing = |rule: &&Rule| rule.kind == ProposalKind::PublishLifecycle;
        if self
            .rules
            .iter()
            .filter(publishing)
            .any(|rule| rule.approvals > 1)
        {
            lines.push("Going back to a revision that was live before takes one of them alone, with a re-authentication in the last five minutes.".to_owned());
        }
        lines.push(
            "Nothing is published without a member's approval; no agent can approve.".to_owned(),
        );
        lines
    }
}

impl Rule {
    fn covers(&self, kind: ProposalKind, risk: Risk) -> bool {
        self.kind == kind && self.risk.contains(&risk)
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !(1..=5).contains(&self.approvals) {
            problems.push(Problem::new(
                "/approvals",
                "range",
                "expected 1 to 5: no policy takes the human out",
            ));
        }
        if !(1..=8_760).contains(&self.valid_hours) {
            problems.push(Problem::new("/valid_hours", "range", "expected 1 to 8760"));
        }
        if self.roles.is_empty() {
            problems.push(Problem::new(
                "/roles",
                "required",
                "expected at least one role",
            ));
        }
        let act = if self.kind == ProposalKind::ContentLifecycle {
            MemberAct::DecideContentLifecycle
        } else {
            MemberAct::Decide
        };
        for (index, role) in self
            .roles
            .iter()
            .enumerate()
            .filter(|(_, role)| !role.may(act))
        {
            problems.push(Problem::new(
                format!("/roles/{index}"),
                "role",
                format!("the role {role} may not {}", act.describe()),
            ));
        }
        problems
    }

    fn describe(&self) -> String {
        let roles: Vec<&str> = self.roles.iter().map(|role| role.as_str()).collect();
        let risks: Vec<&str> = self.risk.iter().map(|risk| risk.as_str()).collect();
        format!(
            "{} ({} risk): {} approval{} by {}, within {} hours.",
            self.kind,
            risks.join(", "),
            self.approvals,
            if self.approvals == 1 { "" } else { "s" },
            roles.join(" or "),
            self.valid_hours
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::MemberCredential;
    use crate::id::{IdGen, MemberId, SessionId, SystemIdGen};
    use crate::time::Timestamp;

    fn member(ids: &dyn IdGen, role: Role, let_in_by: Option<Actor>) -> MemberPrincipal {
        let now = Timestamp::from_micros(1);
        let credential = MemberCredential::Session {
            session: SessionId::mint(ids, now),
            reauthenticated_at: now,
            let_in_by,
        };
        MemberPrincipal {
            member: MemberId::mint(ids, now),
            role,
            credential,
        }
    }

    #[test]
    fn the_default_policy_is_sound_and_reads_well() {
        let policy = Policy::default();
        assert_eq!(policy.problems(), []);
        insta::assert_snapshot!(policy.describe().join("\n"), @"
        create_content (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        content_revision (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        publish_lifecycle (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        content_lifecycle (low, medium, high risk): 1 approval by owner or admin, within 336 hours.
        topical_map_change (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        internal_link (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        topical_strategy (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        content_brief_draft (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        content_source_draft (low, medium, high risk): 1 approval by owner or admin or editor, within 336 hours.
        Publishing 10 or more pages at once is high risk; archiving and restoring always are, and need a re-authentication in the last five minutes.
        Nobody approves their own proposal, unless nobody else on the site could.
        Nothing is published without a member's approval; no agent can approve.
        ");
    }

    /// One member may undo alone what two had to approve, and the policy says so.
    #[test]
    fn where_two_must_publish_it_says_that_one_may_roll_back() {
        let mut policy = Policy::default();
        for rule in &mut policy.rules {
            rule.approvals = 2;
        }
        let lines = policy.describe();
        let said = lines
            .iter()
            .filter(|line| line.contains("takes one of them alone"));
        assert_eq!(said.count(), 1, "{lines:?}");
    }

    #[test]
    fn no_policy_takes_the_human_out() {
        let mut policy = Policy::default();
        policy.rules[2].approvals = 0;
        policy.rules[3].roles = vec![Role::Editor];
        policy.rules.remove(0);
        let lines: Vec<String> = policy
            .problems()
            .iter()
            .map(|p| format!("{} {} {}", p.pointer, p.code, p.message))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        /rules/1/approvals range expected 1 to 5: no policy takes the human out
        /rules/2/roles/0 role the role editor may not decide archiving and restoring
        /rules coverage expected exactly one rule for create_content at low risk, found 0
        /rules coverage expected exactly one rule for create_content at medium risk, found 0
        /rules coverage expected exactly one rule for create_content at high risk, found 0
        ");
    }

    #[test]
    fn own_proposals_are_approved_by_others_unless_there_is_none() {
        let ids = SystemIdGen::default();
        let (me, policy) = (member(&ids, Role::Editor, None), Policy::default());
        let rule = policy.rule(ProposalKind::PublishLifecycle, Risk::Medium);
        let mine = Actor::Member(me.member);
        let own = Err(MayNotApprove::OwnProposal);
        assert_eq!(policy.may_approve(&rule, &me, (mine, None), 1), own);
        assert_eq!(policy.may_approve(&rule, &me, (mine, None), 0), Ok(true));
        let other = member(&ids, Role::Editor, None);
        assert_eq!(
            policy.may_approve(&rule, &other, (mine, None), 0),
            Ok(false)
        );
        let viewer = member(&ids, Role::Viewer, None);
        assert_eq!(
            policy.may_approve(&rule, &viewer, (Actor::System, None), 0),
            Err(MayNotApprove::Role(Role::Viewer))
        );
        let strict = Policy {
            self_approval: SelfApproval::Forbidden,
            ..Policy::default()
        };
        assert_eq!(strict.may_approve(&rule, &me, (mine, None), 0), own);
    }

    /// By whose link somebody came in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Link {
        None,
        OfTheOther,
        OfAThird,
        OfTheOperator,
    }

    impl Link {
        const ALL: [Self; 4] = [
            Self::None,
            Self::OfTheOther,
            Self::OfAThird,
            Self::OfTheOperator,
        ];

        fn made_by(self, other: Actor, third: Actor) -> Option<Actor> {
            match self {
                Self::None => None,
                Self::OfTheOther => Some(other),
                Self::OfAThird => Some(third),
                Self::OfTheOperator => Some(Actor::Operator { uid: 7 }),
            }
        }
    }

    /// Every role that the rule may name or not, own or another's proposal, each side let in by a
    /// password, the other side, a third member or the operator, alone or not, under both settings.
    #[test]
    fn every_combination_of_who_approves_what_is_what_the_contract_says() {
        let ids = SystemIdGen::default();
        let third = Actor::Member(member(&ids, Role::Admin, None).member);
        let other = Actor::Member(member(&ids, Role::Admin, None).member);
        for named in 0..32_u8 {
            let mut rule = Policy::default().rule(ProposalKind::PublishLifecycle, Risk::Medium);
            let roles = Role::ALL.into_iter().enumerate();
            let chosen = roles.filter(|(bit, _)| named & (1 << bit) != 0);
            rule.roles = chosen.map(|(_, role)| role).collect();
            for (role, mine, theirs) in sides() {
                for (own, alone, self_approval) in settings() {
                    let me = member(&ids, role, mine.made_by(other, third));
                    let myself = Actor::Member(me.member);
                    let proposer = if own { myself } else { other };
                    let proposed = (proposer, theirs.made_by(myself, third));
                    let policy = Policy {
                        self_approval,
                        ..Policy::default()
                    };
                    let joined = mine == Link::OfTheOther
                        || theirs == Link::OfTheOther
                        || (mine, theirs) == (Link::OfAThird, Link::OfAThird);
                    let may = rule.roles.contains(&role)
                        && match (own, self_approval) {
                            (false, _) => !joined,
                            (true, SelfApproval::WhenAlone) => alone,
                            (true, SelfApproval::Forbidden) => false,
                        };
                    let answer = policy.may_approve(&rule, &me, proposed, usize::from(!alone));
                    assert_eq!(
                        answer.ok(),
                        may.then_some(own),
                        "{rule:?} {me:?} {proposed:?}"
                    );
                }
            }
        }
    }

    fn sides() -> impl Iterator<Item = (Role, Link, Link)> {
        let links = || Link::ALL.into_iter();
        let pairs = move || links().flat_map(move |mine| links().map(move |theirs| (mine, theirs)));
        let roles = Role::ALL.into_iter();
        roles.flat_map(move |role| pairs().map(move |(mine, theirs)| (role, mine, theirs)))
    }

    fn settings() -> impl Iterator<Item = (bool, bool, SelfApproval)> {
        (0..8_u8).map(|bits| {
            let strict = bits & 4 != 0;
            let self_approval = if strict {
                SelfApproval::Forbidden
            } else {
                SelfApproval::WhenAlone
            };
            (bits & 1 != 0, bits & 2 != 0, self_approval)
        })
    }

    #[test]
    fn publication_is_at_least_medium_and_archiving_high() {
        let policy = Policy::default();
        assert_eq!(policy.risk(ProposalKind::CreateContent, 1), Risk::Low);
        assert_eq!(policy.risk(ProposalKind::PublishLifecycle, 1), Risk::Medium);
        assert_eq!(policy.risk(ProposalKind::PublishLifecycle, 10), Risk::High);
        assert_eq!(policy.risk(ProposalKind::ContentLifecycle, 1), Risk::High);
    }
}
