-- What agents bring to write from: packages of checked records, what members decide about them, and
-- which revisions were written from which records.

CREATE TABLE source_packages (
    id TEXT NOT NULL PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    run_id TEXT NOT NULL REFERENCES runs (id),
    name TEXT NOT NULL CHECK (length(name) > 0),
    origin TEXT NOT NULL,
    author TEXT NOT NULL,
    valid INTEGER NOT NULL,
    warning INTEGER NOT NULL,
    invalid INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX source_packages_by_site ON source_packages (site_id, id);

CREATE TABLE source_records (
    package_id TEXT NOT NULL REFERENCES source_packages (id),
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    media_type TEXT NOT NULL,
    body TEXT NOT NULL,
    declared_sha256 BLOB,
    sha256 BLOB NOT NULL,
    verdict TEXT NOT NULL,
    findings TEXT NOT NULL,
    PRIMARY KEY (package_id, position)
) STRICT;
CREATE INDEX source_records_by_key ON source_records (package_id, key, position);

-- The newest one that names a record, or its whole package by a position of NULL, is what holds.
CREATE TABLE source_dispositions (
    package_id TEXT NOT NULL REFERENCES source_packages (id),
    seq INTEGER NOT NULL,
    position INTEGER,
    disposition TEXT NOT NULL,
    reason TEXT NOT NULL,
    member_id TEXT NOT NULL REFERENCES members (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (package_id, seq)
) STRICT;

CREATE TABLE revision_sources (
    revision_id TEXT NOT NULL REFERENCES content_revisions (id),
    package_id TEXT NOT NULL REFERENCES source_packages (id),
    position INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    PRIMARY KEY (revision_id, package_id, position)
) STRICT;

CREATE TRIGGER source_packages_no_update BEFORE UPDATE ON source_packages BEGIN SELECT RAISE(ABORT, 'source_packages is append-only'); END;
CREATE TRIGGER source_packages_no_delete BEFORE DELETE ON source_packages BEGIN SELECT RAISE(ABORT, 'source_packages is append-only'); END;
CREATE TRIGGER source_records_no_update BEFORE UPDATE ON source_records BEGIN SELECT RAISE(ABORT, 'source_records is append-only'); END;
CREATE TRIGGER source_records_no_delete BEFORE DELETE ON source_records BEGIN SELECT RAISE(ABORT, 'source_records is append-only'); END;
CREATE TRIGGER source_dispositions_no_update BEFORE UPDATE ON source_dispositions BEGIN SELECT RAISE(ABORT, 'source_dispositions is append-only'); END;
CREATE TRIGGER source_dispositions_no_delete BEFORE DELETE ON source_dispositions BEGIN SELECT RAISE(ABORT, 'source_dispositions is append-only'); END;
CREATE TRIGGER revision_sources_no_update BEFORE UPDATE ON revision_sources BEGIN SELECT RAISE(ABORT, 'revision_sources is append-only'); END;
CREATE TRIGGER revision_sources_no_delete BEFORE DELETE ON revision_sources BEGIN SELECT RAISE(ABORT, 'revision_sources is append-only'); END;
