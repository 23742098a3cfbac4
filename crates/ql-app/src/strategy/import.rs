//! One import on its way in: bytes are hashed, read and kept in bounded transactions.

use std::collections::HashSet;
use std::sync::Arc;

use ql_core::access::{ActAsServer, Authorized, ImportStrategy, Principal};
use ql_core::actor::Actor;
use ql_core::hash::{Digest, Hasher};
use ql_core::id::{ImportId, OpportunityId};
use ql_core::opportunity::{
    Counts, Import, ImportState, Media, NodesByQuery, NoteCode, Row, RowNote,
};
use ql_core::time::{Timestamp, days, minutes};
use ql_store::opportunity::{self, NewOpportunity};
use ql_store::site::Site;
use ql_store::strategy::{self, Ender};
use ql_store::topical_map;
use serde_json::json;

use super::cells::{Parsed, Unreadable};
use super::csv::Csv;
use super::json::Json;
use super::{ImportRecord, record};
use crate::app::App;
use crate::error::{Error, Result};
use crate::event::Scribe;
use crate::text::Checks;

/// How many rows are kept in one transaction: others wait that long and no longer.
const BATCH: usize = 2_000;

/// How many rows of a failed import are forgotten in one transaction.
const FORGET: u32 = 5_000;

/// How long an import may receive nothing before the server ends it.
const PATIENCE: std::time::Duration = minutes(5);

/// An import to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImport {
    /// Where the plan comes from.
    pub source: String,
    /// The tool that made the artifact.
    pub tool: String,
    /// When that tool exported it.
    pub exported_at: Timestamp,
    /// How it is written.
    pub media: Media,
}

/// An import that is complete, with what was noted about its rows.
pub type Imported = ImportRecord;

/// An import that receives its rows.
pub struct StrategyImport {
    app: App,
    authorized: Authorized<ImportStrategy>,
    import: Import,
    nodes: NodesByQuery,
    reader: Reader,
    hasher: Hasher,
    bytes: u64,
    /// What queries were compared by, each as half of a hash: two of a million rows meet in it less
    /// often than once in thirty million imports.
    met: HashSet<u64>,
    batch: Vec<Row>,
    notes: Vec<RowNote>,
    notes_kept: i64,
}

impl std::fmt::Debug for StrategyImport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StrategyImport")
            .field("import", &self.import)
            .finish_non_exhaustive()
    }
}

enum Reader {
    Csv(Box<Csv>),
    Json(Box<Json>),
}

impl Reader {
    fn push(
        &mut self,
        bytes: &[u8],
        take: &mut impl FnMut(Parsed),
    ) -> std::result::Result<(), Unreadable> {
        match self {
            Self::Csv(csv) => csv.push(bytes, take),
            Self::Json(json) => json.push(bytes, take),
        }
    }
}

impl NewImport {
    fn check(&self, now: Timestamp) -> Result<()> {
        let mut checks = Checks::default();
        checks.text("/source", &self.source, 200);
        checks.text("/tool", &self.tool, 100);
        checks.that(
            self.exported_at <= now.plus(days(1)),
            "/exported_at",
            "range",
            "expected an instant that has passed",
        );
        checks.finish()
    }
}

impl StrategyImport {
    pub(super) async fn begin(
        app: &App,
        authorized: Authorized<ImportStrategy>,
        new: NewImport,
    ) -> Result<Self> {
        let now = app.now();
        new.check(now)?;
        let Actor::Member(member) = authorized.actor() else {
            return Err(Error::Denied(ql_core::access::Denied::MembersOnly));
        };
        let import = Import {
            id: ImportId::mint(&**app.ids(), now),
            source: new.source.trim().to_owned(),
            tool: new.tool.trim().to_owned(),
            exported_at: new.exported_at,
            media: new.media,
            member,
            created_at: now,
            map_version: 0,
            state: ImportState::Receiving,
            counts: Counts::default(),
        };
        let (proof, begun) = (authorized.clone(), import.clone());
        let begin = app.store().write(move |tx| {
            let site = proof.site();
            if strategy::is_receiving(tx, site)? {
                return Err(Error::ImportRunning);
            }
            let map = topical_map::load(tx, site)?.map();
            let import = Import {
                map_version: map.version,
                ..begun.clone()
            };
            strategy::insert(tx, &proof, &import)?;
            Ok((import, NodesByQuery::of(&map)))
        });
        let (import, nodes) = begin.await?;
        Ok(Self {
            app: app.clone(),
            authorized,
            nodes,
            reader: match import.media {
                Media::Csv => Reader::Csv(Box::new(Csv::new())),
                Media::Json => Reader::Json(Box::new(Json::new())),
            },
            import,
            hasher: Hasher::default(),
            bytes: 0,
            met: HashSet::new(),
            batch: Vec::new(),
            notes: Vec::new(),
            notes_kept: 0,
        })
    }

