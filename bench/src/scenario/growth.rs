//! Whether reads and drafts keep their pace when the store has grown, on both engines.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::{
    ACCEPTED, Bench, begin_runs, block_on, draft_load, draft_once, footprint, repeat_load,
};
use crate::agent::Agent;
use crate::load::Load;
use crate::report::{Row, grouped, megabytes, milliseconds};
use crate::server::{Scratch, Server};
use crate::sql::cluster::Cluster;
use crate::sql::fill::Target;

const CONNECTIONS: usize = 8;
/// How much slower the grown store may be.
const ALLOWED: f64 = 1.3;
/// What the small store holds.
const FEW_REVISIONS: u64 = 10_000;
const FEW_EVENTS: u64 = 1_000;
/// Drafts grow the store too, so they are measured for this long at most.
const DRAFTING: Duration = Duration::from_secs(2);

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let scratch = Scratch::new("growth")?;
    let file = scratch.data().join("querylayer.db");
    Grown {
        engine: "SQLite",
        place: (scratch, Vec::new(), Vec::new()),
        target: Target::Sqlite(file),
        start: Duration::from_millis(100),
    }
    .measure(bench)?;

    let cluster = block_on(Cluster::start())?;
    let database = block_on(cluster.database("growth"))?;
    let (with_owner, without) = (database.environment(true), database.environment(false));
    Grown {
        engine: "PostgreSQL",
        place: (Scratch::new("growth-server")?, with_owner, without),
        target: Target::Postgres(database),
        start: Duration::from_secs(2),
    }
    .measure(bench)
}

type Settings = Vec<(&'static str, String)>;

/// A store that is measured, filled and measured again.
struct Grown {
    engine: &'static str,
    /// The folder, the settings of the first start, and those of the others.
    place: (Scratch, Settings, Settings),
    target: Target,
    /// How long a start over the grown store may take.
    start: Duration,
}

#[derive(Clone, Copy)]
struct Medians {
    list: Duration,
    draft: Duration,
    /// Drafts that weren't accepted.
    errors: usize,
}

impl Grown {
    fn measure(self, bench: &mut Bench) -> Result<()> {
        let (scratch, with_owner, _) = &self.place;
        let server = Server::start(&bench.binary, &scratch.data(), with_owner)?;
        let token = server.agent()?.token;
        let like = begin_runs(&server.agent()?, 1)?.remove(0);
        block_on(draft_once(&server.agent()?, &like))?;
        drop(server);

        let (few, many) = (FEW_REVISIONS, bench.revisions.max(FEW_REVISIONS));
        block_on(async {
            self.target.add_revisions(&like, 0, few).await?;
            self.target.add_events(&like, 0, FEW_EVENTS).await
        })?;
        let small = self.medians(bench, &token)?;
        block_on(self.target.add_revisions(&like, few, many))?;
        let revisions = self.medians(bench, &token)?;
        self.rows(
            bench,
            &format!("{} → {} revisions", whole(few), whole(many)),
            (small, revisions),
        );
        block_on(self.target.add_events(&like, FEW_EVENTS, many))?;
        let events = self.medians(bench, &token)?;
        let grown = format!(
            "{} → {} ledger events on top",
            whole(FEW_EVENTS),
            whole(many)
        );
        self.rows(bench, &grown, (small, events));
        self.starts(bench, &token)
    }

    /// The medians with a server that was just started and has nothing left to do.
    fn medians(&self, bench: &Bench, token: &str) -> Result<Medians> {
        let (scratch, _, settings) = &self.place;
        let (server, _) = footprint::start(bench, (&scratch.data(), settings), token)?;
        let agent = Agent {
            address: server.address,
            token: token.to_owned(),
        };
        let waiting = block_on(self.target.settle())?;
        if waiting > 0 {
            let engine = self.engine;
            writeln!(
                std::io::stderr(),
                "{engine}: {waiting} entries stay without a place"
            )?;
        }
        let load = Load {
            address: agent.address,
            connections: CONNECTIONS,
            duration: bench.duration,
            expect: (200, ACCEPTED),
        };
        let list = agent.call("querylayer_list_content", &json!({"limit": 20}));
        let list = repeat_load(load, &list)?.p50;
        let drafted = draft_load(&agent, CONNECTIONS, bench.duration.min(DRAFTING))?;
        block_on(self.target.settle())?;
        Ok(Medians {
            list,
            draft: drafted.p50,
            errors: drafted.errors,
        })
    }

    fn rows(&self, bench: &mut Bench, grown: &str, (before, after): (Medians, Medians)) {
        let lists = (before.list, after.list, 0);
        let drafts = (before.draft, after.draft, before.errors + after.errors);
        for (what, (before, after, errors)) in [
            ("`querylayer_list_content`, 20 items", lists),
            ("`querylayer_create_draft`", drafts),
        ] {
            let ratio = after.as_secs_f64() / before.as_secs_f64();
            let mut said = format!(
                "{} → {}: {ratio:.2} ×",
                milliseconds(before),
                milliseconds(after)
            );
            if errors > 0 {
                said = format!("{said}, **{errors} errors**");
            }
            bench.rows.push(Row::goal(
                &format!("{}: {what}, median, {grown}", self.engine),
                said,
                &format!("≤ {ALLOWED} ×"),
                ratio <= ALLOWED && errors == 0,
            ));
        }
    }

    /// The time to the first answer over the grown store after a kill.
    fn starts(&self, bench: &mut Bench, token: &str) -> Result<()> {
        let (scratch, _, settings) = &self.place;
        let (server, first) = footprint::start(bench, (&scratch.data(), settings), token)?;
        drop(server);
        let (server, second) = footprint::start(bench, (&scratch.data(), settings), token)?;
        drop(server);
        let bytes = block_on(self.target.size())?;
        bench.rows.push(Row::goal(
            &format!(
                "{}: start to first answer over {}, killed before",
                self.engine,
                megabytes(bytes)
            ),
            format!(
                "{}, once more {}",
                milliseconds(first),
                milliseconds(second)
            ),
            &format!("≤ {} ms", self.start.as_millis()),
            second <= self.start,
        ));
        Ok(())
    }
}

fn whole(number: u64) -> String {
    grouped(f64::from(u32::try_from(number).unwrap_or(u32::MAX)))
}
