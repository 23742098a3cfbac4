//! Runs to begin, feed and finish, and claims.

use ql_core::run::Outcome;

use super::super::step::{Begin, Call, Claim, Finish, Hash, Record, Which};
use super::Choice;

impl Choice<'_> {
    pub(super) fn begin(&mut self) -> Call {
        let outputs: [&[&str]; 4] = [&[], &[], &["notes"], &["notes", "sources"]];
        let run_type = if self.chance.percent(3) {
            "no slug"
        } else {
            "write-article"
        };
        Call::Begin(Begin {
            run_type,
            outputs: self.chance.of(&outputs).to_vec(),
        })
    }

    pub(super) fn record(&mut self, run: Which) -> Call {
        let about = self.chance.percent(20);
        Call::Record(Record {
            run,
            key: self
                .chance
                .weighted(&[(6, "notes"), (4, "sources"), (1, "No slug")]),
            media_type: self.chance.weighted(&[
                (8, "text/plain"),
                (3, "text/markdown"),
                (1, "text"),
            ]),
            body: self.chance.of(&["What I found.", "More.", "Nothing."]),
            hash: self.hash(),
            about: about.then(|| self.among(self.model.items.len())),
        })
    }

    pub(super) fn hash(&mut self) -> Hash {
        self.chance
            .weighted(&[(8, Hash::Unsaid), (4, Hash::Right), (1, Hash::Wrong)])
    }

    pub(super) fn finish(&mut self, run: Which) -> Call {
        Call::Finish(Finish {
            run,
            outcome: self.chance.of(&Outcome::ALL),
            summary: if self.chance.percent(5) { "" } else { "Done." },
        })
    }

    pub(super) fn claim(&mut self, run: Which) -> Call {
        let pointers = [
            (4, Some("/body")),
            (2, None),
            (2, Some("/summary")),
            (1, Some("/nothing")),
        ];
        Call::Claim(Claim {
            run,
            revision: self.among(self.model.revisions.len()),
            pointer: self.chance.weighted(&pointers),
            sources: self.chance.weighted(&[(6, 1), (3, 2), (1, 0)]),
            hash: self.hash(),
        })
    }
}