    /// The import's identity.
    pub const fn id(&self) -> ImportId {
        self.import.id
    }

    /// Takes the next bytes of the artifact.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the artifact can't be read at all; the import has failed then.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.hasher.update(bytes);
        let begins = self.bytes == 0;
        self.bytes += bytes.len() as u64;
        if begins && (bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])) {
            return self
                .unreadable(("encoding", "the artifact is UTF-16; save it as UTF-8"))
                .await;
        }
        self.read(bytes).await?;
        let kept = self.keep_full_batches().await;
        self.unless_stopped(kept).await
    }

    /// Completes the import: from now on its rows are seen.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the artifact ends early, holds nothing, or was imported before; the
    /// import has failed then.
    pub async fn finish(mut self) -> Result<Imported> {
        self.read(&[]).await?;
        let kept = self.keep_all().await;
        self.unless_stopped(kept).await?;
        if self.import.counts.read == 0 {
            let empty = ("empty", "the artifact has no rows");
            self.unreadable(empty).await?;
        }
        let sha256 = std::mem::take(&mut self.hasher).finish();
        match self.complete(sha256).await {
            Err(Error::NameTaken(_)) => {
                let again = (
                    "already_imported",
                    "the site has imported exactly these bytes before",
                );
                self.unreadable(again).await?;
                Err(Error::Conflict)
            }
            completed => self.unless_stopped(completed).await,
        }
    }

    async fn complete(&self, sha256: Digest) -> Result<Imported> {
        let (proof, id, counts) = (self.authorized.clone(), self.import.id, self.import.counts);
        let scribe = Scribe::on_site(&self.app, proof.actor(), proof.place());
        let map_version = self.import.map_version;
        self.app
            .store()
            .write(move |tx| {
                if strategy::has_artifact(tx, proof.site(), &sha256)? {
                    return Err(Error::NameTaken("artifact"));
                }
                strategy::complete(tx, &proof, id, (&sha256, scribe.at))?;
                let detail = json!({
                    "import": id, "sha256": sha256, "read": counts.read, "kept": counts.kept,
                    "refused": counts.refused, "map_version": map_version,
                });
                scribe.administration(tx, "strategy.imported", detail)?;
                record(tx, proof.site(), id)
            })
            .await
    }

    /// Ends the import early and forgets its rows.
    pub async fn abandon(self, reason: &'static str) -> Result<()> {
        self.fail(reason).await
    }

    async fn fail(&self, reason: &'static str) -> Result<()> {
        let by = Ender::Importer(self.authorized.clone());
        end(&self.app, by, self.import.id, reason).await
    }

    /// Ends the import where something else than the artifact stopped it, such as the database.
    async fn unless_stopped<T>(&self, outcome: Result<T>) -> Result<T> {
        let artifact = matches!(outcome, Ok(_) | Err(Error::Invalid(_)));
        if !artifact && let Err(error) = self.fail("interrupted").await {
            // The server ends it later, when nothing has come for a while.
            tracing::warn!(?error, import = %self.import.id, "an import that stopped can't be ended");
        }
        outcome
    }

    /// Ends the import because of the artifact, and says why.
    async fn unreadable(&self, (code, message): Unreadable) -> Result<()> {
        self.fail(code).await?;
        Err(Error::invalid("", code, message))
    }

    async fn read(&mut self, bytes: &[u8]) -> Result<()> {
        let (counts, met) = (&mut self.import.counts, &mut self.met);
        let (batch, notes) = (&mut self.batch, &mut self.notes);
        let room = usize::try_from(strategy::MAX_NOTES - self.notes_kept).unwrap_or_default();
        let mut note = |found: RowNote| {
            if notes.len() < room {
                notes.push(found);
            }
        };
        let read = self.reader.push(bytes, &mut |parsed| {
            counts.read += 1;
            match parsed {
                Parsed::Kept(row, mark) if met.insert(half_hash(&row)) => {
                    counts.kept += 1;
                    counts.marked += i64::from(mark.is_some());
                    mark.into_iter().for_each(&mut note);
                    batch.push(*row);
                }
                Parsed::Kept(row, _) => {
                    counts.refused += 1;
                    note(RowNote {
                        line: row.line,
                        code: NoteCode::Duplicate,
                        cell: String::new(),
                    });
                }
                Parsed::Refused(found) => {
                    counts.refused += 1;
                    note(found);
                }
            }
        });
        match read {
            Ok(()) => Ok(()),
            Err(unreadable) => self.unreadable(unreadable).await,
        }
    }

    async fn keep_full_batches(&mut self) -> Result<()> {
        while self.batch.len() >= BATCH {
            self.keep(BATCH).await?;
        }
        Ok(())
    }

    async fn keep_all(&mut self) -> Result<()> {
        self.keep_full_batches().await?;
        self.keep(self.batch.len()).await
    }

    /// Keeps the first rows that wait, with what was noted so far.
    async fn keep(&mut self, count: usize) -> Result<()> {
        let rows: Vec<Row> = self.batch.drain(..count).collect();
        let now = self.app.now();
        let rows: Vec<NewOpportunity> = rows
            .into_iter()
            .map(|row| self.reconciled(row, now))
            .collect();
        let notes = std::mem::take(&mut self.notes);
        let noted = i64::try_from(notes.len()).unwrap_or(i64::MAX);
        let (rows, notes) = (Arc::new(rows), Arc::new(notes));
        let (proof, id) = (self.authorized.clone(), self.import.id);
        let (counts, from) = (self.import.counts, self.notes_kept);
        let kept = self.app.store().write(move |tx| {
            strategy::count(tx, &proof, id, (&counts, now), (&notes, from))?;
            Ok::<_, Error>(opportunity::insert_all(tx, &proof, id, &rows)?)
        });
        kept.await?;
        self.notes_kept = self
            .notes_kept
            .saturating_add(noted)
            .min(strategy::MAX_NOTES);
        Ok(())
    }

    fn reconciled(&self, row: Row, now: Timestamp) -> NewOpportunity {
        let (reconciliation, rule, found) = self.nodes.reconcile(&row);
        NewOpportunity {
            id: OpportunityId::mint(&**self.app.ids(), now),
            reconciliation,
            rule,
            found: found.map(str::to_owned),
            row,
        }
    }
}

