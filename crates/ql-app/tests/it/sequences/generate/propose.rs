//! Payloads to propose.

use ql_core::time::minutes;

use super::super::step::{Lifecycle, Payload, Propose, Publish, Which};
use super::Choice;

impl Choice<'_> {
    pub(super) fn propose(&mut self, run: Which) -> Propose {
        let payload = match self.chance.weighted(&[(14, 0), (2, 1), (2, 2), (2, 3)]) {
            0 => Payload::Publish(self.publications()),
            1 => Payload::Create(self.new_item()),
            2 => Payload::Revise(self.next_draft()),
            _ => Payload::Lifecycle(self.lifecycles()),
        };
        let rationale = if self.chance.percent(3) {
            ""
        } else {
            "It is better."
        };
        Propose {
            run,
            rationale,
            payload,
        }
    }

    fn publications(&mut self) -> Vec<Publish> {
        let count = self.chance.weighted(&[(14, 1), (3, 2), (1, 3)]);
        let at = match self.chance.below(if self.calm { 25 } else { 12 }) {
            0..=2 => Some(self.model.now.plus(minutes(60))),
            3 => Some(self.model.now.plus(minutes(30))),
            4 => Some(self.model.now.plus(minutes(3 * 24 * 60))),
            _ => None,
        };
        (0..count).map(|_| self.publication(at)).collect()
    }

    /// Mostly the newest draft of an item, or whatever is live off the site.
    fn publication(&mut self, at: Option<ql_core::time::Timestamp>) -> Publish {
        let item = self.publishable_item();
        let known = match item {
            Which::Known(number) => Some(&self.model.items[number]),
            _ => None,
        };
        let live = known.is_some_and(|item| item.live.is_some());
        let draft = known.map(|item| Which::Known(item.draft));
        let newest_is_live = known.is_some_and(|item| item.live == Some(item.draft));
        let unpublish = self.chance.percent(match (live, newest_is_live) {
            (true, true) => 90,
            (true, false) => 20,
            (false, _) => 2,
        });
        if unpublish {
            return Publish {
                item,
                revision: None,
                at: None,
                zone: None,
            };
        }
        let newest = draft.filter(|_| self.chance.percent(92));
        let revision = newest.unwrap_or_else(|| self.revision_of(item));
        let late = self.chance.percent(2);
        let zones = [
            (12, None),
            (4, Some("Europe/Amsterdam")),
            (1, Some("Nowhere")),
        ];
        let zone = self.chance.weighted(&zones);
        Publish {
            item,
            revision: Some(revision),
            at: if late { Some(self.model.now) } else { at },
            zone: zone.filter(|_| at.is_some() || late),
        }
    }

    /// Mostly an item in use whose newest draft isn't live.
    fn publishable_item(&mut self) -> Which {
        let numbered = self.model.items.iter().enumerate();
        let fit: Vec<usize> = numbered
            .filter(|(_, item)| item.archived_at.is_none() && item.live != Some(item.draft))
            .map(|(number, _)| number)
            .collect();
        if fit.is_empty() || self.chance.percent(15) {
            return self.among(self.model.items.len());
        }
        Which::Known(self.chance.of(&fit))
    }

    /// Mostly an item that isn't live.
    fn idle_item(&mut self) -> Which {
        let numbered = self.model.items.iter().enumerate();
        let idle: Vec<usize> = numbered
            .filter(|(_, item)| item.live.is_none())
            .map(|(number, _)| number)
            .collect();
        if idle.is_empty() || self.chance.percent(10) {
            return self.among(self.model.items.len());
        }
        Which::Known(self.chance.of(&idle))
    }

    /// Mostly what the item's archived state allows.
    fn lifecycles(&mut self) -> Vec<Lifecycle> {
        let count = self.chance.weighted(&[(8, 1), (2, 2)]);
        (0..count)
            .map(|_| {
                let item = self.idle_item();
                let archived_at = match item {
                    Which::Known(number) => self.model.items[number].archived_at,
                    _ => None,
                };
                let right = self.chance.percent(90);
                Lifecycle {
                    item,
                    archive: archived_at.is_none() == right,
                    seen: if self.chance.percent(95) {
                        archived_at
                    } else {
                        Some(self.model.now)
                    },
                }
            })
            .collect()
    }
}
