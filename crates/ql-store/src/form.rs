//! Forms and their immutable versions.

use ql_core::access::{ActAsServer, Authorized, EditForms};
use ql_core::form::Form;
use ql_core::hash::Digest;
use ql_core::id::SiteId;

use crate::row::json;
use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO forms (id, site_id, key, latest_version) VALUES ($1, $2, $3, 1)";
    ADVANCE = "UPDATE forms SET latest_version = $3 WHERE id = $1 AND site_id = $2 AND latest_version = $3 - 1";
    INSERT_VERSION = "INSERT INTO form_versions (form_id, version, title, fields, rules, author, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    FIND = "SELECT f.id, f.key, v.version, v.title, v.fields, v.rules, v.created_at \
        FROM forms f JOIN form_versions v ON v.form_id = f.id AND v.version = f.latest_version \
        WHERE f.site_id = $1 AND f.key = $2";
    LIST = "SELECT f.id, f.key, v.version, v.title, v.fields, v.rules, v.created_at \
        FROM forms f JOIN form_versions v ON v.form_id = f.id AND v.version = f.latest_version \
        WHERE f.site_id = $1 ORDER BY f.key";
    DAY_KEY = "SELECT secret FROM form_day_keys WHERE day = $1";
    INSERT_DAY_KEY = "INSERT INTO form_day_keys (day, secret) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING";
    HAS_DAY_KEYS = "SELECT 1 FROM form_day_keys WHERE day < $1 LIMIT 1";
    FORGET_DAY_KEYS = "DELETE FROM form_day_keys WHERE day < $1";
}

fn read(row: &mut Row) -> Result<Form> {
    Ok(Form {
        id: row.parse()?,
        key: row.text()?,
        version: row.int()?,
        title: row.text()?,
        fields: row.from_json()?,
        rules: row.from_json()?,
        created_at: row.time()?,
    })
}

/// Adds a form's first version.
pub fn insert(tx: &mut Tx<'_>, authorized: &Authorized<EditForms>, form: &Form) -> Result<()> {
    let key = form.key.as_str().into();
    let args = [Arg::text(form.id), Arg::text(authorized.site()), key];
    tx.execute_one(INSERT, &args)?;
    insert_version(tx, authorized, form)
}

/// Adds the version after the latest.
pub fn advance(tx: &mut Tx<'_>, authorized: &Authorized<EditForms>, form: &Form) -> Result<()> {
    let version = form.version.into();
    let args = [Arg::text(form.id), Arg::text(authorized.site()), version];
    tx.execute_one(ADVANCE, &args)?;
    insert_version(tx, authorized, form)
}

fn insert_version(tx: &mut Tx<'_>, authorized: &Authorized<EditForms>, form: &Form) -> Result<()> {
    tx.execute_one(
        INSERT_VERSION,
        &[
            Arg::text(form.id),
            form.version.into(),
            (&form.title).into(),
            json(&form.fields)?.into(),
            json(&form.rules)?.into(),
            authorized.actor().to_text().into(),
            form.created_at.into(),
        ],
    )
}

/// The latest version of the form with this key.
pub fn find(tx: &mut Tx<'_>, site: SiteId, key: &str) -> Result<Option<Form>> {
    tx.find(FIND, &[Arg::text(site), key.into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The latest version of each of the site's forms, by key.
pub fn list(tx: &mut Tx<'_>, site: SiteId) -> Result<Vec<Form>> {
    tx.list(LIST, &[Arg::text(site)], read)
}

/// The secret of a UTC day (days since 1970), which is `fresh` where the day has none yet.
pub fn day_key(
    tx: &mut Tx<'_>,
    _server: &Authorized<ActAsServer>,
    day: i64,
    fresh: &Digest,
) -> Result<Digest> {
    if let Some(mut row) = tx.find(DAY_KEY, &[day.into()])? {
        return row.digest();
    }
    tx.execute(INSERT_DAY_KEY, &[day.into(), fresh.into()])?;
    tx.one(DAY_KEY, &[day.into()])?.digest()
}

/// Whether there are secrets of the days before `day`.
pub fn has_day_keys(tx: &mut Tx<'_>, day: i64) -> Result<bool> {
    Ok(tx.find(HAS_DAY_KEYS, &[day.into()])?.is_some())
}

/// Forgets the secrets of the days before `day`: nobody can tell any more which of the networks of
/// those days was which.
pub fn forget_day_keys(
    tx: &mut Tx<'_>,
    _server: &Authorized<ActAsServer>,
    day: i64,
) -> Result<u64> {
    tx.execute(FORGET_DAY_KEYS, &[day.into()])
}