/// Ends an import that receives, and forgets its rows in bounded transactions.
async fn end(app: &App, by: Ender, import: ImportId, reason: &'static str) -> Result<()> {
    let (who, at) = (by.clone(), app.now());
    let ended = app
        .store()
        .write(move |tx| Ok::<_, Error>(strategy::fail(tx, &who, import, (reason, at))?));
    ended.await?;
    loop {
        let who = by.clone();
        let forgotten = app.store().write(move |tx| {
            let rows = (import, first_of(import));
            Ok::<_, Error>(opportunity::delete_some(
                tx,
                &who,
                (rows.0, &rows.1),
                FORGET,
            )?)
        });
        if forgotten.await? < u64::from(FORGET) {
            return Ok(());
        }
    }
}

fn half_hash(row: &Row) -> u64 {
    let digest = Digest::of(row.match_key().as_bytes());
    let mut half = [0; 8];
    half.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_be_bytes(half)
}

/// A text that sorts before the identifiers of an import's rows, all of which were made after its own.
fn first_of(id: ImportId) -> String {
    id.to_string()
        .replacen(ImportId::PREFIX, OpportunityId::PREFIX, 1)
}

impl App {
    /// Ends imports whose sender went away, and forgets their rows.
    pub(crate) async fn end_left_imports(&self, site: &Site) -> Result<usize> {
        let server = Principal::System.authorize::<ActAsServer>(site.place())?;
        let now = self.now();
        let since = now.minus(PATIENCE);
        let id = site.id;
        let left = self
            .store()
            .read(move |tx| Ok::<_, Error>(strategy::left(tx, id, since)?))
            .await?;
        for import in &left {
            end(self, Ender::Server(server.clone()), *import, "abandoned").await?;
        }
        Ok(left.len())
    }
}
