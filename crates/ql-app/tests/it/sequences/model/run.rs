//! Contract §2: runs are begun, fed and finished, and accept nothing afterwards.

use ql_core::run::Outcome;
use ql_core::scope::Scope;

use super::super::facts::{Answer, row};
use super::super::step::{Begin, Claim, Finish, Hash, Record, Request};
use super::{Artifact, Caller, EDITORS, Mistake, Model, Run};

impl Model {
    pub(super) fn begin(&mut self, caller: Caller, request: &Request, begin: &Begin) -> Answer {
        caller.as_agent(Scope::RunsWrite)?;
        if begin.run_type.contains(' ') {
            return Err("invalid_arguments");
        }
        let Caller::Agent { connection, .. } = caller else {
            return Err("agents_only");
        };
        self.keyed(request, |model| {
            let lease = model.begin_under(connection);
            model.runs.push(Run {
                connection,
                begun_at: model.now,
                outputs: begin.outputs.clone(),
                events: vec!["run.begun"],
                active_at: model.now,
                ended: None,
                artifacts: Vec::new(),
                lease,
            });
            Ok(format!("run {}", model.runs.len() - 1))
        })
    }

    pub(super) fn record(&mut self, caller: Caller, request: &Request, new: &Record) -> Answer {
        caller.as_agent(Scope::RunsWrite)?;
        let sound = !new.key.contains(' ') && new.media_type.contains('/');
        if !sound || new.hash == Hash::Wrong {
            return Err("invalid_arguments");
        }
        self.keyed(request, |model| {
            let run = model.open_run(caller, new.run)?.ok_or("agents_only")?;
            if let Some(item) = new.about {
                model.known(item)?;
            }
            let latest = model.runs[run].artifacts.iter().rfind(|a| a.key == new.key);
            let same = |a: &&Artifact| (a.body, a.media_type) == (new.body, new.media_type);
            if let Some(same) = latest
                .filter(same)
                .filter(|_| !model.errs(Mistake::SameBytesAreANewArtifact))
            {
                return Ok(format!(
                    "artifact {} version {} unchanged true",
                    same.number, same.version
                ));
            }
            let (number, version) = (model.artifacts, latest.map_or(1, |a| a.version + 1));
            model.artifacts += 1;
            model.runs[run].artifacts.push(Artifact {
                number,
                key: new.key,
                version,
                media_type: new.media_type,
                body: new.body,
                recorded_at: model.now,
            });
            model.note(Some(run), "artifact.recorded");
            Ok(format!(
                "artifact {number} version {version} unchanged false"
            ))
        })
    }

    pub(super) fn finish(&mut self, caller: Caller, request: &Request, finish: &Finish) -> Answer {
        caller.as_agent(Scope::RunsWrite)?;
        if finish.summary.is_empty() {
            return Err("invalid_arguments");
        }
        self.keyed(request, |model| {
            let run = model.unfinished_run(caller, finish.run)?;
            let run = run.ok_or("agents_only")?;
            if let Some(lease) = model.runs[run].lease {
                // Whoever lost it may still end the run.
                model.work_under(lease).ok();
            }
            let missing = model.missing(run);
            let claims = matches!(
                finish.outcome,
                Outcome::Completed | Outcome::CompletedWithWarnings
            );
            let blocked =
                claims && !missing.is_empty() && !model.errs(Mistake::MissingOutputsAreFine);
            let outcome = if blocked {
                Outcome::Blocked
            } else {
                finish.outcome
            };
            model.runs[run].ended = Some(outcome);
            model.note(Some(run), "run.finished");
            let missing = if blocked { missing } else { Vec::new() };
            Ok(format!(
                "run {run} asked {} is {outcome} missing {}",
                finish.outcome,
                row(missing)
            ))
        })
    }

    pub(super) fn missing(&self, run: usize) -> Vec<&'static str> {
        let run = &self.runs[run];
        let recorded = |key: &&&str| !run.artifacts.iter().any(|a| a.key == **key);
        run.outputs.iter().filter(recorded).copied().collect()
    }

    pub(super) fn claim(&mut self, caller: Caller, request: &Request, new: &Claim) -> Answer {
        caller.may(Scope::ContentWrite, &EDITORS)?;
        if new.sources == 0 || new.hash == Hash::Wrong {
            return Err("invalid_arguments");
        }
        self.keyed(request, |model| {
            let run = model.open_run(caller, new.run)?;
            let revision = model.known(new.revision)?;
            let fields = &model.revisions[revision].fields;
            let stands = |pointer: &str| fields.contains_key(pointer.trim_start_matches('/'));
            if !new.pointer.is_none_or(stands) {
                return Err("invalid_arguments");
            }
            model.claims.push(super::Claim {
                revision,
                recorded_at: model.now,
            });
            model.note(run, "claim.recorded");
            Ok(format!(
                "claim {} sources {}",
                model.claims.len() - 1,
                new.sources
            ))
        })
    }
}
