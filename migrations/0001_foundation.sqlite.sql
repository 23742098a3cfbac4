-- The foundation: tenants and people, agents and their credentials, governed runs, content,
-- proposals and the ledger. Times are microseconds since 1970 in UTC, digests are 32 bytes.

CREATE TABLE organizations (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(name) > 0),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sites (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL CHECK (length(name) > 0),
    slug TEXT NOT NULL UNIQUE CHECK (length(slug) > 0),
    base_url TEXT NOT NULL,
    locale TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    run_idle_hours INTEGER NOT NULL,
    console_lease_seconds INTEGER NOT NULL,
    publication_seq INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE members (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    email TEXT NOT NULL CHECK (length(email) > 0),
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    password_hash TEXT,
    created_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX members_by_email ON members (email) WHERE removed_at IS NULL;
CREATE INDEX members_by_organization ON members (organization_id);

CREATE TABLE sign_in_links (
    fingerprint BLOB NOT NULL PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;

CREATE TABLE member_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    fingerprint BLOB NOT NULL UNIQUE,
    member_id TEXT NOT NULL REFERENCES members (id),
    csrf TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    reauthenticated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;

CREATE TABLE member_tokens (
    id TEXT NOT NULL PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES members (id),
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    fingerprint BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX member_tokens_by_member ON member_tokens (member_id);

CREATE TABLE agents (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL CHECK (length(name) > 0),
    harness TEXT NOT NULL,
    profile_id TEXT,
    profile_name TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (organization_id, name)
) STRICT;

CREATE TABLE agent_permissions (
    agent_id TEXT NOT NULL REFERENCES agents (id),
    site_id TEXT NOT NULL REFERENCES sites (id),
    scopes INTEGER NOT NULL,
    PRIMARY KEY (agent_id, site_id)
) STRICT;

CREATE TABLE connections (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    site_id TEXT NOT NULL REFERENCES sites (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    name TEXT NOT NULL CHECK (length(name) > 0),
    prefix TEXT NOT NULL,
    fingerprint BLOB NOT NULL UNIQUE,
    scopes INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    last_used_at INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX connections_by_site ON connections (site_id, id);

CREATE TABLE templates (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    key TEXT NOT NULL,
    latest_version INTEGER NOT NULL,
    UNIQUE (site_id, key)
) STRICT;

CREATE TABLE template_versions (
    template_id TEXT NOT NULL REFERENCES templates (id),
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    schema TEXT NOT NULL,
    display TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (template_id, version)
) STRICT;

CREATE TABLE content_items (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    template_id TEXT NOT NULL REFERENCES templates (id),
    template_key TEXT NOT NULL,
    locale TEXT NOT NULL,
    translation_group TEXT NOT NULL,
    title TEXT NOT NULL,
    search TEXT NOT NULL,
    draft_id TEXT NOT NULL,
    draft_number INTEGER NOT NULL,
    draft_slug TEXT NOT NULL,
    live_id TEXT,
    live_slug TEXT,
    archived_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX content_items_by_site ON content_items (site_id, id);
CREATE UNIQUE INDEX content_items_by_live_slug ON content_items (site_id, locale, live_slug) WHERE live_slug IS NOT NULL;
CREATE INDEX content_items_live ON content_items (site_id, id) WHERE live_id IS NOT NULL;

-- The addresses that live pages and current drafts hold.
CREATE TABLE content_slugs (
    site_id TEXT NOT NULL,
    locale TEXT NOT NULL,
    slug TEXT NOT NULL,
    content_id TEXT NOT NULL REFERENCES content_items (id),
    PRIMARY KEY (site_id, locale, slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE content_revisions (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    slug TEXT NOT NULL,
    fields TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    template_version INTEGER NOT NULL,
    author TEXT NOT NULL,
    run_id TEXT,
    parent_id TEXT,
    note TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (content_id, number)
) STRICT;

-- Every move of a live pointer, in commit order per site: the feed that sites follow.
CREATE TABLE publications (
    site_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    content_id TEXT NOT NULL,
    revision_id TEXT,
    slug TEXT NOT NULL,
    locale TEXT NOT NULL,
    template_key TEXT NOT NULL,
    proposal_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (site_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX publications_by_content ON publications (content_id, seq);

CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    site_id TEXT NOT NULL REFERENCES sites (id),
    agent_id TEXT NOT NULL REFERENCES agents (id),
    connection_id TEXT NOT NULL REFERENCES connections (id),
    harness TEXT NOT NULL,
    run_type TEXT NOT NULL,
    input TEXT NOT NULL,
    required_outputs TEXT NOT NULL,
    completion_conditions TEXT NOT NULL,
    outcome TEXT,
    requested_outcome TEXT,
    reasons TEXT,
    summary TEXT,
    begun_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX runs_by_site ON runs (site_id, id);
CREATE INDEX runs_open ON runs (site_id, connection_id) WHERE finished_at IS NULL;

CREATE TABLE artifacts (
    id TEXT NOT NULL PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id),
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    body TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    affected TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    UNIQUE (run_id, key, version)
) STRICT;

CREATE TABLE claims (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL,
    content_id TEXT NOT NULL REFERENCES content_items (id),
    revision_id TEXT NOT NULL REFERENCES content_revisions (id),
    text TEXT NOT NULL,
    pointer TEXT,
    author TEXT NOT NULL,
    run_id TEXT,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX claims_by_site ON claims (site_id, id);
CREATE INDEX claims_by_content ON claims (content_id, id);
CREATE INDEX claims_by_revision ON claims (revision_id, id);

CREATE TABLE evidence (
    id TEXT NOT NULL PRIMARY KEY,
    claim_id TEXT NOT NULL REFERENCES claims (id),
    position INTEGER NOT NULL,
    source_url TEXT NOT NULL,
    title TEXT NOT NULL,
    publisher TEXT,
    excerpt TEXT NOT NULL,
    excerpt_sha256 BLOB NOT NULL,
    locator TEXT,
    retrieved_at INTEGER NOT NULL,
    stance TEXT NOT NULL,
    UNIQUE (claim_id, position)
) STRICT;

CREATE TABLE policies (
    site_id TEXT NOT NULL REFERENCES sites (id),
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    digest BLOB NOT NULL,
    author TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (site_id, version)
) STRICT;

CREATE TABLE proposals (
    id TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    site_id TEXT NOT NULL REFERENCES sites (id),
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    rationale TEXT NOT NULL,
    payload TEXT NOT NULL,
    payload_sha256 BLOB NOT NULL,
    resolved TEXT NOT NULL,
    risk TEXT NOT NULL,
    proposer TEXT NOT NULL,
    run_id TEXT,
    state TEXT NOT NULL,
    due_at INTEGER,
    settled_at INTEGER,
    reason TEXT,
    superseded_by TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX proposals_by_site ON proposals (site_id, id);
CREATE INDEX proposals_by_state ON proposals (site_id, state, id);
CREATE INDEX proposals_by_run ON proposals (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE proposal_items (
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    position INTEGER NOT NULL,
    content_id TEXT NOT NULL,
    revision_id TEXT,
    PRIMARY KEY (proposal_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_items_by_content ON proposal_items (content_id);

CREATE TABLE decisions (
    id TEXT NOT NULL PRIMARY KEY,
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    member_id TEXT NOT NULL REFERENCES members (id),
    verdict TEXT NOT NULL,
    digest BLOB NOT NULL,
    comment TEXT NOT NULL,
    own_proposal INTEGER NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (proposal_id, member_id, digest, verdict)
) STRICT;

CREATE TABLE idempotency_keys (
    agent_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    request BLOB NOT NULL,
    response TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, site_id, tool, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    site_id TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    lease_until INTEGER,
    error TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    UNIQUE (kind, subject, due_at)
) STRICT;
CREATE INDEX jobs_due ON jobs (due_at) WHERE finished_at IS NULL;

-- Where each chain of the ledger ends, and how many bytes its subject holds.
CREATE TABLE ledger_heads (
    subject TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_entries (
    id TEXT NOT NULL,
    subject TEXT NOT NULL,
    seq INTEGER NOT NULL,
    organization_id TEXT NOT NULL,
    site_id TEXT,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    canon TEXT NOT NULL,
    prev BLOB NOT NULL,
    leaf BLOB NOT NULL,
    PRIMARY KEY (subject, seq)
) STRICT;
CREATE INDEX ledger_entries_by_site ON ledger_entries (site_id, id);
CREATE INDEX ledger_entries_by_organization ON ledger_entries (organization_id, id) WHERE site_id IS NULL;

-- What is written once stays as it was written. With recursive_triggers on, REPLACE and upserts meet
-- these triggers too.
CREATE TRIGGER content_revisions_no_update BEFORE UPDATE ON content_revisions BEGIN SELECT RAISE(ABORT, 'content_revisions is append-only'); END;
CREATE TRIGGER content_revisions_no_delete BEFORE DELETE ON content_revisions BEGIN SELECT RAISE(ABORT, 'content_revisions is append-only'); END;
CREATE TRIGGER template_versions_no_update BEFORE UPDATE ON template_versions BEGIN SELECT RAISE(ABORT, 'template_versions is append-only'); END;
CREATE TRIGGER template_versions_no_delete BEFORE DELETE ON template_versions BEGIN SELECT RAISE(ABORT, 'template_versions is append-only'); END;
CREATE TRIGGER publications_no_update BEFORE UPDATE ON publications BEGIN SELECT RAISE(ABORT, 'publications is append-only'); END;
CREATE TRIGGER publications_no_delete BEFORE DELETE ON publications BEGIN SELECT RAISE(ABORT, 'publications is append-only'); END;
CREATE TRIGGER artifacts_no_update BEFORE UPDATE ON artifacts BEGIN SELECT RAISE(ABORT, 'artifacts is append-only'); END;
CREATE TRIGGER artifacts_no_delete BEFORE DELETE ON artifacts BEGIN SELECT RAISE(ABORT, 'artifacts is append-only'); END;
CREATE TRIGGER claims_no_update BEFORE UPDATE ON claims BEGIN SELECT RAISE(ABORT, 'claims is append-only'); END;
CREATE TRIGGER claims_no_delete BEFORE DELETE ON claims BEGIN SELECT RAISE(ABORT, 'claims is append-only'); END;
CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER policies_no_update BEFORE UPDATE ON policies BEGIN SELECT RAISE(ABORT, 'policies is append-only'); END;
CREATE TRIGGER policies_no_delete BEFORE DELETE ON policies BEGIN SELECT RAISE(ABORT, 'policies is append-only'); END;
CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;
CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;
CREATE TRIGGER idempotency_keys_no_update BEFORE UPDATE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'idempotency_keys is append-only'); END;
CREATE TRIGGER idempotency_keys_no_delete BEFORE DELETE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'idempotency_keys is append-only'); END;
CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END;
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END;
CREATE TRIGGER proposal_items_no_update BEFORE UPDATE ON proposal_items BEGIN SELECT RAISE(ABORT, 'proposal_items is append-only'); END;
CREATE TRIGGER proposal_items_no_delete BEFORE DELETE ON proposal_items BEGIN SELECT RAISE(ABORT, 'proposal_items is append-only'); END;
