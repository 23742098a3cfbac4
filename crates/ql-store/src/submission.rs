//! What visitors sent to a site's forms.

use ql_core::access::{ActAsServer, Authorized, EditForms};
use ql_core::form::{Decision, Form, Mark, Reason, Standing, Submission};
use ql_core::hash::Digest;
use ql_core::id::{FormId, SiteId, SubmissionId};
use ql_core::page::{Cursor, Page, PageRequest};
use ql_core::time::Timestamp;

use crate::row::json;
use crate::run::AFTER_ALL;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO form_submissions (id, site_id, form_id, version, received_at, decision, reasons, standing, \
        marked_by, marked_at, answers, body_sha256, network, fill) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $6, NULL, NULL, $8, $9, $10, $11)";
    FIND = "SELECT id, form_id, version, received_at, decision, reasons, standing, marked_by, marked_at, answers, \
        body_sha256, network, fill FROM form_submissions WHERE id = $1 AND site_id = $2";
    BY_FILL = "SELECT id, form_id, version, received_at, decision, reasons, standing, marked_by, marked_at, answers, \
        body_sha256, network, fill FROM form_submissions WHERE fill = $1";
    LIST = "SELECT id, form_id, version, received_at, decision, reasons, standing, marked_by, marked_at, answers, \
        body_sha256, network, fill FROM form_submissions WHERE form_id = $1 AND standing = $2 \
        AND (received_at < $3 OR (received_at = $3 AND id < $4)) ORDER BY received_at DESC, id DESC LIMIT $5";
    FROM_NETWORK = "SELECT COUNT(*) FROM (SELECT 1 FROM form_submissions WHERE form_id = $1 AND network = $2 \
        AND received_at > $3 LIMIT $4) AS recent";
    DUPLICATE = "SELECT 1 FROM form_submissions WHERE form_id = $1 AND body_sha256 = $2 AND received_at > $3 LIMIT 1";
    MARK = "UPDATE form_submissions SET standing = $3, marked_by = $4, marked_at = $5 \
        WHERE id = $1 AND site_id = $2 AND standing <> $3";
    HAS_PASSED = "SELECT 1 FROM form_submissions WHERE form_id = $1 AND standing = $2 AND received_at <= $3 LIMIT 1";
    SWEEP = "DELETE FROM form_submissions WHERE id IN (SELECT id FROM form_submissions \
        WHERE form_id = $1 AND standing = $2 AND received_at <= $3 ORDER BY received_at LIMIT $4)";
    COUNT = "SELECT f.key, s.received_at / 86400000000, s.standing, s.reasons, COUNT(*) \
        FROM forms f JOIN form_submissions s ON s.form_id = f.id \
        AND s.standing IN ('accepted', 'held', 'rejected', 'marked_ham', 'marked_spam') \
        AND s.received_at >= $2 AND s.received_at < $3 \
        WHERE f.site_id = $1 AND (CAST($4 AS TEXT) IS NULL OR f.key = $4) \
        GROUP BY f.key, s.received_at / 86400000000, s.standing, s.reasons ORDER BY 2, 1, 3, 4";
}

fn read(row: &mut Row) -> Result<Submission> {
    let id = row.parse()?;
    let form = row.parse()?;
    let version = row.int()?;
    let received_at = row.time()?;
    let decision: Decision = row.parse()?;
    let reasons = read_reasons(row)?;
    let standing = row.text()?;
    let marked = (row.opt_actor()?, row.opt_time()?);
    let standing = match (standing.parse::<Mark>(), marked) {
        (Ok(mark), (Some(by), Some(at))) => Standing::Marked { mark, by, at },
        (Err(_), (None, None)) => Standing::Screened(decision),
        _ => return Err(row.corrupt("a standing with who set it and when")),
    };
    let answers = row.opt_text()?;
    let answers = answers.map(|text| serde_json::from_str(&text).map_err(|e| row.corrupt(e)));
    Ok(Submission {
        id,
        form,
        version,
        received_at,
        decision,
        reasons,
        standing,
        answers: answers.transpose()?,
        body_sha256: row.digest()?,
        network: row.digest()?,
        fill: row.opt_digest()?,
    })
}

fn read_reasons(row: &mut Row) -> Result<Vec<Reason>> {
    let text = row.text()?;
    text.split_whitespace()
        .map(|reason| reason.parse().map_err(|error| row.corrupt(error)))
        .collect()
}

