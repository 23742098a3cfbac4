//! Templates and their immutable versions.

use ql_core::access::{Authorized, EditTemplates};
use ql_core::id::{SiteId, TemplateId};
use ql_core::template::Template;

use crate::{Arg, Result, Row, Tx};

statements! {
    INSERT = "INSERT INTO templates (id, site_id, key, latest_version) VALUES ($1, $2, $3, 1)";
    ADVANCE = "UPDATE templates SET latest_version = $3 WHERE id = $1 AND site_id = $2 AND latest_version = $3 - 1";
    INSERT_VERSION = "INSERT INTO template_versions (template_id, version, title, description, schema, display, \
        author, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    FIND = "SELECT t.id, t.key, v.version, v.title, v.description, v.schema, v.display, v.created_at \
        FROM templates t JOIN template_versions v ON v.template_id = t.id AND v.version = t.latest_version \
        WHERE t.site_id = $1 AND t.key = $2";
    FIND_VERSION = "SELECT t.id, t.key, v.version, v.title, v.description, v.schema, v.display, v.created_at \
        FROM templates t JOIN template_versions v ON v.template_id = t.id \
        WHERE t.site_id = $1 AND t.key = $2 AND v.version = $3";
    LATEST = "SELECT id, latest_version FROM templates WHERE site_id = $1 AND key = $2";
    LIST = "SELECT t.id, t.key, v.version, v.title, v.description, v.schema, v.display, v.created_at \
        FROM templates t JOIN template_versions v ON v.template_id = t.id AND v.version = t.latest_version \
        WHERE t.site_id = $1 ORDER BY t.key";
    LIST_VERSIONS = "SELECT t.id, t.key, v.version, v.title, v.description, v.schema, v.display, v.created_at \
        FROM templates t JOIN template_versions v ON v.template_id = t.id \
        WHERE t.site_id = $1 AND t.key = $2 ORDER BY v.version DESC";
}

fn read(row: &mut Row) -> Result<Template> {
    Ok(Template {
        id: row.parse()?,
        key: row.text()?,
        version: row.int()?,
        title: row.text()?,
        description: row.text()?,
        schema: row.json()?,
        display: row.from_json()?,
        created_at: row.time()?,
    })
}

/// Adds a template's first version.
pub fn insert(
    tx: &mut Tx<'_>,
    authorized: &Authorized<EditTemplates>,
    template: &Template,
) -> Result<()> {
    tx.execute_one(
        INSERT,
        &[
            Arg::text(template.id),
            Arg::text(authorized.site()),
            (&template.key).into(),
        ],
    )?;
    insert_version(tx, authorized, template)
}

/// Adds the version after the latest.
pub fn advance(
    tx: &mut Tx<'_>,
    authorized: &Authorized<EditTemplates>,
    template: &Template,
) -> Result<()> {
    tx.execute_one(
        ADVANCE,
        &[
            Arg::text(template.id),
            Arg::text(authorized.site()),
            template.version.into(),
        ],
    )?;
    insert_version(tx, authorized, template)
}

fn insert_version(
    tx: &mut Tx<'_>,
    authorized: &Authorized<EditTemplates>,
    template: &Template,
) -> Result<()> {
    let display = serde_json::to_string(&template.display).unwrap_or_else(|_| "{}".to_owned());
    tx.execute_one(
        INSERT_VERSION,
        &[
            Arg::text(template.id),
            template.version.into(),
            (&template.title).into(),
            (&template.description).into(),
            template.schema.to_string().into(),
            display.into(),
            authorized.actor().to_text().into(),
            template.created_at.into(),
        ],
    )
}

/// The latest version of the template with this key.
pub fn find(tx: &mut Tx<'_>, site: SiteId, key: &str) -> Result<Option<Template>> {
    tx.find(FIND, &[Arg::text(site), key.into()])?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The template with this key and the number of its latest version.
pub fn find_latest(tx: &mut Tx<'_>, site: SiteId, key: &str) -> Result<Option<(TemplateId, i64)>> {
    tx.find(LATEST, &[Arg::text(site), key.into()])?
        .map(|mut row| Ok((row.parse()?, row.int()?)))
        .transpose()
}

/// One version of the template with this key.
pub fn find_version(
    tx: &mut Tx<'_>,
    site: SiteId,
    key: &str,
    version: i64,
) -> Result<Option<Template>> {
    let args = [Arg::text(site), key.into(), version.into()];
    tx.find(FIND_VERSION, &args)?
        .map(|mut row| read(&mut row))
        .transpose()
}

/// The latest version of each template, by key.
pub fn list(tx: &mut Tx<'_>, site: SiteId) -> Result<Vec<Template>> {
    tx.list(LIST, &[Arg::text(site)], read)
}

/// Every version of one template, newest first.
pub fn list_versions(tx: &mut Tx<'_>, site: SiteId, key: &str) -> Result<Vec<Template>> {
    tx.list(LIST_VERSIONS, &[Arg::text(site), key.into()], read)
}
