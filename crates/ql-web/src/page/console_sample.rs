//! Conversations as the tests and the gallery show them.

use ql_core::proposal::Risk as Judged;

use super::Section;
use super::console::{
    Console, ConversationPage, PlanCard, RuntimeCard, StepRow, TalkRow, TurnCard,
};
use super::sample::{ago, maren, shell, writer};
use crate::part::{Choice, Fact, Graph, Link, Pill, Planned, Risk, Select, Tone, Who};

impl Console {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        let row = |text: &str, state, turns, minutes| TalkRow {
            link: Link::new("/sites/elmsea/console/cnv_1", text),
            with: writer(),
            state,
            turns,
            at: ago(minutes),
        };
        Self {
            shell: shell(Section::Console),
            rows: vec![
                row(
                    "The winter opening hours are wrong on two pages.",
                    Pill::new(Tone::Proposed, "Being worked on"),
                    4,
                    2,
                ),
                row(
                    "Which pages say something about dogs?",
                    Pill::new(Tone::Live, "Completed"),
                    1,
                    90,
                ),
                row(
                    "Write about the moss garden.",
                    Pill::new(Tone::Needs, "Needs your answer"),
                    2,
                    300,
                ),
            ],
            next: None,
            agents: Some(Select {
                name: "agent",
                label: "Agent",
                chosen: "agt_1".into(),
                choices: vec![Choice::new("agt_1", "Garden writer")],
            }),
            message: String::new(),
            problems: Vec::new(),
            may_write: true,
        }
    }

    /// A site on which nobody has talked with an agent.
    pub fn empty_sample() -> Self {
        Self {
            rows: Vec::new(),
            ..Self::sample()
        }
    }
}

impl ConversationPage {
    /// As the tests and the gallery show it.
    pub fn sample() -> Self {
        Self {
            shell: shell(Section::Console),
            id: "cnv_01k8".into(),
            title: "The winter opening hours are wrong on two pages.".into(),
            with: writer(),
            turns: turns(),
            plan: Some(plan()),
            runtime: RuntimeCard::Open {
                link: "hermes://sessions/20261130_101500_a1b2c3?profile_id=p-7f3c".into(),
                command: Some("hermes -p writer --resume 20261130_101500_a1b2c3".into()),
                profile: "writer".into(),
            },
            facts: vec![
                Fact::new("Program", "Hermes"),
                Fact::new("Session", "20261130_101500_a1b2c3"),
                Fact::new("Began", "2026-11-30 11:41 UTC"),
            ],
            message: String::new(),
            problems: Vec::new(),
            may_write: true,
        }
    }

    /// One whose agent's runtime isn't there.
    pub fn closed_sample() -> Self {
        Self {
            plan: None,
            turns: turns().into_iter().take(1).collect(),
            runtime: RuntimeCard::Closed {
                reason: "Several profiles have the immutable id that the agent is bound to".into(),
                remedy: "Give each copy of the profile an id of its own, so that one alone carries this one.".into(),
            },
            ..Self::sample()
        }
    }
}

fn turn(number: i64, by: Who, message: &str, state: Pill) -> TurnCard {
    TurnCard {
        id: format!("trn_{number}"),
        number,
        by,
        message: message.into(),
        state,
        reply: None,
        note: None,
        links: Vec::new(),
        at: ago(20 - number),
        may_reopen: false,
        may_cancel: false,
    }
}

fn turns() -> Vec<TurnCard> {
    vec![
        TurnCard {
            reply: Some("I made a plan of three steps.".into()),
            ..turn(
                1,
                maren(),
                "The winter opening hours are wrong on two pages. Please find them and propose the right ones.",
                Pill::new(Tone::Live, "Completed"),
            )
        },
        TurnCard {
            reply: Some("Two pages: /visit and /visiter.".into()),
            note: Some("tried twice; the first lease ran out".into()),
            ..turn(
                2,
                Who::system("QueryLayer"),
                "Step 1 of 3 of the plan “Right winter hours”.",
                Pill::new(Tone::Live, "Completed"),
            )
        },
        TurnCard {
            may_cancel: true,
            ..turn(
                3,
                Who::system("QueryLayer"),
                "Step 2 of 3 of the plan “Right winter hours”.",
                Pill::new(Tone::Proposed, "Being worked on"),
            )
        },
    ]
}

fn plan() -> PlanCard {
    let done = || Pill::new(Tone::Live, "Succeeded");
    let steps = [
        ("find", done(), vec![]),
        (
            "correct",
            Pill::new(Tone::Needs, "Needs approval"),
            vec!["find"],
        ),
        (
            "translate",
            Pill::new(Tone::Stopped, "Failed"),
            vec!["find"],
        ),
        (
            "publish",
            Pill::new(Tone::Quiet, "Waiting"),
            vec!["correct", "translate"],
        ),
    ];
    let planned: Vec<Planned> = steps
        .iter()
        .map(|(key, state, before)| Planned {
            key: (*key).into(),
            state: state.clone(),
            depends_on: before.iter().map(|key| (*key).to_owned()).collect(),
        })
        .collect();
    let row = |index: usize, text: &str, risk| StepRow {
        id: format!("stp_{index}"),
        key: planned[index].key.clone(),
        text: text.into(),
        risk: Risk(risk),
        state: planned[index].state.clone(),
        retries: 0,
        reason: None,
        proposal: None,
        may_reopen: false,
        may_cancel: false,
    };
    PlanCard {
        id: "pln_1".into(),
        goal: "Right winter hours".into(),
        version: 2,
        state: Pill::new(Tone::Needs, "Needs you"),
        steps: vec![
            StepRow {
                retries: 1,
                ..row(0, "Find the pages · research", Judged::Low)
            },
            StepRow {
                proposal: Some(Link::new("/sites/elmsea/proposals/prop_1", "its proposal")),
                may_cancel: true,
                ..row(1, "Correct /visit · content revision", Judged::Low)
            },
            StepRow {
                reason: Some("proposal rejected: The French page says “horaires d’hiver”.".into()),
                may_reopen: true,
                may_cancel: true,
                ..row(2, "Correct /visiter · content revision", Judged::Low)
            },
            row(3, "Publish both · publish lifecycle", Judged::Medium),
        ],
        graph: Graph::new("Plan “Right winter hours”, version 2", &planned),
        may_cancel: true,
    }
}
