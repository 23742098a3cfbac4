//! Proposals as the tests and the gallery show them.

use super::Section;
use super::proposal::{
    ArtifactRow, Check, ClaimRow, Closed, Effect, ItemCard, Open, ProposalPage, SourceRow, Verdict,
    View,
};
use super::sample::{
    DIGEST, ago, connection, fields, idris, next_fields, revision, schema, shell, writer,
};
use crate::diff::Diff;
use crate::part::{Digest, Event, Fact, Link, Pill, Risk, Timeline, Tone};

impl ProposalPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Inbox),
            id: "prop_01k8".into(),
            effect: "Publish revision #12 of /visit".into(),
            state: Pill::new(Tone::Needs, "Needs you"),
            risk: Risk(ql_core::proposal::Risk::Medium),
            by: writer(),
            via: Some(connection()),
            at: ago(12),
            title: "New ticket prices from January".into(),
            rationale:
                "The trustees' minutes of 24 November raise the adult ticket to £8 and free \
                        carers' entry. I changed the three places on the page that say so, and \
                        added the rule about dogs that visitors ask about most."
                    .into(),
            verdict: Verdict::Open(open()),
            effects: vec![effect()],
            takes_effect: "At once, when you approve".into(),
            items: vec![item()],
            map: Vec::new(),
            links: Vec::new(),
            brief: None,
            view: View::Changes,
            checks: checks(),
            policy: vec![
                "One approval by an owner, administrator or editor.".into(),
                "Valid for 14 days after it was proposed.".into(),
                "Nobody approves a proposal of their own.".into(),
            ],
            digest: Digest::new("digest", DIGEST),
            facts: vec![
                Fact::new("Kind", "Publication"),
                Fact::new("Expires", "14 Dec 2026, 12:00 UTC"),
            ],
            run: Some(Link::new(
                "/sites/elmsea/runs/run_1",
                "Update visitor information",
            )),
            run_facts: vec![
                Fact::new("Type", "update-visitor-information"),
                Fact::new("Outcome", "completed"),
            ],
            run_input: Some("{\n  \"source\": \"minutes-2026-11-24\"\n}".into()),
            artifacts: vec![artifact()],
            claims: vec![claim()],
            history: history(),
        }
    }

    /// High risk, with a condition that no longer holds and a failed attempt.
    pub fn stale_sample() -> Self {
        let mut page = Self::sample();
        page.risk = Risk(ql_core::proposal::Risk::High);
        page.checks[0] = Check {
            holds: false,
            text: "Revision #13 is now the current draft of /visit; this one is #12".into(),
        };
        page.verdict = Verdict::Open(Open {
            asks_password: true,
            blocked: Some("Approving would make it stale: revision #13 is the newer draft.".into()),
            problem: Some("The password is wrong. Nothing was decided.".into()),
            ..open()
        });
        page.view = View::Preview;
        page
    }

    /// Published.
    pub fn executed_sample() -> Self {
        let mut page = Self::sample();
        page.state = Pill::new(Tone::Live, "Published");
        page.verdict = Verdict::Closed(Closed {
            tone: Tone::Live,
            headline: "Revision #12 of /visit is live".into(),
            detail: Some("Approved and published by Idris Bell.".into()),
            link: None,
            may_cancel: false,
            may_withdraw: false,
        });
        page
    }
}

fn open() -> Open {
    Open {
        button: "Publish revision #12 of /visit".into(),
        asks_password: false,
        has_password: true,
        blocked: None,
        approvals: (0, 1),
        may_withdraw: false,
        problem: None,
        comment: String::new(),
    }
}

fn effect() -> Effect {
    Effect {
        path: "/visit".into(),
        moves_from: None,
        before: Some(revision(9)),
        before_word: "not live",
        after: Some(revision(12)),
        after_word: "not live",
    }
}

fn item() -> ItemCard {
    let page = "/sites/elmsea/proposals/prop_01k8";
    ItemCard {
        id: "item-1".into(),
        content: Link::new("/sites/elmsea/content/cnt_visit", "/visit"),
        title: "Visit the garden".into(),
        template: "Landing page".into(),
        old_label: "Live now",
        old: Some(revision(9)),
        new_label: "Proposed",
        new: Some(revision(12)),
        diff: Diff::between(&fields(), &next_fields(), &schema()),
        preview: Some("/sites/elmsea/content/cnt_visit/revisions/rev_12/preview".into()),
        address: "https://garden.example/visit".into(),
        views: (
            format!("{page}?view=changes"),
            format!("{page}?view=preview"),
        ),
    }
}

fn checks() -> Vec<Check> {
    let texts = [
        "#12 is still the current draft of /visit",
        "#9 is still what is live",
        "The address /visit is free for it",
        "The page is not archived",
    ];
    texts
        .map(|text| Check {
            holds: true,
            text: text.into(),
        })
        .into()
}

fn artifact() -> ArtifactRow {
    ArtifactRow {
        link: Link::new("/sites/elmsea/runs/run_1/artifacts/art_1", "price-table"),
        version: 1,
        media_type: "text/csv".into(),
        size: "1.2 kB".into(),
        sha256: Digest::new("hash", DIGEST),
        at: ago(14),
    }
}

fn claim() -> ClaimRow {
    ClaimRow {
        text: "Adults pay £8 from January".into(),
        pointer: "/sections/0/body".into(),
        sources: vec![SourceRow {
            stance: Pill::new(Tone::Live, "supports"),
            link: Link::new("https://garden.example/minutes", "Minutes of the trustees"),
            excerpt: "It was agreed that the adult ticket shall cost £8.00 from 1 January.".into(),
            retrieved: ago(16),
        }],
    }
}

fn history() -> Timeline {
    Timeline {
        events: vec![
            Event {
                tone: Tone::Proposed,
                icon: "proposed",
                who: Some(writer()),
                text: "proposed it".into(),
                link: None,
                said: None,
                at: ago(12),
            },
            Event {
                tone: Tone::Quiet,
                icon: "say",
                who: Some(idris()),
                text: "commented".into(),
                link: None,
                said: Some("The minutes say January; fine by me.".into()),
                at: ago(4),
            },
        ],
    }
}
