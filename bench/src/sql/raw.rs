//! The raw reference: the statements of one draft's three transactions, sent by a plain client
//! without HTTP and without the product's engine, shaped as the product sends them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::sync::Mutex;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use super::cluster::Database;
use super::statements as sql;
use crate::load::{Measured, percentiles, rate};

const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const WRITE: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE";
const TOOL: &str = "querylayer_create_draft";
/// How often a transaction that meets another one is sent, as often as by the product.
const ATTEMPTS: u32 = 10;
/// The longest pause before the first repetition; each later one may be twice as long, up
/// to the fifth.
const PAUSE: Duration = Duration::from_millis(4);

/// The reference on one database. Identifiers count up, so that each is new and they sort by age as
/// the product's do.
pub(crate) struct Raw {
    database: Database,
    sample: Sample,
    next: AtomicU64,
}

/// How the raw transactions are sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// Connections that the callers share.
    pub(crate) connections: usize,
    /// Whether the statements of the ledger are among them.
    pub(crate) ledger: bool,
}

/// What came of a load on the raw transactions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    /// Drafts; those that were given up are its errors.
    pub(crate) measured: Measured,
    /// How often a transaction met another one and was sent again.
    pub(crate) again: usize,
}

/// A draft that the product wrote: what is written once more has its sizes.
struct Sample {
    fingerprint: Vec<u8>,
    organization: String,
    site: String,
    actor: String,
    canon: String,
    template: String,
    agent: String,
    response: String,
    fields: String,
    sha256: Vec<u8>,
    author: String,
    at: i64,
}

impl Sample {
    fn read(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            fingerprint: row.try_get("fingerprint")?,
            organization: row.try_get("organization_id")?,
            site: row.try_get("site_id")?,
            actor: row.try_get("actor")?,
            canon: row.try_get("canon")?,
            template: row.try_get("template_id")?,
            agent: row.try_get("agent_id")?,
            response: row.try_get("response")?,
            fields: row.try_get("fields")?,
            sha256: row.try_get("sha256")?,
            author: row.try_get("author")?,
            at: row.try_get("created_at")?,
        })
    }
}

impl Raw {
    /// Takes the one draft of the run `like` as its sample.
    pub(crate) async fn new(database: &Database, like: &str) -> Result<Self> {
        let client = database.connect().await?;
        let row = client.query_one(sql::SAMPLE, &[&like]).await?;
        Ok(Self {
            database: database.clone(),
            sample: Sample::read(&row)?,
            next: AtomicU64::new(0),
        })
    }

    /// Drafts with one caller for each run.
    pub(crate) async fn drive(
        self: &Arc<Self>,
        runs: &[String],
        way: Way,
        duration: Duration,
    ) -> Result<Outcome> {
        let connections = way.connections;
        let mut pool = Vec::new();
        for _ in 0..connections {
            pool.push(Arc::new(Mutex::new(
                Connection::open(&self.database).await?,
            )));
        }
        let begin = Instant::now() + duration / 5;
        let callers: Vec<_> = runs
            .iter()
            .enumerate()
            .map(|(number, run)| {
                let caller = Caller {
                    raw: Arc::clone(self),
                    run: run.clone(),
                    ledger: way.ledger,
                };
                let connection = Arc::clone(&pool[number % connections]);
                tokio::spawn(caller.work(connection, begin, duration))
            })
            .collect();
        let (mut times, mut again, mut errors) = (Vec::new(), 0, 0);
        for caller in callers {
            let done = caller.await??;
            times.extend(done.times);
            again += done.again;
            errors += done.given_up;
        }
        ensure!(!times.is_empty(), "no raw transaction was done");
        let answers = times.len();
        let (p50, p99) = percentiles(times);
        let measured = Measured {
            rate: rate(answers, duration)?,
            p50,
            p99,
            errors,
            unavailable: errors,
            answers,
            cost: None,
        };
        Ok(Outcome { measured, again })
    }
}

#[derive(Default)]
struct Done {
    times: Vec<Duration>,
    again: usize,
    given_up: usize,
}

struct Caller {
    raw: Arc<Raw>,
    run: String,
    ledger: bool,
}

impl Caller {
    async fn work(
        self,
        connection: Arc<Mutex<Connection>>,
        begin: Instant,
        duration: Duration,
    ) -> Result<Done> {
        let mut done = Done::default();
        loop {
            let sent = Instant::now();
            if sent >= begin + duration {
                return Ok(done);
            }
            let kept = {
                let connection = connection.lock().await;
                self.draft(&connection, &mut done.again).await?
            };
            if !kept {
                done.given_up += 1;
            } else if sent >= begin {
                done.times.push(sent.elapsed());
            }
        }
    }

    /// One draft; false when it was given up.
    async fn draft(&self, connection: &Connection, again: &mut usize) -> Result<bool> {
        let sample = &self.raw.sample;
        connection
            .begin(
                READ,
                connection.query(sql::AUTHENTICATE, &[&sample.fingerprint]),
            )
            .await?;
        connection.roll_back().await?;
        connection
            .begin(READ, connection.query(sql::SITE, &[&sample.site]))
            .await?;
        connection
            .query(sql::TEMPLATE, &[&sample.site, &"article"])
            .await?;
        let number = self.raw.next.fetch_add(1, Ordering::Relaxed);
        // Addresses and keys spread over their indexes as those of the load on the product do.
        let key = format!("{}-{number:022}", self.run.trim_start_matches("run_"));
        let slug = format!("note-{key}");
        connection
            .query(sql::SLUG_HOLDER, &[&sample.site, &"en", &slug])
            .await?;
        connection.roll_back().await?;
        for attempt in 0..ATTEMPTS {
            let written = self.write(connection, number, (&key, &slug)).await;
            match written {
                Ok(()) => return Ok(true),
                Err(error) if is_contention(&error) => {
                    connection.roll_back().await?;
                    *again += 1;
                    tokio::time::sleep(pause(number, attempt)).await;
                }
                Err(error) => return Err(error).context("the raw transaction"),
            }
        }
        Ok(false)
    }

