//! Tasks that were given to roles, what providers answered, and what it was worth.

use ql_core::access::{ActAsServer, Authorized};
use ql_core::actor::Actor;
use ql_core::hash::Digest;
use ql_core::id::{ContentId, ProductionId, ProposalId, RevisionId, TaskId};
use ql_core::production::{CallOutcome, PlayedBy, ProviderCall, StageTask};
use ql_core::time::Timestamp;
use serde_json::Value;

use crate::row::json;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO stage_tasks (id, production_id, stage, attempt, body_sha256, run_id, envelope, asked_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    FIND = "SELECT id, production_id, stage, attempt, body_sha256, run_id, envelope, asked_at FROM stage_tasks WHERE id = $1";
    FIND_ATTEMPT = "SELECT id, production_id, stage, attempt, body_sha256, run_id, envelope, asked_at FROM stage_tasks \
        WHERE production_id = $1 AND stage = $2 AND attempt = $3";
    CALL = "INSERT INTO provider_calls (task_id, number, is_repair, outcome, raw, cost, ended_at, answered_by, model, usage) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    CALLS = "SELECT number, is_repair, outcome, raw, cost, ended_at, answered_by, model, usage FROM provider_calls \
        WHERE task_id = $1 ORDER BY number";
    SPENT = "SELECT t.stage, CAST(COALESCE(SUM(c.cost), 0) AS BIGINT), \
        COUNT(CASE WHEN c.outcome = 'answered' AND c.cost IS NULL THEN 1 END) \
        FROM stage_tasks t JOIN provider_calls c ON c.task_id = t.id WHERE t.production_id = $1 GROUP BY t.stage ORDER BY t.stage";
    ANSWER = "INSERT INTO stage_answers (task_id, result, output_sha256, answered_at) VALUES ($1, $2, $3, $4)";
    ANSWER_OF = "SELECT result, output_sha256, answered_at FROM stage_answers WHERE task_id = $1";
    AUDIT = "INSERT INTO audits (task_id, stage, number, engine, verdict, findings, audited_at) VALUES ($1, $2, \
        (SELECT COALESCE(MAX(number), 0) + 1 FROM audits WHERE task_id = $1 AND stage = $2), $3, $4, $5, $6)";
    AUDITS = "SELECT a.stage, a.number, a.engine, a.verdict, a.findings, a.audited_at FROM audits a WHERE a.task_id = $1 \
        ORDER BY a.stage, a.number";
    ATTEST = "INSERT INTO production_attestations (task_id, number, role, about, attestation) VALUES ($1, $2, $3, $4, $5)";
    ATTESTED = "SELECT role, about, attestation FROM production_attestations WHERE task_id = $1 ORDER BY number";
    WAIVE = "INSERT INTO waivers (production_id, fingerprint, code, reason, waived_by, waived_at) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (production_id, fingerprint) DO NOTHING";
    WAIVED = "SELECT fingerprint, code, reason, waived_by, waived_at FROM waivers WHERE production_id = $1 ORDER BY waived_at, fingerprint";
    SEAL = "INSERT INTO releases (production_id, number, stage, content_id, revision_id, proposal_id, manifest, \
        manifest_sha256, sealed_at) VALUES ($1, (SELECT COALESCE(MAX(number), 0) + 1 FROM releases WHERE production_id = $1), \
        $2, $3, $4, $5, $6, $7, $8)";
    RELEASE = "SELECT number, content_id, revision_id, proposal_id, manifest, manifest_sha256, sealed_at FROM releases \
        WHERE production_id = $1 ORDER BY number DESC LIMIT 1";
    SEALED = "SELECT r.revision_id, s.state FROM releases r \
        JOIN production_stages s ON s.production_id = r.production_id AND s.stage = r.stage \
        WHERE r.content_id = $1 ORDER BY r.number DESC LIMIT 1";
}

fn read(row: &mut Row) -> Result<StageTask> {
    Ok(StageTask {
        id: row.parse()?,
        production: row.parse()?,
        stage: row.text()?,
        attempt: row.int()?,
        body_sha256: row.digest()?,
        run: row.parse()?,
        envelope: row.json()?,
        asked_at: row.time()?,
    })
}

fn read_call(row: &mut Row) -> Result<ProviderCall> {
    Ok(ProviderCall {
        number: row.int()?,
        is_repair: row.int()? != 0,
        outcome: {
            let name = row.text()?;
            let known = CallOutcome::ALL
                .into_iter()
                .find(|outcome| outcome.as_str() == name);
            known.ok_or_else(|| row.corrupt("a call's outcome"))?
        },
        raw: row.text()?,
        cost: row.opt_int()?,
        at: row.time()?,
        by: {
            let by = PlayedBy::from_name(&row.text()?);
            by.ok_or_else(|| row.corrupt("who answered"))?
        },
        model: row.text()?,
        usage: row.opt_json()?,
    })
}

