-- The topical map, the strategy that is imported for it, the briefs that it commissions and the
-- links between pages.

-- A version of a site's map is the sum of the operations up to it.
CREATE TABLE topical_versions (
    site_id TEXT NOT NULL REFERENCES sites (id),
    version INTEGER NOT NULL,
    operations TEXT NOT NULL,
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (site_id, version)
) STRICT;

-- The nodes as the newest version has them.
CREATE TABLE topical_nodes (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    query TEXT,
    intent TEXT,
    template_key TEXT,
    parent_key TEXT,
    retired INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (site_id, key)
) STRICT;

-- One brief for each page, whoever approves and however often.
CREATE TABLE content_briefs (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    node_id TEXT NOT NULL UNIQUE REFERENCES topical_nodes (id),
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    document TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX content_briefs_by_site ON content_briefs (site_id, id);

-- The one draft that answered a brief.
CREATE TABLE brief_drafts (
    brief_id TEXT NOT NULL PRIMARY KEY REFERENCES content_briefs (id),
    content_id TEXT NOT NULL UNIQUE REFERENCES content_items (id),
    revision_id TEXT NOT NULL,
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    created_at INTEGER NOT NULL
) STRICT;

-- The links that approved proposals set.
CREATE TABLE internal_links (
    proposal_id TEXT NOT NULL REFERENCES proposals (id),
    position INTEGER NOT NULL,
    site_id TEXT NOT NULL REFERENCES sites (id),
    source_id TEXT NOT NULL REFERENCES content_items (id),
    revision_id TEXT NOT NULL,
    target_id TEXT NOT NULL REFERENCES content_items (id),
    anchor TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (proposal_id, position)
) STRICT;
CREATE INDEX internal_links_by_site ON internal_links (site_id);

CREATE TABLE strategy_imports (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    exported_at INTEGER NOT NULL,
    media TEXT NOT NULL,
    member_id TEXT NOT NULL REFERENCES members (id),
    map_version INTEGER NOT NULL,
    state TEXT NOT NULL,
    rows_read INTEGER NOT NULL,
    rows_kept INTEGER NOT NULL,
    rows_marked INTEGER NOT NULL,
    rows_refused INTEGER NOT NULL,
    sha256 BLOB,
    reason TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX strategy_imports_by_site ON strategy_imports (site_id, id);
-- A site receives one import at a time.
CREATE UNIQUE INDEX strategy_imports_open ON strategy_imports (site_id) WHERE finished_at IS NULL;

-- What was noted about rows, the first thousand of an import.
CREATE TABLE strategy_notes (
    import_id TEXT NOT NULL REFERENCES strategy_imports (id),
    position INTEGER NOT NULL,
    line INTEGER NOT NULL,
    code TEXT NOT NULL,
    cell TEXT NOT NULL,
    PRIMARY KEY (import_id, position)
) STRICT;

-- Rows of artifacts. `match_hash` is the beginning of the SHA-256 of the folded query.
CREATE TABLE opportunities (
    id TEXT NOT NULL,
    site_id TEXT NOT NULL REFERENCES sites (id),
    import_id TEXT NOT NULL REFERENCES strategy_imports (id),
    line INTEGER NOT NULL,
    match_hash INTEGER NOT NULL,
    query TEXT NOT NULL,
    title TEXT NOT NULL,
    cluster TEXT,
    intent TEXT,
    url TEXT,
    slug TEXT,
    more TEXT NOT NULL,
    search TEXT NOT NULL,
    reconciliation TEXT NOT NULL,
    rule TEXT NOT NULL,
    found TEXT,
    superseded_by TEXT REFERENCES strategy_imports (id),
    proposal_id TEXT REFERENCES proposals (id),
    PRIMARY KEY (site_id, id)
) STRICT;
CREATE INDEX opportunities_by_match ON opportunities (match_hash);
CREATE INDEX opportunities_by_reconciliation ON opportunities (site_id, reconciliation, id);
CREATE INDEX opportunities_held ON opportunities (site_id, id) WHERE proposal_id IS NOT NULL;
CREATE INDEX opportunities_superseded ON opportunities (site_id, id) WHERE superseded_by IS NOT NULL;

CREATE TRIGGER topical_versions_no_update BEFORE UPDATE ON topical_versions BEGIN SELECT RAISE(ABORT, 'topical_versions is append-only'); END;
CREATE TRIGGER topical_versions_no_delete BEFORE DELETE ON topical_versions BEGIN SELECT RAISE(ABORT, 'topical_versions is append-only'); END;
CREATE TRIGGER content_briefs_no_update BEFORE UPDATE ON content_briefs BEGIN SELECT RAISE(ABORT, 'content_briefs is append-only'); END;
CREATE TRIGGER content_briefs_no_delete BEFORE DELETE ON content_briefs BEGIN SELECT RAISE(ABORT, 'content_briefs is append-only'); END;
CREATE TRIGGER brief_drafts_no_update BEFORE UPDATE ON brief_drafts BEGIN SELECT RAISE(ABORT, 'brief_drafts is append-only'); END;
CREATE TRIGGER brief_drafts_no_delete BEFORE DELETE ON brief_drafts BEGIN SELECT RAISE(ABORT, 'brief_drafts is append-only'); END;
CREATE TRIGGER internal_links_no_update BEFORE UPDATE ON internal_links BEGIN SELECT RAISE(ABORT, 'internal_links is append-only'); END;
CREATE TRIGGER internal_links_no_delete BEFORE DELETE ON internal_links BEGIN SELECT RAISE(ABORT, 'internal_links is append-only'); END;
CREATE TRIGGER strategy_notes_no_update BEFORE UPDATE ON strategy_notes BEGIN SELECT RAISE(ABORT, 'strategy_notes is append-only'); END;
CREATE TRIGGER strategy_notes_no_delete BEFORE DELETE ON strategy_notes BEGIN SELECT RAISE(ABORT, 'strategy_notes is append-only'); END;