/// Keeps a post.
pub fn insert(tx: &mut Tx<'_>, server: &Authorized<ActAsServer>, post: &Submission) -> Result<()> {
    let reasons: Vec<&str> = post.reasons.iter().map(|reason| reason.as_str()).collect();
    let answers = post.answers.as_ref().map(json).transpose()?;
    tx.execute_one(
        INSERT,
        &[
            Arg::text(post.id),
            Arg::text(server.site()),
            Arg::text(post.form),
            post.version.into(),
            post.received_at.into(),
            post.decision.as_str().into(),
            reasons.join(" ").into(),
            answers.as_deref().into(),
            (&post.body_sha256).into(),
            (&post.network).into(),
            post.fill.as_ref().map_or(Arg::Null, Arg::from),
        ],
    )
}

/// One post of the site.
pub fn find(tx: &mut Tx<'_>, site: SiteId, id: SubmissionId) -> Result<Option<Submission>> {
    tx.find(FIND, &[Arg::text(id), Arg::text(site)])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The post that used a fill token.
pub fn find_by_fill(tx: &mut Tx<'_>, fill: &Digest) -> Result<Option<Submission>> {
    tx.find(BY_FILL, &[fill.into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// A form's posts of one standing, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    form: FormId,
    standing: &str,
    page: &PageRequest,
) -> Result<Page<Submission>> {
    let (at, id) = page
        .after
        .as_ref()
        .map_or((i64::MAX, AFTER_ALL), |cursor| (cursor.key, &cursor.id));
    let args = [
        Arg::text(form),
        standing.into(),
        at.into(),
        id.into(),
        (page.limit() + 1).into(),
    ];
    Ok(Page::cut(tx.list(LIST, &args, read)?, page, |post| {
        Cursor {
            key: post.received_at.as_micros(),
            id: post.id.to_string(),
        }
    }))
}

/// How many posts of a network came to a form since an instant, counted up to `most`.
pub fn count_from_network(
    tx: &mut Tx<'_>,
    form: FormId,
    network: &Digest,
    (since, most): (Timestamp, u32),
) -> Result<u32> {
    let args = [Arg::text(form), network.into(), since.into(), most.into()];
    let count = tx.one(FROM_NETWORK, &args)?.int()?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Whether the same answers came to a form since an instant.
pub fn is_duplicate(
    tx: &mut Tx<'_>,
    form: FormId,
    body: &Digest,
    since: Timestamp,
) -> Result<bool> {
    let args = [Arg::text(form), body.into(), since.into()];
    Ok(tx.find(DUPLICATE, &args)?.is_some())
}

/// Marks a post; whether that changed where it stands.
pub fn mark(
    tx: &mut Tx<'_>,
    authorized: &Authorized<EditForms>,
    id: SubmissionId,
    (mark, at): (Mark, Timestamp),
) -> Result<bool> {
    let args = [
        Arg::text(id),
        Arg::text(authorized.site()),
        mark.as_str().into(),
        authorized.actor().to_text().into(),
        at.into(),
    ];
    Ok(tx.execute(MARK, &args)? == 1)
}

/// Whether a form has posts of one standing that came until an instant.
pub fn has_passed(
    tx: &mut Tx<'_>,
    (form, standing): (&Form, &str),
    until: Timestamp,
) -> Result<bool> {
    let args = [Arg::text(form.id), standing.into(), until.into()];
    Ok(tx.find(HAS_PASSED, &args)?.is_some())
}

/// Removes a form's posts of one standing that came until an instant, at most `most`; answers how
/// many.
pub fn sweep(
    tx: &mut Tx<'_>,
    _server: &Authorized<ActAsServer>,
    (form, standing): (&Form, &str),
    (until, most): (Timestamp, u32),
) -> Result<u64> {
    let args = [
        Arg::text(form.id),
        standing.into(),
        until.into(),
        most.into(),
    ];
    tx.execute(SWEEP, &args)
}

/// How many posts of one kind came to a form on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The form's key.
    pub form: String,
    /// The UTC day, in days since 1970.
    pub day: i64,
    /// Where they stand.
    pub standing: String,
    /// Why, all of them alike.
    pub reasons: Vec<Reason>,
    /// How many.
    pub count: i64,
}

/// The site's posts of a time, counted by day, form, standing and reasons.
pub fn count(
    tx: &mut Tx<'_>,
    site: SiteId,
    (from, until): (Timestamp, Timestamp),
    form: Option<&str>,
) -> Result<Vec<Count>> {
    let args = [Arg::text(site), from.into(), until.into(), form.into()];
    tx.list(COUNT, &args, |row| {
        Ok(Count {
            form: row.text()?,
            day: row.int()?,
            standing: row.text()?,
            reasons: read_reasons(row)?,
            count: row.int()?,
        })
    })
}