/// Keeps a task that was issued.
pub fn insert(tx: &mut Tx<'_>, _: &Authorized<ActAsServer>, task: &StageTask) -> Result<()> {
    let args = [
        Arg::text(task.id),
        Arg::text(task.production),
        (&task.stage).into(),
        task.attempt.into(),
        (&task.body_sha256).into(),
        Arg::text(task.run),
        json(&task.envelope)?.into(),
        task.asked_at.into(),
    ];
    tx.execute_one(INSERT, &args)
}

/// A task.
pub fn find(tx: &mut Tx<'_>, id: TaskId) -> Result<Option<StageTask>> {
    tx.find(FIND, &[Arg::text(id)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The task of one attempt at a stage.
pub fn find_attempt(
    tx: &mut Tx<'_>,
    production: ProductionId,
    stage: &str,
    attempt: i64,
) -> Result<Option<StageTask>> {
    let args = [Arg::text(production), stage.into(), attempt.into()];
    tx.find(FIND_ATTEMPT, &args)?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// Keeps how a call of a provider ended, before anything is made of it.
pub fn insert_call(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    task: TaskId,
    call: &ProviderCall,
) -> Result<()> {
    let usage = call.usage.as_ref().map(json).transpose()?;
    let args = [
        Arg::text(task),
        call.number.into(),
        i64::from(call.is_repair).into(),
        call.outcome.as_str().into(),
        (&call.raw).into(),
        call.cost.into(),
        call.at.into(),
        call.by.as_str().into(),
        (&call.model).into(),
        usage.as_deref().into(),
    ];
    tx.execute_one(CALL, &args)
}

/// Every call for a task, in order.
pub fn calls(tx: &mut Tx<'_>, task: TaskId) -> Result<Vec<ProviderCall>> {
    tx.list(CALLS, &[Arg::text(task)], read_call)
}

/// What each stage of a production has cost so far in micro-dollars, and how many answers came for
/// it of which nobody knows the cost.
pub fn spent(tx: &mut Tx<'_>, production: ProductionId) -> Result<Vec<(String, i64, i64)>> {
    tx.list(SPENT, &[Arg::text(production)], |row| {
        Ok((row.text()?, row.int()?, row.int()?))
    })
}

/// What was answered to a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The result envelope.
    pub result: Value,
    /// The digest of the document in it.
    pub output_sha256: Digest,
    /// When.
    pub at: Timestamp,
}

/// Keeps the answer to a task; there is one.
pub fn insert_answer(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    task: TaskId,
    answer: &Answer,
) -> Result<()> {
    let args = [
        Arg::text(task),
        json(&answer.result)?.into(),
        (&answer.output_sha256).into(),
        answer.at.into(),
    ];
    tx.execute_one(ANSWER, &args)
}

/// The answer to a task.
pub fn find_answer(tx: &mut Tx<'_>, task: TaskId) -> Result<Option<Answer>> {
    let read = |mut row: Row| {
        Ok(Answer {
            result: row.json()?,
            output_sha256: row.digest()?,
            at: row.time()?,
        })
    };
    tx.find(ANSWER_OF, &[Arg::text(task)])?
        .map(read)
        .transpose()
}

/// What the engine made of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// For which stage: the one that made the document, or a gate.
    pub stage: String,
    /// Its number for that stage, from 1; set when it's kept.
    pub number: i64,
    /// The engine's version.
    pub engine: String,
    /// The verdict's name.
    pub verdict: String,
    /// The findings.
    pub findings: Value,
    /// When.
    pub at: Timestamp,
}

/// Keeps an audit.
pub fn insert_audit(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    task: TaskId,
    audit: &AuditRecord,
) -> Result<()> {
    let args = [
        Arg::text(task),
        (&audit.stage).into(),
        (&audit.engine).into(),
        (&audit.verdict).into(),
        json(&audit.findings)?.into(),
        audit.at.into(),
    ];
    tx.execute_one(AUDIT, &args)
}

/// Every audit of the answer to a task.
pub fn audits(tx: &mut Tx<'_>, task: TaskId) -> Result<Vec<AuditRecord>> {
    tx.list(AUDITS, &[Arg::text(task)], |row| {
        Ok(AuditRecord {
            stage: row.text()?,
            number: row.int()?,
            engine: row.text()?,
            verdict: row.text()?,
            findings: row.json()?,
            at: row.time()?,
        })
    })
}

/// What a role attested in the answer to a task.
#[derive(Debug, Clone, PartialEq)]
pub struct AttestationRecord {
    /// The role that was authenticated.
    pub role: String,
    /// The digest of the document that it is about, where it's about one.
    pub about: Option<String>,
    /// What it said.
    pub attestation: Value,
}

/// Keeps what an answer attests.
pub fn insert_attestations(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    task: TaskId,
    records: &[AttestationRecord],
) -> Result<()> {
    for (number, record) in (1_i64..).zip(records) {
        let args = [
            Arg::text(task),
            number.into(),
            (&record.role).into(),
            record.about.as_deref().into(),
            json(&record.attestation)?.into(),
        ];
        tx.execute_one(ATTEST, &args)?;
    }
    Ok(())
}

/// What the answer to a task attests.
pub fn attestations(tx: &mut Tx<'_>, task: TaskId) -> Result<Vec<AttestationRecord>> {
    tx.list(ATTESTED, &[Arg::text(task)], |row| {
        Ok(AttestationRecord {
            role: row.text()?,
            about: row.opt_text()?,
            attestation: row.json()?,
        })
    })
}

/// A finding that a person waived, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// Which finding.
    pub fingerprint: Digest,
    /// Its code.
    pub code: String,
    /// Why.
    pub reason: String,
    /// Who.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
}

/// Keeps a waiver; false where the finding was waived already.
pub fn waive(
    tx: &mut Tx<'_>,
    _: &Authorized<ql_core::access::Decide>,
    production: ProductionId,
    waiver: &Waiver,
) -> Result<bool> {
    let args = [
        Arg::text(production),
        (&waiver.fingerprint).into(),
        (&waiver.code).into(),
        (&waiver.reason).into(),
        waiver.by.to_text().into(),
        waiver.at.into(),
    ];
    Ok(tx.execute(WAIVE, &args)? == 1)
}

/// Every waiver of a production.
pub fn waivers(tx: &mut Tx<'_>, production: ProductionId) -> Result<Vec<Waiver>> {
    tx.list(WAIVED, &[Arg::text(production)], |row| {
        Ok(Waiver {
            fingerprint: row.digest()?,
            code: row.text()?,
            reason: row.text()?,
            by: row.actor()?,
            at: row.time()?,
        })
    })
}

/// What a gate sealed.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// Its number, from 1; set when it's kept.
    pub number: i64,
    /// The page.
    pub content: ContentId,
    /// The revision of it that may go live.
    pub revision: RevisionId,
    /// The proposal to publish it.
    pub proposal: ProposalId,
    /// What was sealed, file by file.
    pub manifest: Value,
    /// The digest of the manifest's canonical form.
    pub manifest_sha256: Digest,
    /// When.
    pub at: Timestamp,
}