    async fn write(
        &self,
        connection: &Connection,
        number: u64,
        (key, slug): (&str, &str),
    ) -> Result<(), Error> {
        let mark = &format!("{number:022}");
        let sample = &self.raw.sample;
        let site = &sample.site;
        connection
            .begin(WRITE, connection.query(sql::RUN, &[&self.run, site]))
            .await?;
        connection.query(sql::TEMPLATE, &[site, &"article"]).await?;
        self.insert(connection, (mark, slug)).await?;
        if self.ledger {
            self.append(connection, mark).await?;
        }
        let args: [Arg<'_>; 7] = [
            &sample.agent,
            site,
            &TOOL,
            &key,
            &sample.sha256,
            &sample.response,
            &sample.at,
        ];
        connection.execute(sql::INSERT_KEY, &args).await?;
        connection.client.batch_execute("COMMIT").await
    }

    async fn insert(
        &self,
        connection: &Connection,
        (mark, slug): (&str, &str),
    ) -> Result<(), Error> {
        let sample = &self.raw.sample;
        let (item, revision) = (format!("cnt_01zz{mark}"), format!("rev_01zz{mark}"));
        let (group, title) = (format!("trg_01zz{mark}"), format!("Field note {mark}"));
        let search = format!("field note {mark}\n{slug}");
        let added: [Arg<'_>; 11] = [
            &item,
            &sample.site,
            &sample.template,
            &"article",
            &"en",
            &group,
            &title,
            &search,
            &revision,
            &slug,
            &sample.at,
        ];
        let drafted: [Arg<'_>; 13] = [
            &revision,
            &sample.site,
            &item,
            &1_i64,
            &slug,
            &sample.fields,
            &sample.sha256,
            &1_i64,
            &sample.author,
            &self.run,
            &None::<String>,
            &"",
            &sample.at,
        ];
        let (added, drafted) = tokio::join!(
            connection.execute(sql::INSERT_ITEM, &added),
            connection.execute(sql::INSERT_REVISION, &drafted),
        );
        added.and(drafted)?;
        let args: [Arg<'_>; 4] = [&sample.site, &"en", &slug, &item];
        connection.execute(sql::TAKE_SLUG, &args).await
    }

    /// Appends to the run's chain; what the product sends together goes together here too.
    async fn append(&self, connection: &Connection, mark: &str) -> Result<(), Error> {
        let sample = &self.raw.sample;
        let heads = connection.query(sql::HEAD, &[&self.run]).await?;
        let (seq, prev): (i64, Vec<u8>) = match heads.first() {
            Some(head) => (head.try_get("seq")?, head.try_get("hash")?),
            None => (0, sample.sha256.clone()),
        };
        let (next, entry) = (seq + 1, format!("led_01zz{mark}"));
        let leaf = &sample.sha256;
        let head: [Arg<'_>; 6] = [&self.run, &next, leaf, &1000_i64, &sample.at, &seq];
        let inserted: [Arg<'_>; 11] = [
            &entry,
            &self.run,
            &next,
            &sample.organization,
            &sample.site,
            &"draft.created",
            &sample.actor,
            &sample.at,
            &sample.canon,
            &prev,
            leaf,
        ];
        let awaited: [Arg<'_>; 3] = [&self.run, &next, leaf];
        let (advanced, inserted, awaited) = tokio::join!(
            connection.execute(sql::ADVANCE, &head),
            connection.execute(sql::INSERT_ENTRY, &inserted),
            connection.execute(sql::AWAIT, &awaited),
        );
        // The first of the failures says why; the others say that the transaction has failed.
        advanced.and(inserted).and(awaited)
    }
}

type Arg<'a> = &'a (dyn ToSql + Sync);

/// A connection with its statements prepared.
struct Connection {
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

impl Connection {
    async fn open(database: &Database) -> Result<Self> {
        let client = database.connect_as_product().await?;
        let mut statements = HashMap::new();
        for text in sql::WRITE
            .into_iter()
            .chain(sql::CHECK)
            .chain([sql::AUTHENTICATE])
        {
            statements.insert(text, client.prepare(text).await?);
        }
        Ok(Self { client, statements })
    }

    /// Begins together with the transaction's first statement.
    async fn begin(
        &self,
        begin: &str,
        first: impl Future<Output = Result<Vec<Row>, Error>>,
    ) -> Result<Vec<Row>, Error> {
        let (begun, first) = tokio::join!(self.client.batch_execute(begin), first);
        begun.and(first)
    }

    async fn roll_back(&self) -> Result<(), Error> {
        self.client.batch_execute("ROLLBACK").await
    }

    async fn query(&self, text: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>, Error> {
        self.client.query(&self.statements[text], args).await
    }

    async fn execute(&self, text: &'static str, args: &[Arg<'_>]) -> Result<(), Error> {
        self.client.execute(&self.statements[text], args).await?;
        Ok(())
    }
}

/// A pause as the product makes them, from 0 to the longest, by the draft's number in place of chance.
fn pause(number: u64, attempt: u32) -> Duration {
    let scattered = (number + u64::from(attempt)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let share = u32::from(scattered.to_be_bytes()[0]);
    PAUSE * 2_u32.pow(attempt.min(4)) * share / u32::from(u8::MAX)
}

fn is_contention(error: &Error) -> bool {
    matches!(
        error.code(),
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED)
    )
}
