//! The statements of the raw reference, which are the product's own for one draft, and a few that ask
//! what came out. The scenario compares the first with what the product sends and refuses to measure
//! when they differ.

/// Who calls: the first transaction of a call.
pub(super) const AUTHENTICATE: &str = "SELECT c.id, c.organization_id, c.site_id, c.agent_id, c.name, c.prefix, c.fingerprint, c.scopes, c.expires_at, c.revoked_at, c.last_used_at, c.created_at, a.harness, COALESCE(p.scopes, 0), (SELECT COUNT(*) FROM production_roles r WHERE r.connection_id = c.id AND r.played_by = 'agent') FROM connections c JOIN agents a ON a.id = c.agent_id LEFT JOIN agent_permissions p ON p.agent_id = c.agent_id AND p.site_id = c.site_id WHERE c.fingerprint = $1";

/// What the draft is checked against: the second.
pub(super) const SITE: &str = "SELECT id, organization_id, name, slug, base_url, locale, time_zone, run_idle_hours, console_lease_seconds, created_at FROM sites WHERE id = $1";
pub(super) const TEMPLATE: &str =
    "SELECT id, latest_version FROM templates WHERE site_id = $1 AND key = $2";

pub(super) const SLUG_HOLDER: &str =
    "SELECT content_id FROM content_slugs WHERE site_id = $1 AND locale = $2 AND slug = $3";

/// The checking transaction as one list.
pub(super) const CHECK: [&str; 3] = [SITE, TEMPLATE, SLUG_HOLDER];

/// The writing transaction; [`WRITE`] has it in its order.
pub(super) const RUN: &str = "SELECT r.connection_id, r.outcome, t.turn_id, t.lease_token FROM runs r LEFT JOIN turn_runs t ON t.run_id = r.id WHERE r.id = $1 AND r.site_id = $2";
pub(super) const INSERT_ITEM: &str = "INSERT INTO content_items (id, site_id, template_id, template_key, locale, translation_group, title, search, draft_id, draft_number, draft_slug, live_id, live_slug, archived_at, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, NULL, NULL, NULL, $11, $11)";
pub(super) const INSERT_REVISION: &str = "INSERT INTO content_revisions (id, site_id, content_id, number, slug, fields, sha256, template_version, author, run_id, parent_id, note, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
pub(super) const TAKE_SLUG: &str = "INSERT INTO content_slugs (site_id, locale, slug, content_id) VALUES ($1, $2, $3, $4) ON CONFLICT (site_id, locale, slug) DO NOTHING";
pub(super) const HEAD: &str =
    "SELECT seq, hash, bytes, updated_at FROM ledger_heads WHERE subject = $1";
pub(super) const ADVANCE: &str = "UPDATE ledger_heads SET seq = $2, hash = $3, bytes = $4, updated_at = $5 WHERE subject = $1 AND seq = $6";
pub(super) const INSERT_ENTRY: &str = "INSERT INTO ledger_entries (id, subject, seq, organization_id, site_id, kind, actor, at, canon, prev, leaf) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
pub(super) const AWAIT: &str =
    "INSERT INTO ledger_pending (subject, seq, leaf) VALUES ($1, $2, $3)";
pub(super) const INSERT_KEY: &str = "INSERT INTO idempotency_keys (agent_id, site_id, tool, key, request, response, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// The writing transaction as one list.
pub(super) const WRITE: [&str; 10] = [
    RUN,
    TEMPLATE,
    INSERT_ITEM,
    INSERT_REVISION,
    TAKE_SLUG,
    HEAD,
    ADVANCE,
    INSERT_ENTRY,
    AWAIT,
    INSERT_KEY,
];

/// A draft that the product wrote, with everything that one more like it needs.
pub(super) const SAMPLE: &str = "SELECT c.fingerprint, e.organization_id, e.site_id, e.actor, e.canon, i.template_id, k.agent_id, k.response, r.fields, r.sha256, r.author, r.created_at FROM content_revisions r JOIN content_items i ON i.id = r.content_id JOIN ledger_entries e ON e.subject = r.run_id AND e.kind = 'draft.created' JOIN runs u ON u.id = r.run_id JOIN connections c ON c.id = u.connection_id JOIN idempotency_keys k ON k.agent_id = u.agent_id AND k.tool = 'querylayer_create_draft' AND k.key = substr(r.run_id, 5) || '-0' WHERE r.run_id = $1";

/// The drafts of some runs, and the addresses that they hold.
pub(super) const DRAFTS: &str = "SELECT id FROM content_revisions WHERE run_id = ANY($1)";
pub(super) const ADDRESSES: &str = "SELECT COUNT(DISTINCT s.slug) FROM content_slugs s JOIN content_revisions r ON r.content_id = s.content_id WHERE r.run_id = ANY($1)";

/// A server's name and durability.
pub(super) const DESCRIBE: &str = "SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit') || ', full_page_writes ' || current_setting('full_page_writes')";