fn read_release(row: &mut Row) -> Result<Release> {
    Ok(Release {
        number: row.int()?,
        content: row.parse()?,
        revision: row.parse()?,
        proposal: row.parse()?,
        manifest: row.json()?,
        manifest_sha256: row.digest()?,
        at: row.time()?,
    })
}

/// Keeps what a gate sealed.
pub fn seal(
    tx: &mut Tx<'_>,
    _: &Authorized<ActAsServer>,
    (production, stage): (ProductionId, &str),
    release: &Release,
) -> Result<()> {
    let args = [
        Arg::text(production),
        stage.into(),
        Arg::text(release.content),
        Arg::text(release.revision),
        Arg::text(release.proposal),
        json(&release.manifest)?.into(),
        (&release.manifest_sha256).into(),
        release.at.into(),
    ];
    tx.execute_one(SEAL, &args)
}

/// What a production's gate sealed last.
pub fn find_release(tx: &mut Tx<'_>, production: ProductionId) -> Result<Option<Release>> {
    tx.find(RELEASE, &[Arg::text(production)])?
        .map(|mut row| read_release(&mut row))
        .transpose()
}

/// The revision of a page that may go live, where the page belongs to a production.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sealed {
    /// The page is no production's.
    Free,
    /// Its production's gate is open again, so nothing of it may.
    Open,
    /// This one and no other.
    Revision(RevisionId),
}

/// Which revision of a page may go live, as its production's gate sealed it.
pub fn find_sealed(tx: &mut Tx<'_>, content: ContentId) -> Result<Sealed> {
    let Some(mut row) = tx.find(SEALED, &[Arg::text(content)])? else {
        return Ok(Sealed::Free);
    };
    let (revision, state) = (row.parse()?, row.text()?);
    Ok(match state.as_str() {
        "passed" => Sealed::Revision(revision),
        _ => Sealed::Open,
    })
}
