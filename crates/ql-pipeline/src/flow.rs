//! How a production moves through the stages of its pack.

use std::collections::BTreeSet;

use crate::pack::{Actor, Pack, Stage};

impl Pack {
    /// The stages that can begin once all of `passed` are done, in the pack's order, without those
    /// that are done. Ways out are opened by a person alone.
    pub fn free<'p>(&'p self, passed: &BTreeSet<&str>) -> Vec<&'p Stage> {
        let is_free = |stage: &&Stage| {
            !stage.side
                && !passed.contains(stage.id.as_str())
                && stage
                    .needs
                    .iter()
                    .all(|need| passed.contains(need.as_str()))
        };
        self.stages.iter().filter(is_free).collect()
    }

    /// Every stage that comes after another one, near or far, in the pack's order.
    pub fn after(&self, id: &str) -> Vec<&Stage> {
        let mut found: BTreeSet<&str> = BTreeSet::from([id]);
        let mut stages = Vec::new();
        // A pack's stages stand after all that they need.
        for stage in &self.stages {
            if stage.needs.iter().any(|need| found.contains(need.as_str())) {
                found.insert(&stage.id);
                stages.push(stage);
            }
        }
        stages
    }

    /// Every stage that comes before another one, near or far, in the pack's order.
    pub fn before(&self, id: &str) -> Vec<&Stage> {
        let mut wanted: BTreeSet<&str> = BTreeSet::from([id]);
        let mut stages = Vec::new();
        for stage in self.stages.iter().rev() {
            if wanted.contains(stage.id.as_str()) {
                wanted.extend(stage.needs.iter().map(String::as_str));
                stages.push(stage);
            }
        }
        stages.retain(|stage| stage.id != id);
        stages.reverse();
        stages
    }

    /// Whether a stage is the gate that seals what is published: the server's last one before the
    /// role that publishes.
    pub fn seals(&self, stage: &Stage) -> bool {
        stage.by == Actor::Server
            && self.stages.iter().any(|publishing| {
                self.publishes(publishing)
                    && self
                        .last_gate(publishing)
                        .is_some_and(|gate| gate.id == stage.id)
            })
    }

    /// Whether a stage is completed by the role that publishes.
    pub fn publishes(&self, stage: &Stage) -> bool {
        matches!(&stage.by, Actor::Role(role) if self.role(role).is_some_and(|role| role.publishes))
    }

    fn last_gate(&self, stage: &Stage) -> Option<&Stage> {
        self.before(&stage.id)
            .into_iter()
            .rev()
            .find(|before| before.by == Actor::Server)
    }
}
