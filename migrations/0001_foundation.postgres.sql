-- The foundation: tenants and people, agents and their credentials, governed runs, content,
-- proposals and the ledger. Times are microseconds since 1970 in UTC, digests are 32 bytes. Text
-- compares byte by byte, as it does on the embedded engine.

CREATE TABLE organizations (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL CHECK (length(name) > 0),
    created_at BIGINT NOT NULL
);

CREATE TABLE sites (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
    name TEXT COLLATE "C" NOT NULL CHECK (length(name) > 0),
    slug TEXT COLLATE "C" NOT NULL UNIQUE CHECK (length(slug) > 0),
    base_url TEXT COLLATE "C" NOT NULL,
    locale TEXT COLLATE "C" NOT NULL,
    time_zone TEXT COLLATE "C" NOT NULL,
    run_idle_hours BIGINT NOT NULL,
    console_lease_seconds BIGINT NOT NULL,
    publication_seq BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE members (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
    email TEXT COLLATE "C" NOT NULL CHECK (length(email) > 0),
    name TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    password_hash TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    removed_at BIGINT
);
CREATE UNIQUE INDEX members_by_email ON members (email) WHERE removed_at IS NULL;
CREATE INDEX members_by_organization ON members (organization_id);

CREATE TABLE sign_in_links (
    fingerprint BYTEA NOT NULL PRIMARY KEY,
    member_id TEXT COLLATE "C" NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE TABLE member_sessions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    fingerprint BYTEA NOT NULL UNIQUE,
    member_id TEXT COLLATE "C" NOT NULL REFERENCES members (id),
    csrf TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    reauthenticated_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE TABLE member_tokens (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    member_id TEXT COLLATE "C" NOT NULL REFERENCES members (id),
    name TEXT COLLATE "C" NOT NULL,
    prefix TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX member_tokens_by_member ON member_tokens (member_id);

CREATE TABLE agents (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
    name TEXT COLLATE "C" NOT NULL CHECK (length(name) > 0),
    harness TEXT COLLATE "C" NOT NULL,
    profile_id TEXT COLLATE "C",
    profile_name TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    UNIQUE (organization_id, name)
);

CREATE TABLE agent_permissions (
    agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id),
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    scopes BIGINT NOT NULL,
    PRIMARY KEY (agent_id, site_id)
);

CREATE TABLE connections (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL REFERENCES organizations (id),
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id),
    name TEXT COLLATE "C" NOT NULL CHECK (length(name) > 0),
    prefix TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA NOT NULL UNIQUE,
    scopes BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    last_used_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX connections_by_site ON connections (site_id, id);

CREATE TABLE templates (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    key TEXT COLLATE "C" NOT NULL,
    latest_version BIGINT NOT NULL,
    UNIQUE (site_id, key)
);

CREATE TABLE template_versions (
    template_id TEXT COLLATE "C" NOT NULL REFERENCES templates (id),
    version BIGINT NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    schema TEXT COLLATE "C" NOT NULL,
    display TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (template_id, version)
);

CREATE TABLE content_items (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    template_id TEXT COLLATE "C" NOT NULL REFERENCES templates (id),
    template_key TEXT COLLATE "C" NOT NULL,
    locale TEXT COLLATE "C" NOT NULL,
    translation_group TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    search TEXT COLLATE "C" NOT NULL,
    draft_id TEXT COLLATE "C" NOT NULL,
    draft_number BIGINT NOT NULL,
    draft_slug TEXT COLLATE "C" NOT NULL,
    live_id TEXT COLLATE "C",
    live_slug TEXT COLLATE "C",
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX content_items_by_site ON content_items (site_id, id);
CREATE UNIQUE INDEX content_items_by_live_slug ON content_items (site_id, locale, live_slug) WHERE live_slug IS NOT NULL;
CREATE INDEX content_items_live ON content_items (site_id, id) WHERE live_id IS NOT NULL;

-- The addresses that live pages and current drafts hold. The item is written in the same transaction;
-- a foreign key would make everybody who writes a page look where all others add theirs.
CREATE TABLE content_slugs (
    site_id TEXT COLLATE "C" NOT NULL,
    locale TEXT COLLATE "C" NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    content_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (site_id, locale, slug)
);

CREATE TABLE content_revisions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL,
    content_id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    fields TEXT COLLATE "C" NOT NULL,
    sha256 BYTEA NOT NULL,
    template_version BIGINT NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C",
    parent_id TEXT COLLATE "C",
    note TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (content_id, number)
);

-- Every move of a live pointer, in commit order per site: the feed that sites follow.
CREATE TABLE publications (
    site_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    content_id TEXT COLLATE "C" NOT NULL,
    revision_id TEXT COLLATE "C",
    slug TEXT COLLATE "C" NOT NULL,
    locale TEXT COLLATE "C" NOT NULL,
    template_key TEXT COLLATE "C" NOT NULL,
    proposal_id TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (site_id, seq)
);
CREATE INDEX publications_by_content ON publications (content_id, seq);

CREATE TABLE runs (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id),
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES connections (id),
    harness TEXT COLLATE "C" NOT NULL,
    run_type TEXT COLLATE "C" NOT NULL,
    input TEXT COLLATE "C" NOT NULL,
    required_outputs TEXT COLLATE "C" NOT NULL,
    completion_conditions TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C",
    requested_outcome TEXT COLLATE "C",
    reasons TEXT COLLATE "C",
    summary TEXT COLLATE "C",
    begun_at BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE INDEX runs_by_site ON runs (site_id, id);
CREATE INDEX runs_open ON runs (site_id, connection_id) WHERE finished_at IS NULL;

CREATE TABLE artifacts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    run_id TEXT COLLATE "C" NOT NULL REFERENCES runs (id),
    key TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    media_type TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    sha256 BYTEA NOT NULL,
    affected TEXT COLLATE "C" NOT NULL,
    recorded_at BIGINT NOT NULL,
    UNIQUE (run_id, key, version)
);

CREATE TABLE claims (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL,
    content_id TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    revision_id TEXT COLLATE "C" NOT NULL REFERENCES content_revisions (id),
    text TEXT COLLATE "C" NOT NULL,
    pointer TEXT COLLATE "C",
    author TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX claims_by_site ON claims (site_id, id);
CREATE INDEX claims_by_content ON claims (content_id, id);
CREATE INDEX claims_by_revision ON claims (revision_id, id);

CREATE TABLE evidence (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    claim_id TEXT COLLATE "C" NOT NULL REFERENCES claims (id),
    position BIGINT NOT NULL,
    source_url TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    publisher TEXT COLLATE "C",
    excerpt TEXT COLLATE "C" NOT NULL,
    excerpt_sha256 BYTEA NOT NULL,
    locator TEXT COLLATE "C",
    retrieved_at BIGINT NOT NULL,
    stance TEXT COLLATE "C" NOT NULL,
    UNIQUE (claim_id, position)
);

CREATE TABLE policies (
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    version BIGINT NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (site_id, version)
);

CREATE TABLE proposals (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    kind TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    rationale TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    payload_sha256 BYTEA NOT NULL,
    resolved TEXT COLLATE "C" NOT NULL,
    risk TEXT COLLATE "C" NOT NULL,
    proposer TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C",
    state TEXT COLLATE "C" NOT NULL,
    due_at BIGINT,
    settled_at BIGINT,
    reason TEXT COLLATE "C",
    superseded_by TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX proposals_by_site ON proposals (site_id, id);
CREATE INDEX proposals_by_state ON proposals (site_id, state, id);
CREATE INDEX proposals_by_run ON proposals (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE proposal_items (
    proposal_id TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    position BIGINT NOT NULL,
    content_id TEXT COLLATE "C" NOT NULL,
    revision_id TEXT COLLATE "C",
    PRIMARY KEY (proposal_id, position)
);
CREATE INDEX proposal_items_by_content ON proposal_items (content_id);

CREATE TABLE decisions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    proposal_id TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    member_id TEXT COLLATE "C" NOT NULL REFERENCES members (id),
    verdict TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    comment TEXT COLLATE "C" NOT NULL,
    own_proposal BIGINT NOT NULL,
    at BIGINT NOT NULL,
    UNIQUE (proposal_id, member_id, digest, verdict)
);

CREATE TABLE idempotency_keys (
    agent_id TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL,
    tool TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    request BYTEA NOT NULL,
    response TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, site_id, tool, key)
);

CREATE TABLE jobs (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL,
    due_at BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    lease_until BIGINT,
    error TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    UNIQUE (kind, subject, due_at)
);
CREATE INDEX jobs_due ON jobs (due_at) WHERE finished_at IS NULL;

-- Where each chain of the ledger ends, and how many bytes its subject holds.
CREATE TABLE ledger_heads (
    subject TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    bytes BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE ledger_entries (
    id TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    organization_id TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C",
    kind TEXT COLLATE "C" NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    canon TEXT COLLATE "C" NOT NULL,
    prev BYTEA NOT NULL,
    leaf BYTEA NOT NULL,
    PRIMARY KEY (subject, seq)
);
CREATE INDEX ledger_entries_by_site ON ledger_entries (site_id, id);
CREATE INDEX ledger_entries_by_organization ON ledger_entries (organization_id, id) WHERE site_id IS NULL;

-- What is written once stays as it was written: the working role isn't granted the right to change
-- it, and these triggers refuse everybody else, the owner too.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''% is append-only'', TG_TABLE_NAME; END';
CREATE TRIGGER content_revisions_no_change BEFORE UPDATE OR DELETE ON content_revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER content_revisions_no_truncate BEFORE TRUNCATE ON content_revisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER template_versions_no_change BEFORE UPDATE OR DELETE ON template_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER template_versions_no_truncate BEFORE TRUNCATE ON template_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER publications_no_change BEFORE UPDATE OR DELETE ON publications FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER publications_no_truncate BEFORE TRUNCATE ON publications FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER artifacts_no_change BEFORE UPDATE OR DELETE ON artifacts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER artifacts_no_truncate BEFORE TRUNCATE ON artifacts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER claims_no_change BEFORE UPDATE OR DELETE ON claims FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER claims_no_truncate BEFORE TRUNCATE ON claims FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER evidence_no_change BEFORE UPDATE OR DELETE ON evidence FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER evidence_no_truncate BEFORE TRUNCATE ON evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER policies_no_change BEFORE UPDATE OR DELETE ON policies FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER policies_no_truncate BEFORE TRUNCATE ON policies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_no_change BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_no_truncate BEFORE TRUNCATE ON decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER idempotency_keys_no_change BEFORE UPDATE OR DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER idempotency_keys_no_truncate BEFORE TRUNCATE ON idempotency_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entries_no_change BEFORE UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proposal_items_no_change BEFORE UPDATE OR DELETE ON proposal_items FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proposal_items_no_truncate BEFORE TRUNCATE ON proposal_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
