-- The topical map, the strategy that is imported for it, the briefs that it commissions and the
-- links between pages.

-- A version of a site's map is the sum of the operations up to it.
CREATE TABLE topical_versions (
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    version BIGINT NOT NULL,
    operations TEXT COLLATE "C" NOT NULL,
    proposal_id TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (site_id, version)
);

-- The nodes as the newest version has them.
CREATE TABLE topical_nodes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    key TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    query TEXT COLLATE "C",
    intent TEXT COLLATE "C",
    template_key TEXT COLLATE "C",
    parent_key TEXT COLLATE "C",
    retired BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (site_id, key)
);

-- One brief for each page, whoever approves and however often.
CREATE TABLE content_briefs (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    node_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES topical_nodes (id),
    proposal_id TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    document TEXT COLLATE "C" NOT NULL,
    sha256 BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX content_briefs_by_site ON content_briefs (site_id, id);

-- The one draft that answered a brief.
CREATE TABLE brief_drafts (
    brief_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES content_briefs (id),
    content_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES content_items (id),
    revision_id TEXT COLLATE "C" NOT NULL,
    proposal_id TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    created_at BIGINT NOT NULL
);

-- The links that approved proposals set.
CREATE TABLE internal_links (
    proposal_id TEXT COLLATE "C" NOT NULL REFERENCES proposals (id),
    position BIGINT NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    source_id TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    revision_id TEXT COLLATE "C" NOT NULL,
    target_id TEXT COLLATE "C" NOT NULL REFERENCES content_items (id),
    anchor TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (proposal_id, position)
);
CREATE INDEX internal_links_by_site ON internal_links (site_id);

CREATE TABLE strategy_imports (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    source TEXT COLLATE "C" NOT NULL,
    tool TEXT COLLATE "C" NOT NULL,
    exported_at BIGINT NOT NULL,
    media TEXT COLLATE "C" NOT NULL,
    member_id TEXT COLLATE "C" NOT NULL REFERENCES members (id),
    map_version BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    rows_read BIGINT NOT NULL,
    rows_kept BIGINT NOT NULL,
    rows_marked BIGINT NOT NULL,
    rows_refused BIGINT NOT NULL,
    sha256 BYTEA,
    reason TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE INDEX strategy_imports_by_site ON strategy_imports (site_id, id);
-- A site receives one import at a time.
CREATE UNIQUE INDEX strategy_imports_open ON strategy_imports (site_id) WHERE finished_at IS NULL;

-- What was noted about rows, the first thousand of an import.
CREATE TABLE strategy_notes (
    import_id TEXT COLLATE "C" NOT NULL REFERENCES strategy_imports (id),
    position BIGINT NOT NULL,
    line BIGINT NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    cell TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (import_id, position)
);

-- Rows of artifacts. `match_hash` is the beginning of the SHA-256 of the folded query.
CREATE TABLE opportunities (
    id TEXT COLLATE "C" NOT NULL,
    site_id TEXT COLLATE "C" NOT NULL REFERENCES sites (id),
    import_id TEXT COLLATE "C" NOT NULL REFERENCES strategy_imports (id),
    line BIGINT NOT NULL,
    match_hash BIGINT NOT NULL,
    query TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    cluster TEXT COLLATE "C",
    intent TEXT COLLATE "C",
    url TEXT COLLATE "C",
    slug TEXT COLLATE "C",
    more TEXT COLLATE "C" NOT NULL,
    search TEXT COLLATE "C" NOT NULL,
    reconciliation TEXT COLLATE "C" NOT NULL,
    rule TEXT COLLATE "C" NOT NULL,
    found TEXT COLLATE "C",
    superseded_by TEXT COLLATE "C" REFERENCES strategy_imports (id),
    proposal_id TEXT COLLATE "C" REFERENCES proposals (id),
    PRIMARY KEY (site_id, id)
);
CREATE INDEX opportunities_by_match ON opportunities (match_hash);
CREATE INDEX opportunities_by_reconciliation ON opportunities (site_id, reconciliation, id);
CREATE INDEX opportunities_held ON opportunities (site_id, id) WHERE proposal_id IS NOT NULL;
CREATE INDEX opportunities_superseded ON opportunities (site_id, id) WHERE superseded_by IS NOT NULL;

CREATE TRIGGER topical_versions_no_change BEFORE UPDATE OR DELETE ON topical_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER topical_versions_no_truncate BEFORE TRUNCATE ON topical_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER content_briefs_no_change BEFORE UPDATE OR DELETE ON content_briefs FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER content_briefs_no_truncate BEFORE TRUNCATE ON content_briefs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER brief_drafts_no_change BEFORE UPDATE OR DELETE ON brief_drafts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER brief_drafts_no_truncate BEFORE TRUNCATE ON brief_drafts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER internal_links_no_change BEFORE UPDATE OR DELETE ON internal_links FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER internal_links_no_truncate BEFORE TRUNCATE ON internal_links FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER strategy_notes_no_change BEFORE UPDATE OR DELETE ON strategy_notes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER strategy_notes_no_truncate BEFORE TRUNCATE ON strategy_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
